/** Lets code that reads a dataset from a folder read one from a store too, by fetching the files that it needs. */
import { randomBytes } from 'node:crypto';
import { TurnmillError } from '../../errors.ts';
import type { S3Options } from '../../object-store/options.ts';
import { isObjectUrl, type ObjectPlace, parseObjectUrl } from '../../object-store/url.ts';
import type { LocalCopy } from './local-copy.ts';

/** @param isWanted selects the files to fetch by their paths in the dataset; the manifest is always fetched */
export async function withDataset<T>(
  out: string,
  s3: S3Options,
  isWanted: (path: string) => boolean,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  if (!isObjectUrl(out)) return use(out);
  const { copy, version, hash } = await storedDataset(out, s3);
  try {
    const wanted = (path: string): boolean => path === 'manifest.json' || isWanted(path);
    await copy.fetchSome(version, hash, wanted);
    return await use(copy.place.path);
  } finally {
    copy.remove();
  }
}

/** A dataset as a local folder. */
export interface OpenDataset {
  readonly folder: string;
  /** Fetches the content of the shards, which may be missing until then. */
  fetchShards(): Promise<void>;
  /** Removes the local copy, if it is one. */
  close(): void;
}

/** @throws TurnmillError `no-input` if a store has no dataset there */
export async function openDataset(out: string, s3: S3Options): Promise<OpenDataset> {
  if (!isObjectUrl(out)) return { folder: out, fetchShards: async () => undefined, close: () => undefined };
  const { copy, version, hash } = await storedDataset(out, s3);
  const close = (): void => copy.remove();
  try {
    await copy.fetchAllButShards(version, hash);
    return { folder: copy.place.path, fetchShards: () => copy.fetchShards(), close };
  } catch (error) {
    close();
    throw error;
  }
}

interface StoredDataset {
  readonly copy: LocalCopy;
  /** Where its files are. */
  readonly version: ObjectPlace;
  /** SHA-256 of its manifest. */
  readonly hash: string;
}

async function storedDataset(out: string, s3: S3Options): Promise<StoredDataset> {
  const [{ objectClient }, { LocalCopy: Copy }, { scratchPath }, { readPointer }] = await Promise.all([
    import('../../object-store/client.ts'),
    import('./local-copy.ts'),
    import('./object-dataset.ts'),
    import('./version-pointer.ts'),
  ]);
  const client = objectClient(s3);
  const { bucket, key } = parseObjectUrl(out);
  const folder = key === '' || key.endsWith('/') ? key : `${key}/`;
  const pointer = await readPointer(client, { bucket, key: folder });
  if (pointer === undefined)
    throw new TurnmillError('no-input', `no dataset found at ${out}`, { subject: out });
  const copy = new Copy(client, scratchPath(`read-${randomBytes(8).toString('hex')}`));
  return { copy, version: { bucket, key: `${folder}${pointer.run}/` }, hash: pointer.sha256 };
}
