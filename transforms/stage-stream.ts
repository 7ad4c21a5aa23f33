/**
 * A stage as a Node Transform, for use in `stream.pipeline`. Chunks are elements or batches of elements (arrays, which
 * take a fraction of the time per element); batches in give batches out. One chunk is processed at a time, and
 * backpressure holds within its output. An error in a handler ends the pipeline.
 */
import { Transform, type TransformCallback } from 'node:stream';
import type { Kind, StreamElement } from './model/element.ts';
import { type Handlers, type Stage, step } from './stage.ts';
import { checkHandlers, checkOrder, checkOutput, elementsOfChunk, iteratorOf } from './stage-input.ts';

/** An element, or a batch of elements. */
export type StageChunk = StreamElement | readonly StreamElement[];

/** Largest batch of output, so that memory stays bounded however many elements a handler yields. */
const BATCH_ELEMENTS = 64;

export class StageStream extends Transform {
  readonly #handlers: Handlers;
  readonly #name: string;
  readonly #takes: Kind | undefined;
  /** The current chunk, and how many of its elements were passed to their handler. */
  #chunk: readonly StreamElement[] = [];
  #handed = 0;
  #batched = false;
  /** The output for the last one, as far as it was not read. */
  #emitted: Iterator<StreamElement> | undefined;
  #done: TransformCallback | undefined;

  /** @param stage whose handlers they are; the stream then refuses elements that show a wrong order of stages */
  constructor(handlers: Handlers, { name, takes }: Partial<Pick<Stage, 'name' | 'takes'>> = {}) {
    const call = name === undefined ? 'StageStream' : callOf(name);
    checkHandlers(handlers, call);
    super({ objectMode: true, highWaterMark: 1 });
    this.#handlers = handlers;
    this.#name = call;
    this.#takes = takes;
  }

  override _transform(chunk: StageChunk, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#chunk = elementsOfChunk(chunk, this.#name);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#batched = Array.isArray(chunk);
    this.#handed = 0;
    this.#done = done;
    this.#pump();
  }

  override _read(size: number): void {
    this.#pump();
    // done() inside #pump may have parked the write callback, which nothing else would release
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
      // streams take undefined and null for success
      done((error as Error | undefined) ?? new TypeError(`${this.#name}: a handler threw ${error}`));
      return;
    }
    this.#done = undefined;
    done();
  }

  /** The next chunk of output; undefined after the last one of the current input. */
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
        checkOutput(next.value, this.#name);
        return next.value;
      }
      this.#emitted = undefined;
      const element = this.#chunk[this.#handed];
      if (element === undefined) return undefined;
      this.#handed++;
      if (this.#takes !== undefined) checkOrder(element, this.#takes, this.#name);
      this.#emitted = iteratorOf(step(this.#handlers, element), element.kind, this.#name);
    }
  }
}

/** The function of the library that creates a stage of this name. */
export const callOf = (name: string): string =>
  `${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}()`;
