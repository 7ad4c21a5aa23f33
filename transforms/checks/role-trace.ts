/**
 * The role trace of a list of messages: the role of each and, for an assistant, whether it has text, calls or both.
 * Messages that two lists share are not compared: entries reuse the objects of the previous entry.
 */

import { OPEN_ARRAY } from '../json/bytes.ts';
import { valueSpan } from '../json/members.ts';
import { perObject } from '../json/notes.ts';
import { hasCalls, hasFunctionCall } from '../model/assistant-calls.ts';
import type { Message } from '../model/element.ts';
import { contentOf, firstVisible, isObject, textOf } from '../model/message.ts';
import { isBlank } from '../model/white-space.ts';

/** Abbreviation of a role: `S`, `U`, `R`, `T`, `A`, `Ac`, `At`, `Act`; for any other role its name in quotes. */
export const roleSign: (message: Message) => string = perObject((message: Message) => {
  switch (message.role) {
    case 'system':
    case 'developer':
      return 'S';
    case 'tool':
    case 'function':
      return 'T';
    case 'user':
      return isResults(message) ? 'R' : 'U';
    case 'assistant':
      return assistantSign(message);
    default:
      return JSON.stringify(message.role);
  }
});

const isPart = (part: unknown, type: string): boolean => isObject(part) && part.type === type;

function isResults(message: Message): boolean {
  const span = valueSpan(message.bytes, 'content');
  if (span === undefined || message.bytes[span.valueStart] !== OPEN_ARRAY) return false;
  const content = contentOf(message);
  return Array.isArray(content) && content.length > 0 && content.every((part) => isPart(part, 'tool_result'));
}

function assistantSign(message: Message): string {
  const calling = hasCalls(message) || hasFunctionCall(message);
  if (firstVisible(message) !== undefined) return calling ? 'Act' : 'Ac';
  const content = contentOf(message);
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const uses = parts.filter((part) => isPart(part, 'tool_use')).length;
  const others = parts.filter((part) => !isPart(part, 'tool_use') && !isPart(part, 'text')).length;
  const text = textOf(message).text ?? '';
  const speaks = others > 0 || !isBlank(text);
  return `A${speaks ? 'c' : ''}${calling || uses > 0 ? 't' : ''}`;
}

/** Where two traces diverge: an index into each list. */
export interface Parting {
  readonly earlier: number;
  readonly later: number;
}

/**
 * Where the earlier trace stops being a prefix of the later one; undefined if it is one. `Ac At` in the earlier trace
 * equals `Act` in the later one: some clients first log the text and the calls of a turn as two messages.
 */
export function partingOf(earlier: readonly Message[], later: readonly Message[]): Parting | undefined {
  for (let i = 0, j = 0; i < earlier.length; i++, j++) {
    const before = earlier[i] as Message;
    const after = later[j];
    if (after === undefined) return { earlier: i, later: j };
    if (before === after || roleSign(before) === roleSign(after)) continue;
    if (roleSign(before) !== 'Ac' || roleSign(after) !== 'Act') return { earlier: i, later: j };
    const next = earlier[i + 1];
    if (next === undefined || roleSign(next) !== 'At') return { earlier: i, later: j };
    i++;
  }
  return undefined;
}
