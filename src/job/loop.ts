/** `turnmill loop`: replays the records of a dataset as conversations, with the recorded replies or with a model's. */

import { closeSync, fchmodSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageFormats } from '../../transforms/formats/format-rules.ts';
import { LINE_FILES } from '../dataset/layout.ts';
import { readManifest } from '../dataset/manifest.ts';
import { type Modes, modesLike } from '../dataset/modes.ts';
import { checkOutside } from '../dataset/overlap.ts';
import { lineIn } from '../dataset/parse-line.ts';
import { eachLine } from '../dataset/read-back.ts';
import { failUsage, io, TurnmillError } from '../errors.ts';
import { type EndpointOptions, endpoint } from '../loop/endpoint.ts';
import {
  type Continuation,
  eachTurn,
  type LoopReport,
  type Model,
  recordedReplies,
  runLoop,
} from '../loop/run-loop.ts';
import type { LoopMessage, LoopRecord } from '../loop/tape.ts';
import { ListedIds } from '../settings/listed-ids.ts';

export interface LoopRequest extends Omit<EndpointOptions, 'base' | 'model'> {
  readonly dataset: string;
  /** Base URL of a model; if undefined, the record's own replies are used. */
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly eachTurn?: boolean | undefined;
  readonly maxSteps?: number | undefined;
  readonly onMiss?: 'stop' | 'tell' | undefined;
  /** Ids of the sessions to run; undefined for all. */
  readonly only?: readonly string[] | undefined;
  /** A folder for loop.jsonl and continuations.jsonl. */
  readonly out?: string | undefined;
  /** Whether to also write pairs in which the recorded reply is the preferred one. */
  readonly prefer?: 'recorded' | undefined;
}

/** A line of loop.jsonl. */
export interface LoopLine extends Omit<LoopReport, 'messages'> {
  readonly session: string | null;
}

/** A line of loop.jsonl with `--each-turn`. */
export interface TurnsLine {
  readonly session: string | null;
  readonly turns: number;
  readonly same_tools: number;
  readonly same_arguments: number;
  /** Turns to which the model gave no answer, or none that can be used. */
  readonly unanswered: number;
}

export interface LoopSummary {
  readonly records: number;
  /** Records whose loop ended without an open call; with `--each-turn`, those with the same calls in every turn. */
  readonly closed: number;
  readonly turns: number;
  readonly sameTools: number;
  readonly sameArguments: number;
  readonly unanswered: number;
  /** Names the ids of `only` that no record has. */
  readonly missing?: string | undefined;
}

/** Step limit for the record's own replies, whose number limits the steps anyway. */
const ANY_STEPS = Number.MAX_SAFE_INTEGER;
const DEFAULT_STEPS = 8;
const FILES = { loop: 'loop.jsonl', continuations: 'continuations.jsonl', preferences: 'preferences.jsonl' };

/**
 * Runs the records of a dataset. Executes nothing: tool calls are answered from the record.
 * @param onLine called with each line of loop.jsonl
 * @throws TurnmillError `unavailable` if the endpoint cannot be reached, `no-input` if no record has an id of `only`, `usage`
 * if the output is inside the dataset
 */
export async function loop(
  request: LoopRequest,
  onLine: (line: LoopLine | TurnsLine) => void,
): Promise<LoopSummary> {
  const { dataset, eachTurn: isEachTurn = false, only } = request;
  if (isEachTurn && request.endpoint === undefined)
    failUsage(
      '--each-turn needs --endpoint: without one, the recorded replies would be compared with themselves',
    );
  if (request.out !== undefined) checkOutside(request.out, [dataset]);
  const listed = only && new ListedIds(only);
  const files = new OutFiles(request.out, modesLike(dataset));
  const sums = { records: 0, closed: 0, turns: 0, sameTools: 0, sameArguments: 0, unanswered: 0 };
  try {
    for await (const { session, record } of readRecords(dataset)) {
      if (listed?.see(session) === false) continue;
      request.signal?.throwIfAborted();
      sums.records += 1;
      const line = isEachTurn
        ? await runTurns(session, record, request, files)
        : await runOne(session, record, request);
      files.write(FILES.loop, line);
      onLine(line);
      if ('turns' in line) {
        sums.turns += line.turns;
        sums.sameTools += line.same_tools;
        sums.sameArguments += line.same_arguments;
        sums.unanswered += line.unanswered;
        if (line.same_arguments === line.turns) sums.closed += 1;
      } else if (line.end === 'done') sums.closed += 1;
    }
  } finally {
    files.close();
  }
  const missing = listed?.missingIn('record');
  if (listed?.isAllMissing === true) throw new TurnmillError('no-input', String(missing));
  return { ...sums, missing };
}

function modelFor(record: LoopRecord, request: LoopRequest): Model {
  const { endpoint: base, model = '' } = request;
  return base === undefined ? recordedReplies(record) : endpoint({ ...request, base, model });
}

async function runOne(session: string | null, record: LoopRecord, request: LoopRequest): Promise<LoopLine> {
  const own = request.endpoint === undefined;
  const { maxSteps = own ? ANY_STEPS : DEFAULT_STEPS, onMiss = 'stop', signal } = request;
  const report = await runLoop(record, modelFor(record, request), { maxSteps, onMiss, signal });
  const { messages: _messages, ...counts } = report;
  return { session, ...counts };
}

async function runTurns(
  session: string | null,
  record: LoopRecord,
  request: LoopRequest,
  files: OutFiles,
): Promise<TurnsLine> {
  const sums = { turns: 0, same_tools: 0, same_arguments: 0, unanswered: 0 };
  for await (const turn of eachTurn(record, modelFor(record, request), request.signal)) {
    const { prompt, recorded, sampled = null, sameTools, sameArguments } = turn;
    sums.turns += 1;
    if (sameTools) sums.same_tools += 1;
    if (sameArguments) sums.same_arguments += 1;
    if (turn.sampled === undefined) sums.unanswered += 1;
    files.write(FILES.continuations, { prompt, recorded, sampled });
    if (request.prefer === 'recorded' && sampled !== null) files.write(FILES.preferences, preferenceOf(turn));
  }
  return { session, ...sums };
}

/** Returns a preference pair in the form of TRL. */
function preferenceOf({ prompt, recorded, sampled }: Continuation): object {
  return { prompt, chosen: [recorded], rejected: [{ role: 'assistant', ...sampled }] };
}

/** Writes the output files into a folder; does nothing without one. */
class OutFiles {
  readonly #folder: string | undefined;
  readonly #modes: Modes;
  readonly #open = new Map<string, number>();

  constructor(folder: string | undefined, modes: Modes) {
    this.#folder = folder;
    this.#modes = modes;
    if (folder === undefined) return;
    io('create', folder, () => mkdirSync(folder, { recursive: true, mode: modes.folder('.') }));
  }

  write(name: string, line: object): void {
    if (this.#folder === undefined) return;
    const path = join(this.#folder, name);
    io('write', path, () => {
      const fd = this.#open.get(name) ?? this.#create(name, path);
      writeSync(fd, `${JSON.stringify(line)}\n`);
    });
  }

  #create(name: string, path: string): number {
    const mode = this.#modes.file(name);
    const fd = openSync(path, 'w', mode);
    this.#open.set(name, fd);
    fchmodSync(fd, mode); // an existing file keeps its mode when it is opened
    return fd;
  }

  close(): void {
    for (const fd of this.#open.values()) closeSync(fd);
  }
}

interface SessionRecord {
  readonly session: string | null;
  readonly record: LoopRecord;
}

/**
 * Yields the records of the first format that has messages, with their sessions. The lines of one shard are held in
 * memory.
 */
async function* readRecords(dataset: string): AsyncGenerator<SessionRecord> {
  const { shards, settings } = readManifest(dataset);
  const { format = [] } = settings as { readonly format?: readonly string[] };
  const chosen = format.find((name) => messageFormats.has(name));
  if (chosen === undefined)
    failUsage(`${dataset} has no records with messages: loop needs a dataset of format chat`);
  const sessions = new Map<string, string | null>();
  for (const text of await linesOf(join(dataset, LINE_FILES.sessions))) {
    const { id, shard, line, records } = lineIn(LINE_FILES.sessions, text);
    for (const place of records ?? (shard === undefined ? [] : [{ shard, line }]))
      sessions.set(`${place.shard}:${place.line}`, id);
  }
  for (const { path } of shards) {
    if (format.length > 1 && !path.startsWith(`data/${chosen}/`)) continue;
    const lines = await linesOf(join(dataset, path));
    for (const [i, text] of lines.entries())
      yield {
        session: sessions.get(`${path}:${i + 1}`) ?? null,
        record: recordOf(text, `${join(dataset, path)}:${i + 1}`),
      };
  }
}

type Parts = { readonly [part in 'messages' | 'prompt' | 'completion']?: readonly LoopMessage[] };

/**
 * Reads a record with `messages`, or with the two parts of them that `--copies mark` writes for TRL.
 * @throws TurnmillError `invalid-dataset`
 */
function recordOf(text: string, place: string): LoopRecord {
  try {
    const { tools, ...parts } = JSON.parse(text) as Parts & { readonly tools?: unknown };
    const { prompt = [], completion = [], messages = [...prompt, ...completion] } = parts;
    const list: unknown = typeof tools === 'string' ? JSON.parse(tools) : tools; // a text with --arrow-safe
    return { messages, tools: Array.isArray(list) ? list : [] };
  } catch (error) {
    const message = `${place} is not a record: the dataset is damaged`;
    throw new TurnmillError('invalid-dataset', message, { subject: place, cause: error });
  }
}

async function linesOf(path: string): Promise<readonly string[]> {
  const lines: string[] = [];
  await eachLine(path, (line) => lines.push(Buffer.from(line).toString()));
  return lines;
}
