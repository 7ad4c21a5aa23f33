/** Searches records, sessions or rejections in order, and reports each hit immediately. */
import { setImmediate } from 'node:timers/promises';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import { isExact, type Query, rangeMatcher, readQuery, type Sort } from './app/query.ts';
import { orderOf } from './row-order.ts';
import type { SessionColumns } from './session-columns.ts';
import { readRecord, roleName, summaryOf } from './shown.ts';
import { splitOf, type ViewedDataset } from './viewed-dataset.ts';

export type Searched = 'records' | 'sessions' | 'rejected';

export interface SearchRequest {
  readonly within: Searched;
  readonly text: string;
  /** Number of the first row to search; with an order, the number of hits before. */
  readonly from: number;
  readonly sort?: Sort | undefined;
  readonly isStopped: () => boolean;
  /** Called with the number of each hit. */
  readonly onHit: (number: number) => void;
  readonly onProgress: (read: number) => void;
}

const AT_ONCE = 256;
const PROGRESS_EVERY = 16_384;
export const MAX_HITS = 200;

/** Searches up to `MAX_HITS` hits. @returns the number to continue from; undefined at the end */
export async function search(dataset: ViewedDataset, request: SearchRequest): Promise<number | undefined> {
  const { within, sort, from, onHit } = request;
  if (sort === undefined || within === 'rejected') return scan(dataset, request, from, MAX_HITS, onHit);
  const order = await orderOf(dataset, within, sort);
  const isHit = new Uint8Array(order.length);
  await scan(dataset, request, 0, order.length, (number) => {
    isHit[number] = 1;
  });
  if (request.isStopped()) return undefined;
  let hits = 0;
  for (const number of order) {
    if (isHit[number] === 0) continue;
    if (hits === from + MAX_HITS) return hits;
    if (hits++ >= from) onHit(number);
  }
  return undefined;
}

/** Searches the rows in order, up to `most` hits. */
async function scan(
  dataset: ViewedDataset,
  { within, text, isStopped, onProgress }: SearchRequest,
  from: number,
  most: number,
  onHit: (number: number) => void,
): Promise<number | undefined> {
  const matches = await matcherFor(dataset, within, readQuery(text));
  const counts = { records: dataset.records, sessions: dataset.sessions, rejected: dataset.rejections };
  const total = counts[within];
  let hits = 0;
  for (let at = from; at < total && !isStopped(); ) {
    const page = await matches(at);
    for (const [i, isHit] of page.entries()) {
      if (!isHit) continue;
      onHit(at + i);
      hits += 1;
      if (hits === most) return at + i + 1;
    }
    const before = at;
    at += Math.max(1, page.length);
    if (Math.floor(at / PROGRESS_EVERY) > Math.floor(before / PROGRESS_EVERY)) onProgress(at);
    await setImmediate();
  }
  return undefined;
}

type PageMatcher = (from: number) => Promise<readonly boolean[]>;

async function matcherFor(dataset: ViewedDataset, within: Searched, query: Query): Promise<PageMatcher> {
  const has = wordMatcher(query.words);
  const { reason } = query.filters;
  if (within === 'rejected')
    return async (from) =>
      dataset
        .rejectionPage(from, AT_ONCE)
        .map((line) => isOneOf(line.reason, reason) && has(Buffer.from(JSON.stringify(line))));
  if (within === 'sessions') return sessionMatcher(dataset, query, has);
  return recordMatcher(dataset, query, has);
}

/** A row has one reason, model, split or group, so several terms of such a filter mean any of them. */
const isOneOf = (value: string, terms: readonly string[] | undefined): boolean =>
  terms === undefined || terms.includes(value);

async function sessionMatcher(
  dataset: ViewedDataset,
  { filters }: Query,
  has: (line: Buffer) => boolean,
): Promise<PageMatcher> {
  const { fate: fates = [] } = filters;
  const columns = needsColumns(filters) ? await dataset.columns() : undefined;
  return async (from) =>
    dataset.sessionPage(from, AT_ONCE).map((line, i) => {
      const isRight = isRightIn(columns, from + i, filters);
      return isRight && fates.every((fate) => isFate(line, fate)) && has(Buffer.from(JSON.stringify(line)));
    });
}

const needsColumns = ({ finding, dialect, model }: Filters): boolean =>
  [finding, dialect, model].some((terms) => terms !== undefined);

/** Returns whether a session has these findings, one of the dialects, and one of the models. */
export function isRightIn(
  columns: SessionColumns | undefined,
  session: number,
  { finding = [], dialect, model }: Filters,
): boolean {
  if (columns === undefined) return true;
  return (
    finding.every((rule) => columns.has(session, rule)) &&
    dialect?.some((name) => columns.dialects.isOf(session, name)) !== false &&
    model?.some((name) => columns.models.isOf(session, name)) !== false
  );
}

async function recordMatcher(
  dataset: ViewedDataset,
  { words, filters }: Query,
  has: (line: Buffer) => boolean,
): Promise<PageMatcher> {
  const isOfColumns = await columnMatcher(dataset, filters);
  const hasShape = shapeMatcher(filters);
  const isSized = rangeMatcher(filters.bytes);
  const { fate: fates = [] } = filters;
  const most = words.length > 0 || hasShape !== undefined ? undefined : 0;
  return async (from) => {
    const page: boolean[] = [];
    for (const { number, bytes, content } of dataset.recordPage(from, AT_ONCE, most)) {
      let isHit = isOfColumns(number) && isSized(bytes) && has(content) && hasShape?.(content) !== false;
      if (isHit && fates.length > 0) {
        const session = await dataset.sessionOfRecord(number);
        isHit = session !== undefined && fates.every((fate) => isFate(session.line, fate));
      }
      page.push(isHit);
    }
    return page;
  };
}

type Filters = Query['filters'];

/** Returns a function that applies the filters that need no record: findings, metadata, splits and groups. */
export async function columnMatcher(
  dataset: ViewedDataset,
  filters: Filters,
): Promise<(record: number) => boolean> {
  const { split, group, format } = filters;
  const columns = needsColumns(filters) ? await dataset.columns() : undefined;
  const sessionOf = columns && (await dataset.sessionsOfRecords());
  const isAnywhere = [split, group, format].every((terms) => terms === undefined);
  const shards = new Set(
    dataset.manifest.shards
      .filter(
        (shard) =>
          isOneOf(splitOf(shard.path), split) &&
          isOneOf(shard.group, group) &&
          isOneOf(dataset.formatOf(shard.path), format),
      )
      .map(({ path }) => path),
  );
  return (record) =>
    (isAnywhere || shards.has(dataset.shardOf(record))) &&
    isRightIn(columns, sessionOf?.(record) ?? -1, filters);
}

/** Returns a function that applies the filters of a record's messages; undefined without such a filter. */
function shapeMatcher(filters: Filters): ((content: Buffer) => boolean) | undefined {
  const { role: roles = [], tool: tools = [], messages, calls } = filters;
  if (roles.length + tools.length === 0 && messages === undefined && calls === undefined) return undefined;
  const [isLong, isCalling] = [rangeMatcher(messages), rangeMatcher(calls)];
  return (content) => {
    try {
      const read = readRecord(content);
      if (read === undefined) return false;
      const summary = summaryOf(read.value);
      return (
        roles.every((role) => Object.hasOwn(summary.roles, roleName(role))) &&
        tools.every((name) => summary.tools.includes(name)) &&
        isLong(summary.messages) &&
        isCalling(summary.calls)
      );
    } catch {
      return false;
    }
  };
}

/** Returns whether a session has this fate; `rejected` matches all reasons. */
function isFate({ fate }: SessionLine, wanted: string): boolean {
  return fate === wanted || fate.startsWith(`${wanted}:`);
}

/** Returns a function that searches the bytes of a line for the words. A word without capitals matches in any case. */
export function wordMatcher(words: readonly string[]): (line: Buffer) => boolean {
  const needles = words.map((word) => {
    const text = JSON.stringify(word).slice(1, -1);
    const bytes = Buffer.from(text);
    return { asWritten: isExact(text), bytes, low: bytes.toString('latin1').toLowerCase() };
  });
  const needsLow = needles.some(({ asWritten }) => !asWritten);
  return (line) => {
    const low = needsLow ? line.toString('latin1').toLowerCase() : '';
    return needles.every(({ asWritten, bytes, low: word }) =>
      asWritten ? line.includes(bytes) : low.includes(word),
    );
  };
}
