/** The configuration of the AWS SDK for a store. */
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { S3Options } from './options.ts';

const ATTEMPTS = 4;
export const DEFAULT_REGION: string = 'us-east-1';

export function configOf(options: S3Options): S3ClientConfig {
  const { endpoint, region, anonymous } = options;
  const hasEndpoint = endpoint !== undefined;
  const { pathStyle = hasEndpoint, checksum = hasEndpoint ? 'required' : 'supported' } = options;
  const when = checksum === 'required' ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED';
  return {
    maxAttempts: ATTEMPTS,
    followRegionRedirects: true,
    forcePathStyle: pathStyle,
    requestChecksumCalculation: when,
    responseChecksumValidation: 'WHEN_REQUIRED',
    region: region ?? regionOfEnvironment(),
    ...(hasEndpoint && { endpoint }),
    ...(anonymous && {
      signer: { sign: async (request: unknown) => request } as unknown as NonNullable<
        S3ClientConfig['signer']
      >,
      credentials: { accessKeyId: '', secretAccessKey: '' },
    }),
  };
}

/**
 * Returns the region of the environment or the profile. Without one, any region will do: the response of the store names
 * the bucket's region.
 */
function regionOfEnvironment(): () => Promise<string> {
  const { config } = new S3Client({});
  return () => config.region().catch(() => DEFAULT_REGION);
}

/** Suppresses the SDK's warning that its releases of 2027 need Node 22: users of this program cannot act on it. */
export function withoutVersionWarning<T>(make: () => T): T {
  const name = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';
  const before = process.env[name];
  process.env[name] = 'true';
  try {
    return make();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}
