/**
 * The tool usage report: one row per group with a record, groups in bytewise order. Counts the conversation itself, before a format
 * rewrites its messages.
 */
import type { GroupBy } from './group.ts';
import type { Conversation } from './session.ts';
import { messageText } from './text.ts';
import { absentOrNull, get, getString, type ObjectTree } from './tree.ts';

export type UsageRow = readonly string[];

export const USAGE_HEADER: UsageRow = [
  'date',
  'scenario',
  'session_count',
  'tool_call_count',
  'tool_definition_count',
  'client_turns',
  'assistant_turns',
  'assistant_turns_with_tools',
];

function callCount(m: ObjectTree): number {
  if (getString(m, 'role') !== 'assistant') return 0;
  const calls = get(m, 'tool_calls');
  if (calls?.kind === 'array' && calls.items.length > 0) return calls.items.length;
  if (!absentOrNull(get(m, 'function_call'))) return 1;
  return (messageText(m) ?? '').split('<tool_call>').length - 1;
}

type Turn = { readonly side: 'client' | 'assistant' | 'other'; withTools: boolean };

function turnsOf(messages: readonly ObjectTree[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const m of messages) {
    const role = getString(m, 'role') ?? '';
    if (role === 'tool' || role === 'function') continue;
    const client = role === 'system' || role === 'user' || role === 'developer';
    const side = client ? 'client' : role === 'assistant' ? 'assistant' : 'other';
    const last = turns.at(-1);
    const turn: Turn = last?.side === side ? last : { side, withTools: false };
    if (turn !== last) turns.push(turn);
    turn.withTools ||= callCount(m) > 0;
  }
  return turns;
}

function inert(cell: string): string {
  return /^[=+\-@]/.test(cell) ? `'${cell}` : cell;
}

function usageRow(group: string, conversations: readonly Conversation[], groupBy: GroupBy): UsageRow {
  const messages = conversations.flatMap((c) => c.messages);
  const turns = conversations.flatMap((c) => turnsOf(c.messages));
  const names = new Set(conversations.flatMap((c) => c.tools.map((tool) => tool.name)));
  names.delete(undefined);
  const counts = [
    conversations.length,
    messages.reduce((sum, m) => sum + callCount(m), 0),
    names.size,
    turns.filter((t) => t.side === 'client').length,
    turns.filter((t) => t.side === 'assistant').length,
    turns.filter((t) => t.side === 'assistant' && t.withTools).length,
  ];
  const date = groupBy === 'date' ? group : '';
  const scenario = groupBy === 'scenario' ? inert(group) : '';
  return [date, scenario, ...counts.map(String)];
}

export function usageRows(
  groups: ReadonlyMap<string, readonly Conversation[]>,
  groupBy: GroupBy,
): readonly UsageRow[] {
  return [...groups]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([group, conversations]) => usageRow(group, conversations, groupBy));
}
