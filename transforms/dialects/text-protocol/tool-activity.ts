/** Describes a call in one line for display, such as `reading: file.md`. */
import { isTooDeep } from '../../json/nesting.ts';
import { isObject } from '../../model/message.ts';

const EDITS = new Set(['write', 'append', 'line_edit']);

/**
 * Returns `reading: PATH`, `listing: PREFIX` or `editing: PATH`; `tool: NAME` for a tool outside the protocol. A
 * missing path becomes `[file]`. `args` is an old name of `arguments`.
 */
export function formatToolActivity(call: {
  readonly name: string;
  readonly arguments?: unknown;
  readonly args?: unknown;
}): string {
  const { name } = call;
  const args = call.arguments ?? call.args;
  if (name === 'active_file') return 'reading: [current file]';
  if (name === 'list') return `listing: ${textArgument(args, 'prefix') ?? '[all files]'}`;
  const path = textArgument(args, 'path') ?? '[file]';
  if (name === 'read') return `reading: ${path}`;
  return EDITS.has(name) ? `editing: ${path}` : `tool: ${name}`;
}

/**
 * Returns the line for a message's first call, or null if it has none. Reads stored calls, calls in OpenAI's format
 * (`{"function": {"name", "arguments": "..."}}`), and the old key `toolCalls`.
 */
export function getActivityLine(message: Readonly<Record<string, unknown>>): string | null {
  const calls = message.tool_calls ?? message.toolCalls;
  const first: unknown = Array.isArray(calls) ? calls[0] : undefined;
  if (!isObject(first)) return null;
  const call = isObject(first.function) ? first.function : first;
  const { name } = call;
  if (typeof name !== 'string' || name === '') return null;
  return formatToolActivity({ name, arguments: parsedArguments(call.arguments ?? call.args) });
}

/** Parses arguments that are JSON text, unless it nests too deep to be written again; returns anything else as it is. */
export function parsedArguments(args: unknown): unknown {
  if (typeof args !== 'string' || isTooDeep(args)) return args;
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}

function textArgument(args: unknown, key: string): string | undefined {
  const value = isObject(args) ? args[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
