/** The report on the use of tools: counts of one conversation, sums per group, and the CSV file. */

import { valueBytes } from '../json/members.ts';
import { mayHold } from '../json/utf8.ts';
import { eachAssistantCall, hasFunctionCall } from './assistant-calls.ts';
import type { Conversation, Message } from './element.ts';
import type { Grouping } from './group.ts';
import { keyOf } from './hashed-set.ts';
import { textOf } from './message.ts';
import { words } from './words.ts';

/** Counts of one conversation. */
export interface ToolUsage {
  readonly toolCalls: number;
  /** The distinct names of its tool definitions. */
  readonly definitions: readonly string[];
  /** Runs of consecutive system and user messages. */
  readonly clientTurns: number;
  /** Runs of consecutive assistant messages. */
  readonly assistantTurns: number;
  /** Assistant turns with a call in one of their messages. */
  readonly assistantTurnsWithTools: number;
}

/** Sums of one group, updated by `addUsage`. */
export interface GroupUsage {
  sessions: number;
  toolCalls: number;
  /** Distinct names of its tool definitions, as keys of hashed-set.ts. */
  readonly definitions: Set<string>;
  clientTurns: number;
  assistantTurns: number;
  assistantTurnsWithTools: number;
}

export type UsageByGroup = Map<string, GroupUsage>;

const OPEN_CALL = '<tool_call>';
const CLIENT: ReadonlySet<string> = new Set(['system', 'user']);
const BETWEEN: ReadonlySet<string> = new Set(['tool', 'function']);

/** Number of calls of an assistant message: in `tool_calls`, else `function_call`, else as tags in its text. */
function callCount(message: Message): number {
  let calls = 0;
  eachAssistantCall(message, () => calls++);
  if (calls > 0) return calls;
  if (hasFunctionCall(message)) return 1;
  const content = valueBytes(message.bytes, 'content');
  if (content === undefined || !mayHold(content, 'tool_call')) return 0;
  return (textOf(message).text ?? '').split(OPEN_CALL).length - 1;
}

export function usageOf({ messages, tools }: Conversation): ToolUsage {
  let toolCalls = 0;
  let clientTurns = 0;
  let assistantTurns = 0;
  let assistantTurnsWithTools = 0;
  let speaker: 'client' | 'assistant' | undefined;
  let isCounted = false; // whether the current assistant turn is among those with tools
  for (const message of messages) {
    if (BETWEEN.has(message.role)) continue;
    if (message.role === 'assistant') {
      if (speaker !== 'assistant') {
        assistantTurns++;
        isCounted = false;
      }
      speaker = 'assistant';
      const calls = callCount(message);
      toolCalls += calls;
      if (calls > 0 && !isCounted) {
        assistantTurnsWithTools++;
        isCounted = true;
      }
    } else if (CLIENT.has(message.role)) {
      if (speaker !== 'client') clientTurns++;
      speaker = 'client';
    } else speaker = undefined;
  }
  const names = new Set<string>();
  for (const { name } of tools) if (name !== undefined) names.add(name);
  return { toolCalls, definitions: [...names], clientTurns, assistantTurns, assistantTurnsWithTools };
}

function sumsOf(groups: UsageByGroup, group: string): GroupUsage {
  const sums = groups.get(group) ?? {
    sessions: 0,
    toolCalls: 0,
    definitions: new Set(),
    clientTurns: 0,
    assistantTurns: 0,
    assistantTurnsWithTools: 0,
  };
  groups.set(group, sums);
  return sums;
}

/** The sums of a group as plain data. */
export interface UsageRow extends Omit<GroupUsage, 'definitions'> {
  readonly group: string;
  readonly definitions: readonly string[];
}

export function usageRows(groups: UsageByGroup): readonly UsageRow[] {
  return [...groups].map(([group, sums]) => ({ ...sums, group, definitions: [...sums.definitions] }));
}

/** Adds the sums of other sessions. */
export function addUsageRows(groups: UsageByGroup, rows: readonly UsageRow[]): void {
  for (const row of rows) {
    const sums = sumsOf(groups, row.group);
    addCounts(sums, row, row.sessions);
    for (const key of row.definitions) sums.definitions.add(key);
  }
}

export function addUsage(groups: UsageByGroup, group: string, usage: ToolUsage): void {
  const sums = sumsOf(groups, group);
  addCounts(sums, usage, 1);
  for (const name of usage.definitions) sums.definitions.add(keyOf(name));
}

function addCounts(sums: GroupUsage, counts: Omit<ToolUsage, 'definitions'>, sessions: number): void {
  sums.sessions += sessions;
  sums.toolCalls += counts.toolCalls;
  sums.clientTurns += counts.clientTurns;
  sums.assistantTurns += counts.assistantTurns;
  sums.assistantTurnsWithTools += counts.assistantTurnsWithTools;
}

const HEADER = words(`
  date scenario session_count tool_call_count tool_definition_count client_turns assistant_turns
  assistant_turns_with_tools
`);

/** The CSV file: one row per group, sorted by the bytes of the name. */
export function usageCsv(groups: ReadonlyMap<string, GroupUsage>, groupBy: Grouping): string {
  const rows = [...groups]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([group, sums]) => [
      groupBy === 'date' ? group : '',
      groupBy === 'scenario' ? group : '',
      sums.sessions,
      sums.toolCalls,
      sums.definitions.size,
      sums.clientTurns,
      sums.assistantTurns,
      sums.assistantTurnsWithTools,
    ]);
  return [HEADER, ...rows].map((row) => `${row.map(csvCell).join(',')}\n`).join('');
}

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** Quotes a cell by RFC 4180. A leading `=` or the like is escaped, so that no spreadsheet runs a name as a formula. */
function csvCell(cell: string | number): string {
  const shown = String(cell).replace(LONE_SURROGATE, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
  const text = /^[=+\-@\t\r]/.test(shown) ? `'${shown}` : shown;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
