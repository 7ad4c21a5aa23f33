/** Lets code that reads a dataset from a folder read one from a store too, by fetching the files that it needs. */
import { randomBytes } from 'node:crypto';
import { TurnmillError } from '../../errors.ts';
import type { S3Options } from '../../object-store/options.ts';
import { isObjectUrl, parseObjectUrl } from '../../object-store/url.ts';

/** @param isWanted selects the files to fetch by their paths in the dataset; the manifest is always fetched */
export async function withDataset<T>(
  out: string,
  s3: S3Options,
  isWanted: (path: string) => boolean,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  if (!isObjectUrl(out)) return use(out);
  const [{ objectClient }, { LocalCopy }, { scratchPath }, { readPointer }] = await Promise.all([
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
  const copy = new LocalCopy(client, scratchPath(`read-${randomBytes(8).toString('hex')}`));
  try {
    const wanted = (path: string): boolean => path === 'manifest.json' || isWanted(path);
    await copy.fetchSome({ bucket, key: `${folder}${pointer.run}/` }, pointer.sha256, wanted);
    return await use(copy.place.path);
  } finally {
    copy.remove();
  }
}
