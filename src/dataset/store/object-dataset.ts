/**
 * A dataset in an object store. A store has no rename, so a run writes all its files below `OUT/v-RUN/`, and then
 * `OUT/dataset.json`, which names them, on condition that nothing has written it since the run began. That write is the
 * commit, and the only lock between machines. A later run removes superseded versions and the leftovers of killed runs.
 */
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ioError, TurnmillError } from '../../errors.ts';
import { type ObjectClient, objectClient } from '../../object-store/client.ts';
import { type StoreFault, storeError, storeFault } from '../../object-store/fault.ts';
import { listObjects } from '../../object-store/list-objects.ts';
import type { S3Options } from '../../object-store/options.ts';
import {
  type Condition,
  latestPartMs,
  listUploads,
  removeObject,
  writeSmallObject,
} from '../../object-store/small-objects.ts';
import { abortUpload, Uploads } from '../../object-store/uploads.ts';
import { isObjectUrl, type ObjectPlace, objectUrl, parseObjectUrl } from '../../object-store/url.ts';
import { sha256 } from '../../sha256.ts';
import { byPath, type CommitRequest, type Committed } from '../commit.ts';
import { ALREADY_EXISTS, checkDestination, type Destination } from '../destination.ts';
import { MANIFEST, RUN_FACTS } from '../layout.ts';
import type { WrittenFile } from '../line-file.ts';
import { acquireLock } from '../lock.ts';
import { createManifest, manifestText } from '../manifest.ts';
import type { Modes } from '../modes.ts';
import { runFactsText } from '../run-facts.ts';
import { Staging } from '../staging.ts';
import { lockedBy } from '../volume-lock.ts';
import { fillFile } from '../whole-file.ts';
import { DiskWriter } from './disk-store.ts';
import type { DatasetFiles } from './files.ts';
import { LocalCopy } from './local-copy.ts';
import { ObjectFiles } from './object-files.ts';
import type { DatasetStore, DatasetWriter, Previous } from './store.ts';
import { pointerPlace, pointerText, readPointer, type StoredPointer, VERSION } from './version-pointer.ts';

const OWNER_ONLY = 0o700;
const COMMIT_TRIES = 8;
const CONCURRENT_REMOVALS = 8;

export class ObjectDataset implements DatasetStore {
  readonly #client: ObjectClient;
  /** Its key ends in `/`, or is empty for a whole bucket. */
  readonly #folder: ObjectPlace;
  readonly #out: string;
  readonly #scratch: string;
  /** Names the present dataset, if there is one. */
  #pointer: StoredPointer | undefined;
  #copy: LocalCopy | undefined;

  constructor(out: string, s3: S3Options) {
    const { bucket, key } = parseObjectUrl(out);
    this.#client = objectClient(s3);
    this.#folder = { bucket, key: key === '' || key.endsWith('/') ? key : `${key}/` };
    this.#out = objectUrl(this.#folder);
    const store = `${s3.endpoint ?? ''} ${this.#out}`;
    this.#scratch = join(scratchFolder(), `s3-${sha256(store).slice(0, 16)}`);
  }

  /** Admits one run on this machine at a time; the condition of the commit keeps out runs on other machines. */
  async acquire(): Promise<() => Promise<void>> {
    const release = await acquireLock(this.#scratch).catch((error: unknown) => {
      throw error instanceof TurnmillError && error.code === 'locked' ? lockedBy({ path: this.#out }) : error;
    });
    return async () => {
      this.#copy?.remove();
      await release();
    };
  }

  async prepare({ inputs, replace }: { inputs: readonly string[]; replace: boolean }): Promise<void> {
    for (const input of inputs) this.#checkApart(input);
    this.#pointer = await readPointer(this.#client, this.#folder);
    if (this.#pointer !== undefined && !replace)
      throw new TurnmillError('cannot-create', `${this.#out} ${ALREADY_EXISTS}`, { subject: this.#out });
    await this.#probe();
    await this.#clean();
  }

  async previous(): Promise<Previous> {
    const copy = new LocalCopy(this.#client, `${this.#scratch}.previous`);
    this.#copy = copy;
    if (this.#pointer !== undefined)
      await copy.fetchAllButShards(this.#version(this.#pointer.run), this.#pointer.sha256);
    return { place: copy.place, fetchShards: () => copy.fetchShards() };
  }

  openDraft(modes: Modes): DatasetWriter {
    return new DiskWriter(this.#stagingPlace(), undefined, modes);
  }

  /** @param draft the run that wrote the draft, whose folder is removed at the end */
  open(draft: string | undefined, modes: Modes): DatasetWriter {
    const staging = new Staging(this.#stagingPlace(), draft, modes);
    const version = this.#version(`v-${staging.runId}`);
    return new ObjectWriter({
      client: this.#client,
      folder: this.#folder,
      version,
      pointer: this.#pointer,
      staging,
    });
  }

  #stagingPlace(): Destination {
    return checkDestination({ out: this.#scratch, inputs: [], replace: false });
  }

  #version(run: string): ObjectPlace {
    const { bucket, key } = this.#folder;
    return { bucket, key: `${key}${run}/` };
  }

  /** Refuses inputs that overlap the output: a run must never read its own shards, nor put a dataset among the logs. */
  #checkApart(input: string): void {
    if (!isObjectUrl(input)) return;
    const { bucket, key } = parseObjectUrl(input);
    if (bucket !== this.#folder.bucket) return;
    const out = this.#folder.key;
    const below = key === '' || key.endsWith('/') ? key : `${key}/`;
    const fail = (text: string): never => {
      throw new TurnmillError('usage', text, { subject: this.#out });
    };
    if (below === out) fail(`the output ${this.#out} is the input ${input}`);
    if (out.startsWith(below)) fail(`the output ${this.#out} is inside the input ${input}`);
    if (key.startsWith(out)) fail(`the input ${input} is inside the output ${this.#out}`);
  }

  /** Checks that the store rejects a write whose condition is not met: older stores ignore conditions. */
  async #probe(): Promise<void> {
    if (this.#client.options.condition !== 'probe') return;
    const { bucket, key } = this.#folder;
    const name = sha256(`${process.pid} ${Date.now()} ${Math.random()}`).slice(0, 16);
    const probe = { bucket, key: `${key}v-${name}/probe` };
    let fault: StoreFault | undefined;
    try {
      await writeSmallObject(this.#client, probe, 'first\n', { ifNoneMatch: '*' });
      await writeSmallObject(this.#client, probe, 'second\n', { ifNoneMatch: '*' });
    } catch (error) {
      fault = storeFault(error);
    }
    // the first write may be rejected too, if its response was lost and it was sent again
    const hasConditions = fault?.status === 412;
    if (fault !== undefined && !hasConditions) throw storeError('write', objectUrl(probe), fault);
    await removeObject(this.#client, probe);
    if (hasConditions) return;
    const text = `the store of ${this.#out} ignores conditions on writes, so two runs could overwrite each other; use --s3-condition none if no other run writes there`;
    throw new TurnmillError('cannot-create', text, { subject: this.#out });
  }

  /**
   * Removes old versions that are not the dataset, and old unfinished uploads. Younger ones may belong to a run that is
   * still going.
   */
  async #clean(): Promise<void> {
    const { bucket, key: folder } = this.#folder;
    const versions = { bucket, key: `${folder}v-` };
    const newest = new Map<string, number>();
    const keys = new Map<string, string[]>();
    /** Updates the time of the version that a key belongs to; returns undefined if it must be kept. */
    const noteVersion = (key: string, ms: number): string | undefined => {
      const run = key.slice(folder.length).split('/')[0] as string;
      if (!VERSION.test(run) || run === this.#pointer?.run) return undefined;
      newest.set(run, Math.max(newest.get(run) ?? 0, ms));
      return run;
    };
    for await (const { key, modifiedMs } of listObjects(this.#client, versions)) {
      const run = noteVersion(key, modifiedMs);
      if (run !== undefined) keys.set(run, [...(keys.get(run) ?? []), key]);
    }
    const uploads = await listUploads(this.#client, versions);
    const before = this.#client.storeTimeMs - this.#client.options.grace;
    for (const upload of uploads) {
      const run = noteVersion(upload.key, upload.initiatedMs);
      // a run may spend days on one file, so its latest part shows whether it is alive
      if (run !== undefined && upload.initiatedMs < before)
        noteVersion(upload.key, await latestPartMs(this.#client, upload));
    }
    const now = await readPointer(this.#client, this.#folder); // another run may have published since
    const isOld = (run: string): boolean => run !== now?.run && (newest.get(run) ?? before) < before;
    for (const { key, id } of uploads) {
      const run = noteVersion(key, 0);
      if (run !== undefined && isOld(run)) await abortUpload(this.#client, { bucket, key }, id);
    }
    const old = [...keys].filter(([run]) => isOld(run)).flatMap(([, all]) => all);
    await removeAll(this.#client, bucket, old);
  }
}

interface ObjectWriterParts {
  readonly client: ObjectClient;
  readonly folder: ObjectPlace;
  readonly version: ObjectPlace;
  /** Names the dataset that will be replaced. */
  readonly pointer: StoredPointer | undefined;
  /** Local folder for working files. */
  readonly staging: Staging;
}

class ObjectWriter implements DatasetWriter {
  readonly path: string;
  readonly runId = '';
  readonly files: DatasetFiles;
  readonly keepsCheckpoints = false;
  readonly isResumed = false;
  readonly notes: readonly string[];
  readonly #parts: ObjectWriterParts;
  readonly #uploads: Uploads;
  readonly #files: ObjectFiles;
  /** Whether `dataset.json` names this version, or may name it. If so, none of its files are removed. */
  #mayBeNamed = false;

  constructor(parts: ObjectWriterParts) {
    const { client, version, staging } = parts;
    this.#parts = parts;
    this.path = staging.path;
    this.notes = staging.notes;
    this.#uploads = new Uploads(client);
    this.#files = new ObjectFiles(this.#uploads, version, staging.path, client.options.partSize);
    this.files = this.#files;
  }

  whenReady(): Promise<void> | undefined {
    return this.#uploads.whenReady();
  }

  keepsCard(): boolean {
    return false;
  }

  async commit(request: CommitRequest): Promise<Committed> {
    const { shards, files, body, runFacts, fingerprints, writeLast, signal, onReadBack } = request;
    await this.#uploads.done();
    const hashes = this.#hashes();
    const listedShards = shards.toSorted(byPath).map(({ path, group, records, bytes }) => ({
      ...{ path, group, records, bytes },
      sha256: hashes.get(path) as string,
    }));
    const last = (await writeLast?.(listedShards)) ?? [];
    await this.#uploads.done();
    const allHashes = this.#hashes();
    const listedFiles = [...files, ...last]
      .map(({ path, bytes }: WrittenFile) => ({ path, bytes, sha256: allHashes.get(path) as string }))
      .sort(byPath);
    const manifest = createManifest(body, listedShards, listedFiles);
    const text = manifestText(manifest);
    fillFile(this.files.create(RUN_FACTS), runFactsText(runFacts, fingerprints));
    fillFile(this.files.create(MANIFEST), [text]);
    await this.#uploads.done();
    await this.#checkStored();
    onReadBack?.();
    signal?.throwIfAborted();
    await this.#publish(sha256(text));
    const { staging } = this.#parts;
    return { manifest, problems: [...staging.discard(), ...staging.supersede()] };
  }

  supersede(): readonly TurnmillError[] {
    return [];
  }

  #hashes(): ReadonlyMap<string, string> {
    return new Map(this.#files.objects.map(({ path, sha256: hash }) => [path, hash]));
  }

  async discard(): Promise<void> {
    const { client, version, staging } = this.#parts;
    try {
      if (this.#mayBeNamed) return;
      await this.#uploads.abort();
      const keys: string[] = [];
      for await (const { key } of listObjects(client, version)) keys.push(key);
      await removeAll(client, version.bucket, keys);
    } catch (error) {
      // the run has already failed, and that error is the one to report; a later run removes the rest
      if (!(error instanceof TurnmillError)) throw error;
    } finally {
      staging.discard();
    }
  }

  /** Checks that the store holds exactly what was sent. */
  async #checkStored(): Promise<void> {
    const { client, version } = this.#parts;
    const sent = new Map(this.#uploads.written.map((object) => [object.key, object]));
    const fail = (key: string, why: string): never => {
      const url = objectUrl({ bucket: version.bucket, key });
      throw new TurnmillError('io', `${url} ${why}, so nothing was published`, { subject: url });
    };
    for await (const { key, sizeBytes, etag } of listObjects(client, version)) {
      const object = sent.get(key) ?? fail(key, 'was not written by this run');
      if (sizeBytes !== object.bytes) fail(key, `has ${sizeBytes} bytes, but ${object.bytes} were written`);
      if (etag !== object.etag) fail(key, 'is not the object that was written');
      sent.delete(key);
    }
    for (const key of sent.keys()) fail(key, 'was written, but is gone');
  }

  /** Makes the version the dataset, in one step. If the response is lost, looks at the store to see whether it worked. */
  async #publish(hash: string): Promise<void> {
    const { client, folder, pointer } = this.#parts;
    const run = this.#parts.version.key.slice(folder.key.length, -1);
    const text = pointerText({ run, manifest: `${run}/${MANIFEST}`, sha256: hash });
    const condition = conditionFor(client, pointer);
    let isLost = false;
    for (let tries = 1; ; tries++) {
      this.#mayBeNamed = true; // until the response arrives
      try {
        await writeSmallObject(client, pointerPlace(folder), text, condition);
        return;
      } catch (error) {
        const fault = storeFault(error);
        const { status } = fault;
        // a request without a response may have taken effect, or still may, unless its condition fails by now
        isLost = status !== 412 && (isLost || status === undefined || status >= 500);
        if ((await readPointer(client, folder))?.run === run) return;
        this.#mayBeNamed = isLost;
        if (status === 412) throw this.#overtaken();
        const mayPass = fault.isTransient || status === 409;
        if (!mayPass || tries === COMMIT_TRIES) throw this.#unpublished(fault);
        const { firstDelayMs, longestDelayMs } = client.patience;
        await setTimeout(Math.min(longestDelayMs, firstDelayMs * 2 ** tries));
      }
    }
  }

  #unpublished(fault: StoreFault): TurnmillError {
    const url = objectUrl(pointerPlace(this.#parts.folder));
    const error = storeError('publish', url, fault);
    if (!this.#mayBeNamed) return error;
    const text = `${error.message}; the store may still carry the write out, so none of its files were removed: look at ${url} before you run again`;
    return new TurnmillError(error.code, text, { subject: url, cause: fault });
  }

  #overtaken(): TurnmillError {
    const url = objectUrl(this.#parts.folder);
    const text = `another run has published a dataset at ${url} since this one began; that dataset was not changed: run again`;
    return new TurnmillError('locked', text, { subject: url });
  }
}

/** Returns the condition that the pointer has not changed since it was read. */
function conditionFor({ options }: ObjectClient, pointer: StoredPointer | undefined): Condition {
  if (options.condition === 'none') return undefined;
  return pointer === undefined ? { ifNoneMatch: '*' } : { ifMatch: pointer.etag };
}

async function removeAll(client: ObjectClient, bucket: string, keys: readonly string[]): Promise<void> {
  const left = [...keys];
  const remove = async (): Promise<void> => {
    for (let key = left.pop(); key !== undefined; key = left.pop())
      await removeObject(client, { bucket, key });
  };
  await Promise.all(Array.from({ length: CONCURRENT_REMOVALS }, remove));
}

/** Returns a temporary folder that only this user can read, because its content may be confidential. */
function scratchFolder(): string {
  const path = join(tmpdir(), `turnmill-${userInfo().uid}`);
  try {
    mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
    const { uid, mode } = lstatSync(path);
    const isOwn = uid === userInfo().uid || uid < 0;
    if (lstatSync(path).isDirectory() && isOwn && (mode & 0o077) === 0) return path;
  } catch (error) {
    throw ioError('create', path, error);
  }
  const text = `${path} is not a folder of this user alone: remove it, or set TMPDIR to another folder`;
  throw new TurnmillError('permission', text, { subject: path });
}

/** Returns a path for a local copy of a dataset in a store, below a folder that only this user can read. */
export function scratchPath(name: string): string {
  const path = join(scratchFolder(), name);
  rmSync(path, { recursive: true, force: true });
  return path;
}
