/** One line for a person about what a call does (formats.md §4): `reading: file.md`. */
import { isObject } from '../message.ts';

const EDITS = new Set(['write', 'append', 'line_edit']);

/** `reading: PATH`, `listing: PREFIX`, `editing: PATH`; of any other tool `tool: NAME`. `args` is an old name of `arguments`. */
export function formatToolActivity(call: {
  readonly name: string;
  readonly arguments?: unknown;
  readonly args?: unknown;
}): string {
  const { name } = call;
  const path = textArgument(call.arguments ?? call.args, 'path') ?? '[current file]';
  if (name === 'read') return `reading: ${path}`;
  if (name === 'list')
    return `listing: ${textArgument(call.arguments ?? call.args, 'prefix') ?? '[all files]'}`;
  return EDITS.has(name) ? `editing: ${path}` : `tool: ${name}`;
}

function textArgument(args: unknown, key: string): string | undefined {
  const value = isObject(args) ? args[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
