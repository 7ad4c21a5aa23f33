/**
 * Decides when a run makes a checkpoint (`--resume`): at the end of a source, after enough work that a short run makes none, and
 * rarely enough that checkpoints take at most a twentieth of the time.
 */

import type { Outcome } from '../ledger/result.ts';
import type { Destination } from './output.ts';

const MEBIBYTE = 1024 * 1024;
/** Bytes read or reused between two checkpoints. `TURNMILL_CHECKPOINT_BYTES` overrides it for tests: 0 makes one after every source. */
const INTERVAL_BYTES = 256 * MEBIBYTE;
const LEAST_RATIO = 20;

export interface Checkpoints {
  /** Takes every result after it was written. */
  see(outcome: Outcome): void;
}

/** @param done sources that are reused from a checkpoint, which is good until the first new one */
export function createCheckpoints(destination: Destination, done: number): Checkpoints {
  const given = process.env.TURNMILL_CHECKPOINT_BYTES;
  const interval = given === undefined ? INTERVAL_BYTES : Number(given);
  let bytes = 0;
  let notBefore = 0;

  function make(sources: number): void {
    const started = performance.now();
    destination.checkpoint(sources);
    const ended = performance.now();
    bytes = 0;
    if (given === undefined) notBefore = ended + LEAST_RATIO * (ended - started);
  }

  return {
    see(outcome) {
      if (outcome.kind === 'row') bytes += outcome.bytes.length;
      if (outcome.kind !== 'source') return;
      bytes += outcome.readBytes;
      const sources = outcome.source + 1;
      if (sources > done && bytes >= interval && performance.now() >= notBefore) make(sources);
    },
  };
}
