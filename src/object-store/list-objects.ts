/** Lists the objects below a prefix, page by page, or looks up a single object. */
import { HeadObjectCommand, ListObjectsV2Command, type ListObjectsV2Output } from '@aws-sdk/client-s3';
import type { ObjectClient } from './client.ts';
import { StoreFault, storeError, storeFault } from './fault.ts';
import type { StoredObject } from './ranged-reader.ts';
import { type ObjectPlace, objectUrl } from './url.ts';

export interface ListedObject extends StoredObject {
  /** Milliseconds since 1970, by the store's clock. */
  readonly modifiedMs: number;
}

/**
 * Yields all objects whose keys begin with the place's key, in no reliable order.
 * @throws TurnmillError, also if the listing would never end, is not whole, or states a size that no object has
 */
export async function* listObjects(client: ObjectClient, place: ObjectPlace): AsyncGenerator<ListedObject> {
  try {
    for await (const page of pagesOf(client, place)) yield* objectsOf(page, place.bucket);
  } catch (error) {
    throw storeError('list', objectUrl(place), error);
  }
}

async function* pagesOf(
  client: ObjectClient,
  { bucket, key: prefix }: ObjectPlace,
): AsyncGenerator<ListObjectsV2Output> {
  const guard = new PageGuard();
  let token: string | undefined;
  do {
    const page = await client.sdk.send(
      new ListObjectsV2Command({
        Bucket: bucket,
        Prefix: prefix,
        ContinuationToken: token,
        EncodingType: 'url', // keys may contain characters that XML cannot express
        ...payerOf(client),
      }),
    );
    token = nextToken(page);
    yield page;
    if (token !== undefined) guard.check(token, page.Contents?.length ?? 0, page.Contents?.[0]?.Key);
  } while (token !== undefined);
}

/**
 * Returns the token of the next page; undefined on the last page.
 * @throws StoreFault if the page does not name it, or the answer is not a page of a listing
 */
function nextToken(page: ListObjectsV2Output): string | undefined {
  const { IsTruncated, KeyCount, Name, Contents, NextContinuationToken } = page;
  // the SDK takes any XML: every member of the page is undefined then
  const isPage = [IsTruncated, KeyCount, Name, Contents].some((member) => member !== undefined);
  if (!isPage) throw lasting('NotAListing');
  if (IsTruncated === false) return undefined;
  const token = NextContinuationToken === '' ? undefined : NextContinuationToken;
  if (IsTruncated === true && token === undefined) throw lasting('MissingContinuationToken');
  return token;
}

function* objectsOf(
  { Contents = [], EncodingType }: ListObjectsV2Output,
  bucket: string,
): Generator<ListedObject> {
  for (const { Key = '', ETag = '', Size = 0, LastModified } of Contents) {
    const key = EncodingType === 'url' ? decodeURIComponent(Key.replaceAll('+', ' ')) : Key;
    yield {
      bucket,
      key,
      etag: ETag,
      sizeBytes: checkedSize(Size),
      modifiedMs: LastModified?.getTime() ?? 0,
    };
  }
}

/** @throws StoreFault if no object can have this size */
function checkedSize(bytes: number): number {
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw new StoreFault('InvalidSize', undefined, false);
  return bytes;
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
    return {
      ...place,
      etag: ETag,
      sizeBytes: checkedSize(ContentLength),
      modifiedMs: LastModified?.getTime() ?? 0,
    };
  } catch (error) {
    const fault = storeFault(error);
    if (fault.status === 404) return undefined;
    throw storeError('read', objectUrl(place), fault);
  }
}

export function payerOf({ options }: ObjectClient): { RequestPayer?: 'requester' } {
  return options.requesterPays ? { RequestPayer: 'requester' } : {};
}

/** Stores send empty pages where they skip many deleted objects, but not this many in a row. */
const MAX_EMPTY_PAGES = 1000;
/** Entries of one listing. */
const MAX_ENTRIES = 10_000_000;

/** Ends a listing that a store would continue for ever, because it repeats pages or keys, or sends only empty pages. */
export class PageGuard {
  readonly #markers = new Set<string>();
  readonly #firstKeys = new Set<string>();
  #emptyPages = 0;
  #entries = 0;

  /**
   * Checks a page that another one follows.
   * @param marker what the request for the next page names
   * @param firstKey the first key of the page, if a listing has each key only once. The keys of some stores are not in
   *   order, and a page may begin with the last key of the one before, but two pages do not begin with the same key.
   * @throws StoreFault
   */
  check(marker: string, entries: number, firstKey?: string): void {
    if (this.#markers.has(marker)) throw lasting('RepeatedPage');
    this.#markers.add(marker);
    if (firstKey !== undefined) {
      if (this.#firstKeys.has(firstKey)) throw lasting('RepeatedKey');
      this.#firstKeys.add(firstKey);
    }
    this.#emptyPages = entries === 0 ? this.#emptyPages + 1 : 0;
    this.#entries += entries;
    if (this.#emptyPages >= MAX_EMPTY_PAGES) throw lasting('TooManyEmptyPages');
    if (this.#entries >= MAX_ENTRIES) throw lasting('TooManyEntries');
  }
}

/** A fault that another try would meet again. */
const lasting = (code: string): StoreFault => new StoreFault(code, undefined, false);
