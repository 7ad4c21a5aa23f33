/**
 * Any stage as a Node Transform, to be composed in `stream.pipeline` with a user's own streams.
 * One element in flight; a fan-out of any size obeys backpressure; a handler's throw ends the pipeline.
 */
import { Transform, type TransformCallback } from 'node:stream';
import type { Kind, StreamElement } from './element.ts';
import { type Handlers, step } from './stage.ts';

/** Elements of each kind that went in and came out. */
export interface ElementCounts {
  readonly in: ReadonlyMap<Kind, number>;
  readonly out: ReadonlyMap<Kind, number>;
}

export class StageStream extends Transform {
  readonly #handlers: Handlers;
  readonly #in = new Map<Kind, number>();
  readonly #out = new Map<Kind, number>();
  #pending: Iterator<StreamElement> | undefined;
  #done: TransformCallback | undefined;

  constructor(handlers: Handlers) {
    super({ objectMode: true, highWaterMark: 1 });
    this.#handlers = handlers;
  }

  get counts(): ElementCounts {
    return { in: this.#in, out: this.#out };
  }

  override _transform(element: StreamElement, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#in.set(element.kind, (this.#in.get(element.kind) ?? 0) + 1);
      this.#pending = step(this.#handlers, element)[Symbol.iterator]();
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#done = done;
    this.#pump();
  }

  override _read(size: number): void {
    this.#pump();
    // done() inside #pump may have parked the write callback: release it here, or nothing will.
    if (this.#pending === undefined) super._read(size);
  }

  #pump(): void {
    const pending = this.#pending;
    const done = this.#done;
    if (pending === undefined || done === undefined) return;
    try {
      for (;;) {
        const next = pending.next();
        if (next.done === true) break;
        this.#out.set(next.value.kind, (this.#out.get(next.value.kind) ?? 0) + 1);
        if (!this.push(next.value)) return; // resumed by _read
      }
    } catch (error) {
      this.#pending = undefined;
      done(error as Error);
      return;
    }
    this.#pending = undefined;
    done();
  }
}
