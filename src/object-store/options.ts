/**
 * How to reach and use object stores that speak S3: plain data without secrets, which can be posted to worker threads.
 * The table of settings (src/settings/s3-settings.ts) has the defaults, the limits and the flags.
 */
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
