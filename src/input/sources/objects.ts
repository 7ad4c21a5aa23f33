/** Lists the objects of an input in a store: those below a prefix, or a single one that the user named. */
import { TurnmillError } from '../../errors.ts';
import { objectClient } from '../../object-store/client.ts';
import { findObject, type ListedObject, listObjects } from '../../object-store/list-objects.ts';
import type { S3Options } from '../../object-store/options.ts';
import { type ObjectPlace, objectUrl, parseObjectUrl } from '../../object-store/url.ts';
import type { ObjectRef } from './source.ts';

/** Objects of an input in a store. */
export interface ListedInput {
  /** The part of their keys that is not in the names of the sources. */
  readonly prefix: string;
  /** Whether a single object was named. If so, it is read even without the name of a log. */
  readonly isOne: boolean;
  readonly objects: readonly ListedObject[];
}

/**
 * Lists an input. A URL that ends in `/`, or a bucket, is a folder. Any other URL is an object or, if there is none, a
 * folder.
 * @throws TurnmillError `no-input` if there is neither, `permission`, `unavailable`
 */
export async function listObjectInput(url: string, options: S3Options): Promise<ListedInput> {
  const client = objectClient(options);
  const place = parseObjectUrl(url);
  const isFolder = place.key === '' || place.key.endsWith('/');
  const object = isFolder ? undefined : await findObject(client, place);
  if (object !== undefined)
    return { prefix: place.key.slice(0, place.key.lastIndexOf('/') + 1), isOne: true, objects: [object] };
  const folder: ObjectPlace = isFolder ? place : { ...place, key: `${place.key}/` };
  const objects: ListedObject[] = [];
  for await (const object of listObjects(client, folder)) {
    if (!object.key.endsWith('/')) objects.push(object); // consoles create keys with `/` to show a folder
  }
  if (objects.length > 0 || isFolder) return { prefix: folder.key, isOne: false, objects };
  throw new TurnmillError('no-input', `${objectUrl(place)} not found`, { subject: objectUrl(place) });
}

/**
 * Finds an object, to open it as a source.
 * @throws TurnmillError
 */
export async function findObjectSource(
  place: ObjectPlace,
  name: string,
  s3: S3Options,
): Promise<ObjectRef | undefined> {
  const object = await findObject(objectClient(s3), place);
  if (object === undefined) return undefined;
  const { etag, sizeBytes } = object;
  return { name, input: 0, path: Buffer.from(objectUrl(place)).toString('latin1'), sizeBytes, etag, s3 };
}

/**
 * Finds the object of an input that has the name of a source; undefined if there is none.
 * @throws TurnmillError
 */
export async function findObjectIn(
  input: string,
  name: string,
  s3: S3Options,
): Promise<ObjectRef | undefined> {
  const { bucket, key } = parseObjectUrl(input);
  const isFolder = key === '' || key.endsWith('/');
  if (!isFolder && key.slice(key.lastIndexOf('/') + 1) === name) {
    const object = await findObjectSource({ bucket, key }, name, s3);
    if (object !== undefined) return object;
  }
  return findObjectSource({ bucket, key: `${isFolder ? key : `${key}/`}${name}` }, name, s3);
}
