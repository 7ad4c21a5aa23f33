/**
 * Looks for conversations that belong together and are in two splits (docs/publish.md): those of one session, and those
 * with the same messages up to the first answer. Longer paths need no look: they contain the path to the first answer.
 */
import { join } from 'node:path';
import type { RecordPlace } from '../dataset/schema/ledger.ts';
import { comparedLines, HASH_BYTES, hashAt, PATHS, readPaths, SESSIONS } from './contained.ts';
import type { ManifestFacts } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import { asObject, asObjects, asText, type Untrusted } from './untrusted.ts';

/** Most names that are held at a time; with more, the files are read several times. */
const MAX_NAMES = 400_000;
const ANSWER = 1;

export interface SplitsContext {
  readonly root: string;
  readonly readable: ReadonlySet<string>;
  /** Number of sessions. */
  readonly sessions: number;
  readonly problems: Problems;
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
    const own = nameOf(id);
    const session = namesBefore(own).find((name) => parents.has(name)) ?? own;
    const answer = firstAnswer(path ?? undefined);
    const names = [
      ...(session === '' ? [] : [`${SESSION}${session}`]),
      ...(answer === undefined ? [] : [`answer ${answer}`]),
    ];
    for (const split of new Set(places.map((place) => asText(place.shard)?.split('/').at(-2) ?? '')))
      yield { line, split, names };
  }
  await paths.return(undefined);
}

/** Returns the names of sessions that have sub-agents, whose ids go on with `/` after that name. */
async function parentsIn(root: string): Promise<ReadonlySet<string>> {
  const wanted = new Set<string>();
  for await (const { value } of comparedLines(root))
    for (const name of namesBefore(nameOf(value.id))) wanted.add(name);
  const parents = new Set<string>();
  for await (const { value } of comparedLines(root)) {
    const name = nameOf(value.id);
    if (wanted.has(name)) parents.add(name);
  }
  return parents;
}

const BRANCH = /#[1-9]\d*$/;

/** Returns the id without the number of a branch; an empty text for a session without an id. */
const nameOf = (id: unknown): string => (asText(id) ?? '').replace(BRANCH, '');

/** Returns the beginnings of a name before each `/`, except before the first character. */
function namesBefore(name: string): readonly string[] {
  const parts = name.split('/');
  const names = parts.map((_, n) => parts.slice(0, n).join('/').replace(BRANCH, ''));
  return names.slice(1).filter((before) => before !== '');
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
