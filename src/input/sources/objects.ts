/** Lists objects of a store as sources: those below a prefix that have the names of logs, or a single named one. */
import { TurnmillError } from '../../errors.ts';
import { objectClient } from '../../object-store/client.ts';
import { findObject, type ListedObject, listObjects } from '../../object-store/list-objects.ts';
import type { S3Options } from '../../object-store/options.ts';
import { type ObjectPlace, objectUrl, parseObjectUrl } from '../../object-store/url.ts';
import type { ObjectRef } from './source.ts';

/** Objects of an input in a store. For a prefix, it is the start of their names. */
export interface ListedInput {
  readonly prefix: string;
  /** Was a single object named? Then it is read whatever its name. */
  readonly isOne: boolean;
  readonly objects: readonly ListedObject[];
}

/**
 * A URL that ends in `/`, or a bucket, is a folder. Any other is an object or, if there is none, a folder.
 * @throws TurnmillError `no-input` if there is neither, `permission`, `unavailable`
 */
export async function listObjectInput(url: string, options: S3Options): Promise<ListedInput> {
  const client = objectClient(options);
  const place = parseObjectUrl(url);
  const isFolder = place.key === '' || place.key.endsWith('/');
  const one = isFolder ? undefined : await findObject(client, place);
  if (one !== undefined)
    return { prefix: place.key.slice(0, place.key.lastIndexOf('/') + 1), isOne: true, objects: [one] };
  const folder: ObjectPlace = isFolder ? place : { ...place, key: `${place.key}/` };
  const objects: ListedObject[] = [];
  for await (const object of listObjects(client, folder)) {
    if (!object.key.endsWith('/')) objects.push(object); // consoles create such keys to show a folder
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
  const found = await findObject(objectClient(s3), place);
  if (found === undefined) return undefined;
  const { etag, sizeBytes } = found;
  return { name, input: 0, path: Buffer.from(objectUrl(place)).toString('latin1'), sizeBytes, etag, s3 };
}

/**
 * The object of an input that has the name of a source; undefined if there is none.
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
    const one = await findObjectSource({ bucket, key }, name, s3);
    if (one !== undefined) return one;
  }
  return findObjectSource({ bucket, key: `${isFolder ? key : `${key}/`}${name}` }, name, s3);
}
