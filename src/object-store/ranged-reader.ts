/**
 * Reads an object in ranges. Some are prefetched, and after a failed connection each resumes at its next byte. Every
 * request names the object's ETag, so all bytes come from the object that was listed.
 */
import { setTimeout } from 'node:timers/promises';
import { SourceFault, type TurnmillError } from '../errors.ts';
import type { AnswerHead } from './answer-head.ts';
import type { ByteWindow } from './byte-window.ts';
import type { ObjectClient, Patience } from './client.ts';
import { NOT_THAT_RANGE, StoreFault, storeError } from './fault.ts';
import { Range } from './range.ts';
import { type ObjectPlace, objectUrl } from './url.ts';

export interface StoredObject extends ObjectPlace {
  readonly etag: string;
  readonly sizeBytes: number;
}

/** Ranges of an object to prefetch. */
const RANGES_AHEAD = 2;
/** Bytes that a store sends in the time that a request takes: a sparse reader fetches at least this, and skips at most this. */
const NEAR_BYTES = 1024 * 1024;

/** Reason for aborting: a text, because by default an error with a stack is created for each object. */
const CLOSED = 'closed';

export class RangedReader {
  readonly #client: ObjectClient;
  readonly #object: StoredObject;
  readonly #window: ByteWindow;
  readonly #isSparse: boolean;
  #closing = new AbortController();
  readonly #ranges: Range[] = [];
  /** The range that covers the whole object, if there is one; it can be read again. */
  #whole: Range | undefined;
  /** Position of the next range. */
  #next = 0;
  /** Position of the next byte to read. */
  #at = 0;
  /** Bytes requested since the last jump to another position. */
  #sequentialBytes = 0;
  #fault: unknown;
  #wake: () => void = () => undefined;

  /**
   * @param isSparse whether only some places will be read: it then fetches little at first, and more while reading is
   * sequential
   */
  constructor(client: ObjectClient, object: StoredObject, window: ByteWindow, isSparse: boolean = false) {
    this.#client = client;
    this.#object = object;
    this.#window = window;
    this.#isSparse = isSparse;
  }

  /** Position of the next byte to read. */
  get readBytes(): number {
    return this.#at;
  }

  /** Starts fetching before anything is read. Returns false if the window has no room. */
  prefetch(): boolean {
    const { sizeBytes } = this.#object;
    return sizeBytes === 0 || this.#ranges.length > 0 || this.#fetchNext(false);
  }

  /**
   * Fills `room` from its start, only partly if no more bytes have arrived; returns 0 at the end.
   * @throws SourceFault; TurnmillError `unavailable` if the store stops answering
   */
  read(room: Uint8Array): number | Promise<number> {
    const range = this.#advance();
    if (range === undefined) return 0;
    const count = range.take(room);
    if (count === 0) return this.#later(room);
    this.#at += count;
    if (range.isRead) {
      this.#ranges.shift();
      if (!range.isKept) this.#window.release(range.length);
    }
    return count;
  }

  /** Reads at another position, and continues from there. */
  async readAt(position: number, room: Uint8Array): Promise<number> {
    const skipped = position - this.#at;
    if (skipped < 0 || skipped > NEAR_BYTES) this.#goTo(position);
    while (this.#at < position) {
      const count = await this.read(room.subarray(0, position - this.#at));
      if (count === 0) return 0;
    }
    return this.read(room);
  }

  /** Goes back to the start. An object of a single range is not fetched again. */
  rewind(): void {
    this.#goTo(0);
  }

  /** Cancels all fetches. */
  close(): void {
    this.#closing.abort(CLOSED);
    for (const { isKept, length } of this.#ranges) if (!isKept) this.#window.release(length);
    this.#ranges.length = 0;
    if (this.#whole !== undefined) {
      this.#window.release(this.#whole.length);
      this.#whole.release();
      this.#whole = undefined;
    }
    this.#next = this.#object.sizeBytes;
  }

  /** Continues at this position, or at the start if all bytes are in memory. */
  #goTo(position: number): void {
    if (this.#whole !== undefined && this.#fault === undefined) {
      this.#whole.rewind();
      this.#ranges.splice(0, 1, this.#whole);
      this.#at = 0;
      return;
    }
    this.close();
    this.#closing = new AbortController();
    this.#fault = undefined;
    this.#next = this.#at = Math.min(position, this.#object.sizeBytes);
    this.#sequentialBytes = 0;
  }

  /** Prefetches, and returns the range to read now; undefined at the end. */
  #advance(): Range | undefined {
    while (this.#ranges.length <= this.#rangesAhead && this.#fetchNext(this.#ranges.length === 0));
    const [range] = this.#ranges;
    if (this.#fault !== undefined && (range === undefined || range.arrived === 0)) throw this.#fault;
    return range;
  }

  get #rangesAhead(): number {
    if (!this.#isSparse) return RANGES_AHEAD;
    return this.#sequentialBytes < this.#client.options.range ? 0 : 1;
  }

  /** Returns false if there is nothing to fetch, or no room. @param must fetch even if the window is full */
  #fetchNext(must: boolean): boolean {
    const { sizeBytes } = this.#object;
    const { range: longest } = this.#client.options;
    const most = this.#isSparse ? Math.min(longest, Math.max(NEAR_BYTES, this.#sequentialBytes)) : longest;
    const bytes = Math.min(most, sizeBytes - this.#next);
    if (bytes <= 0 || this.#fault !== undefined) return false;
    if (must) this.#window.reserve(bytes);
    else if (!this.#window.tryReserve(bytes)) return false;
    const range = new Range(this.#next, this.#next + bytes, this.#window.slabs, bytes === sizeBytes);
    if (range.isKept) this.#whole = range;
    this.#next += bytes;
    this.#sequentialBytes += bytes;
    this.#ranges.push(range);
    const { signal } = this.#closing;
    this.#fetch(range, signal).catch((error: unknown) => {
      if (signal.aborted) return;
      this.#fault ??= error;
      this.#wake();
    });
    return true;
  }

  async #later(room: Uint8Array): Promise<number> {
    if (this.#fault !== undefined) throw this.#fault;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    return this.read(room);
  }

  /** Fetches the whole range, retrying when the connection fails. */
  async #fetch(range: Range, signal: AbortSignal): Promise<void> {
    for (let tries = 0; range.arrived < range.length; ) {
      const before = range.arrived;
      try {
        await this.#fetchOnce(range, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof StoreFault)) throw error;
        tries = range.arrived > before ? 1 : tries + 1;
        const { patience } = this.#client;
        if (!error.isTransient || tries > patience.tries) throw this.#faultOf(error);
        await delay(tries, patience, signal);
      }
    }
  }

  async #fetchOnce(range: Range, signal: AbortSignal): Promise<void> {
    const { bucket, key, etag } = this.#object;
    const from = range.from + range.arrived;
    await this.#client.fetch(
      { bucket, key, etag, from, to: range.to, signal },
      {
        begin: (head) => this.#check(head, from, range.to),
        get left() {
          return range.length - range.arrived;
        },
        room: () => range.room(),
        filled: (count) => {
          range.filled(count);
          if (range === this.#ranges[0] && range.isReady) this.#wake();
        },
      },
    );
    if (range.arrived < range.length) throw new StoreFault('ShortBody');
  }

  /** Checks that the response is the requested part of the listed object. */
  #check({ status, headers }: AnswerHead, from: number, to: number): void {
    const { etag, sizeBytes } = this.#object;
    const [, first, last, all] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
    const isAnother = headers.etag !== undefined && headers.etag !== etag;
    if (isAnother || (all !== undefined && all !== '*' && Number(all) !== sizeBytes))
      throw new StoreFault('PreconditionFailed', 412);
    const isWhole = status === 200 && from === 0 && to === sizeBytes;
    const isRange = status === 206 && Number(first) === from && Number(last) === to - 1;
    const length = headers['content-length'];
    const hasLength = length === undefined || Number(length) === to - from;
    if ((isWhole || isRange) && hasLength) return;
    throw new StoreFault(NOT_THAT_RANGE, status, true);
  }

  #faultOf(fault: StoreFault): SourceFault | TurnmillError {
    const { status, code, message, isTransient } = fault;
    if (status === 404) return new SourceFault('vanished', 'it was deleted after it was listed', fault);
    if (status === 412)
      return new SourceFault('changed-while-read', 'it was replaced after it was listed', fault);
    if (code === 'InvalidObjectState')
      return new SourceFault('unreadable', 'it is archived: restore it first, then run again', fault);
    if (code === NOT_THAT_RANGE)
      return new SourceFault('unreadable', 'the store sent other bytes than those requested', fault);
    if (isTransient) return storeError('read', objectUrl(this.#object), fault);
    return new SourceFault('unreadable', `cannot read it: ${message}`, fault);
  }
}

/** Waits before the next try: longer each time, and with some jitter, so that retries do not coincide. */
function delay(
  tries: number,
  { firstDelayMs, longestDelayMs }: Patience,
  signal: AbortSignal,
): Promise<void> {
  const most = Math.min(longestDelayMs, firstDelayMs * 2 ** (tries - 1));
  return setTimeout(most * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
}
