/**
 * The requests that the page may send. They address everything by number, so that no path from a request reaches the
 * file system.
 */

import { setTimeout } from 'node:timers/promises';
import { checks } from '../../transforms/checks/index.ts';
import { formatsThat } from '../../transforms/formats/format-rules.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import { recordStart } from '../dataset/shard-name.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { REASONS } from '../ledger/reasons.ts';
import { refusedIn } from '../ledger/refused.ts';
import { EMPTY_REMEDY, remedyOfPlace, remedyText } from '../ledger/remedies.ts';
import { rejectionReason } from '../ledger/result.ts';
import { messagesOf } from './app/messages.ts';
import type { OverviewAnswer } from './app/overview.tsx';
import { SORTS, type Sort } from './app/query.ts';
import type { Finding } from './app/types.ts';
import { facetsOf } from './facets.ts';
import type { FollowedLog } from './follow.ts';
import { orderOf } from './row-order.ts';
import { MAX_SESSIONS_SOON, type Range, rowsOf, writeHits } from './rows.ts';
import type { Searched } from './search.ts';
import { treeOf } from './session-tree.ts';
import { readRecord, shownOf } from './shown.ts';
import type { LogSources } from './sources.ts';
import type { ViewedDataset } from './viewed-dataset.ts';

/** The dataset or the followed log that is viewed. */
export interface Viewed {
  readonly name: string;
  /** Options of `turnmill explain` with which it finds the logs: `--in OUT`. */
  readonly explainWith?: readonly string[];
  readonly dataset?: ViewedDataset | undefined;
  readonly sources?: LogSources | undefined;
  readonly log?: FollowedLog | undefined;
  /** Returns, as data for JSON, how the conversion changed the messages of an entry. */
  readonly changesOf?: ((ref: SourceRef, line: number, offset?: number) => Promise<unknown>) | undefined;
}

/** A response: JSON text, or a stream of its lines. */
export type Answer = string | Buffer | LineStream | undefined;

/** Writes lines until it has finished, or the client has disconnected. */
export interface LineStream {
  run(write: (line: object) => void, signal: AbortSignal): Promise<void>;
}

const MAX_ROWS = 200;
const WINDOW_BEFORE = 360;
const WINDOW_BYTES = 800;
const TAIL_ENTRIES = 200;
const LOOK_EVERY_MS = 250;
/** Least pause between two checks, as a multiple of the time that one takes. */
const MIN_REST = 8;

type Route = (viewed: Viewed, query: URLSearchParams) => Answer | Promise<Answer>;

export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['summary', (viewed) => JSON.stringify(summarize(viewed))],
  ['overview', async ({ dataset }) => json(dataset && (await overviewOf(dataset)))],
  ['records', (viewed, query) => rowsAnswer(viewed, 'records', query)],
  ['record', (viewed, query) => viewed.dataset && recordAnswer(viewed.dataset, numberOf(query, 'i'))],
  ['changes', (viewed, query) => changesAnswer(viewed, numberOf(query, 'i'))],
  ['sessions', (viewed, query) => rowsAnswer(viewed, 'sessions', query)],
  ['session', (viewed, query) => sessionAnswer(viewed, numberOf(query, 'i'))],
  ['logged', loggedAnswer],
  ['tree', (viewed, query) => treeAnswer(viewed, numberOf(query, 'i'))],
  ['record-tree', (viewed, query) => recordTreeAnswer(viewed, numberOf(query, 'i'))],
  ['rejected', (viewed, query) => rowsAnswer(viewed, 'rejected', query)],
  ['rejection', (viewed, query) => rejectionAnswer(viewed, numberOf(query, 'i'))],
  ['facets', async ({ dataset }, query) => json(dataset && (await facetsOf(dataset, listOf(query))))],
  ['place', ({ dataset }, query) => dataset && placeAnswer(dataset, query)],
  ['search', (viewed, query) => viewed.dataset && searchAnswer(viewed.dataset, query)],
  ['entries', (viewed, query) => json(viewed.log?.earlier(rangeOf(query).from, rangeOf(query).count))],
  ['tail', (viewed) => viewed.log && tailOf(viewed.log)],
]);

const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/** Returns a number from the query, or -1, which matches nothing. */
function numberOf(query: URLSearchParams, name: string): number {
  const value = query.get(name) ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : -1;
}

function rangeOf(query: URLSearchParams): Range {
  const from = Math.max(0, numberOf(query, 'from'));
  return { from, count: Math.min(MAX_ROWS, Math.max(0, numberOf(query, 'count'))) };
}

function listOf(query: URLSearchParams): Searched {
  const list = query.get('in');
  return list === 'sessions' || list === 'rejected' ? list : 'records';
}

const sortOf = (query: URLSearchParams): Sort | undefined => SORTS.find((key) => key === query.get('sort'));

async function rowsAnswer(
  { dataset }: Viewed,
  list: Searched,
  query: URLSearchParams,
): Promise<string | undefined> {
  return json(dataset && (await rowsOf(dataset, list, rangeOf(query), sortOf(query))));
}

function summarize({ name, explainWith = [], dataset, sources, log }: Viewed): object {
  const { rss } = process.memoryUsage();
  if (dataset === undefined) return { name, kind: 'log', lines: log?.lines ?? 0, rss };
  return {
    ...{ name, explainWith, kind: 'dataset', rss },
    records: dataset.records,
    sessions: dataset.sessions,
    rejected: dataset.rejections,
    hasLogs: sources?.isEmpty === false,
    isReplaced: dataset.isReplaced,
  };
}

/** The numbers of the first page: those of the report, which the build has counted. */
async function overviewOf(dataset: ViewedDataset): Promise<OverviewAnswer> {
  const { totals, ledger, settings, shards } = dataset.manifest;
  const profile = dataset.profile();
  return {
    manifest: { totals, ledger, settings, shards: shards.map(({ bytes }) => ({ bytes })) },
    refused: profile === undefined ? [] : refusedIn(ledger),
    ...(profile !== undefined && { profile }),
    withoutRecord: await rulesWithoutRecord(dataset),
  };
}

/** In a large dataset all findings lead to records, because counting them takes time. */
async function rulesWithoutRecord(dataset: ViewedDataset): Promise<readonly string[]> {
  if (dataset.sessions > MAX_SESSIONS_SOON) return [];
  const columns = await dataset.columns();
  const counts = columns.countRules(dataset.records, await dataset.sessionsOfRecords());
  return [...counts].filter(([, count]) => count === 0).map(([rule]) => rule);
}

/** Responds with a record: its bytes are copied into the response, not parsed and written again. */
async function recordAnswer(dataset: ViewedDataset, i: number): Promise<Buffer | undefined> {
  const [record] = dataset.recordPage(i, 1);
  if (record === undefined) return undefined;
  const session = await dataset.sessionOfRecord(i);
  const findings = session === undefined ? [] : await findingsAbout(dataset, session.number, i);
  const read = readRecord(record.content);
  const about = JSON.stringify({
    ...{ i, shard: record.shard, line: record.line, bytes: record.bytes, findings },
    ...(recordStart(record.shard) !== undefined && { spansLines: true }),
    session: session?.line,
    sessionNumber: session?.number,
    shown: shownOf(messagesOf(read?.value) ?? []),
  });
  const raw = read?.json ?? Buffer.from(JSON.stringify(record.content.toString()));
  return Buffer.concat([Buffer.from(`${about.slice(0, -1)},"record":`), raw, Buffer.from('}')]);
}

const ABOUT_MESSAGE = /\bmessages\[(\d+)\]/;
/** Formats whose records have the messages of the conversation, one for one. */
const NUMBERED_ALIKE = formatsThat(
  ({ listsMessages, tagsCalls }) => listsMessages === true && tagsCalls !== true,
);
/** Rules of checks that compare logged entries: the places that they name are not those of the record. */
const ENTRY_RULES = new Set(checks.flatMap(({ on, rules }) => (on === 'entry' ? rules : [])));

/** Returns the findings about a session, each with the message of the record that it names first. */
async function findingsAbout(
  dataset: ViewedDataset,
  session: number,
  record: number | undefined,
): Promise<readonly Finding[]> {
  const findings = await dataset.findingsOf(session);
  const isNumberedAlike =
    record !== undefined && NUMBERED_ALIKE.has(dataset.formatOf(dataset.shardOf(record)));
  return findings.map((finding) => {
    const [, at] = ABOUT_MESSAGE.exec(finding.message) ?? [];
    return at === undefined || !isNumberedAlike || ENTRY_RULES.has(finding.rule)
      ? finding
      : { ...finding, at: Number(at) };
  });
}

async function changesAnswer(
  { dataset, sources, changesOf }: Viewed,
  i: number,
): Promise<string | undefined> {
  const session = await dataset?.sessionOfRecord(i);
  const { origin } = session?.line ?? {};
  if (session === undefined || origin === undefined) return undefined;
  const ref = sources?.isEmpty === false ? sources.find(session.line) : undefined;
  if (ref === undefined || changesOf === undefined) return JSON.stringify({ missing: true });
  return JSON.stringify(await changesOf(ref, origin.line, origin.offset));
}

/** Responds with what became of a line of the log of a session, and its messages as they were logged. */
async function loggedAnswer(
  { dataset, sources, changesOf }: Viewed,
  query: URLSearchParams,
): Promise<string | undefined> {
  const session = dataset?.sessionPage(numberOf(query, 'i'), 1)[0];
  if (session === undefined) return undefined;
  const ref = sources?.isEmpty === false ? sources.find(session) : undefined;
  if (ref === undefined || changesOf === undefined) return JSON.stringify({ missing: true });
  return JSON.stringify(await changesOf(ref, numberOf(query, 'line')));
}

async function sessionAnswer({ dataset }: Viewed, i: number): Promise<string | undefined> {
  const line = dataset?.sessionPage(i, 1)[0];
  if (dataset === undefined || line === undefined || i < 0) return undefined;
  const record = dataset.recordOfSession(line);
  const findings = await findingsAbout(dataset, i, record);
  const container = line.in && dataset.recordAt(line.in);
  const reason = rejectionReason(line.fate);
  const meaning = reason && REASONS[reason];
  const isLost = findings.some(({ rule, severity }) => rule === 'no-record' && severity === 'ERROR');
  const whatIfEmpty = isLost ? 'Its lines were rejected: the tab Rejected lists them.' : EMPTY_REMEDY;
  const todo = line.fate === 'empty' ? whatIfEmpty : reason && remedyText(reason);
  return JSON.stringify({ i, line, findings, record, container, meaning, todo });
}

const treeAnswer = async ({ dataset }: Viewed, session: number): Promise<string | undefined> =>
  json(dataset && (await treeOf(dataset, session)));

async function recordTreeAnswer(viewed: Viewed, record: number): Promise<string | undefined> {
  const session = await viewed.dataset?.sessionOfRecord(record);
  return session && treeAnswer(viewed, session.number);
}

async function rejectionAnswer({ dataset, sources }: Viewed, i: number): Promise<string | undefined> {
  const line = i < 0 ? undefined : dataset?.rejectionPage(i, 1)[0];
  if (line === undefined) return undefined;
  const about = { meaning: REASONS[line.reason], todo: remedyOfPlace(line.reason) };
  return JSON.stringify({ i, line, ...about, ...(await windowOf(line, sources)) });
}

/** Returns the bytes around the error as three texts, so that characters of several bytes shift nothing. */
async function windowOf(line: QuarantineLine, sources: LogSources | undefined): Promise<object> {
  const { raw_b64: kept, raw_ref: place, source, error } = line;
  const at = error.at;
  const from = Math.max(0, (at ?? 0) - WINDOW_BEFORE);
  const length = place?.length ?? (kept === undefined ? 0 : Buffer.from(kept, 'base64').length);
  const wanted = Math.min(WINDOW_BYTES, Math.max(0, length - from));
  const bytes =
    kept === undefined
      ? place && sources?.isEmpty === false
        ? await sources.bytesAt({ source: source.uri, input: source.input }, place.offset + from, wanted)
        : undefined
      : Buffer.from(kept, 'base64').subarray(from, from + wanted);
  if (bytes === undefined) return { length };
  const text = (part: Uint8Array): string => Buffer.from(part).toString();
  if (at === undefined) return { length, from, before: text(bytes), at: null, mark: '', after: '' };
  const mark = at - from;
  const end = Math.min(bytes.length, mark + characterBytes(bytes[mark]));
  return {
    ...{ length, from, at },
    before: text(bytes.subarray(0, mark)),
    mark: text(bytes.subarray(mark, end)),
    after: text(bytes.subarray(end)),
  };
}

/** Returns the length of the UTF-8 character that begins with this byte. */
function characterBytes(first: number | undefined): number {
  if (first === undefined || first < 0xc0) return 1;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function searchAnswer(dataset: ViewedDataset, query: URLSearchParams): LineStream {
  const request = {
    within: listOf(query),
    text: query.get('q') ?? '',
    from: Math.max(0, numberOf(query, 'from')),
    sort: sortOf(query),
  };
  return { run: (write, signal) => writeHits(dataset, request, write, signal) };
}

/** Returns the place of a row in a sorted list. */
async function placeAnswer(dataset: ViewedDataset, query: URLSearchParams): Promise<string | undefined> {
  const [list, sort] = [listOf(query), sortOf(query)];
  if (list === 'rejected' || sort === undefined) return undefined;
  const place = (await orderOf(dataset, list, sort)).indexOf(numberOf(query, 'i'));
  return place < 0 ? undefined : JSON.stringify({ place });
}

/** Sends the last entries, and then each new one. */
function tailOf(log: FollowedLog): LineStream {
  return {
    async run(write, signal) {
      log.refresh();
      let isEvents = log.holdsEvents;
      let tail = log.tail();
      write({ first: tail.begin(TAIL_ENTRIES), events: isEvents === true });
      while (!signal.aborted) {
        const isNew = log.refresh();
        const isDecided = isEvents !== undefined && !isNew;
        isEvents = isDecided ? isEvents : log.holdsEvents;
        if (isNew || (!isDecided && isEvents === true)) {
          tail = log.tail();
          write({ first: 0, events: isEvents === true, ...(isNew && { restarted: true }) });
        }
        for (const entry of tail.take()) write(entry);
        const pauseMs = Math.max(LOOK_EVERY_MS, MIN_REST * (tail.foldMs ?? 0));
        await setTimeout(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}
