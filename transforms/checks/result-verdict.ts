/**
 * Classifies a tool result: an error if its text, one of its parts or the text of a part is JSON with a truthy member `error`, `timeout`, `missing` or
 * `incomplete` at any depth. Most results are classified by their first character; nothing recurses.
 */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { isCrowdedText } from '../json/elements.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { decode, latin1 } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { firstVisible, isObject, textOf, textOfValue } from '../model/message.ts';
import { isBlank, skipSpace } from '../model/white-space.ts';

export type Verdict = 'ok' | 'empty' | 'error';

const ERROR_KEYS: ReadonlySet<string> = new Set(['error', 'timeout', 'missing', 'incomplete']);
/** Matches the keys, or an escape that may be part of one. A text without a match has no such key. */
const MAY_HAVE_ERROR_KEY = /error|timeout|missing|incomplete|\\u/i;

/**
 * The same for the JSON text of a string, in which keys have escaped quotes and any ASCII may be written as an escape.
 */
const MAY_HAVE_ERROR_KEY_WITHIN = /\\"(?:error|timeout|missing|incomplete)\\"|\\u00[0-7]/i;

export function verdictOf(result: Message): Verdict {
  const content = valueBytes(result.bytes, 'content');
  if (content === undefined || content[0] === LETTER_N) return 'empty';
  const first = firstVisible(result);
  if (first !== undefined) {
    const mayBeError = (first === '{' || first === '[') && MAY_HAVE_ERROR_KEY_WITHIN.test(latin1(content));
    if (!mayBeError) return 'ok';
  }
  const { text, otherParts } = textOf(result);
  if (isErrorText(text ?? '') || (content[0] === OPEN_ARRAY && isErrorList(content))) return 'error';
  if (text === undefined) return 'ok'; // a number or an object: unusual, but not empty
  return isBlank(text) && !otherParts ? 'empty' : 'ok';
}

/** Is one of the parts an error, or the text of one? */
function isErrorList(content: Uint8Array): boolean {
  return isErrorText(decode(content)) || elementsOf(content).some(isErrorPart);
}

function isErrorPart(part: Uint8Array): boolean {
  const text = part[0] === OPEN_OBJECT ? textOfValue(valueBytes(part, 'text')) : textOfValue(part);
  return text !== undefined && isErrorText(text);
}

/** Is the text JSON with a truthy member that reports an error? */
export function isErrorText(text: string): boolean {
  const first = text.charCodeAt(skipSpace(text, 0));
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return false;
  if (!MAY_HAVE_ERROR_KEY.test(text) || isCrowdedText(text)) return false;
  try {
    return hasErrorKey(JSON.parse(text));
  } catch {
    return false;
  }
}

function hasErrorKey(root: unknown): boolean {
  const todo: unknown[] = [root];
  while (todo.length > 0) {
    const value = todo.pop();
    if (Array.isArray(value)) {
      for (const item of value) todo.push(item);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        const item = value[key];
        if (ERROR_KEYS.has(key.toLowerCase()) && isTruthy(item)) return true;
        todo.push(item);
      }
    }
  }
  return false;
}

/** Truthy as in Python: empty lists and objects are not. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value);
}
