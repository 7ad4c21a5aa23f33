/** The last stage of a `stream.pipeline`: writes records, or the caller's own lines, to one file. */

import { Writable } from 'node:stream';
import { types } from 'node:util';
import { LF } from '../../transforms/json/bytes.ts';
import type { Kind } from '../../transforms/model/element.ts';
import { failUsage } from '../errors.ts';
import { createLineFile, type LineFile } from './line-file.ts';
import { attempt, checkNames, chunkElements, PassedOver } from './writer-chunk.ts';

export interface LineWriterOptions {
  /** Permissions of the file, narrowed by the umask; 0o666 by default. */
  readonly mode?: number;
}

/**
 * Writes a new file of lines. A chunk is a line without its line feed (text or bytes), an element, or an array of
 * elements; of elements, only records are written. Writing is synchronous: when a chunk has been accepted, it is in a
 * buffer of 256 KiB or with the system. `finish` is emitted once everything is on the disk.
 */
export class LineWriter extends Writable {
  readonly #path: string;
  readonly #options: LineWriterOptions;
  readonly #passedOver = new PassedOver();
  #file: LineFile | undefined;
  #lines = 0;

  constructor(path: string, options: LineWriterOptions = {}) {
    if (typeof path !== 'string' || path === '') failUsage('LineWriter takes the path of a file');
    checkNames(options, ['mode'], 'LineWriter');
    if (options.mode !== undefined && !Number.isInteger(options.mode))
      failUsage('mode: it takes a number, such as 0o600');
    super({ objectMode: true, highWaterMark: 1, decodeStrings: false });
    this.#path = path;
    this.#options = options;
  }

  /** Lines accepted so far. */
  get lines(): number {
    return this.#lines;
  }

  /** Number of elements that are not records, by kind. */
  get passedOver(): ReadonlyMap<Kind, number> {
    return this.#passedOver.counts;
  }

  override _construct(done: (error?: Error | null) => void): void {
    attempt(done, () => {
      this.#file = createLineFile(this.#path, this.#options.mode);
    });
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    attempt(done, () => {
      if (typeof chunk === 'string') this.#line(oneLine(Buffer.from(chunk)));
      else if (types.isUint8Array(chunk)) this.#line(oneLine(chunk));
      else
        for (const element of chunkElements(chunk, 'LineWriter')) {
          if (element.kind === 'record') this.#line(element.bytes);
          else this.#passedOver.add(element.kind);
        }
    });
  }

  override _final(done: (error?: Error | null) => void): void {
    attempt(done, () => {
      this.#file?.sync();
      this.#file?.close();
      this.#file = undefined;
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#file?.abandon();
    this.#file = undefined;
    done(error);
  }

  #line(bytes: Uint8Array): void {
    this.#file?.write(bytes);
    this.#lines += 1;
  }
}

function oneLine(bytes: Uint8Array): Uint8Array {
  const at = bytes.indexOf(LF);
  if (at < 0) return bytes;
  failUsage(`LineWriter: the line has a line feed at byte ${at}`);
}
