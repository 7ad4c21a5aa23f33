/**
 * Decides when a run writes a checkpoint (`--resume`): at the end of a source, so late that a short run writes none, and
 * so rarely that checkpoints take at most a twentieth of the time.
 */

import type { Destination } from './output.ts';
import type { HandedOver } from './recorded-sources.ts';

const MEBIBYTE = 1024 * 1024;
/**
 * Bytes that are read or reused between two checkpoints. `TURNMILL_CHECKPOINT_BYTES` sets it in tests: with 0, there is
 * one after every source.
 */
const INTERVAL_BYTES = 256 * MEBIBYTE;
const MIN_RATIO = 20;

export class Checkpoints {
  readonly #destination: Pick<Destination, 'checkpoint'>;
  readonly #done: number;
  readonly #clock: () => number;
  readonly #intervalBytes: number;
  /** Whether the time between checkpoints is limited too; not in tests that set the interval. */
  readonly #isPaced: boolean;
  /** Bytes since the last checkpoint. */
  #bytes = 0;
  #notBefore = 0;

  /**
   * @param done number of sources that are reused from a checkpoint, which remains valid until the first new one
   * @param clock returns milliseconds
   */
  constructor(
    destination: Pick<Destination, 'checkpoint'>,
    done: number,
    clock: () => number = () => performance.now(),
  ) {
    const override = process.env.TURNMILL_CHECKPOINT_BYTES;
    this.#destination = destination;
    this.#done = done;
    this.#clock = clock;
    this.#intervalBytes = override === undefined ? INTERVAL_BYTES : Number(override);
    this.#isPaced = override === undefined;
  }

  /** Call it with every result after it was written. */
  see(result: HandedOver): void {
    if (result.kind === 'record') this.#bytes += result.bytes.length;
    else if (result.kind === 'source') this.#end(result.source + 1, result.readBytes);
    else if (result.kind === 'recorded') {
      const { first, notes, records, readBytes } = result;
      this.#end(first + notes.length, records.length + readBytes);
    }
  }

  #end(sources: number, bytes: number): void {
    this.#bytes += bytes;
    if (sources > this.#done && this.#bytes >= this.#intervalBytes && this.#clock() >= this.#notBefore)
      this.#write(sources);
  }

  #write(sources: number): void {
    const started = this.#clock();
    this.#destination.checkpoint(sources);
    const ended = this.#clock();
    this.#bytes = 0;
    if (this.#isPaced) this.#notBefore = ended + MIN_RATIO * (ended - started);
  }
}
