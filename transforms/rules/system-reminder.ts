/**
 * Cuts the reminders that Claude Code adds: as a separate text or part, and in new lines at the end of a result.
 * Others are quoted by the user or by a file. A user message without any other text is dropped. A result that begins with
 * a reminder and has nothing else is the answer of the tool, such as that a file is empty: it stays.
 */
import { joinStrings } from '../dialects/shared/build-messages.ts';
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { concat, replaceValue } from '../json/splice.ts';
import { encode, mayHold, parseJson } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { stripEnd } from '../model/white-space.ts';
import { blockOf, isBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const ROLES: ReadonlySet<string> = new Set(['user', 'tool']);
const TAG = 'system-reminder';
const REMINDER = blockOf(TAG);
const EMPTY = encode('""');

function apply(message: Message): Message | undefined {
  if (!ROLES.has(message.role) || !mayHold(message.bytes, TAG)) return message;
  const content = valueBytes(message.bytes, 'content');
  if (content?.[0] !== QUOTE && content?.[0] !== OPEN_ARRAY) return message;
  if (message.joined !== undefined) return withoutReminders(message, message.joined);
  const isResult = message.role === 'tool';
  const edited = content[0] === QUOTE ? editedWhole(content, isResult) : editedParts(content, isResult);
  if (edited === content) return message;
  if (edited === EMPTY && message.role === 'user') return undefined;
  return { ...message, bytes: replaceValue(message.bytes, 'content', edited) as Uint8Array };
}

/** The message without those of its texts that are reminders. @param texts what its content joins */
function withoutReminders(message: Message, texts: readonly Uint8Array[]): Message | undefined {
  const kept = texts.filter((text) => editedText(text, false) !== EMPTY);
  if (kept.length === texts.length) return message;
  if (kept.length === 0) return undefined;
  const bytes = replaceValue(message.bytes, 'content', joinStrings(kept)) as Uint8Array;
  return { ...message, bytes, joined: kept };
}

/** The JSON string without reminders: the same bytes if there are none, `EMPTY` if nothing else is left. */
function editedText(json: Uint8Array, isResult: boolean): Uint8Array {
  const text = parseJson(json) as string;
  if (isBlocks(text, [REMINDER])) return EMPTY;
  const rest = isResult ? withoutTail(text) : text;
  return rest === text ? json : encode(quote(rest));
}

/** As `editedText`, for a text that is all of a content: a result that begins with a reminder keeps it. */
function editedWhole(json: Uint8Array, isResult: boolean): Uint8Array {
  const text = parseJson(json) as string;
  const isAnswer = isResult && text.startsWith(REMINDER.open) && isBlocks(text, [REMINDER]);
  if (!isAnswer) return editedText(json, isResult);
  const rest = withoutTail(text);
  return rest === text ? json : encode(quote(rest));
}

/** The text without the reminders that are the last lines of it; the same text if there are none. */
function withoutTail(text: string): string {
  const { open, close } = REMINDER;
  let rest = text;
  for (;;) {
    const whole = stripEnd(rest);
    const start = whole.endsWith(close) ? whole.lastIndexOf(`\n${open}`) : -1;
    const end = start < 0 ? -1 : whole.indexOf(close, start) + close.length;
    if (end !== whole.length) return rest;
    rest = stripEnd(whole.slice(0, start));
  }
}

function editedParts(list: Uint8Array, isResult: boolean): Uint8Array {
  const parts = elementsOf(list);
  const edited = parts.map((part) => editedPart(part, isResult));
  if (edited.every((part, i) => part === parts[i])) return list;
  const kept = edited.filter((part) => part !== undefined);
  if (kept.length === 0) return isResult ? answerIn(parts, list) : EMPTY;
  return concat([
    encode('['),
    ...kept.flatMap((part, i) => (i === 0 ? [part] : [encode(','), part])),
    encode(']'),
  ]);
}

/** The first part of a result that is nothing but reminders, as a list; `EMPTY` if it is not the answer of a tool. */
function answerIn([part, ...others]: readonly Uint8Array[], list: Uint8Array): Uint8Array {
  if (part === undefined) return list;
  const text = valueBytes(part, 'text') as Uint8Array;
  const edited = editedWhole(text, true);
  if (edited === EMPTY) return EMPTY;
  if (edited === text && others.length === 0) return list;
  return concat([encode('['), replaceValue(part, 'text', edited) as Uint8Array, encode(']')]);
}

/** The part without reminders; undefined if nothing else is left. */
function editedPart(part: Uint8Array, isResult: boolean): Uint8Array | undefined {
  if (part[0] !== OPEN_OBJECT || stringValue(part, 'type') !== 'text') return part;
  const text = valueBytes(part, 'text');
  if (text?.[0] !== QUOTE) return part;
  const edited = editedText(text, isResult);
  if (edited === text) return part;
  return edited === EMPTY ? undefined : replaceValue(part, 'text', edited);
}

const systemReminder: MessageRule = {
  name: 'system-reminder',
  summary:
    'Cuts <system-reminder> blocks that are a text or a part alone, or the last lines of a result; drops a user message that is left empty. One that is all of a result stays.',
  on: 'message',
  apply,
};

export default systemReminder;
