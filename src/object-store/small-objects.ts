/**
 * Reads, writes and removes small objects as a whole: the name of the current version, probes, leftovers of earlier runs.
 */
import {
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type MultipartUpload,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { ObjectClient } from './client.ts';
import { StoreFault, storeError, storeFault } from './fault.ts';
import { PageGuard, payerOf } from './list-objects.ts';
import { encryptionOf } from './uploads.ts';
import { type ObjectPlace, objectUrl } from './url.ts';

const MAX_BYTES = 1024 * 1024;
const TRIES = 4;

export interface SmallObject {
  readonly text: string;
  readonly etag: string;
}

/** Condition for a write; undefined for none. */
export type Condition = { readonly ifNoneMatch: '*' } | { readonly ifMatch: string } | undefined;

/** Returns the text of an object; undefined if there is none. Throws TurnmillError. */
export async function readSmallObject(
  client: ObjectClient,
  place: ObjectPlace,
): Promise<SmallObject | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await client.get(place);
      const chunks: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of answer) {
        chunks.push(chunk as Buffer);
        bytes += (chunk as Buffer).length;
        if (bytes > MAX_BYTES) throw new StoreFault('EntityTooLarge', undefined, false);
      }
      return { text: Buffer.concat(chunks).toString('utf8'), etag: answer.headers.etag ?? '' };
    } catch (error) {
      const fault = storeFault(error);
      if (fault.status === 404 && fault.code !== 'NoSuchBucket') return undefined;
      if (!fault.isTransient || tries === TRIES) throw storeError('read', objectUrl(place), fault);
    }
  }
}

/** Writes an object. Throws StoreFault, with status 412 if the condition is not met. */
export async function writeSmallObject(
  client: ObjectClient,
  { bucket, key }: ObjectPlace,
  text: string,
  condition: Condition,
): Promise<void> {
  const conditions = {
    ...(condition !== undefined && 'ifNoneMatch' in condition && { IfNoneMatch: condition.ifNoneMatch }),
    ...(condition !== undefined && 'ifMatch' in condition && { IfMatch: condition.ifMatch }),
  };
  try {
    const Body = Buffer.from(text);
    const target = { Bucket: bucket, Key: key, Body, ContentType: 'application/json' };
    await client.sdk.send(
      new PutObjectCommand({ ...target, ...conditions, ...encryptionOf(client), ...payerOf(client) }),
    );
  } catch (error) {
    throw storeFault(error);
  }
}

/** Removes an object; succeeds if there is none. Throws TurnmillError. */
export async function removeObject(client: ObjectClient, place: ObjectPlace): Promise<void> {
  try {
    await client.sdk.send(
      new DeleteObjectCommand({ Bucket: place.bucket, Key: place.key, ...payerOf(client) }),
    );
  } catch (error) {
    const fault = storeFault(error);
    if (fault.status !== 404) throw storeError('remove', objectUrl(place), fault);
  }
}

export interface OpenUpload extends ObjectPlace {
  readonly id: string;
  readonly initiatedMs: number;
}

/** Returns the unfinished uploads below a prefix. Throws TurnmillError. */
export async function listUploads(client: ObjectClient, { bucket, key }: ObjectPlace): Promise<OpenUpload[]> {
  const uploads: MultipartUpload[] = [];
  const guard = new PageGuard();
  let at: { KeyMarker?: string; UploadIdMarker?: string } = {};
  try {
    for (;;) {
      const {
        Uploads = [],
        IsTruncated,
        NextKeyMarker,
        NextUploadIdMarker,
      } = await client.sdk.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key, ...at, ...payerOf(client) }),
      );
      uploads.push(...Uploads);
      if (IsTruncated !== true || NextKeyMarker === undefined) break;
      guard.check(JSON.stringify([NextKeyMarker, NextUploadIdMarker]), Uploads.length);
      at = {
        KeyMarker: NextKeyMarker,
        ...(NextUploadIdMarker !== undefined && { UploadIdMarker: NextUploadIdMarker }),
      };
    }
  } catch (error) {
    throw storeError('list the uploads below', objectUrl({ bucket, key }), error);
  }
  return uploads
    .filter(({ Key = '' }) => Key.startsWith(key))
    .map(({ Key = '', UploadId = '', Initiated }) => ({
      bucket,
      key: Key,
      id: UploadId,
      initiatedMs: Initiated?.getTime() ?? 0,
    }));
}

/**
 * Returns when the latest part of an upload was stored: 0 if there is none, infinity without permission to list parts.
 * Throws TurnmillError.
 */
export async function latestPartMs(client: ObjectClient, { bucket, key, id }: OpenUpload): Promise<number> {
  let latest = 0;
  const guard = new PageGuard();
  let at: { PartNumberMarker?: string } = {};
  try {
    // not the SDK's paginator, which never ends if the last page names a next one, as moto's does
    for (;;) {
      const {
        Parts = [],
        IsTruncated,
        NextPartNumberMarker,
      } = await client.sdk.send(
        new ListPartsCommand({ Bucket: bucket, Key: key, UploadId: id, ...at, ...payerOf(client) }),
      );
      for (const { LastModified } of Parts) latest = Math.max(latest, LastModified?.getTime() ?? 0);
      if (IsTruncated !== true || NextPartNumberMarker === undefined) break;
      guard.check(NextPartNumberMarker, Parts.length);
      at = { PartNumberMarker: NextPartNumberMarker };
    }
  } catch (error) {
    const { code, status } = storeFault(error);
    if (status === 403) return Number.POSITIVE_INFINITY;
    if (code !== 'NoSuchUpload') throw storeError('list the parts of', objectUrl({ bucket, key }), error);
  }
  return latest;
}
