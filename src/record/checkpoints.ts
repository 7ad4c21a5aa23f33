/**
 * When a run makes a checkpoint (`--resume`): at the end of a source, after so much work that a short run makes none, and so
 * rarely that they take at most a twentieth of the time.
 */

import type { Outcome } from '../ledger/result.ts';
import type { Destination } from './output.ts';

const MEBIBYTE = 1024 * 1024;
/** Bytes read and taken over between two. `TURNMILL_CHECKPOINT_BYTES` is for tests: 0 makes one after every source. */
const INTERVAL_BYTES = 256 * MEBIBYTE;
const LEAST_RATIO = 20;

export interface Checkpoints {
  /** After it was recorded. */
  see(outcome: Outcome): void;
}

/** @param done sources that a run has done that this one goes on from: its own checkpoint holds until then */
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
