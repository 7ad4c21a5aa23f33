/** Exit statuses. */
import type { ErrorCode } from '../errors.ts';

export const SUCCESS = 0;
/** The dataset is published, but something was rejected. */
export const REJECTIONS = 3;
/** A bug; also the status until the run has finished. */
export const BUG = 70;

const STATUSES: Readonly<Record<ErrorCode, number>> = {
  usage: 64,
  rejected: 65,
  'cannot-resume': 65,
  'invalid-dataset': 65,
  'no-input': 66,
  unavailable: 69,
  unbalanced: 70,
  unfinished: 70,
  'worker-lost': 70,
  'cannot-create': 73,
  io: 74,
  locked: 75,
  permission: 77,
  config: 78,
  'broken-pipe': 141,
};

export function exitCodeOf(code: ErrorCode): number {
  return STATUSES[code];
}

/** Signals that stop a run, and their statuses. */
export const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof SIGNALS;
