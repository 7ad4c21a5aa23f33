/**
 * `turnmill build` on a few log files: status, sums, records, quarantine and findings. `entryLine` writes a log line, with defaults for
 * everything left out.
 * `npm run test:faults` starts the built command. Otherwise the same arguments run through the same options and the same job in this
 * process, ten times faster.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { readArguments } from '../../src/cli/arguments.ts';
import { exitCodeOf, REJECTIONS, SUCCESS } from '../../src/cli/faults.ts';
import { settingsOf } from '../../src/cli/options/settings-of.ts';
import { RunNotes } from '../../src/cli/run-notes.ts';
import { summaryOf } from '../../src/cli/summary.ts';
import { TurnmillError } from '../../src/errors.ts';
import { build } from '../../src/job/build.ts';
import { verifyDataset } from '../../src/verify/verify-dataset.ts';
import { type Ended, turnmill } from './command.ts';
import { temporaryFolder } from './folder.ts';

export interface Sums {
  readonly fates: Readonly<Record<string, number>>;
  readonly rewrites: Readonly<Record<string, number>>;
  readonly repairs: Readonly<Record<string, number>>;
  readonly findings: Readonly<Record<string, number>>;
  readonly sources: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly tools: Readonly<Record<string, number>>;
  readonly lines: number;
  readonly records: number;
}

export interface Quarantined {
  readonly scope: string;
  readonly source: { readonly uri: string; readonly size?: number };
  readonly reason: string;
  readonly line?: number;
  readonly byte_start?: number;
  readonly byte_end?: number;
  readonly raw_b64?: string;
  readonly member?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Built extends Ended {
  readonly out: string;
  readonly sums: Sums;
  /** The lines of all shards, in order. */
  readonly records: readonly string[];
  readonly quarantine: readonly Quarantined[];
  readonly findings: readonly {
    readonly rule: string;
    readonly source: string;
    readonly session: string;
    readonly entry: number;
  }[];
}

export interface Input {
  /** Path relative to the input's root -> bytes. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Standard input instead of files. */
  readonly stdin?: string | Uint8Array;
}

const ONE_GROUP = ['--group-by', 'none'];

/** Builds a dataset and checks it with `verify`. */
export async function buildLogs({ files = {}, stdin }: Input, args: readonly string[] = []): Promise<Built> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(logs, name)), { recursive: true });
    writeFileSync(join(logs, name), bytes);
  }
  const source = stdin === undefined ? logs : '-';
  const grouped = args.includes('--group-by') ? args : [...ONE_GROUP, ...args];
  const words = ['build', source, '--out', out, '--workers', '1', ...grouped];
  // worker threads and standard input need a separate process
  const needsProcess = stdin !== undefined || args.includes('--workers');
  const inside = process.env.TURNMILL_FAULTS !== 'all' && !needsProcess;
  const ended = inside ? await buildHere(words) : await turnmill(words, stdin);
  if (ended.status !== 0 && ended.status !== 3) throw new Error(`status ${ended.status}: ${ended.stderr}`);
  const problems = inside ? await verifyHere(out) : await verifyOutside(out);
  if (problems !== '') throw new Error(`verify: ${problems}`);
  return { ...ended, ...readDataset(out) };
}

/** Runs the command with these arguments in this process. */
async function buildHere(args: readonly string[]): Promise<Ended> {
  let stderr = '';
  const ended = (status: number): Ended => ({ status, signal: null, stdout: Buffer.alloc(0), stderr });
  try {
    const read = readArguments(args, undefined);
    if ('text' in read) throw new Error(`not a run: ${args.join(' ')}`);
    const notes = new RunNotes();
    const summary = await build(settingsOf(read.words, read.values), {
      onResult: (result, listing) => notes.see(result, listing),
      onNote: (message) => {
        stderr += `turnmill: ${message}\n`;
        return true;
      },
    });
    stderr += summaryOf(summary, notes);
    return ended(summary.rejections > 0 ? REJECTIONS : SUCCESS);
  } catch (error) {
    if (!(error instanceof TurnmillError)) throw error;
    stderr += `${error.code}: ${error.message}\n`;
    return ended(exitCodeOf(error.code));
  }
}

async function verifyHere(out: string): Promise<string> {
  const { problems } = await verifyDataset(out);
  return problems.map((problem) => JSON.stringify(problem)).join('\n');
}

async function verifyOutside(out: string): Promise<string> {
  const { status, stdout, stderr } = await turnmill(['verify', out]);
  return status === 0 ? '' : `${stdout}${stderr}`;
}

/** Reads a committed dataset. */
export function readDataset(out: string): Omit<Built, keyof Ended> {
  const parsed = (file: string): never[] =>
    linesOf(join(out, file)).map((line) => JSON.parse(line)) as never[];
  return {
    out,
    sums: JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')),
    records: shardsOf(out).flatMap(linesOf),
    quarantine: parsed('quarantine/rejected.jsonl'),
    findings: parsed('reports/integrity.jsonl'),
  };
}

function shardsOf(out: string): string[] {
  const data = join(out, 'data');
  const names = readdirSync(out).includes('data') ? readdirSync(data) : [];
  return names.sort().map((name) => join(data, name));
}

function linesOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  if (lines.pop() !== '') throw new Error(`${path} does not end with a line feed`);
  return lines;
}

export interface EntryParts {
  /** Seconds after eight o'clock, or any other value as it is. */
  readonly at?: unknown;
  readonly id?: unknown;
  readonly messages?: unknown;
  readonly tools?: unknown;
  readonly reply?: unknown;
  /** The whole response, instead of one with the reply. */
  readonly response?: unknown;
}

export const USER: object = { role: 'user', content: 'hello' };
export const REPLY: object = { role: 'assistant', content: 'hi' };
export const TOOL: { readonly type: string; readonly function: object } = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
};

/** One log line without its line feed. */
export function entryLine({
  at = 1,
  id = 's',
  messages = [USER],
  tools = [TOOL],
  reply = REPLY,
  response = { choices: [{ message: reply }] },
}: EntryParts = {}): string {
  const stamp = typeof at === 'number' ? new Date(Date.UTC(2026, 0, 13, 8, 0, at)).toISOString() : at;
  return JSON.stringify({ timestamp: stamp, session_id: id, request: { messages, tools }, response });
}

/** The same log as a file, packed and on standard input, which must all give the same result. */
export function asEverySource(log: string | Uint8Array): readonly (readonly [kind: string, input: Input])[] {
  const zstd = spawnSync('zstd', ['-c'], { input: log, maxBuffer: 1 << 30 });
  return [
    ['a file', { files: { 's.jsonl': log } }],
    ['gzip', { files: { 's.jsonl.gz': gzipSync(log) } }],
    ...(zstd.status === 0 ? [['zstd', { files: { 's.jsonl.zst': zstd.stdout } }] as const] : []),
    ['standard input', { stdin: log }],
  ];
}

/** A log of one session. */
export const sessionLog = (id: string, text = 'hello'): string =>
  `${entryLine({ id, messages: [{ role: 'user', content: text }] })}\n`;
