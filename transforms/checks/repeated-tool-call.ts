/**
 * Reports tools that are called again with the same arguments: a model trained on that learns to repeat its calls.
 * Arguments are compared as parsed JSON, by a key that only equal values share, in time linear in the number of calls.
 */

import { isCrowdedText } from '../json/elements.ts';
import { decode } from '../json/utf8.ts';
import { eachAssistantCall } from '../model/assistant-calls.ts';
import type { Conversation, Message } from '../model/element.ts';
import { equalityDigest, equalityKey, parseExactly } from '../model/equality-key.ts';
import type { ToolCall } from '../model/tool-call.ts';
import type { ConversationCheck, Found } from './check.ts';
import { shownName } from './shown-name.ts';

interface Use {
  readonly arguments: Uint8Array | undefined;
  /** Index of the calling message. */
  readonly at: number;
}

/** Calls grouped by name. Leaves out tools that are called once, whose arguments need not be parsed. */
function usesByName({ messages }: Conversation): ReadonlyMap<string, readonly Use[]> {
  const called = new Set<string>();
  const uses = new Map<string, Use[]>();
  const count = ({ name }: ToolCall): void => {
    if (!name) return;
    if (called.has(name)) uses.set(name, []);
    else called.add(name);
  };
  for (const message of messages) eachAssistantCall(message, count);
  if (uses.size === 0) return uses;
  let at = 0;
  const add = (call: ToolCall): void => {
    if (call.name) uses.get(call.name)?.push({ arguments: call.arguments, at });
  };
  for (; at < messages.length; at++) eachAssistantCall(messages[at] as Message, add);
  return uses;
}

/** The value of a call's arguments. A string is parsed, if it is JSON and not crowded. */
function argumentsOf(json: Uint8Array | undefined): readonly ['none' | 'json' | 'text', unknown] {
  if (json === undefined) return ['none', null];
  const value = parseExactly(decode(json));
  if (typeof value !== 'string') return ['json', value];
  if (isCrowdedText(value)) return ['text', value];
  try {
    return ['json', parseExactly(value)];
  } catch {
    return ['text', value];
  }
}

/** Counts the calls with equal arguments. Skips those with a unique digest, because no others can be equal to them. */
function countsOf(uses: readonly Use[]): Iterable<{ readonly first: number; readonly count: number }> {
  const digests = uses.map((use) => equalityDigest(argumentsOf(use.arguments)[1]));
  const digestCounts = new Map<number, number>();
  for (const digest of digests) digestCounts.set(digest, (digestCounts.get(digest) ?? 0) + 1);
  const counts = new Map<string, { readonly first: number; count: number }>();
  uses.forEach((use, i) => {
    if (digestCounts.get(digests[i] as number) === 1) return;
    const [form, value] = argumentsOf(use.arguments);
    const key = `${form} ${equalityKey(value)}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { first: use.at, count: 1 });
    else known.count++;
  });
  return counts.values();
}

function* check(conversation: Conversation): Generator<Found> {
  for (const [name, uses] of usesByName(conversation)) {
    for (const { first, count } of countsOf(uses)) {
      if (count < 2) continue;
      const message = `tool ${shownName(name)} is called ${count} times with the same arguments, first in messages[${first}]`;
      yield { rule: 'repeated-tool-call', severity: 'WARNING', message };
    }
  }
}

const repeatedToolCall: ConversationCheck = {
  name: 'repeated-tool-call',
  summary: 'The same tool called twice or more with the same arguments in one conversation.',
  rules: ['repeated-tool-call'],
  on: 'conversation',
  check,
};

export default repeatedToolCall;
