/** The table of settings, part 4: object stores. Each one is also read from the environment: `TURNMILL_S3_ENDPOINT` for `--s3-endpoint`. */
import { failUsage } from '../errors.ts';
import type { S3Options } from '../object-store/options.ts';
import { flagOf, type Refuse, type Setting } from './option.ts';
import { choice, duration, flag, size, text, wholeNumber } from './value-types.ts';

const MEBIBYTE = 1024 * 1024;
const HOUR_MS = 60 * 60 * 1000;
/** Least size of a part except the last one, by the rules of S3. */
const MIN_PART_BYTES = 5 * MEBIBYTE;
const MAX_PART_BYTES = 1024 * MEBIBYTE;
const MIN_RANGE_BYTES = 1024;
const MAX_IN_FLIGHT = 1024;

const reading = { group: 'S3', of: 'reading', advanced: true, fromEnvironment: true } as const;
const writing = { ...reading, of: 'writing' } as const;

/** The fields of `S3Options`, with the names of their flags: `s3Endpoint` is `endpoint`. */
export const S3_SETTINGS = {
  s3Endpoint: {
    ...reading,
    help: 'Use the S3 store at this URL instead of AWS',
    type: { ...text('URL'), check: checkEndpoint },
  } as Setting<S3Options['endpoint']>,
  s3Region: {
    ...reading,
    help: 'Set the region',
    shown: 'that of the AWS environment or profile',
    type: text('REGION'),
  } as Setting<S3Options['region']>,
  s3PathStyle: {
    ...reading,
    help: 'Put the bucket into the path of the URL',
    shown: 'on with --s3-endpoint',
    type: flag,
    negative: { help: 'Put the bucket into the host name', value: false },
  } as Setting<S3Options['pathStyle']>,
  s3Anonymous: {
    ...reading,
    help: 'Send requests without credentials, for public buckets',
    default: false,
    type: flag,
  } as Setting<boolean>,
  s3RequesterPays: {
    ...reading,
    help: 'Agree to pay for requests to a requester-pays bucket',
    default: false,
    type: flag,
  } as Setting<boolean>,
  s3Range: {
    ...reading,
    help: 'Fetch at most SIZE per request',
    default: 8 * MEBIBYTE,
    type: size(MAX_PART_BYTES, MIN_RANGE_BYTES),
  } as Setting<number>,
  s3InFlight: {
    ...reading,
    help: 'Open up to N objects at the same time',
    default: 8,
    type: wholeNumber(1, MAX_IN_FLIGHT),
  } as Setting<number>,
  s3Window: {
    ...reading,
    help: 'Prefetch at most SIZE',
    default: 64 * MEBIBYTE,
    type: size(Number.MAX_SAFE_INTEGER, MIN_RANGE_BYTES),
  } as Setting<number>,
  s3Sse: {
    ...writing,
    help: 'Let the store encrypt the files: AES256, aws:kms or aws:kms=KEY',
    shown: 'set by the bucket',
    type: { ...text('METHOD'), check: checkEncryption },
  } as Setting<S3Options['sse']>,
  s3PartSize: {
    ...writing,
    help: 'Upload files in parts of SIZE; a file has at most 10,000 parts',
    default: 16 * MEBIBYTE,
    type: size(MAX_PART_BYTES, MIN_PART_BYTES),
  } as Setting<number>,
  s3Checksum: {
    ...writing,
    help: 'Send the checksums that only newer stores support only where they are required, or wherever possible (supported)',
    shown: 'required with --s3-endpoint, else supported',
    type: choice(['required', 'supported']),
  } as Setting<S3Options['checksum']>,
  s3Condition: {
    ...writing,
    help: 'Test whether the store honours conditional writes (probe), trust that it does, or do without (none): then only one run at a time may write',
    default: 'probe',
    type: choice(['probe', 'trust', 'none']),
  } as Setting<S3Options['condition']>,
  s3Grace: {
    ...writing,
    help: 'Remove versions and uploads that belong to no dataset once they are this old',
    default: 24 * HOUR_MS,
    shown: '24h',
    type: { ...duration, check: wholeNumber(0).check },
  } as Setting<number>,
};

function checkEndpoint(value: unknown, refuse: Refuse): void {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    refuse('not a URL such as https://storage.example.com');
  if (url?.username || url?.password)
    refuse('the URL holds credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead');
}

function checkEncryption(value: unknown, refuse: Refuse): void {
  if (!/^(?:AES256|aws:kms(?:=[\w:/.-]+)?)$/.test(String(value)))
    refuse(`'${value}' is not AES256, aws:kms or aws:kms=KEY`);
}

export type PartialS3 = { readonly [K in keyof S3Options]?: S3Options[K] | undefined };

/** Returns the options that settings contain: `endpoint` is the value of `s3Endpoint`. */
export function s3In(values: { readonly [K in keyof typeof S3_SETTINGS]?: unknown }): PartialS3 {
  const names = Object.keys(S3_SETTINGS) as (keyof typeof S3_SETTINGS)[];
  return Object.fromEntries(names.map((name) => [fieldOf(name), values[name]]));
}

const fieldOf = (name: string): string => name.charAt(2).toLowerCase() + name.slice(3);

/** Fills in the defaults of options that are left out. Throws a usage error for an invalid value. */
export function resolveS3Options(partial: PartialS3 = {}): S3Options {
  const given: Readonly<Record<string, unknown>> = { ...partial };
  const rows = Object.entries<Setting<unknown>>(S3_SETTINGS);
  const values = rows.map(([name, { default: unset, type }]) => {
    const { [fieldOf(name)]: value = unset } = given;
    if (value !== undefined)
      type?.check?.(value, (problem) => {
        failUsage(`--${flagOf(name)}: ${problem}`);
      });
    return [fieldOf(name), value];
  });
  return Object.fromEntries(values) as S3Options;
}

export const DEFAULT_S3: S3Options = resolveS3Options();
