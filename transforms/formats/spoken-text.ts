/**
 * Answers whose words are not in their text: a refusal, which the chat completions API has in a member beside the
 * content and the Responses API in a part of it, and the transcript of speech. Formats that need a text write these words
 * as the text. An answer with a text keeps its other members.
 */
import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, valueBytes, valueSpan, valuesOf } from '../json/members.ts';
import { addMember, concat, dropMembers, editElements, replaceValue, spliced } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { firstVisible, objectBytes, stringValue, textOfValue } from '../model/message.ts';
import { isBlank } from '../model/white-space.ts';

const WORDS = ['content', 'refusal'];
const MEMBER = encode(',"content":');
const TEXT_PART = encode('{"type":"text","text":');
const CLOSE = encode('}');

/** Writes refusals and transcripts as contents. Returns the same object for a message that does not change. */
export function spokenAsText(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => (message.role === 'assistant' ? spoken(message) : message));
}

function spoken(message: Message): Message {
  if (firstVisible(message) !== undefined) return message;
  const [content, refusal] = valuesOf(message.bytes, WORDS);
  if (content?.[0] === OPEN_ARRAY && elementsOf(content).length > 0)
    return withoutRefusalParts(message, content);
  if (isSaid(refusal)) {
    const { bytes, role } = withContent(message, refusal);
    return { bytes: dropMembers(bytes, ({ key }) => key === 'refusal'), role };
  }
  const audio = objectBytes(message.bytes, 'audio');
  const transcript = audio && valueBytes(audio, 'transcript');
  return isSaid(transcript) ? withContent(message, transcript) : message;
}

function isSaid(json: Uint8Array | undefined): json is Uint8Array {
  return !isBlank(textOfValue(json) ?? '');
}

function withoutRefusalParts(message: Message, content: Uint8Array): Message {
  const edited = editElements(content, (part) => {
    if (part[0] !== OPEN_OBJECT || stringValue(part, 'type') !== 'refusal') return undefined;
    const refusal = valueBytes(part, 'refusal');
    return isSaid(refusal) ? concat([TEXT_PART, refusal, CLOSE]) : undefined;
  });
  return edited === content ? message : withContent(message, edited);
}

/** Replaces the content, or adds it after the role. */
export function withContent({ bytes, role }: Message, content: Uint8Array): Message {
  const replaced = replaceValue(bytes, 'content', content);
  if (replaced !== undefined) return { bytes: replaced, role };
  const at = valueSpan(bytes, 'role')?.end;
  if (at === undefined) return { bytes: addMember(bytes, 'content', content), role };
  return { bytes: spliced(bytes, [{ start: at, end: at, by: concat([MEMBER, content]) }]), role };
}
