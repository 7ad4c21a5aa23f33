/** `dataset.json` below a destination in a store: the object that names the current version. Writing it is the commit. */
import { TurnmillError } from '../../errors.ts';
import type { ObjectClient } from '../../object-store/client.ts';
import { readSmallObject, type SmallObject } from '../../object-store/small-objects.ts';
import { type ObjectPlace, objectUrl } from '../../object-store/url.ts';

export const POINTER = 'dataset.json';
export const VERSION: RegExp = /^v-[0-9a-f]{16}$/;

export interface VersionPointer {
  /** Folder of the current version. */
  readonly run: string;
  /** Path of the manifest, below the destination. */
  readonly manifest: string;
  /** SHA-256 of the manifest. */
  readonly sha256: string;
}

export interface StoredPointer extends VersionPointer {
  readonly etag: string;
}

/** @param folder its key ends in `/` */
export function pointerPlace({ bucket, key }: ObjectPlace): ObjectPlace {
  return { bucket, key: `${key}${POINTER}` };
}

export function pointerText({ run, manifest, sha256 }: VersionPointer): string {
  return `${JSON.stringify({ run, manifest, sha256 }, undefined, 2)}\n`;
}

/**
 * Returns undefined if there is no dataset. Throws TurnmillError `cannot-create` if the object is something else.
 */
export async function readPointer(
  client: ObjectClient,
  folder: ObjectPlace,
): Promise<StoredPointer | undefined> {
  const place = pointerPlace(folder);
  const object = await readSmallObject(client, place);
  return object && parsePointer(object, place);
}

function parsePointer({ text, etag }: SmallObject, place: ObjectPlace): StoredPointer {
  try {
    const { run, manifest, sha256 } = JSON.parse(text) as Partial<VersionPointer>;
    const isOurs =
      VERSION.test(run ?? '') && manifest === `${run}/manifest.json` && /^[0-9a-f]{64}$/.test(sha256 ?? '');
    if (isOurs) return { run, manifest, sha256, etag } as StoredPointer;
  } catch {
    // not JSON
  }
  const url = objectUrl(place);
  const message = `${url} exists and does not name a version of a turnmill dataset: name another prefix`;
  throw new TurnmillError('cannot-create', message, { subject: url });
}
