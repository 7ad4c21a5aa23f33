/**
 * `turnmill quarantine replay`: writes the contents of a quarantine as logs again, one for each source, so that a build
 * from them reads exactly what was rejected. The bytes come from the quarantine record or, by reference, from the logs;
 * in both cases they must match the hash in the record. Unavailable content is counted by cause
 * (docs/contributing/decisions/0014-quarantine.md).
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest } from '../dataset/manifest.ts';
import type { QuarantineSource } from '../dataset/schema/quarantine.ts';
import { readAgain, type SecondReading } from '../input/second-reading.ts';
import { endOf } from '../input/sources/links.ts';
import type { FileIdentity, SourceRef } from '../input/sources/source.ts';
import { Tally } from '../ledger/counts.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { MAX_LINE_CEILING } from '../settings/input-settings.ts';
import { type PartialS3, resolveS3Options } from '../settings/s3-settings.ts';
import { sha256 } from '../sha256.ts';
import {
  type PlacedRecord,
  type QuarantineRecord,
  rawBytesAt,
  readQuarantine,
  requireQuarantine,
} from './quarantine-records.ts';
import { copySource, createLog } from './replay-log.ts';
import { openReplayTarget, type ReplayTarget, replayName } from './replay-target.ts';

export interface ReplayRequest {
  /** The dataset. */
  readonly out: string;
  /** A folder that does not exist yet. */
  readonly into: string;
  /** The inputs of the build, in order: folders, the files themselves, or URLs of a store. */
  readonly logs: readonly string[];
  /** Whether a link may lead to a path outside the input. */
  readonly followOutside?: boolean | undefined;
  /** How to reach the store of an `s3://` URL. */
  readonly s3?: PartialS3 | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Replayed {
  /** Records whose bytes were written. */
  readonly replayed: number;
  readonly files: number;
  /** Records whose bytes are unavailable, by cause. */
  readonly left: Readonly<Record<string, number>>;
  /** The first of those records. */
  readonly examples: readonly { readonly where: string; readonly why: string }[];
}

/** Causes for which the bytes of a record are unavailable. */
const CAUSES = {
  reference: 'the quarantine does not contain the bytes: name the logs with --logs',
  input: 'it is in another input of the build: repeat --logs for each input, in the same order',
  missing: 'it is not in the logs, or cannot be read there',
  outside: 'a symbolic link in its path leads out of the logs: allow it with --follow-outside',
  changed: 'the logs have changed at this place',
  damaged: 'the bytes in the quarantine do not match their hash',
  redacted: 'the quarantine contains only a copy without its secrets: name the logs with --logs',
  unhashed: 'the quarantine has neither its bytes nor a hash',
  tooLong: 'the line is too long for any version of turnmill',
  counted: 'the quarantine only counts it, because its line has too many rejected objects',
  name: 'the name of its source leads out of the target folder',
} as const;

/** Where a record's bytes are. The bytes are left out, because a source may have any number of records. */
interface Pending {
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly sha256: string | null;
  readonly at: PlacedRecord['at'];
  readonly isKept: boolean;
  /** Further objects of its line that are counted but not listed. */
  readonly unlisted: number;
}

const MAX_EXAMPLES = 5;

/**
 * Replays a quarantine into a new folder.
 * @throws TurnmillError `usage`, `locked`, `no-input`, `invalid-dataset`, `cannot-create`, `io`
 */
export async function replayQuarantine(request: ReplayRequest): Promise<Replayed> {
  requireQuarantine(request.out);
  const target = await openReplayTarget(request.into, [request.out, ...request.logs]);
  try {
    const replay = new Replay(request, target);
    await replay.run();
    target.commit();
    return replay.result();
  } catch (error) {
    target.discard();
    throw error;
  } finally {
    await target.close();
  }
}

/** Consecutive quarantine records of one source. */
interface Group {
  readonly record: QuarantineRecord;
  readonly pending: Pending[];
}

class Replay {
  readonly #request: ReplayRequest;
  readonly #target: ReplayTarget;
  readonly #left = new Tally();
  readonly #examples: { where: string; why: string }[] = [];
  readonly #isRedacted: boolean;
  #replayed = 0;
  #files = 0;

  constructor(request: ReplayRequest, target: ReplayTarget) {
    const settings: { readonly redact?: unknown } = readManifest(request.out).settings ?? {};
    this.#isRedacted = settings.redact === true;
    this.#request = request;
    this.#target = target;
  }

  result(): Replayed {
    const left = this.#left.toObject();
    return { replayed: this.#replayed, files: this.#files, left, examples: this.#examples };
  }

  async run(): Promise<void> {
    let group: Group | undefined;
    for await (const placed of readQuarantine(this.#request.out)) {
      this.#request.signal?.throwIfAborted();
      const { record } = placed;
      if (group !== undefined && !isOneSource(group.record.source, record.source)) {
        await this.#replayLines(group);
        group = undefined;
      }
      if (record.scope === 'source') await this.#replaySource(record);
      else {
        const { raw_b64: _raw, ...light } = record;
        group ??= { record: light, pending: [] };
        group.pending.push(pendingOf(placed));
      }
    }
    if (group !== undefined) await this.#replayLines(group);
  }

  /** Copies, in its current state, a source that was rejected as a whole. */
  async #replaySource(record: QuarantineRecord): Promise<void> {
    const from = await findSource(this.#request, record.source);
    const name = replayName(record.source);
    if (name === undefined) this.#countUnavailable(record, undefined, CAUSES.name);
    else if (typeof from === 'string') this.#countUnavailable(record, undefined, from);
    else if (!(await copySource(from, name, this.#target)))
      this.#countUnavailable(record, undefined, CAUSES.missing);
    else {
      this.#replayed++;
      this.#files++;
    }
  }

  async #replayLines({ record, pending }: Group): Promise<void> {
    const name = replayName(record.source);
    const from = name === undefined ? CAUSES.name : await findSource(this.#request, record.source);
    const bytes = new RejectedBytes(this.#request.out, from, name !== undefined, this.#isRedacted);
    const log = createLog(name ?? '', this.#target);
    let latest: Pending | undefined;
    try {
      for (const item of pending.sort((a, b) => a.offset - b.offset || b.length - a.length)) {
        this.#request.signal?.throwIfAborted();
        // the same bytes again, refused by another format
        const isSecond = latest?.offset === item.offset && latest.length === item.length;
        const line = isSecond ? undefined : await bytes.of(item);
        if (typeof line === 'string') this.#countUnavailable(record, item.line, line);
        else {
          if (line !== undefined) log.write(line);
          latest = item;
          this.#replayed++;
        }
        if (item.unlisted > 0) this.#countUnavailable(record, item.line, CAUSES.counted, item.unlisted);
      }
      if (log.end()) this.#files++;
    } finally {
      await bytes.close();
    }
  }

  #countUnavailable(
    { source }: QuarantineRecord,
    line: number | undefined,
    why: string,
    count: number = 1,
  ): void {
    this.#left.add(why, count);
    if (this.#examples.length >= MAX_EXAMPLES) return;
    this.#examples.push({ where: line === undefined ? source.uri : `${source.uri}:${line}`, why });
  }
}

/**
 * Reads the bytes of one source's rejected lines: from the quarantine, or from the source, which is opened on demand.
 */
class RejectedBytes {
  readonly #out: string;
  readonly #from: SourceRef | string;
  readonly #hasName: boolean;
  readonly #isRedacted: boolean;
  #again: SecondReading | undefined;

  /**
   * @param from the source, or why it is unavailable
   * @param isRedacted whether the quarantine has other bytes than were rejected, because secrets in them were replaced
   */
  constructor(out: string, from: SourceRef | string, hasName: boolean, isRedacted: boolean) {
    this.#isRedacted = isRedacted;
    this.#out = out;
    this.#from = from;
    this.#hasName = hasName;
  }

  /** Returns the bytes, or why they are unavailable. */
  async of({ isKept, at, sha256: expected, offset, length }: Pending): Promise<Uint8Array | string> {
    if (!this.#hasName) return CAUSES.name;
    if (isKept) {
      const kept = checked(rawBytesAt(this.#out, at), expected, CAUSES.damaged);
      if (typeof kept !== 'string' || !this.#isRedacted) return kept;
    }
    if (expected === null) return CAUSES.unhashed;
    if (length > MAX_LINE_CEILING) return CAUSES.tooLong;
    if (typeof this.#from === 'string')
      return isKept && this.#from === CAUSES.reference ? CAUSES.redacted : this.#from;
    this.#again ??= await readAgain(this.#from, undefined);
    const stretch = await this.#again?.take(offset, length, length);
    return stretch === undefined
      ? CAUSES.missing
      : checked(stretch.bytes as Uint8Array, expected, CAUSES.changed);
  }

  async close(): Promise<void> {
    await this.#again?.close();
  }
}

function isOneSource(a: QuarantineSource, b: QuarantineSource): boolean {
  return a.uri === b.uri && a.uri_b64 === b.uri_b64 && a.input === b.input;
}

function pendingOf({ record, at }: PlacedRecord): Pending {
  const { byte_start: offset = 0, byte_end: end = 0, line = 0, raw_sha256: sha256 = null } = record;
  const unlisted = (record.count ?? 1) - 1;
  return { offset, length: end - offset, line, sha256, at, isKept: record.raw_b64 !== undefined, unlisted };
}

function checked(bytes: Uint8Array, expected: string | null, why: string): Uint8Array | string {
  return sha256(bytes) === expected ? bytes : why;
}

/** Finds a source in the logs, or returns why it cannot be used. Only this file or object may be opened later. */
async function findSource(
  { logs, followOutside = false, s3 }: ReplayRequest,
  source: QuarantineSource,
): Promise<SourceRef | string> {
  const root = logs[source.input ?? 0];
  if (root === undefined) return logs.length === 0 ? CAUSES.reference : CAUSES.input;
  if (!isObjectUrl(root)) return findFile(root, source, followOutside);
  const { findObjectIn } = await import('../input/sources/objects.ts');
  return (await findObjectIn(root, source.uri, resolveS3Options(s3))) ?? CAUSES.missing;
}

function findFile(
  root: string,
  { uri, uri_b64, input = 0 }: QuarantineSource,
  followOutside: boolean,
): SourceRef | string {
  const stats = statSync(root, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return CAUSES.missing;
  if (!stats.isDirectory()) return refAt(Buffer.from(root).toString('latin1'), uri, stats);
  const below = uri_b64 === undefined ? Buffer.from(uri) : Buffer.from(uri_b64, 'base64');
  const path = join(Buffer.from(root).toString('latin1'), below.toString('latin1'));
  const link = { input, path, relative: below.toString('latin1') };
  const end = endOf(link, root, followOutside ? 'anywhere' : 'inside');
  if (end !== undefined) return refAt(end.path, uri, end.stats);
  return endOf(link, root, 'anywhere') === undefined ? CAUSES.missing : CAUSES.outside;
}

function refAt(path: string, name: string, { dev, ino }: FileIdentity): SourceRef {
  return { name, input: 0, path, sizeBytes: 0, dev, ino };
}
