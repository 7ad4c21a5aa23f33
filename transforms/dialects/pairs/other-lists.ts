/** Finds messages that a logged call has in a second list, beside the one that is read. */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { parseJson } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { present, structured } from '../shared/logged-values.ts';
import { geminiRequest } from '../shared/other-apis.ts';
import { messagesIn, textsOf } from '../shared/said-texts.ts';
import { unreadMember } from '../shared/unread-text.ts';
import type { Answer } from './answer.ts';
import { isResponsesRequest } from './request.ts';

/** Members that may hold the messages of a call. */
const LISTS = ['messages', 'input', 'prompt', 'contents'] as const;
/** Members of a request that hold its system text. */
const SYSTEM = ['system', 'instructions', 'systemInstruction', 'system_instruction'] as const;

/**
 * The finding about a list of messages that says what neither the request nor the answer says; undefined without one.
 * @param json the logged object
 */
export function otherList(request: JsonView, answer: Answer, json: JsonView): ReadingNote | undefined {
  const own = readIn(request);
  const places = [request, json, structured(json.get('request'))].filter(present);
  const others = places.flatMap((place) =>
    LISTS.flatMap((key) => {
      const list = structured(place.get(key));
      return list !== undefined && messagesIn(list).length > 0 && !hasBytesOf(list, own)
        ? [[key, list] as const]
        : [];
    }),
  );
  if (others.length === 0) return undefined;
  const said = new Set<string>();
  for (const view of [own, ...SYSTEM.map((key) => request.get(key))]) addTexts(view?.parsed(), said);
  for (const { message } of answer.messages)
    if (message !== undefined) addTexts(parseJson(message.bytes), said);
  const other = others.find(([, list]) => list.elements().some((message) => saysMore(message, said)));
  return other && unreadMember('the call', other[0], 'messages in another list too');
}

/** The value whose messages are read. */
function readIn(request: JsonView): JsonView | undefined {
  const gemini = geminiRequest(request);
  if (gemini !== undefined) return structured(gemini.get('contents'));
  if (isResponsesRequest(request)) return structured(request.get('input'));
  return structured(request.get('messages') ?? request.get('prompt'));
}

const hasBytesOf = (list: JsonView, own: JsonView | undefined): boolean =>
  own !== undefined && isSameBytes(list.bytes, own.bytes);

/** Does a message have a text that is not among these? */
const saysMore = (message: JsonView, said: ReadonlySet<string>): boolean =>
  textsOf(message).some((text) => text.trim() !== '' && !said.has(text.trim()));

/** Adds all texts in a parsed value. */
function addTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string') texts.add(value.trim());
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addTexts(inner, texts);
}
