/**
 * Turns the messages of a conversation into those of its record: inlines tool calls on request, renames `developer` to `system` and drops
 * null members (`null-fields`). An untouched message is returned as it is, so that it keeps its `raw` bytes.
 */
import { tryParseJson } from './parse-json.ts';
import { messageText, strip } from './text.ts';
import { get, getString, isNull, type ObjectTree, obj, replaced, str, type Tree } from './tree.ts';
import { dump, dumpString } from './write-python.ts';

function argumentsText(tree: Tree | undefined): string {
  if (tree === undefined) return '{}';
  if (tree.kind !== 'string') return dump(tree);
  const parsed = tryParseJson(tree.value);
  return dump(parsed ?? tree);
}

function callLine(call: Tree): readonly string[] {
  const fn = get(call, 'function');
  const name = getString(fn, 'name');
  if (fn?.kind !== 'object' || name === undefined) return [];
  const args = argumentsText(get(fn, 'arguments'));
  return [`<tool_call>{"name": ${dumpString(name)}, "arguments": ${args}}</tool_call>`];
}

/** The content keeps its place; if absent or null (which no record keeps) it goes to the end of the message. */
function withContent(m: ObjectTree, removedKey: string, content: string): ObjectTree {
  const rest = obj(m.members.filter((member) => member.key !== removedKey));
  const old = get(rest, 'content');
  if (old !== undefined && !isNull(old)) return replaced(rest, 'content', str(content));
  const others = rest.members.filter((member) => member.key !== 'content');
  return obj([...others, { key: 'content', value: str(content) }]);
}

/** The text of an inlined message; a number, an object or a boolean becomes its JSON text. */
function bodyText(m: ObjectTree): string {
  const content = get(m, 'content');
  const other =
    content?.kind === 'number' ||
    content?.kind === 'object' ||
    (content?.kind === 'literal' && content.text !== 'null');
  return other ? (content.raw ?? '').replaceAll('\r', ' ') : (messageText(m, '\n') ?? '');
}

export function inlined(m: ObjectTree): ObjectTree {
  const role = getString(m, 'role');
  const calls = get(m, 'tool_calls');
  if (role === 'assistant' && calls?.kind === 'array' && calls.items.length > 0) {
    const lines = [bodyText(m), ...calls.items.flatMap(callLine)];
    return withContent(m, 'tool_calls', strip(lines.join('\n')));
  }
  const id = getString(m, 'tool_call_id') ?? '';
  if (role !== 'tool' || id === '') return m;
  const body = bodyText(m);
  return withContent(m, 'tool_call_id', `<tool_result tool_call_id="${id}">${body}</tool_result>`);
}

function normalised(m: ObjectTree): ObjectTree {
  return getString(m, 'role') === 'developer' ? replaced(m, 'role', str('system')) : m;
}

function withoutNulls(m: ObjectTree): ObjectTree {
  const kept = m.members.filter((member) => !isNull(get(m, member.key) as Tree)); // the last one is effective
  return kept.length === m.members.length ? m : obj(kept);
}

export function writeMessage(m: ObjectTree, inline: boolean): ObjectTree {
  return withoutNulls(normalised(inline ? inlined(m) : m));
}
