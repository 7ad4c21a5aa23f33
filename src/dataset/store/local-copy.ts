/**
 * A local copy of a dataset in a store, for code that reads datasets: all of it, everything except the shards, or some
 * files. Shards that are not fetched yet are sparse files of the right size.
 */
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ioError, TurnmillError } from '../../errors.ts';
import { ByteWindow } from '../../object-store/byte-window.ts';
import type { ObjectClient } from '../../object-store/client.ts';
import { type ListedObject, listObjects } from '../../object-store/list-objects.ts';
import { RangedReader } from '../../object-store/ranged-reader.ts';
import { type ObjectPlace, objectUrl } from '../../object-store/url.ts';
import { sha256 } from '../../sha256.ts';
import { readTextIfAny } from '../fs-calls.ts';
import { DATA, manifestPath } from '../layout.ts';
import type { Place } from '../place.ts';

const CHUNK_BYTES = 256 * 1024;
const CONCURRENT_FETCHES = 4;

export class LocalCopy {
  readonly #client: ObjectClient;
  readonly #path: string;
  #shards: readonly ListedObject[] = [];
  #version: ObjectPlace | undefined;

  /** @param path of a folder: removed now if it exists, and created by the first fetch */
  constructor(client: ObjectClient, path: string) {
    this.#client = client;
    this.#path = path;
    this.remove();
  }

  get place(): Place {
    return { path: this.#path, parent: dirname(this.#path), name: basename(this.#path) };
  }

  /** Fetches everything except the content of the shards. @param hash SHA-256 of the manifest */
  async fetchAllButShards(version: ObjectPlace, hash: string): Promise<void> {
    const isShard = (path: string): boolean => path.startsWith(`${DATA}/`);
    const objects = await this.#list(version);
    this.#shards = objects.filter((object) => isShard(pathIn(version, object)));
    for (const object of this.#shards) this.#reserve(object);
    await this.#fetch(objects.filter((object) => !isShard(pathIn(version, object))));
    this.#checkManifest(version, hash);
  }

  async fetchShards(): Promise<void> {
    await this.#fetch(this.#shards);
    this.#shards = [];
  }

  /** Fetches the objects whose paths are wanted. */
  async fetchSome(version: ObjectPlace, hash: string, isWanted: (path: string) => boolean): Promise<void> {
    await this.#fetch((await this.#list(version)).filter((object) => isWanted(pathIn(version, object))));
    this.#checkManifest(version, hash);
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true });
  }

  async #list(version: ObjectPlace): Promise<ListedObject[]> {
    this.#version = version;
    mkdirSync(this.#path, { mode: 0o700 });
    const objects: ListedObject[] = [];
    for await (const object of listObjects(this.#client, version)) {
      const names = pathIn(version, object).split('/');
      if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0')))
        throw damaged(objectUrl(object), 'is not a file of a dataset');
      objects.push(object);
    }
    return objects;
  }

  #checkManifest(version: ObjectPlace, hash: string): void {
    const text = readTextIfAny(manifestPath(this.#path));
    if (text === undefined || sha256(text) !== hash)
      throw damaged(`${objectUrl(version)}manifest.json`, 'is not the manifest that dataset.json names');
  }

  #reserve(object: ListedObject): void {
    const path = this.#pathOf(object);
    closeSync(openSync(path, 'wx', 0o600));
    truncateSync(path, object.sizeBytes);
  }

  #pathOf(object: ListedObject): string {
    const path = join(this.#path, pathIn(this.#version as ObjectPlace, object));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  }

  async #fetch(objects: readonly ListedObject[]): Promise<void> {
    const left = [...objects];
    const window = new ByteWindow(this.#client.options.window);
    const fetchNext = async (): Promise<void> => {
      for (let object = left.shift(); object !== undefined; object = left.shift())
        await this.#fetchOne(object, window);
    };
    await Promise.all(Array.from({ length: CONCURRENT_FETCHES }, fetchNext));
  }

  async #fetchOne(object: ListedObject, window: ByteWindow): Promise<void> {
    const path = this.#pathOf(object);
    const reader = new RangedReader(this.#client, object, window);
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const fd = openSync(path, 'w', 0o600);
    try {
      for (let count = await reader.read(chunk); count > 0; count = await reader.read(chunk))
        for (let at = 0; at < count; ) at += writeSync(fd, chunk, at, count - at);
    } catch (error) {
      if (error instanceof TurnmillError) throw error;
      throw ioError('fetch', objectUrl(object), error);
    } finally {
      closeSync(fd);
      reader.close();
    }
  }
}

const pathIn = (version: ObjectPlace, { key }: ObjectPlace): string => key.slice(version.key.length);

function damaged(url: string, why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `${url} ${why}`, { subject: url });
}
