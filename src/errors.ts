/**
 * Operational errors: problems outside the data (a full disk, a lock, a wrong flag). Problems in the data are
 * `Rejection` elements; anything else is a bug and keeps its stack.
 */
import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

/** src/cli/faults.ts maps each code to its exit status. */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'no-input'
  | 'rejected'
  | 'cannot-resume'
  | 'shrunk'
  | 'locked'
  | 'missing-slices'
  | 'unbalanced'
  | 'unfinished'
  | 'worker-lost'
  | 'record-changed'
  | 'cannot-create'
  | 'io'
  | 'permission'
  | 'broken-pipe'
  | 'invalid-dataset'
  | 'unavailable';

export class TurnmillError extends Error {
  readonly code: ErrorCode;
  /** Subject of the error: a path, a flag, a source. */
  readonly subject: string | undefined;

  constructor(code: ErrorCode, message: string, options: { subject?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'TurnmillError';
    this.code = code;
    this.subject = options.subject;
  }
}

/** Refuses what the user wrote. */
export function failUsage(message: string): never {
  throw new TurnmillError('usage', message);
}

/** Returns the code of a system error, including those that Node has no name for (EDQUOT, ESTALE). */
export function systemCode(error: unknown): string | undefined {
  const { code, errno } = error as NodeJS.ErrnoException;
  if (!code?.startsWith('Unknown')) return code;
  const [name = code] = Object.entries(constants.errno).find(([, number]) => number === -Number(errno)) ?? [];
  return name;
}

/** Returns what a system error means, with its code: `permission denied (EACCES)`. */
export function systemWords(error: unknown): string {
  const code = systemCode(error);
  if (code === undefined) return String(error);
  const [, words] = getSystemErrorMap().get((error as NodeJS.ErrnoException).errno ?? 0) ?? [];
  return words === undefined ? code : `${words} (${code})`;
}

/** Turns the error of a system call into `permission` or `io`. */
export function ioError(doing: string, subject: string, cause: unknown): TurnmillError {
  const code = systemCode(cause) ?? '';
  const kind: ErrorCode = code === 'EACCES' || code === 'EPERM' ? 'permission' : 'io';
  return new TurnmillError(kind, `cannot ${doing} ${subject}: ${systemWords(cause)}`, { subject, cause });
}

/** Returns what `call` returns; undefined if it throws. */
export function ifPossible<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

/** Runs `call`, and turns the error of a system call into `permission` or `io`, or into what `fault` makes of it. */
export function io<T>(doing: string, subject: string, call: () => T, fault: typeof ioError = ioError): T {
  try {
    return call();
  } catch (error) {
    throw error instanceof TurnmillError ? error : fault(doing, subject, error);
  }
}

/** Why a whole source is rejected, and what that means. */
export const SOURCE_REASONS = {
  unreadable: 'The file could not be opened or read.',
  'changed-while-read':
    'The file grew, shrank or was written to while it was read (if its size stayed the same, during a second reading too).',
  'corrupt-gzip': 'The gzip data is damaged or incomplete.',
  'corrupt-zstd': 'The zstd data is damaged or incomplete.',
  'trailing-data': 'Data that is not padding follows the end of the compressed data.',
  'decompression-limit':
    'The file unpacks to more than the limits allow, or needs too much memory to unpack.',
  'not-regular': 'The path is not a regular file.',
  'preference-pairs':
    'The file holds pairs of a chosen and a rejected answer, or answers labelled as good or bad, which no format writes yet.',
  'known-but-unread':
    'The log comes from a known program, but in a form that turnmill does not read; the detail names a form that it reads.',
  'nothing-read':
    'The objects carry content, but in forms that their dialect does not know, so that the file gave no conversation; the detail lists their keys. Or an answer is only in pieces and belongs to no conversation.',
  'little-read': 'Less of the text in the file was read than --min-read allows.',
  'unknown-dialect':
    'No dialect recognises the first objects (64 lines or 256 KiB). Name one with --dialect.',
  vanished: 'The file was deleted or replaced after it was listed.',
  'unsupported-compression': 'The file is compressed in a way that turnmill does not support.',
  'encoding-utf16': 'The file is UTF-16 or UTF-32, but logs must be UTF-8.',
  'not-json-lines': 'The file is not a log, but CSV, HTML, a git-lfs pointer, a program or a database.',
  'internal-error':
    'An exception or a ledger mismatch while the source was read: a bug in turnmill or in a plug-in. The detail names the place; please report it.',
  'worker-crash': 'Three worker threads in a row died while reading the file.',
} as const;

/** Readers throw it in a SourceFault; the engine turns it into a rejection. */
export type SourceReason = keyof typeof SOURCE_REASONS;

/** A fault in the data or the file of one source; the run continues with the other sources. */
export class SourceFault extends Error {
  readonly reason: SourceReason;

  constructor(reason: SourceReason, detail: string, cause?: unknown) {
    super(detail, { cause });
    this.name = 'SourceFault';
    this.reason = reason;
  }
}
