/** The exit status of every end that a run can come to. */
import type { ErrorCode } from '../errors.ts';

export const SUCCESS = 0;
/** Committed, but something was rejected. */
export const REJECTIONS = 3;
/** A bug, and what holds until the run has earned another one. */
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

/** The signals that stop a run, and the status that tells so. */
export const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof SIGNALS;
