/**
 * How to reach and use object stores that speak S3: plain data without secrets, which can be posted to worker threads.
 */

import { TurnmillError } from '../errors.ts';

const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;

export interface S3Options {
  /** URL of a store other than AWS; undefined for the one in the AWS environment or profile. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Whether the bucket is in the path instead of the host name; if undefined, it is if there is an endpoint. */
  readonly pathStyle: boolean | undefined;
  /** Whether to send requests unsigned. */
  readonly anonymous: boolean;
  readonly requesterPays: boolean;
  /** How the store encrypts what is written: `AES256`, `aws:kms` or `aws:kms=KEY`. */
  readonly sse: string | undefined;
  readonly partSize: number;
  /** Most bytes per GET. */
  readonly range: number;
  /** Number of objects that are open at the same time. */
  readonly inFlight: number;
  /** Most bytes that all workers together prefetch. */
  readonly window: number;
  /**
   * When uploads carry the checksums that only newer stores know; if undefined, `required` if there is an endpoint.
   */
  readonly checksum: 'required' | 'supported' | undefined;
  /** How to make sure that the store honours conditional writes. */
  readonly condition: 'probe' | 'trust' | 'none';
  /** Age at which the next run removes versions that no dataset names. */
  readonly grace: number;
}

/** Least size of a part except the last one, by the rules of S3. */
const MIN_PART_BYTES: number = 5 * MEBIBYTE;
const MAX_PART_BYTES: number = 1024 * MEBIBYTE;
const MIN_RANGE_BYTES = 1024;
const MAX_IN_FLIGHT = 1024;

export const DEFAULT_S3: S3Options = {
  endpoint: undefined,
  region: undefined,
  pathStyle: undefined,
  anonymous: false,
  requesterPays: false,
  sse: undefined,
  partSize: 16 * MEBIBYTE,
  range: 8 * MEBIBYTE,
  inFlight: 8,
  window: 64 * MEBIBYTE,
  checksum: undefined,
  condition: 'probe',
  grace: 24 * HOUR_MS,
};

/** Fills in the defaults of options that are left out. Throws a usage error for an invalid value. */
export function resolveS3Options(
  partial: { readonly [K in keyof S3Options]?: S3Options[K] | undefined } = {},
): S3Options {
  const set = Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined));
  const options: S3Options = { ...DEFAULT_S3, ...set };
  checkEndpoint(options.endpoint);
  if (options.sse !== undefined && !/^(?:AES256|aws:kms(?:=[\w:/.-]+)?)$/.test(options.sse))
    fail(`--s3-sse: '${options.sse}' is not AES256, aws:kms or aws:kms=KEY`);
  oneOf('s3-checksum', options.checksum ?? 'required', ['required', 'supported']);
  oneOf('s3-condition', options.condition, ['probe', 'trust', 'none']);
  inRange('s3-part-size', options.partSize, MIN_PART_BYTES, MAX_PART_BYTES);
  inRange('s3-range', options.range, MIN_RANGE_BYTES, MAX_PART_BYTES);
  inRange('s3-window', options.window, MIN_RANGE_BYTES, Number.MAX_SAFE_INTEGER);
  inRange('s3-in-flight', options.inFlight, 1, MAX_IN_FLIGHT);
  inRange('s3-grace', options.grace, 0, Number.MAX_SAFE_INTEGER);
  return options;
}

function checkEndpoint(endpoint: string | undefined): void {
  if (endpoint === undefined) return;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    fail('--s3-endpoint: not a URL such as https://storage.example.com');
  if (url.username !== '' || url.password !== '')
    fail('--s3-endpoint: the URL holds credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
}

function oneOf(option: string, value: string, choices: readonly string[]): void {
  if (!choices.includes(value)) fail(`--${option}: '${value}' is not one of ${choices.join(', ')}`);
}

function inRange(option: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    fail(`--${option}: ${value} is not a whole number from ${least} to ${most}`);
}

function fail(message: string): never {
  throw new TurnmillError('usage', message);
}
