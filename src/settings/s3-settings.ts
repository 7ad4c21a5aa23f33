/** The table of settings, part 4: object stores. Each one is also read from the environment: `TURNMILL_S3_ENDPOINT` for `--s3-endpoint`. */
import { DEFAULT_S3, type S3Options } from '../object-store/options.ts';
import type { Setting } from './option.ts';
import { choice, duration, flag, size, text, wholeNumber } from './value-types.ts';

const reading = { group: 'S3', of: 'reading', advanced: true, fromEnvironment: true } as const;
const writing = { ...reading, of: 'writing' } as const;

/** The fields of `S3Options`, with the names of their flags: `s3Endpoint` is `endpoint`. */
export const S3_SETTINGS = {
  s3Endpoint: {
    ...reading,
    help: 'Use the S3 store at this URL instead of AWS',
    default: DEFAULT_S3.endpoint,
    type: text('URL'),
  } as Setting<S3Options['endpoint']>,
  s3Region: {
    ...reading,
    help: 'Set the region',
    default: DEFAULT_S3.region,
    shown: 'that of the AWS environment or profile',
    type: text('REGION'),
  } as Setting<S3Options['region']>,
  s3PathStyle: {
    ...reading,
    help: 'Put the bucket into the path of the URL',
    default: DEFAULT_S3.pathStyle,
    shown: 'on with --s3-endpoint',
    type: flag,
    negative: { help: 'Put the bucket into the host name', value: false },
  } as Setting<S3Options['pathStyle']>,
  s3Anonymous: {
    ...reading,
    help: 'Send requests without credentials, for public buckets',
    default: DEFAULT_S3.anonymous,
    type: flag,
  } as Setting<boolean>,
  s3RequesterPays: {
    ...reading,
    help: 'Agree to pay for requests to a requester-pays bucket',
    default: DEFAULT_S3.requesterPays,
    type: flag,
  } as Setting<boolean>,
  s3Range: {
    ...reading,
    help: 'Fetch at most SIZE per request',
    default: DEFAULT_S3.range,
    type: size(),
  } as Setting<number>,
  s3InFlight: {
    ...reading,
    help: 'Open up to N objects at the same time',
    default: DEFAULT_S3.inFlight,
    type: wholeNumber(1),
  } as Setting<number>,
  s3Window: {
    ...reading,
    help: 'Prefetch at most SIZE',
    default: DEFAULT_S3.window,
    type: size(),
  } as Setting<number>,
  s3Sse: {
    ...writing,
    help: 'Let the store encrypt the files: AES256, aws:kms or aws:kms=KEY',
    default: DEFAULT_S3.sse,
    shown: 'set by the bucket',
    type: text('METHOD'),
  } as Setting<S3Options['sse']>,
  s3PartSize: {
    ...writing,
    help: 'Upload files in parts of SIZE; a file has at most 10,000 parts',
    default: DEFAULT_S3.partSize,
    type: size(),
  } as Setting<number>,
  s3Checksum: {
    ...writing,
    help: 'Send the checksums that only newer stores support only where they are required, or wherever possible (supported)',
    default: DEFAULT_S3.checksum,
    shown: 'required with --s3-endpoint, else supported',
    type: choice(['required', 'supported']),
  } as Setting<S3Options['checksum']>,
  s3Condition: {
    ...writing,
    help: 'Test whether the store honours conditional writes (probe), trust that it does, or do without (none): then only one run at a time may write',
    default: DEFAULT_S3.condition,
    type: choice(['probe', 'trust', 'none']),
  } as Setting<S3Options['condition']>,
  s3Grace: {
    ...writing,
    help: 'Remove versions and uploads that belong to no dataset once they are this old',
    default: DEFAULT_S3.grace,
    shown: '24h',
    type: duration,
  } as Setting<number>,
};
