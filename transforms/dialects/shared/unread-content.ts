/**
 * Finds messages of which nothing shows what was said: a content that is neither a text nor a list of known parts, or an
 * empty one beside a member that says something; calls that are not a list; texts that are thoughts or calls. Dialects that
 * build messages reject them; those that copy messages copy these too, so that the formats reject the conversation
 * (`--on-finding unread-text=keep` writes it).
 */
import { DELETE, LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE, SPACE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { elementsOf, membersOf, type ValueSpan, valueAt, valueSpan } from '../../json/members.ts';
import { perObject } from '../../json/notes.ts';
import { trustingScanner } from '../../json/trusting-scanner.ts';
import { knownToolCalls } from '../../model/assistant-calls.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { firstVisible } from '../../model/message.ts';
import { sayingOf } from '../../model/reply.ts';
import { CHAT_MESSAGE } from './known-members.ts';
import { isKnownPart } from './known-parts.ts';
import { isPrintedAnswer, isPrintedBlocks } from './printed-value.ts';
import { unreadText } from './reading-notes.ts';
import { ASIDE, isResultOfModel } from './unreadable.ts';

/** Names that programs give to calls and results, and that are not read. shortcut-read.h has the same names. */
const CALLS: ReadonlySet<string> = new Set([
  ...['toolInvocations', 'tool_invocations', 'toolCalls', 'toolUses', 'tool_uses', 'functionCalls'],
  ...['function_calls', 'toolResults', 'tool_results'],
]);
/** Members with words, by the names that programs give them. Beside calls, only these are what the content lacks. */
const SPOKEN: ReadonlySet<string> = new Set([
  ...['text', 'output', 'output_text', 'completion', 'response', 'result', 'message', 'body', 'value'],
  ...['answer', 'reply', 'parts', 'contents', 'words'],
]);

/** The finding about a message; undefined if its content is known, or if it says nothing. */
export const unreadContent: (message: Message) => ReadingNote | undefined = perObject((message: Message) => {
  const { bytes } = message;
  const aside = message.role === 'assistant' ? (otherCalls(message) ?? otherChannel(bytes)) : undefined;
  if (aside !== undefined) return aside;
  const at = valueAt(bytes, 'content');
  const first = at < 0 ? LETTER_N : (bytes[at] as number);
  if (first === OPEN_ARRAY) {
    const parts = elementsOf(bytes.subarray(at, trustingScanner.value(bytes, at, 1)));
    const bad = parts.findIndex((part) => !isReadable(part) || isResultOfModel(part, message.role));
    if (bad >= 0) return unreadText(`content[${bad}] is not a part of a known type`);
    if (parts.length > 0) return undefined;
  } else if (first === QUOTE) {
    const next = bytes[at + 1] as number;
    const isPlain = next > SPACE && next < DELETE && next !== QUOTE;
    if (isPlain || firstVisible(message) !== undefined) return printedBlocks(message, at);
  } else if (first !== LETTER_N) return unreadText('the content is neither a text nor a list of parts');
  return saysElsewhere(message)
    ? unreadText('the content is empty, but another member says something')
    : undefined;
});

function printedBlocks({ bytes, role }: Message, at: number): ReadingNote | undefined {
  return role === 'assistant' && isPrintedBlocks(bytes, at)
    ? unreadText('the content is a list of blocks as a program printed it')
    : undefined;
}

/** Calls in another form than a list, such as the text of one, or under another name. */
function otherCalls(message: Message): ReadingNote | undefined {
  const calls = knownToolCalls(message);
  if (calls !== 'not-a-list') return (calls ?? []).length > 0 ? undefined : callsElsewhere(message.bytes);
  const { valueStart, end } = valueSpan(message.bytes, 'tool_calls') as ValueSpan;
  return isFilled(message.bytes[valueStart], end - valueStart)
    ? unreadText('the calls are not a list')
    : undefined;
}

function callsElsewhere(bytes: Uint8Array): ReadingNote | undefined {
  const other = membersOf(bytes).find(
    ({ key, valueStart, end }) => CALLS.has(key) && isFilled(bytes[valueStart], end - valueStart),
  );
  return other && unreadText(`the calls are in a member that is not read: ${other.key}`);
}

const CHANNEL = Buffer.from('"channel"');
/** Channels of the harmony format whose texts are not answers but thoughts, or calls with their `recipient`. */
const ASIDES: ReadonlySet<string | undefined> = new Set(['analysis', 'commentary']);

function otherChannel(bytes: Uint8Array): ReadingNote | undefined {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(CHANNEL)) return undefined;
  const message = new JsonView(bytes);
  const channel = message.get('channel')?.text();
  const isCall = message.get('recipient')?.type === 'string';
  if (!ASIDES.has(channel) || (channel === 'commentary' && !isCall)) return undefined;
  return unreadText(`in the channel ${channel}, the content is ${isCall ? 'a call' : 'a thought'}`);
}

/** A bare text in a list is text. */
const isReadable = (part: Uint8Array): boolean =>
  part[0] === QUOTE ? !isPrintedAnswer(new JsonView(part)) : isKnownPart(part);

function saysElsewhere(message: Message): boolean {
  const { bytes } = message;
  const isSilent = sayingOf(message) === 'nothing';
  return membersOf(bytes).some(({ key, valueStart, end }) => {
    const says = isFilled(bytes[valueStart], end - valueStart);
    return says && !CHAT_MESSAGE.names.has(key) && !ASIDE.has(key) && (isSilent || SPOKEN.has(key));
  });
}

/** Whether a value of this first byte and length is a text, a list or an object that is not empty. */
const isFilled = (first: number | undefined, length: number): boolean =>
  (first === QUOTE || first === OPEN_ARRAY || first === OPEN_OBJECT) && length > 2;
