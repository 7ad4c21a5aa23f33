/** The table of settings, part 1: which logs to read, and how. */
import { FOLD_SELECTIONS, type FoldSelect } from '../../transforms/dialects/dialect.ts';
import { dialects } from '../../transforms/dialects/index.ts';
import { ANY_NUMBER, MAX_DEPTH_CEILING } from '../../transforms/json/scanner.ts';
import { parse } from '../../transforms/stages/parse.ts';
import { validate } from '../../transforms/stages/validate.ts';
import { DEFAULT_RATIOS } from '../input/decompress/limits.ts';
import type { Follow } from '../input/sources/links.ts';
import type { Slice } from '../input/sources/slice.ts';
import type { Setting } from './option.ts';
import { sliceType } from './slice-type.ts';
import { choice, flag, idFile, pointInTime, size, textFile, texts, wholeNumber } from './value-types.ts';

const MEBIBYTE = 1024 * 1024;
/** Longest line that can be read: the limit of a JavaScript string. */
export const MAX_LINE_CEILING: number = 512 * MEBIBYTE - 24;

const DIALECT_NAMES = ['auto', ...dialects.map(({ name }) => name)];
const { options } = parse;

const input = { group: 'Input', of: 'reading', decides: 'bytes' } as const;
const rareInput = { ...input, advanced: true } as const;
const runInput = { group: 'Input', of: 'run' } as const;
const rareRunInput = { ...runInput, advanced: true } as const;
const limit = { ...rareInput, group: 'Input limits' } as const;

export const INPUT_SETTINGS = {
  dialect: {
    ...input,
    help: options.dialect.describe,
    default: options.dialect.default,
    type: choice(DIALECT_NAMES, 'NAME'),
    typeWith: ({ dialects: own }) => choice([...DIALECT_NAMES, ...own.map(({ name }) => name)], 'NAME'),
  } as Setting<string>,
  /** The user's text before a response that was logged without its request. */
  userTurn: {
    ...rareInput,
    help: `${options.userTurn.describe}, from a file`,
    type: textFile,
    decides: 'bytes, hashed',
  } as Setting<string | undefined>,
  /**
   * Undefined for the default: by file for files, folders and streams (a folder of event files is one session), by run
   * for standard input.
   */
  sessionBy: {
    ...input,
    help: 'Make one session of each file, of all entries of a file or of standard input with the same id, ordered by time (id), of each run of entries with the same id, rejecting an id that returns later (run), or of all files in a folder',
    shown: 'file; run for standard input; folder for event files',
    type: choice(['file', 'id', 'run', 'folder']),
  } as Setting<'file' | 'id' | 'run' | 'folder' | undefined>,
  strictTime: {
    ...rareInput,
    help: validate.options.strictTime.describe,
    default: validate.options.strictTime.default as boolean,
    type: flag,
  } as Setting<boolean>,
  /** Which conversations of a session become records; undefined for `last` in `exchange`, and for `leaves` in all other dialects. */
  select: {
    ...rareInput,
    help: options.select.describe,
    shown: 'last for exchange, leaves for all other dialects',
    type: choice(FOLD_SELECTIONS),
  } as Setting<FoldSelect | undefined>,
  /** Percentage of text of which less must not be read of a source, or it is rejected; undefined for no minimum. */
  minRead: {
    ...rareRunInput,
    help: 'Reject a source of whose text less than this share was read, as check shows it',
    type: { ...wholeNumber(0, 100), placeholder: 'PERCENT' },
    decides: 'bytes',
  } as Setting<number | undefined>,
  /** Files of folders to read, as patterns of their paths below the input; empty for all. */
  include: {
    ...runInput,
    help: 'Read only those files in folders whose path below the input matches GLOB; a GLOB without / is compared with the name alone; repeat it for several',
    default: [],
    shown: 'all files',
    type: texts('GLOB'),
  } as Setting<readonly string[]>,
  exclude: {
    ...runInput,
    help: 'Skip the files in folders whose path matches GLOB, even if --include names them',
    default: [],
    shown: 'no files',
    type: texts('GLOB'),
  } as Setting<readonly string[]>,
  /** Time of the last change of a file in a folder, in ms since 1970, before which it is not read. */
  since: {
    ...runInput,
    help: 'Read only those files in folders that were changed then or later: a date, a time such as 2026-11-20T18:00:00Z, or an age such as 12h or 7d',
    shown: 'any time',
    type: pointInTime,
  } as Setting<number | undefined>,
  /** Ids of the sessions that become records; undefined for all. */
  only: {
    ...rareRunInput,
    help: 'Use only the sessions whose ids are in this file, one per line; write an id that contains a line end or begins with a quotation mark as a JSON string',
    shown: 'all sessions',
    type: idFile,
    decides: 'bytes, hashed',
  } as Setting<readonly string[] | undefined>,
  /** Sessions after which the run ends; undefined for no limit. */
  limit: {
    ...runInput,
    help: 'Stop after N sessions',
    shown: 'no limit',
    type: wholeNumber(1),
    decides: 'bytes',
  } as Setting<number | undefined>,
  /** Most bytes of a line. */
  maxLine: {
    ...limit,
    help: 'Reject a line longer than SIZE',
    default: 256 * MEBIBYTE,
    type: size(MAX_LINE_CEILING),
  } as Setting<number>,
  /** Deepest nesting of objects and arrays in a line. */
  maxDepth: {
    ...limit,
    help: `${options.maxDepth.describe}; at most ${MAX_DEPTH_CEILING}`,
    default: options.maxDepth.default,
    type: wholeNumber(1, MAX_DEPTH_CEILING),
  } as Setting<number>,
  /** Most messages of an entry, including its reply; undefined for any number. */
  maxMessages: {
    ...limit,
    help: options.maxMessages.describe,
    shown: 'no limit',
    type: wholeNumber(1),
  } as Setting<number | undefined>,
  /** Most elements of any array or object of a line, and most objects of a line. */
  maxElements: {
    ...limit,
    help: options.maxElements.describe,
    default: options.maxElements.default,
    type: wholeNumber(1, ANY_NUMBER),
  } as Setting<number>,
  /** Most bytes that the open conversations of an event log may take. */
  maxConversation: {
    ...limit,
    help: options.maxConversation.describe,
    default: options.maxConversation.default,
    type: size(),
  } as Setting<number>,
  /** Most branches of a session that are written. */
  maxBranches: {
    ...limit,
    help: options.maxBranches.describe,
    default: options.maxBranches.default,
    type: wholeNumber(1),
  } as Setting<number>,
  /** Most bytes that a packed source may unpack to. */
  maxDecompressed: {
    ...limit,
    help: 'Reject a compressed source that unpacks to more than SIZE',
    default: 1024 * 1024 * MEBIBYTE,
    type: size(),
  } as Setting<number>,
  /** Highest ratio of a packed source that unpacks to over 256 MiB; undefined for the default of the compression. */
  maxRatio: {
    ...limit,
    help: 'Reject a compressed source that unpacks to over 256 MiB and more than N times its size',
    shown: `${DEFAULT_RATIOS.gzip} for gzip, ${DEFAULT_RATIOS.zstd} for zstd`,
    type: wholeNumber(1),
  } as Setting<number | undefined>,
  /** Most files that a run may list; undefined for any number. */
  maxSources: {
    ...limit,
    of: 'run',
    help: 'Read nothing and exit with 65 if there are more than N files',
    shown: 'no limit',
    type: wholeNumber(1),
  } as Setting<number | undefined>,
  /** Which of several slices of the sources to read; undefined for all sources. */
  slice: {
    ...rareRunInput,
    of: 'writing',
    help: 'Read slice I of N slices of the sources, for merge; with /N, I comes from TURNMILL_SLICE, SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or AWS_BATCH_JOB_ARRAY_INDEX',
    default: undefined,
    shown: 'all sources',
    type: sliceType,
  } as Setting<Slice | undefined>,
  allowEmpty: {
    ...rareRunInput,
    help: 'Succeed with an empty dataset when the input has no sessions',
    default: false,
    type: flag,
  } as Setting<boolean>,
  /** Which symbolic links in folders to follow. */
  follow: {
    ...rareRunInput,
    help: 'Follow symbolic links in folders that lead to a place in the same input',
    default: 'none',
    type: { ...flag, check: choice(['none', 'inside', 'anywhere']).check },
  } as Setting<Follow, boolean>,
};
