/**
 * Errors of an object store: an error response, or no response. Only codes and statuses are kept, because the text of a
 * response, or an error of the SDK, may quote the signed request.
 */
import { type ErrorCode, TurnmillError } from '../errors.ts';
import { printable } from '../printable.ts';

/** Codes of errors that new credentials, or the time of the store, may fix. */
const STALE_CREDENTIALS: ReadonlySet<string> = new Set([
  'ExpiredToken',
  'ExpiredTokenException',
  'TokenRefreshRequired',
  'RequestTimeTooSkewed',
  'RequestExpired',
]);
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  'SlowDown',
  'RequestTimeout',
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'InternalError',
  'ServiceUnavailable',
  'OperationAborted',
  'TimeoutError',
  'BadDigest',
]);
const NO_CREDENTIALS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);
const SAFE_CODE = /^[\w.:/-]{1,80}$/;

/** Code for a response with another range than the requested one; a retry may get the right one. */
export const NOT_THAT_RANGE = 'NotThatRange';

export class StoreFault extends Error {
  /** Status of the response; undefined if none arrived. */
  readonly status: number | undefined;
  /** Error code of the store or the system. */
  readonly code: string;
  readonly isTransient: boolean;

  constructor(code: string, status?: number, isTransient: boolean = isPassing(code, status)) {
    const shown = SAFE_CODE.test(code) ? code : 'an unknown error';
    super(status === undefined ? shown : `${shown} (HTTP ${status})`);
    this.name = 'StoreFault';
    this.code = code;
    this.status = status;
    this.isTransient = isTransient;
  }

  /** Whether new credentials or a corrected clock may help. */
  get isStale(): boolean {
    return STALE_CREDENTIALS.has(this.code);
  }
}

export class ErrorResponse extends StoreFault {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;

  constructor(code: string, status: number, headers: ErrorResponse['headers']) {
    super(code, status);
    this.headers = headers;
  }
}

/** Returns a code for a response that has none. */
export function defaultCode(status: number): string {
  if (status === 404) return 'NoSuchKey';
  if (status === 412) return 'PreconditionFailed';
  return status === 403 ? 'AccessDenied' : 'failed';
}

function isPassing(code: string, status: number | undefined): boolean {
  if (STALE_CREDENTIALS.has(code) || TRANSIENT_CODES.has(code)) return true;
  if (NO_CREDENTIALS.has(code)) return false;
  return status === undefined || status === 408 || status === 429 || status >= 500;
}

interface SdkError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly Code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly errors?: readonly { readonly code?: unknown }[];
}

/** Translates an error of the SDK or of Node. Rethrows a bug, such as a TypeError. */
export function storeFault(error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  if (error instanceof TypeError || error instanceof RangeError || error instanceof TurnmillError)
    throw error;
  const { name, code, Code, $metadata, errors } = error as SdkError;
  const status = $metadata?.httpStatusCode;
  if (typeof Code === 'string') return new StoreFault(Code, status);
  const system = code ?? errors?.[0]?.code;
  if (status === undefined && typeof system === 'string') return new StoreFault(system);
  return new StoreFault(typeof name === 'string' && name !== 'Error' ? name : 'failed', status);
}

/** Translates an error into the one that ends a run. */
export function storeError(doing: string, subject: string, error: unknown): TurnmillError {
  const fault = storeFault(error);
  const text = `cannot ${doing} ${printable(subject)}: ${fault.message}${hintFor(fault)}`;
  return new TurnmillError(codeOf(fault), text, { subject, cause: fault });
}

function codeOf({ code, status, isTransient }: StoreFault): ErrorCode {
  if (NO_CREDENTIALS.has(code) || status === 401 || status === 403) return 'permission';
  if (status === 404) return 'no-input';
  return isTransient ? 'unavailable' : 'io';
}

function hintFor({ code, status, isTransient }: StoreFault): string {
  if (NO_CREDENTIALS.has(code))
    return '; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or --s3-anonymous for a public bucket';
  if (status === 401 || status === 403) return '; check the credentials, the policy and --s3-region';
  if (code === 'NoSuchBucket') return '; check the bucket, --s3-endpoint and --s3-region';
  if (isTransient && status === undefined) return '; check --s3-endpoint, --s3-region and the network';
  return '';
}
