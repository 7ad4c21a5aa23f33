/** Finds out what a word names that `turnmill explain` gets: a line, a record, a session or a source. */
import { existsSync } from 'node:fs';
import { LINE_FILES, manifestPath } from '../dataset/layout.ts';
import type { SessionLine, SourceLine } from '../dataset/schema/ledger.ts';
import { TurnmillError } from '../errors.ts';
import { rejectionReason } from '../ledger/result.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { closest, eachLineOf, placesOf, sameEnd } from './dataset-lines.ts';

/** A line of a source, or a source as a whole if `line` is undefined. */
export interface Target {
  readonly file: string;
  readonly line?: number;
  /** The session that was named, by its id or its record. */
  readonly session?: SessionLine;
}

/** `a.jsonl:7`, as commands print it, or `a.jsonl, line 7`, as the report does. */
const ADDRESS = /^(.+)(:|, line )(\d{1,15})$/s;
const SHARD = /^(?:(.*)\/)?(data\/.+)$/s;
const MAX_SHOWN = 10;

export function addressIn(word: string): { readonly file: string; readonly line: number } | undefined {
  const [, text = '', mark, digits] = ADDRESS.exec(word.trim()) ?? [];
  const file = mark === ':' ? text : text.trimEnd();
  const line = Number(digits);
  return file !== '' && line >= 1 ? { file, line } : undefined;
}

/** Returns the dataset that has this file as a shard; undefined if the path does not say so. */
export function datasetWith(file: string): string | undefined {
  const [, out = '.', shard] = SHARD.exec(file) ?? [];
  if (shard === undefined || isObjectUrl(file)) return undefined;
  return existsSync(file) && existsSync(manifestPath(out)) ? out : undefined;
}

/**
 * Finds the word among the records, sessions and sources of a dataset.
 * @param out the dataset as a local folder
 * @returns undefined if it is none of them
 * @throws TurnmillError `usage` if it names several
 */
export async function targetIn(out: string, word: string): Promise<Target | undefined> {
  const address = addressIn(word);
  const shard = address && SHARD.exec(address.file)?.[2];
  const [records, exact, begun] = [[], [], []] as [SessionLine[], SessionLine[], SessionLine[]];
  await eachLineOf(out, LINE_FILES.sessions, (line) => {
    if (shard !== undefined && hasRecord(line, shard, address?.line)) records.push(line);
    if (line.id === word) exact.push(line);
    else if (line.id?.startsWith(word) === true && begun.length <= MAX_SHOWN) begun.push(line);
  });
  if (records[0] !== undefined) return ofSession(out, records[0]);
  if (address !== undefined && exact.length === 0) return address;
  if (exact.length > 0) return sessionOf(out, exact, `'${word}' is the id of`);
  const source = await sourceIn(out, word);
  if (source !== undefined) return { file: source.source };
  return begun.length === 0 ? undefined : sessionOf(out, begun, `'${word}' begins the ids of`);
}

const hasRecord = (session: SessionLine, shard: string, line: number | undefined): boolean =>
  placesOf(session).some((place) => place.line === line && sameEnd(place.shard, shard));

/** Returns the line that its record is made from or, for a rejected session, its first line in the quarantine. */
async function ofSession(out: string, session: SessionLine): Promise<Target> {
  let line = session.origin?.line;
  if (line === undefined && rejectionReason(session.fate) !== undefined)
    await eachLineOf(out, LINE_FILES.quarantine, (record) => {
      if (record.source.uri === session.source && record.session_key === session.id) line ??= record.line;
    });
  return { file: session.source, session, ...(line !== undefined && { line }) };
}

async function sessionOf(out: string, sessions: readonly SessionLine[], what: string): Promise<Target> {
  const [session] = sessions as [SessionLine];
  if (sessions.length === 1) return ofSession(out, session);
  const places = sessions.map(({ source, origin }) => (origin ? `${source}:${origin.line}` : source));
  throw several(what, 'session', places);
}

/** Returns the source that the word names: the whole name, the end of one, or a path that ends in one. */
export async function sourceIn(out: string, word: string): Promise<SourceLine | undefined> {
  const found: SourceLine[] = [];
  await eachLineOf(out, LINE_FILES.sources, (line) => {
    if (sameEnd(line.source, word)) found.push(line);
  });
  const best = closest(found, word);
  const [source, ...others] = best;
  if (others.length === 0) return source;
  throw several(
    `'${word}' is the name of`,
    'source',
    best.map((line) => line.source),
  );
}

function several(what: string, kind: string, places: readonly string[]): TurnmillError {
  const shown = places.slice(0, MAX_SHOWN).join(', ');
  const more = places.length > MAX_SHOWN ? ', ...' : '';
  return new TurnmillError('usage', `${what} ${places.length} ${kind}s: name one of ${shown}${more}`);
}
