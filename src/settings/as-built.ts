/** Takes the settings that a build read its logs with from the manifest of its dataset (the inverse of decisive.ts). */
import { failUsage } from '../errors.ts';
import { plugInNames } from './decisive.ts';
import { flagOf, type Setting } from './option.ts';
import { NO_RUN_PLUG_INS } from './plug-ins.ts';
import type { PartialSettings, Settings } from './settings.ts';
import { SETTINGS } from './table.ts';

type Values = Readonly<Record<string, unknown>>;

const ROWS: ReadonlyMap<string, Setting<unknown>> = new Map(Object.entries(SETTINGS));
const HASH = 'Sha256';

/** Returns those settings of a manifest that the commands which read logs take. */
export function readingSettingsIn(built: object): Partial<Settings> {
  const reading = Object.entries(built).filter(([name]) => ROWS.get(name)?.of === 'reading');
  return Object.fromEntries(reading);
}

/**
 * Returns the settings of the build with those that are given in their place.
 * @param out the dataset, for messages
 * @throws TurnmillError `usage` if the build had plug-ins or texts that the manifest does not keep, and they are not given
 */
export function asBuilt(out: string, built: object, given: PartialSettings): PartialSettings {
  const { format, onFinding, meta, ...reading } = readingSettingsIn(built);
  const { formatOptions } = built as Partial<Settings>;
  const isSameFormat = given.format === undefined || String(given.format) === String(format);
  const ofFormat = isSameFormat ? { format, meta, onFinding, formatOptions } : {};
  checkPlugIns(out, built, given);
  checkHashed(out, [
    ...hashedIn(built, { ...given }).filter((name) => name === 'only' || ROWS.get(name)?.of === 'reading'),
    ...hashedIn(ofFormat.formatOptions ?? {}, given.formatOptions ?? {}),
  ]);
  return {
    ...reading,
    ...ofFormat,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    formatOptions: { ...withoutHashes(ofFormat.formatOptions), ...given.formatOptions },
    onFinding: { ...ofFormat.onFinding, ...given.onFinding },
    inputs: given.inputs,
  };
}

/** Returns the names of the settings of which only the SHA-256 is known. */
function hashedIn(built: object, given: Values): readonly string[] {
  const hashed = Object.keys(built).filter((name) => name.endsWith(HASH));
  return hashed.map((name) => name.slice(0, -HASH.length)).filter((name) => given[name] === undefined);
}

function withoutHashes(values: Settings['formatOptions'] = {}): Settings['formatOptions'] {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !name.endsWith(HASH)));
}

function checkHashed(out: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const flags = names.map((name) => `--${flagOf(name)}`).join(', ');
  failUsage(
    `${out} keeps only the SHA-256 of what its build read for ${flags}: add the option with the same file`,
  );
}

function checkPlugIns(out: string, built: object, { plugIns = NO_RUN_PLUG_INS }: PartialSettings): void {
  const { plugIns: names = [] } = built as { readonly plugIns?: readonly string[] };
  const loaded = plugInNames(plugIns);
  const missing = names.filter((name) => !loaded.includes(name));
  if (missing.length > 0)
    failUsage(
      `${out} was built with plug-ins (${missing.join(', ')}): add --plugin FILE for each of their files`,
    );
}
