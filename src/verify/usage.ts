/**
 * Checks reports/tool-usage.csv: one row per group, in order, each with the number of sessions in the ledger, and with
 * the sums over its records if they can be recounted. Only records in format `chat` have the messages as they were
 * counted; tool definitions are not recounted, because a name beside a definition's `function` is in no record.
 */
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import split2 from 'split2';
import { ioError, TurnmillError } from '../errors.ts';
import { streamOwnFile } from '../own-file.ts';
import type { Problems } from './problems.ts';
import { asObjects, asText, type JsonObject } from './untrusted.ts';

const FILE = 'reports/tool-usage.csv';
const HEADER =
  'date,scenario,session_count,tool_call_count,tool_definition_count,client_turns,assistant_turns,assistant_turns_with_tools';
/** Longest row, so that an unclosed quotation mark does not swallow the file. */
const ROW_MAX_CHARS = 64 * 1024;
/** The group (date and scenario, one of them empty), then six counts. */
const ROW = /^(.*),(\d+),(\d+),\d+,(\d+,\d+,\d+)$/s;

interface GroupUsage {
  calls: number;
  clientTurns: number;
  assistantTurns: number;
  withTools: number;
}

export type UsageRecount = Map<string, GroupUsage>;

const TAG = '<tool_call>';

export function recount(usage: UsageRecount, group: string, { messages }: JsonObject): void {
  const sums = usage.get(group) ?? {
    calls: 0,
    clientTurns: 0,
    assistantTurns: 0,
    withTools: 0,
  };
  usage.set(group, sums);
  let turn = '';
  let hasCalls = false; // whether the current turn has calls
  for (const message of asObjects(messages)) {
    const { role } = message;
    if (role === 'tool' || role === 'function') continue;
    const speaker = role === 'assistant' ? role : role === 'system' || role === 'user' ? 'client' : 'other';
    if (speaker !== turn) {
      if (speaker === 'client') sums.clientTurns += 1;
      if (speaker === 'assistant') sums.assistantTurns += 1;
      hasCalls = false;
    }
    turn = speaker;
    const calls = speaker === 'assistant' ? callsIn(message) : 0;
    sums.calls += calls;
    if (calls > 0 && !hasCalls) sums.withTools += 1;
    hasCalls ||= calls > 0;
  }
}

function callsIn({ tool_calls: calls, function_call: legacy, content }: JsonObject): number {
  if (Array.isArray(calls) && calls.length > 0) return calls.length;
  if (legacy !== undefined && legacy !== null) return 1;
  const parts = asObjects(content).filter(({ type, text }) => type === 'text' && asText(text) !== undefined);
  const text = asText(content) ?? parts.map((part) => part.text).join('');
  return text.split(TAG).length - 1;
}

/** Compares the report with the ledger's sessions by group and with the sums of the records. */
export async function checkUsage(
  root: string,
  groupBy: unknown,
  sessions: ReadonlyMap<string, number>,
  usage: UsageRecount,
  problems: Problems,
): Promise<void> {
  const expected = expectedRows(groupBy, sessions);
  let line = 0;
  for await (const row of rows(join(root, FILE))) {
    line += 1;
    if (line === 1) {
      problems.equal(FILE, 1, 'header', HEADER, row);
      continue;
    }
    const [, cells, count, calls, turns] = ROW.exec(row) ?? [];
    const wanted = expected.shift();
    problems.equal(FILE, line, 'group', wanted?.cells, cells);
    problems.equal(FILE, line, 'session_count', wanted?.sessions, Number(count));
    const counted = usage.get(wanted?.group ?? '');
    if (counted === undefined) continue;
    const { clientTurns, assistantTurns, withTools } = counted;
    const columns = [counted.calls, clientTurns, assistantTurns, withTools].join();
    problems.equal(FILE, line, 'its other counts', columns, `${calls},${turns}`);
  }
  problems.equal(FILE, undefined, 'rows after the last one', 0, expected.length);
}

/** Joins lines to rows, because the name of a group may contain a newline inside quotation marks. */
async function* rows(path: string): AsyncGenerator<string> {
  let row = '';
  try {
    for await (const text of pipeline(streamOwnFile(path), split2('\n'), () => undefined)) {
      row = row === '' ? text : `${row}\n${text}`;
      if (row.length < ROW_MAX_CHARS && (row.split('"').length - 1) % 2 === 1) continue;
      yield row;
      row = '';
    }
  } catch (error) {
    throw error instanceof TurnmillError ? error : ioError('read', path, error);
  }
  if (row !== '') yield row;
}

function expectedRows(
  groupBy: unknown,
  sessions: ReadonlyMap<string, number>,
): { group: string; cells: string; sessions: number }[] {
  return [...sessions]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([group, n]) => ({ group, cells: cellsOf(groupBy, cell(group)), sessions: n }));
}

function cellsOf(groupBy: unknown, group: string): string {
  if (groupBy === 'date') return `${group},`;
  return groupBy === 'scenario' ? `,${group}` : ',';
}

/** Formats a cell as in RFC 4180, without formulas; a lone surrogate becomes an escape. */
function cell(name: string): string {
  const text = Array.from(name, (c) =>
    /^[\ud800-\udfff]$/.test(c) ? `\\u${c.charCodeAt(0).toString(16)}` : c,
  ).join('');
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
