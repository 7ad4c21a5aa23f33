/** Searches records, sessions or rejections in order, and reports each hit immediately. */
import { setImmediate } from 'node:timers/promises';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import { type Query, readQuery } from './app/query.ts';
import { readRecord, summaryOf } from './shown.ts';
import type { ViewedDataset } from './viewed-dataset.ts';

export type Searched = 'records' | 'sessions' | 'rejected';

export interface SearchRequest {
  readonly within: Searched;
  readonly text: string;
  readonly from: number;
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
  const query = readQuery(request.text);
  const matches = await matcherFor(dataset, request.within, query);
  const counts = { records: dataset.records, sessions: dataset.sessions, rejected: dataset.rejections };
  const total = counts[request.within];
  let hits = 0;
  for (let at = request.from; at < total && !request.isStopped(); ) {
    const page = await matches(at);
    for (const [i, isHit] of page.entries()) {
      if (!isHit) continue;
      request.onHit(at + i);
      hits += 1;
      if (hits === MAX_HITS) return at + i + 1;
    }
    const before = at;
    at += Math.max(1, page.length);
    if (Math.floor(at / PROGRESS_EVERY) > Math.floor(before / PROGRESS_EVERY)) request.onProgress(at);
    await setImmediate();
  }
  return undefined;
}

type PageMatcher = (from: number) => Promise<readonly boolean[]>;

async function matcherFor(dataset: ViewedDataset, within: Searched, query: Query): Promise<PageMatcher> {
  const has = wordMatcher(query.words);
  if (within === 'rejected')
    return async (from) =>
      dataset.rejectionPage(from, AT_ONCE).map((line) => has(Buffer.from(JSON.stringify(line))));
  if (within === 'sessions') return sessionMatcher(dataset, query, has);
  return recordMatcher(dataset, query, has);
}

async function sessionMatcher(
  dataset: ViewedDataset,
  query: Query,
  has: (line: Buffer) => boolean,
): Promise<PageMatcher> {
  const columns = query.findings.length === 0 ? undefined : await dataset.columns();
  return async (from) =>
    dataset.sessionPage(from, AT_ONCE).map((line, i) => {
      const isRight = query.findings.every((rule) => columns?.has(from + i, rule) === true);
      return (
        isRight && query.fates.every((fate) => isFate(line, fate)) && has(Buffer.from(JSON.stringify(line)))
      );
    });
}

async function recordMatcher(
  dataset: ViewedDataset,
  query: Query,
  has: (line: Buffer) => boolean,
): Promise<PageMatcher> {
  const { roles, tools, findings, fates } = query;
  const columns = findings.length === 0 ? undefined : await dataset.columns();
  const byShape = roles.length > 0 || tools.length > 0;
  return async (from) => {
    const page: boolean[] = [];
    for (const { number, content } of dataset.recordPage(from, AT_ONCE)) {
      let isHit = has(content);
      if (isHit && byShape) isHit = hasShape(content, roles, tools);
      if (isHit && findings.length + fates.length > 0) {
        const session = await dataset.sessionOfRecord(number);
        isHit =
          session !== undefined &&
          findings.every((rule) => columns?.has(session.number, rule) === true) &&
          fates.every((fate) => isFate(session.line, fate));
      }
      page.push(isHit);
    }
    return page;
  };
}

function hasShape(content: Buffer, roles: readonly string[], tools: readonly string[]): boolean {
  try {
    const read = readRecord(content);
    if (read === undefined) return false;
    const summary = summaryOf(read.value);
    return (
      roles.every((role) => role in summary.roles) && tools.every((name) => summary.tools.includes(name))
    );
  } catch {
    return false;
  }
}

/** Returns whether a session has this fate; `rejected` matches all reasons. */
function isFate({ fate }: SessionLine, wanted: string): boolean {
  return fate === wanted || fate.startsWith(`${wanted}:`);
}

/** Returns a function that searches the bytes of a line for the words. A word without capitals matches in any case. */
export function wordMatcher(words: readonly string[]): (line: Buffer) => boolean {
  const needles = words.map((word) => {
    const text = JSON.stringify(word).slice(1, -1);
    const isExact = text !== text.toLowerCase();
    const bytes = Buffer.from(text);
    return { isExact, bytes, low: bytes.toString('latin1').toLowerCase() };
  });
  const needsLow = needles.some(({ isExact }) => !isExact);
  return (line) => {
    const low = needsLow ? line.toString('latin1').toLowerCase() : '';
    return needles.every(({ isExact, bytes, low: word }) =>
      isExact ? line.includes(bytes) : low.includes(word),
    );
  };
}
