/** The settings that decide the bytes of the dataset: nothing of the machine, the paths or how the run goes about it. */
import {
  type FormatOptionValue,
  type FormatOptionValues,
  formatOptions,
} from '../../transforms/formats/format-options.ts';
import { sha256 } from '../sha256.ts';
import type { Settings } from './settings.ts';

/** With sorted keys. */
export function decisiveSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const {
    inputs: _inputs,
    out: _out,
    replace: _replace,
    update: _update,
    resume: _resume,
    workers: _workers,
    allowEmpty: _allowEmpty,
    mode: _mode,
    follow: _follow,
    onReject: _onReject,
    maxQuarantine: _maxQuarantine,
    scanner: _scanner,
    profile: _profile,
    readers: _readers,
    checksum: _checksum,
    takesBack: _takesBack,
    userTurn,
    formatOptions: given,
    ...decisive
  } = settings;
  const said = userTurn === undefined ? {} : { userTurnSha256: sha256(userTurn) };
  const options = { formatOptions: hashedTexts(given) };
  return Object.fromEntries(
    Object.entries({ ...decisive, ...options, ...said }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Texts that come from a file are named by their SHA-256: they may say what is nobody else's business. */
function hashedTexts(values: FormatOptionValues): FormatOptionValues {
  const entries = Object.entries(values).map(([name, value]): [string, FormatOptionValue] =>
    formatOptions.get(name)?.spec.fromFile === true
      ? [`${name}Sha256`, sha256(String(value))]
      : [name, value],
  );
  return Object.fromEntries(entries);
}

/** The names of those that were others in an earlier run. */
export function differences(earlier: object, settings: Settings): readonly string[] {
  const now = decisiveSettings(settings);
  const then = earlier as Readonly<Record<string, unknown>>;
  const names = new Set([...Object.keys(then), ...Object.keys(now)]);
  return [...names].filter((name) => JSON.stringify(then[name]) !== JSON.stringify(now[name])).sort();
}
