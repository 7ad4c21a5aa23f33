/** Lists the objects below a prefix, page by page, or looks up a single object. */
import { HeadObjectCommand, type ListObjectsV2Output, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import type { ObjectClient } from './client.ts';
import { storeError, storeFault } from './fault.ts';
import type { StoredObject } from './ranged-reader.ts';
import { type ObjectPlace, objectUrl } from './url.ts';

export interface ListedObject extends StoredObject {
  /** Milliseconds since 1970, by the store's clock. */
  readonly modifiedMs: number;
}

/**
 * Yields all objects whose keys begin with the place's key, in no reliable order.
 * @throws TurnmillError
 */
export async function* listObjects(client: ObjectClient, place: ObjectPlace): AsyncGenerator<ListedObject> {
  const { bucket, key: prefix } = place;
  const pages = paginateListObjectsV2(
    { client: client.sdk },
    {
      Bucket: bucket,
      Prefix: prefix,
      EncodingType: 'url', // keys may contain characters that XML cannot express
      ...payerOf(client),
    },
  );
  try {
    for await (const page of pages) yield* objectsOf(page, bucket);
  } catch (error) {
    throw storeError('list', objectUrl(place), error);
  }
}

function* objectsOf(
  { Contents = [], EncodingType }: ListObjectsV2Output,
  bucket: string,
): Generator<ListedObject> {
  for (const { Key = '', ETag = '', Size = 0, LastModified } of Contents) {
    const key = EncodingType === 'url' ? decodeURIComponent(Key.replaceAll('+', ' ')) : Key;
    yield { bucket, key, etag: ETag, sizeBytes: Size, modifiedMs: LastModified?.getTime() ?? 0 };
  }
}

/**
 * Looks up one object; returns undefined if there is none.
 * @throws TurnmillError
 */
export async function findObject(
  client: ObjectClient,
  place: ObjectPlace,
): Promise<ListedObject | undefined> {
  const { bucket, key } = place;
  try {
    const head = await client.sdk.send(
      new HeadObjectCommand({ Bucket: bucket, Key: key, ...payerOf(client) }),
    );
    const { ETag = '', ContentLength = 0, LastModified } = head;
    return { ...place, etag: ETag, sizeBytes: ContentLength, modifiedMs: LastModified?.getTime() ?? 0 };
  } catch (error) {
    const fault = storeFault(error);
    if (fault.status === 404) return undefined;
    throw storeError('read', objectUrl(place), fault);
  }
}

export function payerOf({ options }: ObjectClient): { RequestPayer?: 'requester' } {
  return options.requesterPays ? { RequestPayer: 'requester' } : {};
}
