/**
 * Is a tool called again with the same arguments (conversion.md §9)? A model trained on it learns to repeat its calls.
 * Arguments are compared as parsed JSON, through a key that equal values share: linear in the number of calls.
 */
import type { Conversation } from '../element.ts';
import { parseJson } from '../json/utf8.ts';
import { assistantCalls } from './assistant-calls.ts';
import type { ConversationCheck, Found } from './check.ts';
import { equalityKey } from './equality-key.ts';
import { shownName } from './shown-name.ts';

interface Use {
  readonly arguments: Uint8Array | undefined;
  /** Index of the message that calls. */
  readonly at: number;
}

/** Calls that could be the same share a name: the arguments of a tool that is called once are never parsed. */
function usesByName({ messages }: Conversation): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, Use[]>();
  messages.forEach((message, at) => {
    for (const call of assistantCalls(message)) {
      if (!call.name) continue;
      const use = { arguments: call.arguments, at };
      const known = uses.get(call.name);
      if (known === undefined) uses.set(call.name, [use]);
      else known.push(use);
    }
  });
  return uses;
}

/** The same for the same arguments: a JSON string stands for the value it holds, else for itself. */
function argumentsKey(json: Uint8Array | undefined): string {
  if (json === undefined) return 'none';
  const value = parseJson(json);
  if (typeof value !== 'string') return `json ${equalityKey(value)}`;
  try {
    return `json ${equalityKey(JSON.parse(value))}`;
  } catch {
    return `text ${value}`;
  }
}

function* check(conversation: Conversation): Generator<Found> {
  for (const [name, uses] of usesByName(conversation)) {
    if (uses.length < 2) continue;
    const counts = new Map<string, { readonly first: number; count: number }>();
    for (const use of uses) {
      const key = argumentsKey(use.arguments);
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { first: use.at, count: 1 });
      else known.count++;
    }
    for (const { first, count } of counts.values()) {
      if (count < 2) continue;
      const message = `tool ${shownName(name)} is called ${count} times with the same arguments, first in messages[${first}]`;
      yield { rule: 'repeated-tool-call', severity: 'WARNING', message };
    }
  }
}

const repeatedToolCall: ConversationCheck = {
  name: 'repeated-tool-call',
  summary: 'Calls of one tool with the same arguments, two or more times in one conversation.',
  rules: ['repeated-tool-call'],
  on: 'conversation',
  check,
};

export default repeatedToolCall;
