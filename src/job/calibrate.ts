/** `turnmill calibrate`: asks a grader about the samples of a deck, and compares its scores with the expected ones. */
import { closeSync, fchmodSync, mkdirSync, openSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readTextIfAny, unlinkIfAny, writeAll } from '../dataset/fs-calls.ts';
import { type Modes, modesOf } from '../dataset/modes.ts';
import { prettyJson, replaceWholeFile } from '../dataset/whole-file.ts';
import { io, TurnmillError } from '../errors.ts';
import { type EndpointOptions, endpoint } from '../loop/endpoint.ts';
import {
  type Agreement,
  agreementOf,
  type Grade,
  gradeIn,
  graderMessages,
  type Skipped,
} from '../loop/grader.ts';
import { type Model, replyFrom } from '../loop/run-loop.ts';
import type { LoopMessage } from '../loop/tape.ts';
import { sha256 } from '../sha256.ts';
import { type Deck, type DeckSample, readDeck } from './deck.ts';

export interface CalibrateRequest extends Omit<EndpointOptions, 'prompt'> {
  /** Path of a Markdown deck. */
  readonly deck: string;
  /** Most requests at the same time. Default: 4. */
  readonly concurrency?: number | undefined;
  /** A folder for results.jsonl and summary.json. */
  readonly out?: string | undefined;
  /** Whether to use the answers that are already in that folder. */
  readonly resume?: boolean | undefined;
}

/** A line of results.jsonl. */
export interface CalibrationLine extends Omit<DeckSample, 'sample'>, Partial<Grade>, Partial<Skipped> {
  readonly expected?: number;
  /** SHA-256 of model and messages: an answer is used again only for the same ones. */
  readonly request?: string;
}

export interface Calibration {
  readonly lines: readonly CalibrationLine[];
  readonly summary: { readonly deck: string; readonly model: string } & Agreement;
}

const DEFAULT_CONCURRENCY = 4;
const FILES = { results: 'results.jsonl', part: 'results.jsonl.part', summary: 'summary.json' };

/**
 * @returns a line for each sample, in the order of the deck
 * @throws TurnmillError the errors of `readDeck`; `cannot-create` if the folder has results and `resume` is not set;
 * `unavailable` if the endpoint cannot be reached: answers until then are kept for `resume`
 */
export async function calibrate(request: CalibrateRequest): Promise<Calibration> {
  const { concurrency = DEFAULT_CONCURRENCY, model, signal } = request;
  const deck = await readDeck(request.deck);
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const ask = endpoint({ ...request, signal: either });
  const answers = new Answers(request.out, request.resume === true, modesOf({ sources: deck.permissions }));
  const lines = new Array<CalibrationLine>(deck.samples.length);
  const left = deck.samples.entries();
  const work = async (): Promise<void> => {
    for (const [i, sample] of left) {
      either.throwIfAborted();
      lines[i] = await lineOf(sample, deck, model, ask, answers);
    }
  };
  try {
    const workers = Array.from({ length: Math.min(concurrency, lines.length) }, work);
    await Promise.all(workers).catch(async (error: unknown) => {
      stop.abort();
      await Promise.allSettled(workers);
      throw error;
    });
    const scores = lines.flatMap(({ expected, score }) =>
      expected === undefined || score === undefined ? [] : [{ expected, score }],
    );
    const summary = { deck: basename(request.deck), model, ...agreementOf(scores, lines.length) };
    answers.publish(lines, summary);
    return { lines, summary };
  } finally {
    answers.close();
  }
}

async function lineOf(
  { sample, ...place }: DeckSample,
  { text, contexts }: Deck,
  model: string,
  ask: Model,
  answers: Answers,
): Promise<CalibrationLine> {
  if ('skipped' in sample) return { ...place, ...sample };
  const messages = graderMessages(text, contexts, sample);
  const request = sha256(JSON.stringify([model, messages]));
  const known = answers.get(request);
  const line = {
    ...place,
    expected: sample.expectedScore,
    ...(known ?? (await gradeFrom(ask, messages))),
    request,
  };
  if (known === undefined) answers.add(line);
  return line;
}

async function gradeFrom(ask: Model, messages: readonly LoopMessage[]): Promise<Grade | Skipped> {
  const { reply, problem } = await replyFrom(ask, messages, []);
  if (problem !== undefined) return { skipped: 'bad-answer', problem };
  if (typeof reply?.content === 'string') return gradeIn(reply.content);
  return { skipped: 'no-answer', problem: 'the grader returned no text' };
}

/** The files of a calibration. Answers are appended to a separate file as they come, which the results replace. */
class Answers {
  readonly #folder: string | undefined;
  readonly #modes: Modes;
  readonly #known = new Map<string, Grade>();
  #fd: number | undefined;

  constructor(folder: string | undefined, isResumed: boolean, modes: Modes) {
    this.#folder = folder;
    this.#modes = modes;
    if (folder === undefined) return;
    for (const name of [FILES.results, FILES.part]) {
      const text = readTextIfAny(join(folder, name)) ?? '';
      if (text.trim() !== '' && !isResumed)
        throw new TurnmillError(
          'cannot-create',
          `${folder} already has answers: use --resume to reuse them, or name another folder`,
          { subject: folder },
        );
      for (const line of text.split('\n')) this.#remember(line);
    }
    this.#fd = this.#openPart(folder);
  }

  /** Ignores lines without a score, which are asked again, and a last line that was cut off by a kill. */
  #remember(text: string): void {
    let line: Partial<CalibrationLine>;
    try {
      line = JSON.parse(text) as Partial<CalibrationLine>;
    } catch {
      return;
    }
    const { request, score, reason = null } = line;
    if (request !== undefined && score !== undefined) this.#known.set(request, { score, reason });
  }

  #openPart(folder: string): number {
    const path = join(folder, FILES.part);
    return io('write', path, () => {
      mkdirSync(folder, { recursive: true, mode: this.#modes.folder('.') });
      const mode = this.#modes.file(FILES.part);
      const fd = openSync(path, 'a', mode);
      fchmodSync(fd, mode); // an existing file keeps its mode when it is opened
      return fd;
    });
  }

  get(request: string): Grade | undefined {
    return this.#known.get(request);
  }

  /** Begins with a line feed, which ends a line that was cut off by a kill. */
  add(line: CalibrationLine): void {
    if (this.#fd === undefined || this.#folder === undefined) return;
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    writeAll(this.#fd, bytes, join(this.#folder, FILES.part));
  }

  publish(lines: readonly CalibrationLine[], summary: Agreement): void {
    if (this.#folder === undefined) return;
    const write = (name: string, pieces: readonly string[]): void =>
      replaceWholeFile(join(this.#folder as string, name), pieces, this.#modes.file(name));
    write(FILES.summary, [prettyJson(summary)]);
    write(
      FILES.results,
      lines.map((line) => `${JSON.stringify(line)}\n`),
    );
    unlinkIfAny(join(this.#folder, FILES.part));
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
