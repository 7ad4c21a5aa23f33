/** Writes the lines of log corpora from ASCII text and pieces of the text pools. */
import { appendAscii, appendBytes, type ByteTape, byteTape } from './json-style.ts';
import type { Random } from './random.ts';
import type { Range } from './shapes.ts';
import type { CorpusSink } from './sinks.ts';
import { appendSlice, type TextKind, type TextPools } from './text-pool.ts';

const SCRATCH_BYTES = 4096;

/** The numbers that distinguish these corpora. */
export interface LogShape {
  readonly turns: Range;
  readonly callsPerTurn: Range;
  readonly textBytes: Range;
  readonly resultBytes: Range;
  /** Above this size, the client compacts the conversation. */
  readonly contextBytes: number;
}

/** A part of a line: ASCII text, stored bytes, or a slice of a text pool that becomes a JSON string. */
export type Piece = string | Buffer | readonly [kind: TextKind, bytes: number];

export const joinWithCommas = (items: readonly Buffer[]): readonly Piece[] =>
  items.flatMap((item, i): Piece[] => (i === 0 ? [item] : [',', item]));

/** Writes the log lines of one client. */
export interface Client {
  begin(): void;
  question(): void;
  /** An answer with calls, and their results. */
  calls(count: number): void;
  answer(): void;
  /** Ends the conversation and continues it after a summary. */
  compact(): void;
  /** Conversations so far; if undefined, the log has one, plus one per compaction. */
  readonly records?: number;
}

export class Lines {
  readonly random: Random;
  readonly #sink: CorpusSink;
  readonly #pools: TextPools;
  readonly #shape: LogShape;
  readonly #scratch = byteTape(SCRATCH_BYTES);
  count = 0;
  bytes = 0;
  longest = 0;

  constructor(sink: CorpusSink, pools: TextPools, shape: LogShape, random: Random) {
    this.#sink = sink;
    this.#pools = pools;
    this.#shape = shape;
    this.random = random;
  }

  text(kind: TextKind = 'prose'): Piece {
    return [kind, this.random.logUniform(...this.#shape.textBytes)];
  }

  result(): Piece {
    return ['listing', this.random.logUniform(...this.#shape.resultBytes)];
  }

  /** Renders these pieces into bytes that can be written several times. */
  render(...pieces: readonly Piece[]): Buffer {
    this.#scratch.length = 0;
    for (const piece of pieces) this.#append(this.#scratch, piece);
    return Buffer.from(this.#scratch.bytes.subarray(0, this.#scratch.length));
  }

  put(...pieces: readonly Piece[]): void {
    const { tape } = this.#sink;
    const before = tape.length;
    for (const piece of pieces) this.#append(tape, piece);
    appendAscii(tape, '\n');
    const length = tape.length - before;
    this.count++;
    this.bytes += length;
    this.longest = Math.max(this.longest, length);
    this.#sink.endLine();
  }

  #append(tape: ByteTape, piece: Piece): void {
    if (typeof piece === 'string') {
      appendAscii(tape, piece);
      return;
    }
    if (Buffer.isBuffer(piece)) {
      appendBytes(tape, piece);
      return;
    }
    appendAscii(tape, '"');
    appendSlice(tape, this.#pools[piece[0]], this.random, piece[1]);
    appendAscii(tape, '"');
  }
}
