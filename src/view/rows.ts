/** The rows of the three lists, in the order of the dataset or sorted, and those that a search finds. */
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { Sort } from './app/query.ts';
import type { RecordRow, RecordSummary, RejectedRow, Row, SessionRow, SortedValues } from './app/types.ts';
import { orderOf } from './row-order.ts';
import { MAX_HITS, type Searched, search } from './search.ts';
import type { SessionColumns } from './session-columns.ts';
import { readRecord, summaryOf } from './shown.ts';
import type { RecordAt, ViewedDataset } from './viewed-dataset.ts';

/** Longer records are listed without a title. */
const MAX_SUMMARY_BYTES = 2 * 1024 * 1024;
/** In a larger dataset, rows have no findings until a filter or an order needs them, because reading them takes time. */
export const MAX_SESSIONS_SOON = 20_000;
const NO_SUMMARY: RecordSummary = { title: '', messages: 0, roles: {}, calls: 0, tools: [] };

export interface Range {
  readonly from: number;
  readonly count: number;
}

type RowAt = (number: number) => Row | undefined;

/** Returns a range of a list. */
export async function rowsOf(
  dataset: ViewedDataset,
  list: Searched,
  { from, count }: Range,
  sort?: Sort,
): Promise<readonly Row[]> {
  if (list === 'rejected') return rejectedRows(dataset, from, count);
  if (sort !== undefined) {
    const order = await orderOf(dataset, list, sort);
    const rowAt = await rowReader(dataset, list, sort);
    return [...order.subarray(from, from + count)].flatMap((number) => rowAt(number) ?? []);
  }
  if (list === 'sessions') {
    const columns = await columnsFor(dataset, undefined);
    return dataset.sessionPage(from, count).map((line, i) => sessionRow(line, from + i, columns));
  }
  const page = dataset.recordPage(from, count, MAX_SUMMARY_BYTES);
  const columns = page.length === 0 ? undefined : await columnsFor(dataset, undefined);
  return page.map((record) => recordRow(dataset, record, columns));
}

/** Writes the rows that a search finds, its progress, and its end. */
export async function writeHits(
  dataset: ViewedDataset,
  request: {
    readonly within: Searched;
    readonly text: string;
    readonly from: number;
    readonly sort: Sort | undefined;
  },
  write: (line: object) => void,
  signal: AbortSignal,
): Promise<void> {
  const rowAt = await rowReader(dataset, request.within, request.sort);
  const next = await search(dataset, {
    ...request,
    isStopped: () => signal.aborted,
    onHit: (number) => write(rowAt(number) ?? {}),
    onProgress: (read) => write({ read }),
  });
  write({ done: true, most: MAX_HITS, next: next ?? null });
}

async function rowReader(dataset: ViewedDataset, list: Searched, sort: Sort | undefined): Promise<RowAt> {
  if (list === 'rejected') return (number) => rejectedRows(dataset, number, 1)[0];
  const columns = await columnsFor(dataset, sort);
  if (list === 'sessions')
    return (number) => {
      const [line] = dataset.sessionPage(number, 1);
      return line && sessionRow(line, number, columns);
    };
  return (number) => {
    const [record] = dataset.recordPage(number, 1, MAX_SUMMARY_BYTES);
    return record && recordRow(dataset, record, columns);
  };
}

async function columnsFor(
  dataset: ViewedDataset,
  sort: Sort | undefined,
): Promise<SessionColumns | undefined> {
  const isNeeded = sort !== undefined && sort !== 'size';
  return isNeeded || dataset.sessions <= MAX_SESSIONS_SOON ? dataset.columns() : undefined;
}

/** The values by which a list can be sorted; an exported page sorts by them itself. */
const sortedValues = (columns: SessionColumns | undefined, session = -1): { sorted?: SortedValues } =>
  columns === undefined
    ? {}
    : { sorted: { turns: columns.turnsOf(session), errors: columns.errorsOf(session) } };

function recordRow(
  dataset: ViewedDataset,
  { number, bytes, content }: RecordAt,
  columns: SessionColumns | undefined,
): RecordRow {
  const session = dataset.sessionNumberNow(number);
  const line = session === undefined ? undefined : dataset.sessionPage(session, 1)[0];
  return {
    ...{ i: number, bytes, ...(content.length < bytes ? NO_SUMMARY : safeSummary(content)) },
    ...(line && { session: line.id }),
    finding: session === undefined ? undefined : columns?.severityOf(session),
    ...sortedValues(columns, session),
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

function sessionRow(
  { id, source, fate, entries, usage }: SessionLine,
  i: number,
  columns: SessionColumns | undefined,
): SessionRow {
  const finding = columns?.severityOf(i);
  return {
    ...{ i, id, source, fate, entries, calls: usage?.toolCalls ?? 0 },
    ...(finding && { finding }),
    ...sortedValues(columns, i),
  };
}

function rejectedRows(dataset: ViewedDataset, from: number, count: number): readonly RejectedRow[] {
  return dataset.rejectionPage(from, count).map(({ reason, source, line, scope }, i) => ({
    ...{ i: from + i, reason, scope, source: source.uri },
    ...(line !== undefined && { line }),
  }));
}
