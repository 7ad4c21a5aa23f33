/**
 * Writes objects in parts. A part is in a file until it is sent, so that memory is limited to the parts in flight,
 * regardless of the number of objects being written. Every part is sent with its MD5, which the store compares with the
 * bytes that it received.
 */
import { createHash } from 'node:crypto';
import { readFileSync, unlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { TurnmillError } from '../errors.ts';
import type { ObjectClient } from './client.ts';
import { type StoreFault, storeError, storeFault } from './fault.ts';
import { findObject, payerOf } from './list-objects.ts';
import { type ObjectPlace, objectUrl } from './url.ts';

/** Most parts in flight; each of them is in memory. */
export const MAX_PARTS_IN_FLIGHT = 4;
/** Most parts of an object, by the rules of S3. */
const MAX_PARTS = 10_000;
/** Rounds of tries; the SDK retries several times in each. */
const ROUNDS = 4;

/** A file with the bytes of a part. */
export interface PartFile {
  readonly path: string;
  readonly crc32: number;
}

export interface WrittenObject {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

interface Upload {
  readonly place: ObjectPlace;
  id: Promise<string> | undefined;
  readonly parts: { readonly ETag: string; readonly PartNumber: number }[];
  /** Number of parts that were added and are not stored yet. */
  open: number;
  added: number;
  bytes: number;
  isComplete: boolean;
}

export class Uploads {
  readonly #client: ObjectClient;
  readonly #mostParts: number;
  readonly #uploads = new Set<Upload>();
  readonly #queue: (() => Promise<void>)[] = [];
  readonly #written: WrittenObject[] = [];
  #running = 0;
  #failure: unknown;
  #isStopped = false;
  #wake: (() => void)[] = [];

  constructor(client: ObjectClient, mostParts: number = MAX_PARTS) {
    this.#client = client;
    this.#mostParts = mostParts;
  }

  get written(): readonly WrittenObject[] {
    return this.#written;
  }

  begin(place: ObjectPlace): Upload {
    const upload: Upload = {
      place,
      id: undefined,
      parts: [],
      open: 0,
      added: 0,
      bytes: 0,
      isComplete: false,
    };
    this.#uploads.add(upload);
    return upload;
  }

  /** Sends a part once there is room, then removes its file. @param isLast whether it completes the object */
  add(upload: Upload, file: PartFile, bytes: number, isLast: boolean): void {
    upload.added++;
    upload.open++;
    upload.bytes += bytes;
    upload.isComplete = isLast;
    const number = upload.added;
    if (number > this.#mostParts) {
      const url = objectUrl(upload.place);
      const text = `${url} needs more than ${this.#mostParts} parts: use a larger --s3-part-size, or a smaller --shard-size`;
      throw new TurnmillError('io', text, { subject: url });
    }
    this.#queue.push(() =>
      isLast && number === 1 ? this.#putWhole(upload, file) : this.#putPart(upload, file, number),
    );
    this.#pump();
  }

  /** Returns a promise for room for another part; undefined if there is room. Throws the error of a failed upload. */
  whenReady(): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    return this.#queue.length === 0 ? undefined : this.#nextEvent().then(() => this.whenReady());
  }

  /** Resolves once all parts are stored. */
  async done(): Promise<void> {
    while (this.#failure === undefined && this.#queue.length + this.#running > 0) await this.#nextEvent();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Stops, and lets the store drop the parts of incomplete objects. */
  async abort(): Promise<void> {
    this.#isStopped = true;
    this.#queue.length = 0;
    while (this.#running > 0) await this.#nextEvent();
    for (const { place, id } of this.#uploads) {
      const UploadId = await id?.catch(() => undefined);
      if (UploadId === undefined) continue;
      await abortUpload(this.#client, place, UploadId);
    }
    this.#uploads.clear();
  }

  #pump(): void {
    while (this.#running < MAX_PARTS_IN_FLIGHT && this.#failure === undefined && !this.#isStopped) {
      const work = this.#queue.shift();
      if (work === undefined) return;
      this.#running++;
      work()
        .catch((error: unknown) => {
          this.#failure ??= error;
        })
        .finally(() => {
          this.#running--;
          this.#pump();
          for (const wake of this.#wake.splice(0)) wake();
        });
    }
  }

  #nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake.push(resolve);
    });
  }

  async #putWhole(upload: Upload, file: PartFile): Promise<void> {
    const { place } = upload;
    const Body = bodyOf(file);
    const { ETag = '' } = await this.#persist('write', place, () =>
      this.#client.sdk.send(
        new PutObjectCommand({
          ...this.#target(place),
          ...encryptionOf(this.#client),
          Body,
          ContentMD5: md5(Body),
        }),
      ),
    );
    this.#end(upload, file, ETag);
  }

  async #putPart(upload: Upload, file: PartFile, number: number): Promise<void> {
    const { place } = upload;
    upload.id ??= this.#create(place);
    const UploadId = await upload.id;
    const Body = bodyOf(file);
    const part = { ...this.#target(place), UploadId, PartNumber: number, Body, ContentMD5: md5(Body) };
    const { ETag = '' } = await this.#persist('write', place, () =>
      this.#client.sdk.send(new UploadPartCommand(part)),
    );
    upload.parts.push({ ETag, PartNumber: number });
    upload.open--;
    if (upload.isComplete && upload.open === 0)
      this.#end(upload, file, await this.#complete(upload, UploadId));
    else unlinkSync(file.path);
  }

  async #create(place: ObjectPlace): Promise<string> {
    const { UploadId = '' } = await this.#persist('write', place, () =>
      this.#client.sdk.send(
        new CreateMultipartUploadCommand({ ...this.#target(place), ...encryptionOf(this.#client) }),
      ),
    );
    return UploadId;
  }

  async #complete({ place, parts, bytes }: Upload, UploadId: string): Promise<string> {
    const Parts = parts.toSorted((a, b) => a.PartNumber - b.PartNumber);
    const command = { ...this.#target(place), UploadId, MultipartUpload: { Parts } };
    return this.#persist('complete', place, async () => {
      try {
        return (await this.#client.sdk.send(new CompleteMultipartUploadCommand(command))).ETag ?? '';
      } catch (error) {
        // if an earlier try succeeded but its response was lost, the object exists, and the upload does not
        const object =
          storeFault(error).code === 'NoSuchUpload' ? await findObject(this.#client, place) : undefined;
        if (object?.sizeBytes === bytes) return object.etag;
        throw error;
      }
    });
  }

  #end(upload: Upload, file: PartFile, etag: string): void {
    unlinkSync(file.path);
    this.#uploads.delete(upload);
    this.#written.push({ key: upload.place.key, bytes: upload.bytes, etag });
  }

  /** Retries after temporary errors for longer than the SDK does. */
  async #persist<T>(doing: string, place: ObjectPlace, send: () => Promise<T>): Promise<T> {
    for (let round = 1; ; round++) {
      let fault: StoreFault;
      try {
        return await send();
      } catch (error) {
        if (error instanceof TurnmillError) throw error;
        fault = storeFault(error);
      }
      if (!fault.isTransient || round === ROUNDS || this.#isStopped)
        throw storeError(doing, objectUrl(place), fault);
      const { firstDelayMs, longestDelayMs } = this.#client.patience;
      await setTimeout(Math.min(longestDelayMs, firstDelayMs * 4 ** round) * (0.5 + Math.random() / 2));
    }
  }

  #target({ bucket, key }: ObjectPlace): { Bucket: string; Key: string } {
    return { Bucket: bucket, Key: key, ...payerOf(this.#client) };
  }
}

export type { Upload };

export function encryptionOf({
  options: { sse },
}: ObjectClient): Pick<PutObjectCommand['input'], 'ServerSideEncryption' | 'SSEKMSKeyId'> {
  if (sse === undefined) return {};
  const [method = '', key] = sse.split('=');
  return {
    ServerSideEncryption: method as 'AES256' | 'aws:kms',
    ...(key !== undefined && { SSEKMSKeyId: key }),
  };
}

/** Aborts an upload; succeeds if it no longer exists. */
export async function abortUpload(
  client: ObjectClient,
  { bucket, key }: ObjectPlace,
  UploadId: string,
): Promise<void> {
  try {
    await client.sdk.send(
      new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId, ...payerOf(client) }),
    );
  } catch (error) {
    if (storeFault(error).code !== 'NoSuchUpload')
      throw storeError('abort the upload of', objectUrl({ bucket, key }), error);
  }
}

function bodyOf({ path, crc32: expected }: PartFile): Buffer {
  const bytes = readFileSync(path);
  if (crc32(bytes) === expected) return bytes;
  const text = `${path} does not have the content that was written (checksum mismatch), so nothing was published; check disk and memory, then run again`;
  throw new TurnmillError('io', text, { subject: path });
}

const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('base64');
