/**
 * Any stage as a Node Transform, for a user's own `stream.pipeline`: of elements, or of batches (arrays), which cost a
 * fraction per element; batches in give batches out. One chunk in flight; a fan-out of any size obeys backpressure; an
 * error in a handler ends the pipeline.
 */
import { Transform, type TransformCallback } from 'node:stream';
import type { Kind, StreamElement } from './model/element.ts';
import { type Handlers, step } from './stage.ts';

/** Elements of each kind that went in and came out. */
export interface ElementCounts {
  readonly in: ReadonlyMap<Kind, number>;
  readonly out: ReadonlyMap<Kind, number>;
}

/** Elements that pass through a stage's stream. */
export type StageChunk = StreamElement | readonly StreamElement[];

/** Elements after which a batch is cut, so that a fan-out stays bounded. */
const BATCH_ELEMENTS = 64;

export class StageStream extends Transform {
  readonly #handlers: Handlers;
  readonly #in = new Map<Kind, number>();
  readonly #out = new Map<Kind, number>();
  /** The current chunk, and how many of its elements a handler has received. */
  #chunk: readonly StreamElement[] = [];
  #handed = 0;
  #batched = false;
  /** Output of the last one of them. */
  #emitted: Iterator<StreamElement> | undefined;
  #done: TransformCallback | undefined;

  constructor(handlers: Handlers) {
    super({ objectMode: true, highWaterMark: 1 });
    this.#handlers = handlers;
  }

  get counts(): ElementCounts {
    return { in: this.#in, out: this.#out };
  }

  override _transform(chunk: StageChunk, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#batched = !('kind' in chunk);
    this.#chunk = 'kind' in chunk ? [chunk] : chunk;
    this.#handed = 0;
    this.#done = done;
    this.#pump();
  }

  override _read(size: number): void {
    this.#pump();
    // done() inside #pump may have parked the write callback: release it here, or nothing will.
    if (this.#done === undefined) super._read(size);
  }

  #pump(): void {
    const done = this.#done;
    if (done === undefined) return;
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        if (!this.push(next)) return; // resumed by _read
      }
    } catch (error) {
      this.#done = this.#emitted = undefined;
      done(error as Error);
      return;
    }
    this.#done = undefined;
    done();
  }

  /** The next chunk of output, or undefined once the current input is exhausted. */
  #next(): StageChunk | undefined {
    if (!this.#batched) return this.#nextElement();
    const batch: StreamElement[] = [];
    while (batch.length < BATCH_ELEMENTS) {
      const element = this.#nextElement();
      if (element === undefined) break;
      batch.push(element);
    }
    return batch.length === 0 ? undefined : batch;
  }

  #nextElement(): StreamElement | undefined {
    for (;;) {
      const next = this.#emitted?.next();
      if (next !== undefined && next.done !== true) {
        count(this.#out, next.value);
        return next.value;
      }
      this.#emitted = undefined;
      const element = this.#chunk[this.#handed];
      if (element === undefined) return undefined;
      this.#handed++;
      count(this.#in, element);
      this.#emitted = step(this.#handlers, element)[Symbol.iterator]();
    }
  }
}

function count(counts: Map<Kind, number>, { kind }: StreamElement): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}
