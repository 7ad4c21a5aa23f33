/** `dataset.json` below a destination in a store: the one object that says which version is the dataset. Writing it is the commit. */
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
  /** The SHA-256 of the manifest. */
  readonly sha256: string;
}

export interface FoundPointer extends VersionPointer {
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
 * Undefined if there is no dataset. Throws TurnmillError `cannot-create` if the object of that name is something else.
 */
export async function readPointer(
  client: ObjectClient,
  folder: ObjectPlace,
): Promise<FoundPointer | undefined> {
  const place = pointerPlace(folder);
  const found = await readSmallObject(client, place);
  return found && parsed(found, place);
}

function parsed({ text, etag }: SmallObject, place: ObjectPlace): FoundPointer {
  try {
    const { run, manifest, sha256 } = JSON.parse(text) as Partial<VersionPointer>;
    const isOurs =
      VERSION.test(run ?? '') && manifest === `${run}/manifest.json` && /^[0-9a-f]{64}$/.test(sha256 ?? '');
    if (isOurs) return { run, manifest, sha256, etag } as FoundPointer;
  } catch {
    // not JSON
  }
  const url = objectUrl(place);
  const text2 = `${url} exists and does not name a version of a turnmill dataset: name another prefix`;
  throw new TurnmillError('cannot-create', text2, { subject: url });
}
