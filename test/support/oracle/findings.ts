/** The rules that fire for a session, without severities, messages and the rules whose definition allows several results. */
import type { Conversation, SessionResult } from './session.ts';
import { absentOrNull, get, getString, type ObjectTree } from './tree.ts';

export type Finding = { readonly rule: string; readonly source: string; readonly session: string };

function callRules(m: ObjectTree): readonly string[] {
  if (getString(m, 'role') !== 'assistant') return [];
  const rules: string[] = [];
  if (!absentOrNull(get(m, 'function_call'))) rules.push('legacy-function-call');
  const calls = get(m, 'tool_calls');
  if (absentOrNull(calls)) return rules;
  if (calls?.kind !== 'array') return [...rules, 'tool-calls-not-a-list'];
  for (const call of calls.items) {
    const fn = get(call, 'function');
    if (call.kind !== 'object') rules.push('tool-call-not-object');
    else if (fn?.kind !== 'object') rules.push('tool-call-no-function');
    else if (!getString(fn, 'name')) rules.push('tool-call-no-name');
  }
  return rules;
}

/** A result answers the nearest earlier unanswered call with its id in its block. */
function orphanRules(messages: readonly ObjectTree[]): readonly string[] {
  let open: string[] = [];
  const rules: string[] = [];
  for (const m of messages) {
    const role = getString(m, 'role');
    const calls = get(m, 'tool_calls');
    if (role === 'assistant') {
      const items = calls?.kind === 'array' ? calls.items : [];
      open = items.map((call) => getString(call, 'id') ?? '');
    } else if (role === 'tool') {
      const id = getString(m, 'tool_call_id') ?? '';
      if (id === '' || !open.includes(id)) rules.push('tool-result-orphan');
    }
  }
  return rules;
}

/** Is the content neither text nor parts nor null? */
function hasOtherContent(m: ObjectTree): boolean {
  const content = get(m, 'content');
  return !absentOrNull(content) && content?.kind !== 'string' && content?.kind !== 'array';
}

function conversationRules(c: Conversation): readonly string[] {
  return [
    ...(c.tools.length === 0 ? ['no-tools'] : []),
    ...c.messages.flatMap(callRules),
    ...(c.messages.some(hasOtherContent) ? ['content-not-text'] : []),
    ...orphanRules(c.messages),
  ];
}

/** Each rule once per session. */
export function findingsOf(source: string, result: SessionResult): readonly Finding[] {
  if (result.rejected !== undefined) return [];
  const c = result.conversation;
  const rules = c === undefined ? ['no-record'] : conversationRules(c);
  return [...new Set(rules)].map((rule) => ({ rule, source, session: c?.sessionId ?? '' }));
}
