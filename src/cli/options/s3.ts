/** Options for object stores. Each one is also read from the environment: `TURNMILL_S3_ENDPOINT` for `--s3-endpoint`. */
import { DEFAULT_S3, type S3Options } from '../../object-store/options.ts';
import { showSize } from '../sizes.ts';
import { type Option, option, type Values } from './option.ts';
import { choice, duration, flag, size, text, wholeNumber } from './value-types.ts';

const shared = { group: 'S3', advanced: true, fromEnvironment: true } as const;

/** Options for connecting to a store and reading from it. */
const readOptions: readonly Option[] = [
  option<'s3Endpoint'>({
    ...shared,
    name: 's3Endpoint',
    describe: 'Use the S3 store at this URL instead of AWS',
    type: text('URL'),
  }),
  option<'s3Region'>({
    ...shared,
    name: 's3Region',
    describe: 'Set the region',
    default: 'that of the AWS environment or profile',
    type: text('REGION'),
  }),
  option<'s3PathStyle'>({
    ...shared,
    name: 's3PathStyle',
    describe: 'Put the bucket into the path of the URL',
    default: 'on with --s3-endpoint',
    type: flag,
    negative: { describe: 'Put the bucket into the host name', value: false },
  }),
  option<'s3Anonymous'>({
    ...shared,
    name: 's3Anonymous',
    describe: 'Send requests without credentials, for public buckets',
    type: flag,
  }),
  option<'s3RequesterPays'>({
    ...shared,
    name: 's3RequesterPays',
    describe: 'Agree to pay for requests to a requester-pays bucket',
    type: flag,
  }),
  option<'s3Range'>({
    ...shared,
    name: 's3Range',
    describe: 'Fetch at most SIZE per request',
    default: showSize(DEFAULT_S3.rangeBytes),
    type: size(Number.MAX_SAFE_INTEGER),
  }),
  option<'s3InFlight'>({
    ...shared,
    name: 's3InFlight',
    describe: 'Open up to N objects at the same time',
    default: String(DEFAULT_S3.inFlight),
    type: wholeNumber(1),
  }),
  option<'s3Window'>({
    ...shared,
    name: 's3Window',
    describe: 'Prefetch at most SIZE',
    default: showSize(DEFAULT_S3.windowBytes),
    type: size(Number.MAX_SAFE_INTEGER),
  }),
];

const writeOptions: readonly Option[] = [
  option<'s3Sse'>({
    ...shared,
    name: 's3Sse',
    describe: 'Let the store encrypt the files: AES256, aws:kms or aws:kms=KEY',
    default: 'set by the bucket',
    type: text('METHOD'),
  }),
  option<'s3PartSize'>({
    ...shared,
    name: 's3PartSize',
    describe: 'Upload files in parts of SIZE; a file has at most 10,000 parts',
    default: showSize(DEFAULT_S3.partSizeBytes),
    type: size(Number.MAX_SAFE_INTEGER),
  }),
  option<'s3Checksum'>({
    ...shared,
    name: 's3Checksum',
    describe:
      'Send the checksums that only newer stores support only where they are required, or wherever possible (supported)',
    default: 'required with --s3-endpoint, else supported',
    type: choice(['required', 'supported']),
  }),
  option<'s3Condition'>({
    ...shared,
    name: 's3Condition',
    describe:
      'Test whether the store honours conditional writes (probe), trust that it does, or do without (none): then only one run at a time may write',
    default: DEFAULT_S3.condition,
    type: choice(['probe', 'trust', 'none']),
  }),
  option<'s3Grace'>({
    ...shared,
    name: 's3Grace',
    describe: 'Remove versions and uploads that belong to no dataset once they are this old',
    default: '24h',
    type: duration,
  }),
];

export const s3ReadOptions: readonly Option[] = readOptions;
export const s3Options: readonly Option[] = [...readOptions, ...writeOptions];

/** Returns the options that concern object stores. */
export function s3Of(values: Values): { readonly [K in keyof S3Options]: S3Options[K] | undefined } {
  return {
    endpoint: values.s3Endpoint,
    region: values.s3Region,
    pathStyle: values.s3PathStyle,
    anonymous: values.s3Anonymous,
    requesterPays: values.s3RequesterPays,
    sse: values.s3Sse,
    partSizeBytes: values.s3PartSize,
    rangeBytes: values.s3Range,
    inFlight: values.s3InFlight,
    windowBytes: values.s3Window,
    checksum: values.s3Checksum,
    condition: values.s3Condition,
    graceMs: values.s3Grace,
  };
}
