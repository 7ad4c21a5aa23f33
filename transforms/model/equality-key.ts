/**
 * Maps JSON values to strings that are equal exactly if the values are equal: the order of keys is ignored, and numbers
 * are compared as parsed. Uses an explicit stack, because JSON in a string may be nested a million levels deep.
 */
import { isObject } from './message.ts';

/** @param value result of JSON.parse */
export function equalityKey(value: unknown): string {
  const pieces: string[] = [];
  const todo: unknown[] = [value];
  while (todo.length > 0) pieces.push(keyOf(todo.pop(), todo));
  return pieces.join('');
}

/** A number that is equal for equal values, and usually differs for others; takes a tenth of the time of the key. */
export function equalityDigest(value: unknown): number {
  let digest = 0;
  const todo: unknown[] = [value];
  while (todo.length > 0) {
    const next = todo.pop();
    if (typeof next === 'string') digest += textDigest(next);
    else if (typeof next === 'number')
      digest += (next * 1009) | 0; // -0 counts as 0
    else if (Array.isArray(next)) {
      digest += 7 + next.length;
      for (const item of next) todo.push(item);
    } else if (isObject(next)) {
      for (const key of Object.keys(next)) {
        digest += 13 * textDigest(key);
        todo.push(next[key]);
      }
    } else digest += next === null ? 3 : next === true ? 5 : 11;
    digest |= 0;
  }
  return digest;
}

const textDigest = (text: string): number => {
  const { length } = text;
  return length === 0
    ? 1
    : length * 31 + text.charCodeAt(0) * 7 + text.charCodeAt(length >> 1) * 17 + text.charCodeAt(length - 1);
};

/** Every piece starts with its length, so that the pieces of one value cannot be mistaken for those of another. */
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
