/**
 * Decides a second time which records lie inside another one (docs/copies.md), from the paths in ledger/paths.bin: a
 * session must be contained exactly if a longer record begins with its messages or an earlier one has the same, and the
 * record that it names must be such a record.
 */
import { join } from 'node:path';
import type { ContainerPlace, RecordPlace, RefusedFormat, SessionLine } from '../dataset/schema/ledger.ts';
import { streamOwnFile } from '../own-file.ts';
import { readLines } from './line-reader.ts';
import type { ManifestFacts } from './manifest-file.ts';
import { Problems } from './problems.ts';
import { asCount, asObject, asObjects, asText, type LineOf, type Untrusted } from './untrusted.ts';

export const PATHS = 'ledger/paths.bin';
export const SESSIONS = 'ledger/sessions.jsonl';
export const HASH_BYTES = 16;
const COUNT_BYTES = 4;
const CHUNK_BYTES = 1024 * 1024;
/** Most ends that are held at a time; with more records, the paths are read several times. */
const MAX_ENDS = 400_000;

/** A session with a path. */
interface Compared {
  /** Its line in sessions.jsonl. */
  readonly line: number;
  readonly isContained: boolean;
  /** Names of the formats that wrote it or would have, sorted. */
  readonly formats: string;
  /** Number of the session that it names as its container. */
  container?: number;
}

/** The records that end with the same hash. */
interface Ends {
  /** The first session, by formats. */
  readonly first: Map<string, number>;
  /** Formats of those inside a record that goes on or has further formats. */
  readonly inside: Set<string>;
}

export interface ContainedContext {
  readonly root: string;
  readonly manifest: ManifestFacts;
  readonly readable: ReadonlySet<string>;
  readonly problems: Problems;
}

/** Compares the fates of all sessions with a new decision. */
export async function checkContained(context: ContainedContext): Promise<void> {
  const { readable } = context;
  if (readable.has(PATHS) && readable.has(SESSIONS)) await new ContainedRecount(context).check();
}

class ContainedRecount {
  readonly #context: ContainedContext;
  readonly #sessions: Compared[] = [];
  /** For a session that is named as a container: those that name it. */
  readonly #named = new Map<number, number[]>();
  /** Length and end of each contained path. */
  readonly #contained = new Map<number, { readonly messages: number; readonly end: string }>();

  constructor(context: ContainedContext) {
    this.#context = context;
  }

  async check(): Promise<void> {
    await this.#readSessions();
    if (!(await this.#readEnds())) return;
    const rounds = Math.ceil(this.#sessions.length / MAX_ENDS);
    for (let round = 0; round < rounds; round++) await this.#decide(round, rounds);
    await this.#checkContainers();
  }

  async #readSessions(): Promise<void> {
    const { formats } = this.#context.manifest;
    const wanted = new Map<string, number[]>();
    for await (const { line, value } of comparedLines(this.#context.root)) {
      const isContained = value.fate === 'contained';
      if (isContained) {
        const place = placeOf(asObject(value.in) ?? {});
        wanted.set(place, [...(wanted.get(place) ?? []), this.#sessions.length]);
      }
      this.#sessions.push({ line, isContained, formats: writersOf(value, formats) });
    }
    let number = 0;
    for await (const { value } of comparedLines(this.#context.root)) {
      const places: readonly Untrusted<RecordPlace>[] =
        value.records === undefined ? [{ shard: value.shard, line: value.line }] : asObjects(value.records);
      const inside =
        value.fate === 'written' ? places.flatMap((place) => wanted.get(placeOf(place)) ?? []) : [];
      if (inside.length > 0) this.#named.set(number, inside);
      for (const one of inside) (this.#sessions[one] as Compared).container = number;
      number++;
    }
  }

  /** Reads the ends of the contained paths. @returns whether there is exactly one path for each session */
  async #readEnds(): Promise<boolean> {
    const { problems } = this.#context;
    let number = 0;
    for await (const path of this.#paths()) {
      if (path === undefined) {
        problems.add(PATHS, 'expected whole paths, found one that is cut');
        return false;
      }
      if (this.#sessions[number]?.isContained === true)
        this.#contained.set(number, { messages: path.length / HASH_BYTES, end: hashAt(path, path.length) });
      number++;
    }
    problems.equal(PATHS, undefined, 'paths, by the sessions', this.#sessions.length, number);
    return number === this.#sessions.length;
  }

  /** Yields each path; undefined for one that is cut. */
  #paths(): AsyncGenerator<Buffer | undefined> {
    return readPaths(join(this.#context.root, PATHS));
  }

  /** Decides about the sessions whose ends belong to this round. */
  async #decide(round: number, rounds: number): Promise<void> {
    const ends = new Map<string, Ends>();
    const isOf = (path: Buffer): boolean =>
      path.length > 0 && path.readUInt32LE(path.length - HASH_BYTES) % rounds === round;
    let number = 0;
    for await (const path of this.#paths()) {
      const { formats } = this.#sessions[number] as Compared;
      if (path !== undefined && isOf(path)) addEnd(ends, hashAt(path, path.length), formats, number);
      number++;
    }
    number = 0;
    for await (const path of this.#paths()) {
      const { formats } = this.#sessions[number++] as Compared;
      for (let at = HASH_BYTES; path !== undefined && at <= path.length; at += HASH_BYTES)
        markInside(ends.get(hashAt(path, at)), formats, at < path.length);
    }
    number = 0;
    for await (const path of this.#paths()) {
      const session = this.#sessions[number] as Compared;
      if (path !== undefined && isOf(path))
        this.#compare(session, isInside(ends.get(hashAt(path, path.length)), session.formats, number));
      else if (path?.length === 0 && round === 0) this.#compare(session, false);
      number++;
    }
  }

  #compare({ line, isContained }: Compared, isInside: boolean): void {
    const fate = (contained: boolean): string => (contained ? 'contained' : 'written');
    this.#context.problems.equal(SESSIONS, line, 'fate, by the paths', fate(isInside), fate(isContained));
  }

  /** Checks that the record that a session names begins with its messages. */
  async #checkContainers(): Promise<void> {
    const { problems } = this.#context;
    for (const { line, isContained, container } of this.#sessions)
      if (isContained && container === undefined)
        problems.add(SESSIONS, `line ${line}: in: expected the place of a record, found none there`);
    let number = 0;
    for await (const path of this.#paths()) {
      for (const one of this.#named.get(number) ?? []) {
        const { line, formats } = this.#sessions[one] as Compared;
        const { messages, end } = this.#contained.get(one) as { messages: number; end: string };
        const begins = path !== undefined && hashAt(path, messages * HASH_BYTES) === end;
        if (!begins || !hasAll((this.#sessions[number] as Compared).formats, formats))
          problems.add(SESSIONS, `line ${line}: in: expected a record that contains it, found another one`);
      }
      number++;
    }
  }
}

/** Yields the lines of the sessions that have a path. */
export async function* comparedLines(root: string): AsyncGenerator<LineOf<SessionLine>> {
  // problems of single lines were already reported
  for await (const { line, value } of readLines(join(root, SESSIONS), SESSIONS, new Problems()))
    if (value !== undefined && (value.fate === 'written' || value.fate === 'contained'))
      yield { line, value };
}

const placeOf = ({ shard, line }: Untrusted<ContainerPlace>): string => `${asText(shard)}\n${asCount(line)}`;

/** Returns the names of the formats that did not refuse a session. */
export function writersOf({ refused }: Untrusted<SessionLine>, formats: readonly string[]): string {
  const without = new Set(asObjects(refused).map(({ format }: Untrusted<RefusedFormat>) => format));
  return formats
    .filter((name) => !without.has(name))
    .sort()
    .join(' ');
}

export const hashAt = (path: Buffer, end: number): string =>
  path.toString('latin1', Math.max(0, end - HASH_BYTES), end);

export function hasAll(formats: string, wanted: string): boolean {
  const all = formats.split(' ');
  return formats === wanted || wanted.split(' ').every((name) => all.includes(name));
}

function addEnd(ends: Map<string, Ends>, end: string, formats: string, number: number): void {
  const known = ends.get(end) ?? { first: new Map<string, number>(), inside: new Set<string>() };
  if (!known.first.has(formats)) known.first.set(formats, number);
  ends.set(end, known);
}

/** @param goesOn whether the path that has this hash goes on after it */
function markInside(ends: Ends | undefined, formats: string, goesOn: boolean): void {
  for (const inner of ends?.first.keys() ?? [])
    if ((goesOn || inner !== formats) && hasAll(formats, inner)) ends?.inside.add(inner);
}

function isInside(ends: Ends | undefined, formats: string, number: number): boolean {
  return ends?.inside.has(formats) === true || (ends?.first.get(formats) ?? number) < number;
}

/** Yields the hashes of each path; undefined at the end of a file that is cut. */
export async function* readPaths(file: string): AsyncGenerator<Buffer | undefined> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let wanted = COUNT_BYTES;
  let isHead = true;
  for await (const chunk of streamOwnFile(file, { highWaterMark: CHUNK_BYTES })) {
    pieces.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes < wanted) continue;
    const all = Buffer.concat(pieces);
    let at = 0;
    while (bytes - at >= wanted) {
      const item = all.subarray(at, at + wanted);
      at += wanted;
      if (!isHead) yield item;
      wanted = isHead ? item.readUInt32LE() * HASH_BYTES : COUNT_BYTES;
      isHead = !isHead;
    }
    pieces = [all.subarray(at)];
    bytes -= at;
  }
  if (bytes > 0 || !isHead) yield undefined;
}
