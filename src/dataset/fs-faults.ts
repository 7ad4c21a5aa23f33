/**
 * Translates a failed system call to `permission`, to `cannot-create` if a name could not be created, or to `io`. The
 * system's error is the cause.
 */
import { ioError, systemCode, TurnmillError } from '../errors.ts';

/** Codes that mean the name cannot be created there (exit 73), as opposed to a failed device (74). */
const NAME_CODES = new Set(
  'EROFS EEXIST ENOENT ENOTDIR EISDIR ELOOP ENAMETOOLONG EXDEV ENOTEMPTY EBUSY EMLINK'.split(' '),
);

/** Returns the system's error code, taken from the error or from its cause. */
export function codeOf(error: unknown): string {
  const cause = error instanceof TurnmillError ? error.cause : error;
  return (cause === undefined ? undefined : systemCode(cause)) ?? '';
}

/** Like `ioError`, but `cannot-create` for a name that cannot be created. */
export function createError(doing: string, subject: string, cause: unknown): TurnmillError {
  if (!NAME_CODES.has(codeOf(cause))) return ioError(doing, subject, cause);
  return new TurnmillError('cannot-create', `cannot ${doing} ${subject}: ${codeOf(cause)}`, {
    subject,
    cause,
  });
}

/** Runs `call`; returns undefined if the file or its folder does not exist. */
export function ifAny<T>(doing: string, path: string, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw ioError(doing, path, error);
  }
}

/** Returns the error for a file whose content is not what this run wrote. */
export function notAsWritten(path: string): TurnmillError {
  const text = `${path} does not have the content that was written (checksum mismatch), so nothing was published; check disk and memory, then run again`;
  return new TurnmillError('io', text, { subject: path });
}
