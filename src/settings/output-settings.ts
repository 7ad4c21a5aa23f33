/** The table of settings, part 3: writing the dataset, and how the run does its work. */
import type { Redaction } from '../../transforms/redaction/rule.ts';
import type { S3Options } from '../object-store/options.ts';
import type { Tolerance } from './error-budget.ts';
import type { Setting } from './option.ts';
import { NO_RUN_PLUG_INS, type RunPlugIns } from './plug-ins.ts';
import { DEFAULT_S3 } from './s3-settings.ts';
import { type SplitShares, splitShares } from './split-shares.ts';
import {
  cardFile,
  choice,
  fileMode,
  flag,
  licenseId,
  size,
  text,
  tolerance,
  wholeNumber,
} from './value-types.ts';

const MAX_WORKERS = 1024;
const GIBIBYTE = 1024 * 1024 * 1024;

const output = { group: 'Output', of: 'writing' } as const;
const rareOutput = { ...output, advanced: true } as const;
const quarantine = { group: 'Quarantine', of: 'writing', advanced: true, decides: 'bytes' } as const;
const run = { group: 'Run', of: 'run' } as const;

export const OUTPUT_SETTINGS = {
  /** A folder to create, `-` for standard output, or undefined to write nothing (dry run, check). */
  out: {
    ...output,
    alias: 'o',
    help: 'Write the dataset to this folder, or its records to standard output',
    type: text('DIR|-'),
  } as Setting<string | undefined>,
  replace: {
    ...output,
    help: 'Replace the existing dataset',
    default: false,
    type: flag,
  } as Setting<boolean>,
  /** Whether to reuse unchanged sources from the dataset at `out`, and replace it with the new one. */
  update: {
    ...output,
    help: 'Update this dataset, reading only new and changed sources; same as --out DIR --update',
    default: false,
    type: text('DIR'),
    defaultsTo: 'out',
  } as Setting<boolean, string>,
  /** Whether to compute the SHA-256 of every source, and compare it with that of the previous run. */
  checksum: {
    ...rareOutput,
    help: 'With --update: detect changes by the SHA-256 of every source instead of its times and size',
    default: false,
    type: flag,
  } as Setting<boolean>,
  /** Whether an update may lose more than half of the sessions of sources that still exist, or a replaced dataset all records. */
  allowShrink: {
    ...output,
    of: 'run',
    advanced: true,
    help: 'Also replace a dataset that loses more than half of the sessions of sources that still exist (--update), or all records (--replace)',
    default: false,
    type: flag,
  } as Setting<boolean>,
  /** Whether to continue from the last checkpoint of a killed run. */
  resume: {
    ...output,
    help: 'Continue a killed run of the same command from its last checkpoint',
    default: false,
    type: flag,
  } as Setting<boolean>,
  /** Whether to write reports/index.html. */
  report: {
    ...rareOutput,
    help: 'Write reports/index.html',
    default: true,
    type: flag,
    negative: { help: 'Do not write reports/index.html', value: false, only: true },
  } as Setting<boolean>,
  /** How to treat records that lie inside another one, and answers that two have (docs/copies.md); undefined to keep them. */
  copies: {
    ...rareOutput,
    help: 'Write all records (keep), leave out those that lie wholly inside another one (drop), or also mark answers of another record as context (mark)',
    shown: 'keep',
    type: choice(['keep', 'drop', 'mark']),
    decides: 'bytes',
  } as Setting<'keep' | 'drop' | 'mark' | undefined>,
  /** The share of each split (docs/publish.md); undefined for one dataset without splits. */
  split: {
    ...output,
    help: 'Divide the records into splits with about these shares, such as train=0.9,test=0.1; conversations of one session, or that begin alike, stay together',
    type: splitShares,
    decides: 'bytes',
  } as Setting<SplitShares | undefined>,
  splitSeed: {
    ...rareOutput,
    help: 'With --split: divide the records differently for each TEXT',
    shown: 'turnmill',
    type: text('TEXT'),
    decides: 'bytes',
  } as Setting<string | undefined>,
  /** Id of the licence on the card, as the Hub writes it. */
  license: {
    ...rareOutput,
    help: 'Name the licence on the card, by its id on the Hub, such as cc-by-4.0',
    type: licenseId,
    decides: 'bytes',
  } as Setting<string | undefined>,
  /** The user's own text of the card, below its YAML. The manifest has it, so that a merge can write it again. */
  card: {
    ...rareOutput,
    help: 'Use the text of this Markdown file as the card, below the YAML that names the files',
    type: cardFile,
    decides: 'bytes',
  } as Setting<string | undefined>,
  shardSize: {
    ...output,
    help: 'Start a new shard before one grows beyond SIZE',
    default: GIBIBYTE,
    type: size(),
    decides: 'bytes',
  } as Setting<number>,
  compress: {
    ...output,
    help: 'Compress the shards',
    default: 'none',
    type: choice(['none', 'gzip', 'zstd']),
    decides: 'bytes',
  } as Setting<'none' | 'gzip' | 'zstd'>,
  /** Permissions of the dataset's files (`0o640`); undefined for those that all sources and the umask grant. */
  mode: {
    ...rareOutput,
    help: 'Set the permissions of the files, in octal, regardless of the umask; the owner can always read and write, and only the owner can read quarantine/',
    shown: 'permissions that all source files share, limited by the umask',
    type: fileMode,
  } as Setting<number | undefined>,
  /** Whether the quarantine keeps only position and hash of a rejected line, or the bytes too. */
  quarantineContent: {
    ...quarantine,
    help: 'Keep position and hash of rejected lines (ref), or their bytes too (raw)',
    default: 'ref',
    type: choice(['ref', 'raw']),
  } as Setting<'ref' | 'raw'>,
  /** Most bytes of rejected lines that the quarantine keeps in total; of further lines only position and hash. */
  quarantineSize: {
    ...quarantine,
    help: 'Keep at most SIZE of rejected bytes in total; beyond that, only positions and hashes',
    default: GIBIBYTE,
    type: size(),
  } as Setting<number>,
  /** Whether to replace secrets by names (docs/publish.md). Undefined, not false, so that other datasets keep their manifest. */
  redact: {
    ...output,
    help: 'Replace keys, tokens, passwords, e-mail addresses and numbers of cards and accounts by names',
    type: flag,
    decides: 'bytes',
  } as Setting<boolean | undefined>,
  redactKeyFile: {
    ...rareOutput,
    help: 'With --redact: make the names with the key in KEYFILE, so that runs with the same key give the same names; TURNMILL_REDACT_KEY may hold the key instead',
    shown: 'a key that is not kept',
    type: text('KEYFILE'),
  } as Setting<string | undefined>,
  /** The file, and its text once it is read. */
  redactRules: {
    ...rareOutput,
    help: 'With --redact: turn rules off and add rules, as this file says',
    type: text('TOML'),
    decides: 'bytes, hashed',
  } as Setting<string | undefined>,
  /** Tells two keys apart. */
  redactKey: { default: undefined, decides: 'bytes' } as Setting<string | undefined>,
  redaction: { default: undefined } as Setting<Redaction | undefined>,
  /** Whether to count values that look like secrets (`check`). */
  looksForSecrets: { default: false } as Setting<boolean>,
  /** Number of workers; undefined to choose by the size of the input (workers/worker-count.ts). */
  workers: {
    ...run,
    help: 'Read up to N sources at the same time, each in its own thread; the output is the same for any N',
    shown: 'depends on the size of the input, at most the number of cores',
    type: wholeNumber(1, MAX_WORKERS),
  } as Setting<number | undefined>,
  onReject: {
    ...run,
    help: 'After a rejection, continue and exit with 3 (quarantine), or stop, publish nothing and exit with 65 (fail)',
    default: 'quarantine',
    type: choice(['quarantine', 'fail']),
  } as Setting<'quarantine' | 'fail'>,
  /** Nothing is published if there are more rejections than this; undefined for no limit. */
  maxQuarantine: {
    ...run,
    help: 'Publish nothing and exit with 65 if more is rejected: N records, or a percentage of the lines',
    shown: 'no limit',
    type: tolerance,
  } as Setting<Tolerance | undefined>,
  /** Whether to measure how the time is spent. */
  profile: {
    ...run,
    advanced: true,
    help: 'Print where the time went on standard error at the end',
    default: false,
    type: flag,
  } as Setting<boolean>,
  /** Whether logs may take the shortcut, which gives the same dataset. `TURNMILL_SHORTCUT=off` is for tests. */
  shortcut: { default: process.env.TURNMILL_SHORTCUT !== 'off' } as Setting<boolean>,
  /** Whether to report what the consumers of the formats would do with each record (`check --target`). */
  consumers: { default: false } as Setting<boolean>,
  /** Whether to measure how much of the text of each source is read (`check`). */
  measures: { default: false } as Setting<boolean>,
  /** Whether the results of a source can be withdrawn before its report; not if records or verdicts go to standard output. */
  takesBack: { default: undefined } as Setting<boolean | undefined>,
  /** Folder for the working files of the run; undefined for a private temporary one. */
  workFolder: { default: undefined } as Setting<string | undefined>,
  /** How to reach and use object stores (s3-settings.ts). */
  s3: { default: DEFAULT_S3 } as Setting<S3Options>,
  /** Dialects, formats and stages besides the built-in ones. */
  plugIns: { default: NO_RUN_PLUG_INS } as Setting<RunPlugIns>,
};
