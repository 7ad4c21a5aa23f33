/**
 * Looks for conversations that belong together and are in two splits (docs/publish.md): those of one session, and those
 * with the same messages up to the first answer. Longer paths need no look: they contain the path to the first answer.
 */
import { join } from 'node:path';
import type { RecordPlace, SessionLine } from '../dataset/schema/ledger.ts';
import {
  type ContainedContext,
  comparedLines,
  HASH_BYTES,
  hashAt,
  PATHS,
  readPaths,
  SESSIONS,
} from './contained.ts';
import { readLines } from './line-reader.ts';
import type { ManifestFacts } from './manifest-file.ts';
import { Problems } from './problems.ts';
import { asCount, asObject, asObjects, asText, type Untrusted } from './untrusted.ts';

/** Most names that are held at a time; with more, the files are read several times. */
const MAX_NAMES = 400_000;
const ANSWER = 1;

export interface SplitsContext extends Omit<ContainedContext, 'manifest'> {
  readonly sessions: number;
}

/** Returns the names of the splits; none for a dataset without. */
export const splitsOf = ({ settings }: Pick<ManifestFacts, 'settings'>): readonly string[] =>
  Object.keys(asObject(settings.split) ?? {});

export async function checkSplits({ root, readable, sessions, problems }: SplitsContext): Promise<void> {
  if (!readable.has(PATHS) || !readable.has(SESSIONS)) return;
  const parents = await parentsIn(root);
  const rounds = Math.max(1, Math.ceil((2 * sessions) / MAX_NAMES));
  for (let round = 0; round < rounds; round++) {
    const places = new Map<string, { readonly split: string; readonly line: number }>();
    for await (const { line, split, names } of writtenSessions(root, parents)) {
      for (const name of names) {
        if (sumOf(name) % rounds !== round) continue;
        const first = places.get(name) ?? { split, line };
        places.set(name, first);
        if (first.split === split) continue;
        const what = name.startsWith(SESSION) ? 'its session' : 'the path of its first answer';
        const text = `expected ${what} in ${first.split} only (line ${first.line}), found it in ${split}`;
        problems.add(SESSIONS, `line ${line}: ${text}`);
      }
    }
  }
}

const SESSION = 'session ';

const sourceOf = ({ input, source, source_b64: encoded }: Untrusted<SessionLine>): string =>
  `${asCount(input) ?? 0}\0${asText(encoded) ?? asText(source)}`;

interface WrittenSession {
  readonly line: number;
  readonly split: string;
  /** Its session, and the path to its first answer: each may be in one split only. */
  readonly names: readonly string[];
}

async function* writtenSessions(root: string, parents: ReadonlySet<string>): AsyncGenerator<WrittenSession> {
  const paths = readPaths(join(root, PATHS));
  for await (const { line, value } of comparedLines(root)) {
    const { value: path } = await paths.next();
    const { id, shard, records, fate } = value;
    const places: readonly Untrusted<RecordPlace>[] = shard === undefined ? asObjects(records) : [{ shard }];
    if (fate !== 'written') continue;
    const own = asText(id) ?? '';
    const session = namesBefore(own).find((name) => parents.has(name)) ?? own;
    const base = own.replace(BRANCH, '');
    const answer = firstAnswer(path ?? undefined);
    const names = [
      ...(session === '' ? [] : [`${SESSION}${session}`]),
      ...(base === own || parents.has(base) ? [] : [`${SESSION}${sourceOf(value)}\0${base}`]),
      ...(answer === undefined ? [] : [`answer ${answer}`]),
    ];
    for (const split of new Set(places.map((place) => asText(place.shard)?.split('/').at(-2) ?? '')))
      yield { line, split, names };
  }
  await paths.return(undefined);
}

/** Returns the ids of sessions that others have before the number of a branch or the name of a sub-agent. */
async function parentsIn(root: string): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>();
  for await (const id of idsIn(root)) for (const name of namesBefore(id)) wanted.add(name);
  const parents = new Set<string>();
  for await (const id of idsIn(root)) if (wanted.has(id)) parents.add(id);
  return parents;
}

async function* idsIn(root: string): AsyncGenerator<string> {
  // problems of single lines were already reported
  const lines = readLines(join(root, SESSIONS), SESSIONS, new Problems());
  for await (const { value } of lines) yield asText(value?.id as Untrusted<SessionLine>['id']) ?? '';
}

const BRANCH = /#(?:[2-9]|[1-9]\d{1,5})$/;
const MAX_BRANCH_LENGTH = 7;
/** An id with more parts is not divided. */
const MAX_PARTS = 100;

/** Returns the beginnings of an id that may be ids of sessions, the shortest one first. */
function namesBefore(id: string): readonly string[] {
  const names: string[] = [];
  let end = id.length;
  while (names.length <= MAX_PARTS) {
    const branch = id.slice(Math.max(0, end - MAX_BRANCH_LENGTH), end).match(BRANCH)?.[0];
    end = branch === undefined ? id.lastIndexOf('/', end - 1) : end - branch.length;
    if (end <= 0) return names.reverse();
    names.push(id.slice(0, end));
  }
  return [];
}

/** Returns the hash of the first answer, whose last bit is 1. */
function firstAnswer(path: Buffer | undefined): string | undefined {
  for (let end = HASH_BYTES; path !== undefined && end <= path.length; end += HASH_BYTES)
    if (((path[end - 1] as number) & ANSWER) === 1) return hashAt(path, end);
  return undefined;
}

/** Chooses the round of a name. */
function sumOf(name: string): number {
  let sum = 0;
  for (let i = 0; i < name.length; i++) sum = (Math.imul(sum, 31) + name.charCodeAt(i)) >>> 0;
  return sum;
}
