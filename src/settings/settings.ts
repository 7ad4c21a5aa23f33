/** The settings of a run, from flags, the configuration file or the caller of the library, with all defaults filled in. */

import { dialects as allDialects } from '../../transforms/dialects/index.ts';
import { optionFault } from '../../transforms/formats/format-options.ts';
import { formats } from '../../transforms/formats/index.ts';
import { UNREAD_TEXT } from '../../transforms/formats/unread-text.ts';
import { definitionsIn } from '../../transforms/stages/supply.ts';
import { failUsage } from '../errors.ts';
import { checkStreams, type Input, nameOfInput } from '../input/sources/stream-source.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { suggestion } from './nearest-word.ts';
import { flagOf, optionWith, type Setting } from './option.ts';
import { type PlugInObjects, withObjects } from './plug-ins.ts';
import { type PartialS3, resolveS3Options } from './s3-settings.ts';
import { SETTINGS, type TableValues } from './table.ts';

/** The settings of a run: those of the table, and the inputs. */
export interface Settings extends TableValues {
  /** Paths of files and folders, `-`, or streams. */
  readonly inputs: readonly Input[];
}

/** The settings that a task needs, which are plain data. */
export type TaskSettings = Omit<Settings, 'inputs' | 'out' | 'replace' | 'update' | 'resume' | 'workers'>;

/** The settings that recording needs: those of a task, and the number of inputs. */
export interface RecordSettings extends TaskSettings {
  readonly inputs: { readonly length: number };
}

export const DEFAULT_SETTINGS: TableValues = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
) as unknown as TableValues;

/** Settings as the caller passes them: only the inputs are required, and a single format may be a string. */
export type PartialSettings = PlugInObjects &
  Pick<Settings, 'inputs'> & {
    readonly [K in Exclude<keyof Settings, 'format' | 's3'>]?: Settings[K] | undefined;
  } & {
    readonly format?: string | readonly string[] | undefined;
    readonly s3?: PartialS3 | undefined;
  };

/** Fills in the settings of a run. Throws a usage error that names the option if a value is not allowed. */
export function resolveSettings({
  dialects,
  formats: ownFormats,
  stages,
  ...options
}: PartialSettings): Settings {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  checkNames(Object.keys(set));
  const merged = { ...DEFAULT_SETTINGS, ...set } as Settings;
  const settings = {
    ...merged,
    format: [merged.format].flat(),
    copies: merged.copies === 'keep' ? undefined : merged.copies,
    s3: resolveS3Options(options.s3),
    formatOptions: sorted(merged.formatOptions),
    onFinding: sorted(merged.onFinding),
    plugIns: withObjects(merged.plugIns, { dialects, formats: ownFormats, stages }),
  };
  checkInputs(settings.inputs);
  checkOut(settings.out);
  checkValues(settings);
  checkSelect(settings);
  checkConversion(settings);
  checkReuse(settings);
  checkCopies(settings);
  checkSplit(settings);
  checkSlice(settings);
  return settings;
}

/** Sorts the values, so that equivalent settings compare equal. */
function sorted<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Settings that `build` and `check` take besides those of the table. */
const OTHER_NAMES = ['inputs', 'plugins', 'dialects', 'formats', 'stages'];

/** Refuses names that no setting has: a caller without types would not notice that they have no effect. */
function checkNames(names: readonly string[]): void {
  const known = [...Object.keys(SETTINGS), ...OTHER_NAMES];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = 'settings are the options of turnmill build in camelCase, as in maxLine';
  failUsage(`unknown setting '${unknown}'${suggestion(unknown, known, hint)}`);
}

/** Checks each value by the type of its row. */
function checkValues(settings: Settings): void {
  for (const [name, row] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const value = settings[name as keyof TableValues];
    if (value === undefined) continue;
    optionWith(row, settings.plugIns).type?.check?.(value, (problem) =>
      failUsage(`--${flagOf(name)}: ${problem}`),
    );
  }
}

/** Checks the name of a dataset that a caller of the library passes. */
export function checkOut(out: unknown): void {
  if (out !== undefined && (typeof out !== 'string' || out === ''))
    failUsage('out must be the path of a folder, an s3:// URL or -');
}

function checkInputs(inputs: Settings['inputs']): void {
  if (!Array.isArray(inputs)) failUsage('inputs must be a list of files, folders or streams');
  if (inputs.length === 0) failUsage('name at least one input: a file, a folder, or - for standard input');
  if (inputs.includes('')) failUsage('the name of an input is empty');
  if (inputs.filter((input) => input === '-').length > 1)
    failUsage('standard input (-) can be an input only once');
  checkStreams(inputs);
}

/** Throws if the choice of conversations or `--strict-time` would have no effect, or if they contradict each other. */
function checkSelect({ select, dialect, strictTime, plugIns }: Settings): void {
  const named = [...plugIns.dialects, ...allDialects].find(({ name }) => name === dialect);
  if (strictTime && named !== undefined && allDialects.includes(named) && dialect !== 'exchange')
    failUsage(
      `--strict-time: the times of calls are checked in the dialect exchange only, not in ${dialect}`,
    );
  if (select === undefined) return;
  if (named?.alone === true)
    failUsage(
      `--select: each conversation of the dialect ${dialect} is a session by itself, so there is no choice`,
    );
  if (select === 'leaves' && strictTime)
    failUsage(
      '--strict-time and --select leaves contradict each other: the calls of several conversations overlap',
    );
}

function checkConversion(settings: Settings): void {
  checkFormats(settings);
  checkMeta(settings);
  const { toolDefinitions, onFinding } = settings;
  if (toolDefinitions !== undefined && definitionsIn(toolDefinitions) === undefined)
    failUsage('--tool-definitions: not a JSON array of objects that each have a name');
  for (const rule of Object.keys(onFinding)) checkFinding(rule, settings);
}

function checkFormats({ format: names, formatOptions, out, plugIns }: Settings): void {
  const fault = optionFault(names, formatOptions, plugIns.formats);
  if (fault !== undefined) failUsage(`--${flagOf(fault.name)}: ${fault.problem}`);
  if (names.length > 1 && out === '-')
    failUsage('--out - writes records of one --format only; use --out DIR for several');
}

function checkMeta({ meta, format: names, plugIns }: Settings): void {
  if (new Set(meta).size < meta.length) failUsage('--meta: name each field only once');
  const having = [...formats, ...plugIns.formats].filter(({ metadata }) => metadata !== undefined);
  if (meta.length > 0 && !having.some(({ name }) => names.includes(name)))
    failUsage(
      `--meta: --format ${names.join(', ')} has no place for it; use one of ${having.map(({ name }) => name).join(', ')}`,
    );
}

/** Throws for a rule that no chosen format has, because it would have no effect. */
function checkFinding(rule: string, { format: names, plugIns }: Settings): void {
  if (rule === UNREAD_TEXT) return;
  const known = [...formats, ...plugIns.formats];
  const having = known.filter(({ rules }) => rules.includes(rule)).map(({ name }) => name);
  if (!having.some((name) => names.includes(name)))
    failUsage(`--on-finding: ${rule} is a rule of ${having.join(', ')}, and --format is ${names.join(', ')}`);
}

/** Throws if `--update`, `--resume` or `--checksum` cannot work with the other settings. */
function checkReuse(settings: Settings): void {
  const { update, resume, checksum, inputs, out, limit, plugIns } = settings;
  if (checksum && !update) failUsage('--checksum works only together with --update');
  for (const option of [...(update ? ['update'] : []), ...(resume ? ['resume'] : [])]) {
    if (out === undefined || out === '-') failUsage(`--${option} needs an output folder`);
    if (option === 'resume' && isObjectUrl(out))
      failUsage('--resume: a run that writes to a store has no checkpoints; run it again from the beginning');
    if (inputs.includes('-')) failUsage(`--${option}: standard input cannot be read again`);
    const stream = inputs.find((input) => typeof input !== 'string');
    if (stream !== undefined)
      failUsage(`--${option}: the stream ${nameOfInput(stream)} cannot be read again`);
    if (plugIns.hasObjects)
      failUsage(
        `--${option}: changes of a plug-in object cannot be detected: pass the plug-in as a file (plugins)`,
      );
    if (limit !== undefined) failUsage(`--${option} and --limit contradict each other`);
  }
}

/** Most formats whose numbers fit into the bits of a number (src/reuse/containment.ts). */
const MAX_COMPARED_FORMATS = 31;

/** Throws if records cannot be left out or marked at the end of the run. */
export function checkCopies({ copies, out, format: names, plugIns }: Settings): void {
  if (copies === undefined) return;
  const option = `--copies ${copies}`;
  if (out === undefined || out === '-')
    failUsage(`${option} needs an output folder, because which records stay is known only at the end`);
  if (names.length > MAX_COMPARED_FORMATS)
    failUsage(`${option} works with at most ${MAX_COMPARED_FORMATS} formats`);
  if (copies !== 'mark') return;
  const able = [...formats, ...plugIns.formats].filter(({ context }) => context !== undefined);
  const marking = able.map(({ name }) => name);
  const unable = names.filter((name) => !marking.includes(name));
  if (unable.length > 0)
    failUsage(
      `${option}: --format ${unable.join(', ')} cannot say which answers are context; use ${marking.join(', ')}`,
    );
}

/** Throws if records cannot be divided at the end of the run. */
export function checkSplit({ split, splitSeed, out, format: names }: Settings): void {
  if (split === undefined && splitSeed !== undefined)
    failUsage('--split-seed works only together with --split');
  if (split === undefined) return;
  if (out === undefined || out === '-')
    failUsage('--split needs an output folder, because which records stay together is known only at the end');
  if (names.length > MAX_COMPARED_FORMATS)
    failUsage(`--split works with at most ${MAX_COMPARED_FORMATS} formats`);
}

/** Throws if the run cannot be one of several tasks, whose datasets are merged. */
function checkSlice({ slice, inputs, out, limit, copies }: Settings): void {
  if (slice === undefined) return;
  if (limit !== undefined) failUsage('--slice and --limit contradict each other');
  if (out === '-')
    failUsage('--slice needs an output folder or a prefix in a store, because its dataset is merged');
  const stream = inputs.find((input) => input === '-' || typeof input !== 'string');
  if (stream !== undefined)
    failUsage(`--slice: each task reads some of the sources, so ${nameOfInput(stream)} cannot be an input`);
  if (copies === 'mark')
    failUsage(
      '--slice: which answers are context is known only once all are read; use --copies drop, or one build',
    );
}
