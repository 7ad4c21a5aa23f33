/**
 * Turns a tree into an entry, or the first reason against it. The order of the reasons is fixed: not-an-object, duplicate-key,
 * bad-timestamp, bad-session-id, bad-messages, bad-tools, bad-response.
 */

import { strip } from './text.ts';
import { timestampNs } from './timestamp.ts';
import { absentOrNull, get, getString, type ObjectTree, obj, replaced, str, type Tree } from './tree.ts';

export type Entry = {
  readonly sessionId: string;
  readonly ns: bigint;
  readonly messages: readonly ObjectTree[];
  readonly tools: readonly ObjectTree[];
  readonly reply: ObjectTree | undefined;
  /** The reply was logged without a role. */
  readonly roleAdded: boolean;
};

function repeats(tree: Tree | undefined, keys: readonly string[]): boolean {
  if (tree?.kind !== 'object') return false;
  return keys.some((key) => tree.members.filter((m) => m.key === key).length > 1);
}

function objects(tree: Tree | undefined): readonly ObjectTree[] | undefined {
  if (tree?.kind !== 'array') return undefined;
  const found = tree.items.filter((item) => item.kind === 'object');
  return found.length === tree.items.length ? found : undefined;
}

function replyOf(response: Tree | undefined): ObjectTree | undefined {
  const choices = get(response, 'choices');
  const message = choices?.kind === 'array' ? get(choices.items[0], 'message') : undefined;
  return message?.kind === 'object' && isAnswer(message) ? message : undefined;
}

const SPEAKING = 'content tool_calls function_call refusal audio'.split(' ');
const REASONING = 'reasoning_content thinking reasoning reasoning_details thinking_blocks'.split(' ');

function isBlankText(part: Tree): boolean {
  const text = getString(part, 'text');
  return getString(part, 'type') === 'text' && text !== undefined && strip(text) === '';
}

/** Null, blank text, an empty array and a content of blank text parts count as empty. */
function hasContent(value: Tree | undefined, key: string): boolean {
  if (absentOrNull(value)) return false;
  if (value?.kind === 'array') return !value.items.every((item) => key === 'content' && isBlankText(item));
  return value?.kind !== 'string' || strip(value.value) !== '';
}

/** A thought alone, in a member or in tags, is not an answer. */
function isAnswer(message: ObjectTree): boolean {
  const content = getString(message, 'content');
  if (content !== undefined && /^<think>(?:(?!<\/think>)[\s\S])*<\/think>$/.test(strip(content)))
    return false;
  return SPEAKING.some((key) => hasContent(get(message, key), key));
}

export function isLoneThought(message: ObjectTree): boolean {
  if (getString(message, 'role') !== 'assistant' || isAnswer(message)) return false;
  return REASONING.some((key) => hasContent(get(message, key), key)) || messageHasTags(message);
}

const messageHasTags = (message: ObjectTree): boolean =>
  strip(getString(message, 'content') ?? '').startsWith('<think>');

/** Gives the reply the assistant's role: first adds a missing one, then replaces one that is empty or not a text. */
function withRole(reply: ObjectTree): ObjectTree {
  if (getString(reply, 'role')) return reply;
  const role = str('assistant');
  return get(reply, 'role') === undefined
    ? obj([{ key: 'role', value: role }, ...reply.members])
    : replaced(reply, 'role', role);
}

/** The entry, or the reason of the line's rejection. */
export function toEntry(tree: Tree): Entry | string {
  if (tree.kind !== 'object') return 'not-an-object';
  const request = get(tree, 'request');
  if (repeats(tree, ['timestamp', 'session_id', 'request', 'response'])) return 'duplicate-key';
  if (repeats(request, ['messages', 'tools'])) return 'duplicate-key';
  const ns = timestampNs(get(tree, 'timestamp'));
  if (ns === undefined) return 'bad-timestamp';
  const sessionId = getString(tree, 'session_id') ?? '';
  if (sessionId === '') return 'bad-session-id';
  const messages = objects(get(request, 'messages'));
  if (messages?.every((m) => getString(m, 'role') !== undefined) !== true) return 'bad-messages';
  const toolsTree = get(request, 'tools');
  const tools = absentOrNull(toolsTree) ? [] : objects(toolsTree);
  if (tools === undefined) return 'bad-tools';
  const response = get(tree, 'response');
  if (!absentOrNull(response) && response?.kind !== 'object') return 'bad-response';
  const logged = replyOf(response);
  const reply = logged && withRole(logged);
  return { sessionId, ns, messages: messages ?? [], tools, reply, roleAdded: reply !== logged };
}
