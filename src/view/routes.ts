/**
 * The requests that the page may send. They address everything by number, so that no path from a request reaches the
 * file system.
 */

import { checks } from '../../transforms/checks/index.ts';
import { formatsThat } from '../../transforms/formats/format-rules.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import { recordStart } from '../dataset/shard-name.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { REASONS } from '../ledger/reasons.ts';
import { messagesOf } from './app/messages.ts';
import type { Finding, RecordRow, RecordSummary } from './app/types.ts';
import type { FollowedLog } from './follow.ts';
import { MAX_HITS, type Searched, search } from './search.ts';
import { treeOf } from './session-tree.ts';
import { readRecord, shownOf, summaryOf } from './shown.ts';
import type { LogSources } from './sources.ts';
import type { RecordAt, ViewedDataset } from './viewed-dataset.ts';

/** The dataset or the followed log that is viewed. */
export interface Viewed {
  readonly name: string;
  readonly dataset?: ViewedDataset | undefined;
  readonly sources?: LogSources | undefined;
  readonly log?: FollowedLog | undefined;
  /** Returns, as data for JSON, how the conversion changed the messages of an entry. */
  readonly changesOf?: ((ref: SourceRef, line: number, offset: number) => Promise<unknown>) | undefined;
}

/** A response: JSON text, or a stream of its lines. */
export type Answer = string | Buffer | LineStream | undefined;

/** Writes lines until it has finished, or the client has disconnected. */
export interface LineStream {
  run(write: (line: object) => void, signal: AbortSignal): Promise<void>;
}

const MAX_ROWS = 200;
/** Longer records are listed without a title. */
const MAX_SUMMARY_BYTES = 2 * 1024 * 1024;
const WINDOW_BEFORE = 360;
const WINDOW_BYTES = 800;
const TAIL_ENTRIES = 200;
const LOOK_EVERY_MS = 250;
/** Least pause between two checks, as a multiple of the time that one takes. */
const MIN_REST = 8;
const NO_SUMMARY: RecordSummary = { title: '', messages: 0, roles: {}, calls: 0, tools: [] };

type Route = (viewed: Viewed, query: URLSearchParams) => Answer | Promise<Answer>;

export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['summary', (viewed) => JSON.stringify(summarize(viewed))],
  [
    'records',
    async (viewed, query) => json(viewed.dataset && (await recordRows(viewed.dataset, ...rangeOf(query)))),
  ],
  ['record', (viewed, query) => viewed.dataset && recordAnswer(viewed.dataset, numberOf(query, 'i'))],
  ['changes', (viewed, query) => changesAnswer(viewed, numberOf(query, 'i'))],
  [
    'sessions',
    async (viewed, query) => json(viewed.dataset && (await sessionRows(viewed.dataset, ...rangeOf(query)))),
  ],
  ['session', (viewed, query) => sessionAnswer(viewed, numberOf(query, 'i'))],
  ['tree', (viewed, query) => treeAnswer(viewed, numberOf(query, 'i'))],
  ['record-tree', (viewed, query) => recordTreeAnswer(viewed, numberOf(query, 'i'))],
  ['rejected', (viewed, query) => json(viewed.dataset && rejectedRows(viewed.dataset, ...rangeOf(query)))],
  ['rejection', (viewed, query) => rejectionAnswer(viewed, numberOf(query, 'i'))],
  ['search', (viewed, query) => viewed.dataset && searchAnswer(viewed.dataset, query)],
  ['entries', (viewed, query) => json(viewed.log?.earlier(...rangeOf(query)))],
  ['tail', (viewed) => viewed.log && tailOf(viewed.log)],
]);

const json = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/** Returns a number from the query, or -1, which matches nothing. */
function numberOf(query: URLSearchParams, name: string): number {
  const value = query.get(name) ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : -1;
}

function rangeOf(query: URLSearchParams): readonly [from: number, count: number] {
  return [Math.max(0, numberOf(query, 'from')), Math.min(MAX_ROWS, Math.max(0, numberOf(query, 'count')))];
}

function summarize({ name, dataset, sources, log }: Viewed): object {
  const { rss } = process.memoryUsage();
  if (dataset === undefined) return { name, kind: 'log', lines: log?.lines ?? 0, rss };
  return {
    ...{ name, kind: 'dataset', rss },
    records: dataset.records,
    sessions: dataset.sessions,
    rejected: dataset.rejections,
    hasLogs: sources?.isEmpty === false,
    isReplaced: dataset.isReplaced,
  };
}

async function recordRows(
  dataset: ViewedDataset,
  from: number,
  count: number,
): Promise<readonly RecordRow[]> {
  const page = dataset.recordPage(from, count, MAX_SUMMARY_BYTES);
  const columns = page.length === 0 ? undefined : await columnsSoon(dataset);
  return page.map((record) => rowOf(dataset, record, columns));
}

/** Returns the findings for the rows; undefined for a large dataset, where reading them takes time. */
async function columnsSoon(
  dataset: ViewedDataset,
): Promise<Awaited<ReturnType<ViewedDataset['columns']>> | undefined> {
  const SMALL = 20_000;
  return dataset.sessions <= SMALL ? dataset.columns() : undefined;
}

function rowOf(
  dataset: ViewedDataset,
  { number, bytes, content }: RecordAt,
  columns: Awaited<ReturnType<ViewedDataset['columns']>> | undefined,
): RecordRow {
  const session = dataset.sessionNumberNow(number);
  const line = session === undefined ? undefined : dataset.sessionPage(session, 1)[0];
  return {
    ...{ i: number, bytes, ...(content.length < bytes ? NO_SUMMARY : safeSummary(content)) },
    ...(line && { session: line.id }),
    finding: session === undefined ? undefined : columns?.severityOf(session),
  };
}

function safeSummary(content: Buffer): RecordSummary {
  const asText = { ...NO_SUMMARY, title: content.subarray(0, 160).toString() };
  try {
    const read = readRecord(content);
    return read === undefined ? asText : summaryOf(read.value);
  } catch {
    return asText; // a role may be an object that cannot be converted to text
  }
}

/** Responds with a record: its bytes are copied into the response, not parsed and written again. */
async function recordAnswer(dataset: ViewedDataset, i: number): Promise<Buffer | undefined> {
  const [record] = dataset.recordPage(i, 1);
  if (record === undefined) return undefined;
  const session = await dataset.sessionOfRecord(i);
  const findings = session === undefined ? [] : await findingsAbout(dataset, session.number);
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
async function findingsAbout(dataset: ViewedDataset, session: number): Promise<readonly Finding[]> {
  const findings = await dataset.findingsOf(session);
  const { format = [] } = dataset.manifest.settings as { readonly format?: readonly string[] };
  const isNumberedAlike = NUMBERED_ALIKE.has(format[0] ?? '');
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

async function sessionRows(dataset: ViewedDataset, from: number, count: number): Promise<readonly object[]> {
  const columns = await columnsSoon(dataset);
  return dataset.sessionPage(from, count).map((line, i) => sessionRow(line, from + i, columns));
}

function sessionRow(
  { id, source, fate, entries, usage }: SessionLine,
  i: number,
  columns?: Awaited<ReturnType<ViewedDataset['columns']>>,
): object {
  return {
    ...{ i, id, source, fate, entries, calls: usage?.toolCalls ?? 0 },
    finding: columns?.severityOf(i),
  };
}

async function sessionAnswer({ dataset }: Viewed, i: number): Promise<string | undefined> {
  const line = dataset?.sessionPage(i, 1)[0];
  if (dataset === undefined || line === undefined || i < 0) return undefined;
  const findings = await findingsAbout(dataset, i);
  const meaning = REASONS[line.fate.slice('rejected:'.length)];
  const container = line.in && dataset.recordAt(line.in);
  return JSON.stringify({ i, line, findings, record: dataset.recordOfSession(line), container, meaning });
}

const treeAnswer = async ({ dataset }: Viewed, session: number): Promise<string | undefined> =>
  json(dataset && (await treeOf(dataset, session)));

async function recordTreeAnswer(viewed: Viewed, record: number): Promise<string | undefined> {
  const session = await viewed.dataset?.sessionOfRecord(record);
  return session && treeAnswer(viewed, session.number);
}

function rejectedRows(dataset: ViewedDataset, from: number, count: number): readonly object[] {
  return dataset
    .rejectionPage(from, count)
    .map(({ reason, source, line, scope }, i) => ({ i: from + i, reason, scope, source: source.uri, line }));
}

async function rejectionAnswer({ dataset, sources }: Viewed, i: number): Promise<string | undefined> {
  const line = i < 0 ? undefined : dataset?.rejectionPage(i, 1)[0];
  if (line === undefined) return undefined;
  return JSON.stringify({ i, line, meaning: REASONS[line.reason], ...(await windowOf(line, sources)) });
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
  const kind = query.get('in');
  const within: Searched = kind === 'sessions' || kind === 'rejected' ? kind : 'records';
  const text = query.get('q') ?? '';
  const from = Math.max(0, numberOf(query, 'from'));
  return {
    async run(write, signal) {
      const columns = await columnsSoon(dataset);
      const rowAt = (number: number): object | undefined => {
        if (within === 'records') {
          const [record] = dataset.recordPage(number, 1, MAX_SUMMARY_BYTES);
          return record && rowOf(dataset, record, columns);
        }
        if (within === 'rejected') return rejectedRows(dataset, number, 1)[0];
        const [line] = dataset.sessionPage(number, 1);
        return line && sessionRow(line, number, columns);
      };
      const next = await search(dataset, {
        ...{ within, text, from },
        isStopped: () => signal.aborted,
        onHit: (number) => write(rowAt(number) ?? {}),
        onProgress: (read) => write({ read }),
      });
      write({ done: true, most: MAX_HITS, next: next ?? null });
    },
  };
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
        await pause(Math.max(LOOK_EVERY_MS, MIN_REST * (tail.foldMs ?? 0)), signal);
      }
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      done();
    });
  });
}
