/** The settings of a run, from flags, the configuration file or the caller of the library, with all defaults filled in. */

import {
  FOLD_SELECTIONS,
  type FoldSelect,
  MAX_BRANCHES,
  MAX_CONVERSATION_BYTES,
} from '../../transforms/dialects/dialect.ts';
import { type FormatOptionValues, optionFault } from '../../transforms/formats/format-options.ts';
import { formats } from '../../transforms/formats/index.ts';
import { UNREAD_TEXT } from '../../transforms/formats/unread-text.ts';
import { MAX_ELEMENTS } from '../../transforms/json/elements.ts';
import { ANY_NUMBER, MAX_DEPTH, MAX_DEPTH_CEILING } from '../../transforms/json/scanner.ts';
import type { ScannerName } from '../../transforms/json/scanners.ts';
import { GROUPINGS, type Grouping } from '../../transforms/model/group.ts';
import { META_NAMES, type MetaName } from '../../transforms/model/meta.ts';
import { type CleanupOptions, rulesOf } from '../../transforms/stages/cleanup.ts';
import { MAX_PART_BYTES } from '../../transforms/stages/limit-parts.ts';
import { parse } from '../../transforms/stages/parse.ts';
import { REASONING_MODES, type ReasoningMode } from '../../transforms/stages/reasoning.ts';
import { definitionsIn } from '../../transforms/stages/supply.ts';
import { TurnmillError } from '../errors.ts';
import type { Follow } from '../input/sources/links.ts';
import { checkStreams, type Input, nameOfInput } from '../input/sources/stream-source.ts';
import { DEFAULT_S3, resolveS3Options, type S3Options } from '../object-store/options.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { parseTolerance, type Tolerance } from './error-budget.ts';
import { NO_RUN_PLUG_INS, type PlugInObjects, type RunPlugIns, withObjects } from './plug-ins.ts';

/** The settings that decide the bytes of the dataset; their hash is in the manifest. */
export interface ConversionSettings extends CleanupOptions {
  readonly dialect: string;
  /** The user's text before a response that was logged without its request. */
  readonly userTurn: string | undefined;
  /** System text for conversations whose log has none. */
  readonly systemText: string | undefined;
  /** JSON text of an array of tools, for conversations whose log has none. */
  readonly toolDefinitions: string | undefined;
  /**
   * Undefined for the default: by file for files, folders and streams (a folder of event files is one session), by id
   * for standard input.
   */
  readonly sessionBy: 'file' | 'id' | 'folder' | undefined;
  /** Which conversations of an event log become records. */
  readonly select: FoldSelect;
  /** Names of the formats, all different; with several, each has a folder in data/. */
  readonly format: readonly string[];
  /** Names of the metadata that are written into the records. */
  readonly meta: readonly MetaName[];
  /** Options of formats, by name (docs/formats.md). */
  readonly formatOptions: FormatOptionValues;
  readonly groupBy: Grouping;
  /** How to write the model's reasoning. */
  readonly reasoning: ReasoningMode;
  readonly integrity: boolean;
  /** Rules of the format whose findings reject the session. */
  readonly rejectOn: readonly string[];
  /** Rules of the format whose findings do not reject the session, although they would by default. */
  readonly keepOn: readonly string[];
  readonly maxLineBytes: number;
  /** Deepest nesting of objects and arrays in a line. */
  readonly maxDepth: number;
  /** Most messages of an entry, including its reply; undefined for any number. */
  readonly maxMessages: number | undefined;
  /** Most elements of any array or object of a line, and most objects of a line. */
  readonly maxElements: number;
  /** Most bytes that the open conversations of an event log may take. */
  readonly maxConversationBytes: number;
  /** Most branches of a session that are written. */
  readonly maxBranches: number;
  /** Most bytes of the data of an image, a recording or a file in a message; 0 for any number. */
  readonly maxPartBytes: number;
  /** Most files that a run may list; undefined for any number. */
  readonly maxSources: number | undefined;
  /** Most bytes that a packed source may unpack to. */
  readonly maxDecompressedBytes: number;
  /** Highest ratio of a packed source that unpacks to over 256 MiB; undefined for the default of the compression. */
  readonly maxRatio: number | undefined;
  readonly shardSizeBytes: number;
  readonly compress: 'none' | 'gzip' | 'zstd';
  /** Percentage of text of which less must not be read of a source, or it is rejected; undefined for no minimum. */
  readonly minRead: number | undefined;
  /** Sessions after which the run ends; undefined for no limit. */
  readonly limit: number | undefined;
  /** Ids of the sessions that become records; undefined for all. */
  readonly only: readonly string[] | undefined;
  /** Whether the quarantine keeps only position and hash of a rejected line, or the bytes too. */
  readonly quarantineContent: 'ref' | 'raw';
  /** Most bytes of rejected lines that the quarantine keeps in total; of further lines only position and hash. */
  readonly quarantineSizeBytes: number;
}

/** The settings that a task needs. */
export interface TaskSettings extends ConversionSettings {
  /**
   * How new text is validated; both scanners produce the same dataset. `TURNMILL_SCANNER=plain` is for tests and old
   * machines.
   */
  readonly scanner: ScannerName;
  /** Whether to measure how the time is spent. */
  readonly profile: boolean;
  /** Whether to report what the consumers of the formats would do with each record (`check --target`). */
  readonly consumers: boolean;
  /** Whether to measure how much of the text of each source is read (`check`). */
  readonly measures: boolean;
  /** Whether to compute the SHA-256 of every source, and compare it with that of the previous run. */
  readonly checksum: boolean;
  /** How to reach and use object stores. */
  readonly s3: S3Options;
  /** Dialects, formats and stages besides the built-in ones. */
  readonly plugIns: RunPlugIns;
  /** Whether the results of a source can be withdrawn before its report; not if records or verdicts go to standard output. */
  readonly takesBack?: boolean;
}

export interface Settings extends TaskSettings {
  /** Paths of files and folders, `-`, or streams. */
  readonly inputs: readonly Input[];
  /** A folder to create, `-` for standard output, or undefined to write nothing (dry run, check). */
  readonly out: string | undefined;
  readonly replace: boolean;
  /** Whether to reuse unchanged sources from the dataset at `out`, and replace it with the new one. */
  readonly update: boolean;
  /** Whether to continue from the last checkpoint of a killed run. */
  readonly resume: boolean;
  /** Number of workers; undefined to choose by the size of the input (engine/worker-count.ts). */
  readonly workers: number | undefined;
  readonly onReject: 'quarantine' | 'fail';
  /** Nothing is published if there are more rejections than this; undefined for no limit. */
  readonly maxQuarantine: Tolerance | undefined;
  readonly allowEmpty: boolean;
  /** Whether an update may lose more than half of the sessions of sources that still exist. */
  readonly allowShrink: boolean;
  /** Whether to write reports/index.html. */
  readonly report: boolean;
  /** Permissions of the dataset's files (`0o640`); undefined for those that all sources and the umask grant. */
  readonly mode: number | undefined;
  /** Which symbolic links in folders to follow. */
  readonly follow: Follow;
}

export const MEBIBYTE: number = 1024 * 1024;
/** Longest line that can be read: the limit of a JavaScript string. */
export const MAX_LINE_CEILING: number = 512 * MEBIBYTE - 24;

/** A limit that no line reaches: it has fewer bytes. */
export const MAX_ELEMENTS_CEILING: number = ANY_NUMBER;

export const DEFAULT_SETTINGS: Omit<Settings, 'inputs' | 'out'> = {
  dialect: 'auto',
  userTurn: undefined,
  systemText: undefined,
  toolDefinitions: undefined,
  sessionBy: undefined,
  select: 'leaves',
  cleanup: ['auto'],
  format: ['chat'],
  meta: [],
  formatOptions: {},
  groupBy: 'date',
  reasoning: 'keep',
  integrity: true,
  rejectOn: [],
  keepOn: [],
  maxLineBytes: 256 * MEBIBYTE,
  maxDepth: MAX_DEPTH,
  maxMessages: undefined,
  maxElements: MAX_ELEMENTS,
  maxConversationBytes: MAX_CONVERSATION_BYTES,
  maxBranches: MAX_BRANCHES,
  maxPartBytes: MAX_PART_BYTES,
  maxSources: undefined,
  maxDecompressedBytes: 1024 * 1024 * MEBIBYTE,
  maxRatio: undefined,
  shardSizeBytes: 1024 * MEBIBYTE,
  compress: 'none',
  minRead: undefined,
  limit: undefined,
  only: undefined,
  quarantineContent: 'ref',
  quarantineSizeBytes: 1024 * MEBIBYTE,
  scanner: process.env.TURNMILL_SCANNER === 'plain' ? 'plain' : 'auto',
  profile: false,
  consumers: false,
  measures: false,
  checksum: false,
  s3: DEFAULT_S3,
  plugIns: NO_RUN_PLUG_INS,
  replace: false,
  update: false,
  resume: false,
  workers: undefined,
  onReject: 'quarantine',
  maxQuarantine: undefined,
  allowEmpty: false,
  allowShrink: false,
  report: true,
  mode: undefined,
  follow: 'none',
};

/** Settings as the caller passes them: only the inputs are required, and a single format may be a string. */
export type PartialSettings = PlugInObjects &
  Pick<Settings, 'inputs'> & {
    readonly [K in Exclude<keyof Settings, 'format' | 's3'>]?: Settings[K] | undefined;
  } & {
    readonly format?: string | readonly string[] | undefined;
    readonly s3?: { readonly [K in keyof S3Options]?: S3Options[K] | undefined } | undefined;
  };

/** Fills in the settings of a run. Throws a usage error that names the option if a value is not allowed. */
export function resolveSettings({
  dialects,
  formats: ownFormats,
  stages,
  ...options
}: PartialSettings): Settings {
  const set = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const merged = { ...DEFAULT_SETTINGS, out: undefined, ...set } as Settings;
  const settings = {
    ...merged,
    format: [merged.format].flat(),
    s3: resolveS3Options(options.s3),
    formatOptions: sorted(merged.formatOptions),
    plugIns: withObjects(merged.plugIns, { dialects, formats: ownFormats, stages }),
  };
  checkInputs(settings.inputs);
  checkConversion(settings);
  checkLimits(settings);
  checkMode(settings.mode);
  checkRules(settings.cleanup);
  checkReuse(settings);
  return settings;
}

/** Sorts the values, so that equivalent settings compare equal. */
function sorted(values: FormatOptionValues): FormatOptionValues {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkInputs(inputs: Settings['inputs']): void {
  if (inputs.length === 0) fail('name at least one input: a file, a folder, or - for standard input');
  if (inputs.filter((input) => input === '-').length > 1)
    fail('standard input (-) can be an input only once');
  checkStreams(inputs);
}

function checkConversion(settings: Settings): void {
  oneOf('dialect', settings.dialect, [
    ...(parse.options.dialect.choices ?? []),
    ...settings.plugIns.dialects.map(({ name }) => name),
  ]);
  checkFormats(settings);
  checkMeta(settings);
  const { toolDefinitions } = settings;
  if (toolDefinitions !== undefined && definitionsIn(toolDefinitions) === undefined)
    fail('--tool-definitions: not a JSON array of objects that each have a name');
  oneOf('group-by', settings.groupBy, GROUPINGS);
  oneOf('reasoning', settings.reasoning, REASONING_MODES);
  oneOf('session-by', settings.sessionBy ?? 'file', ['file', 'id', 'folder']);
  oneOf('select', settings.select, FOLD_SELECTIONS);
  oneOf('compress', settings.compress, ['none', 'gzip', 'zstd']);
  oneOf('follow', settings.follow, ['none', 'inside', 'anywhere']);
  oneOf('on-reject', settings.onReject, ['quarantine', 'fail']);
  oneOf('quarantine-content', settings.quarantineContent, ['ref', 'raw']);
  for (const rule of [...settings.rejectOn, ...settings.keepOn]) checkFinding(rule, settings);
}

function checkLimits(settings: Settings): void {
  if (settings.workers !== undefined) inRange('workers', settings.workers, 1, 1024);
  inRange('max-line', settings.maxLineBytes, 1, MAX_LINE_CEILING);
  inRange('max-depth', settings.maxDepth, 1, MAX_DEPTH_CEILING);
  inRange('max-conversation', settings.maxConversationBytes, 1, Number.MAX_SAFE_INTEGER);
  inRange('max-branches', settings.maxBranches, 1, Number.MAX_SAFE_INTEGER);
  inRange('max-part', settings.maxPartBytes, 0, Number.MAX_SAFE_INTEGER);
  inRange('max-elements', settings.maxElements, 1, MAX_ELEMENTS_CEILING);
  for (const name of ['maxMessages', 'maxSources', 'maxRatio', 'limit'] as const) {
    const value = settings[name];
    if (value !== undefined) inRange(flagOf(name), value, 1, Number.MAX_SAFE_INTEGER);
  }
  inRange('max-decompressed', settings.maxDecompressedBytes, 1, Number.MAX_SAFE_INTEGER);
  inRange('quarantine-size', settings.quarantineSizeBytes, 1, Number.MAX_SAFE_INTEGER);
  inRange('shard-size', settings.shardSizeBytes, 1, Number.MAX_SAFE_INTEGER);
  const { maxQuarantine } = settings;
  if (maxQuarantine !== undefined && parseTolerance(String(maxQuarantine)) === undefined)
    fail(`--max-quarantine: '${maxQuarantine}' is neither a whole number nor a percentage`);
}

function checkFormats({ format: names, formatOptions, out, plugIns }: Settings): void {
  const known = [...formats, ...plugIns.formats].map(({ name }) => name);
  for (const name of names) oneOf('format', name, known);
  if (names.length === 0) fail('--format: name at least one');
  if (new Set(names).size < names.length) fail('--format: name each format only once');
  const fault = optionFault(names, formatOptions, plugIns.formats);
  if (fault !== undefined) fail(`--${flagOf(fault.name)}: ${fault.problem}`);
  if (names.length > 1 && out === '-')
    fail('--out - writes records of one --format only; use --out DIR for several');
}

function checkMeta({ meta, format: names, plugIns }: Settings): void {
  for (const name of meta) oneOf('meta', name, META_NAMES);
  if (new Set(meta).size < meta.length) fail('--meta: name each field only once');
  const having = [...formats, ...plugIns.formats].filter(({ metadata }) => metadata !== undefined);
  if (meta.length > 0 && !having.some(({ name }) => names.includes(name)))
    fail(
      `--meta: --format ${names.join(', ')} has no place for it; use one of ${having.map(({ name }) => name).join(', ')}`,
    );
}

/** Throws for a rule that no chosen format has, because it would have no effect. */
function checkFinding(rule: string, { format: names, plugIns }: Settings): void {
  if (rule === UNREAD_TEXT) return;
  const known = [...formats, ...plugIns.formats];
  const having = known.filter(({ rules }) => rules.includes(rule)).map(({ name }) => name);
  if (having.length === 0) oneOf('on-finding', rule, [...new Set(known.flatMap(({ rules }) => rules))]);
  if (!having.some((name) => names.includes(name)))
    fail(`--on-finding: ${rule} is a rule of ${having.join(', ')}, and --format is ${names.join(', ')}`);
}

function checkMode(mode: number | undefined): void {
  if (mode === undefined || (Number.isInteger(mode) && mode >= 0 && (mode & ~0o666) === 0)) return;
  const shown = Number.isInteger(mode) && mode >= 0 ? `0${mode.toString(8)}` : String(mode);
  fail(
    `--mode: ${shown} is not a mode of read and write bits such as 0640; leave out x bits, folders get theirs automatically`,
  );
}

/** Throws if `--update`, `--resume` or `--checksum` cannot work with the other settings. */
function checkReuse(settings: Settings): void {
  const { update, resume, checksum, inputs, out, limit, plugIns } = settings;
  if (checksum && !update) fail('--checksum works only together with --update');
  for (const option of [...(update ? ['update'] : []), ...(resume ? ['resume'] : [])]) {
    if (out === undefined || out === '-') fail(`--${option} needs an output folder`);
    if (option === 'resume' && isObjectUrl(out))
      fail('--resume: a run that writes to a store has no checkpoints; run it again from the beginning');
    if (inputs.includes('-')) fail(`--${option}: standard input cannot be read again`);
    const stream = inputs.find((input) => typeof input !== 'string');
    if (stream !== undefined) fail(`--${option}: the stream ${nameOfInput(stream)} cannot be read again`);
    if (plugIns.hasObjects)
      fail(
        `--${option}: changes of a plug-in object cannot be detected: pass the plug-in as a file (plugins)`,
      );
    if (limit !== undefined) fail(`--${option} and --limit contradict each other`);
  }
}

function checkRules(names: readonly string[]): void {
  try {
    rulesOf(names);
  } catch (error) {
    if (error instanceof RangeError) fail(`--cleanup: ${error.message}`);
    throw error;
  }
}

function oneOf(option: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) fail(`--${option}: '${value}' is not one of ${choices.join(', ')}`);
}

function inRange(option: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most) {
    fail(`--${option}: ${value} is not a whole number from ${least} to ${most}`);
  }
}

/** Returns `group-by` for `groupBy`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function fail(message: string): never {
  throw new TurnmillError('usage', message);
}
