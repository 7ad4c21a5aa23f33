/** Chooses the store by the form of the destination. */
import type { S3Options } from '../../object-store/options.ts';
import { isObjectUrl } from '../../object-store/url.ts';
import { DiskStore } from './disk-store.ts';
import type { DatasetStore } from './store.ts';

/** @param out a folder, or `s3://BUCKET/PREFIX/` */
export async function storeFor(out: string, s3: S3Options): Promise<DatasetStore> {
  if (!isObjectUrl(out)) return new DiskStore(out);
  const { ObjectDataset } = await import('./object-dataset.ts'); // imported late because it loads the SDK
  return new ObjectDataset(out, s3);
}
