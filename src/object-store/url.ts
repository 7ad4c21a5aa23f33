/** URLs of objects: `s3://BUCKET/KEY`, or `s3a://BUCKET/KEY`, which means the same. */
import { failUsage, TurnmillError } from '../errors.ts';
import { printable } from '../printable.ts';

/** An object or, if the key is empty or ends in `/`, all objects below it. */
export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string;
}

const SCHEME = /^s3a?:\/\//;
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/;

export function isObjectUrl(text: string): boolean {
  return SCHEME.test(text);
}

/** Throws a usage error if the dataset of a command that reads folders is in a store. */
export function requireFolder(command: string, dataset: string): void {
  if (isObjectUrl(dataset))
    failUsage(`${command} reads folders, not stores: copy ${dataset} to a folder, and name that`);
}

/** Throws a usage error if the URL names no bucket. */
export function parseObjectUrl(url: string): ObjectPlace {
  const [bucket = '', ...rest] = url.replace(SCHEME, '').split('/');
  if (BUCKET.test(bucket)) return { bucket, key: rest.join('/') };
  throw new TurnmillError('usage', `${printable(url)} names no bucket: write s3://BUCKET/PREFIX/`, {
    subject: printable(url),
  });
}

export function objectUrl({ bucket, key }: ObjectPlace): string {
  return `s3://${bucket}/${key}`;
}
