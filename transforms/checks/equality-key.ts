/**
 * A string that is the same for equal JSON values and for no others: key order does not count, numbers count as
 * parsed. With an explicit stack: arguments that were a JSON string may nest a million levels deep.
 */
import { isObject } from '../message.ts';

/** @param value what JSON.parse made */
export function equalityKey(value: unknown): string {
  const pieces: string[] = [];
  const todo: unknown[] = [value];
  while (todo.length > 0) pieces.push(keyOf(todo.pop(), todo));
  return pieces.join('');
}

/** Every piece tells its own length, so that the pieces of one value cannot be read as those of another. */
function keyOf(value: unknown, todo: unknown[]): string {
  if (typeof value === 'string') return `"${value.length}:${value}`;
  if (Array.isArray(value)) {
    for (let i = value.length - 1; i >= 0; i--) todo.push(value[i]);
    return `[${value.length}:`;
  }
  if (!isObject(value)) return `${value};`; // -0 is written as 0
  const keys = Object.keys(value).sort();
  for (let i = keys.length - 1; i >= 0; i--) {
    const key = keys[i] as string;
    todo.push(value[key], key);
  }
  return `{${keys.length}:`;
}
