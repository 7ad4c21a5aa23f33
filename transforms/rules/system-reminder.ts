/**
 * Cuts the reminders that Claude Code adds to user messages and results. A user message without any other text is
 * dropped; a result stays, because its call needs it.
 */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { concat, replaceValue } from '../json/splice.ts';
import { encode, mayHold, parseJson } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { blockOf, withoutBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const ROLES: ReadonlySet<string> = new Set(['user', 'tool']);
const TAG = 'system-reminder';
const REMINDER = blockOf(TAG);
const EMPTY = encode('""');

function apply(message: Message): Message | undefined {
  if (!ROLES.has(message.role) || !mayHold(message.bytes, TAG)) return message;
  const content = valueBytes(message.bytes, 'content');
  if (content?.[0] !== QUOTE && content?.[0] !== OPEN_ARRAY) return message;
  const edited = content[0] === QUOTE ? editedText(content) : editedParts(content);
  if (edited === content) return message;
  if (edited === EMPTY && message.role === 'user') return undefined;
  return { ...message, bytes: replaceValue(message.bytes, 'content', edited) as Uint8Array };
}

/** The JSON string without reminders: the same bytes if there are none, `EMPTY` if nothing else is left. */
function editedText(json: Uint8Array): Uint8Array {
  const text = parseJson(json) as string;
  const rest = withoutBlocks(text, REMINDER);
  if (rest === text) return json;
  return rest === '' ? EMPTY : encode(quote(rest));
}

function editedParts(list: Uint8Array): Uint8Array {
  const parts = elementsOf(list);
  const edited = parts.map(editedPart);
  if (edited.every((part, i) => part === parts[i])) return list;
  const kept = edited.filter((part) => part !== undefined);
  if (kept.length === 0) return EMPTY;
  return concat([
    encode('['),
    ...kept.flatMap((part, i) => (i === 0 ? [part] : [encode(','), part])),
    encode(']'),
  ]);
}

/** The part without reminders; undefined if nothing else is left. */
function editedPart(part: Uint8Array): Uint8Array | undefined {
  if (part[0] !== OPEN_OBJECT || stringValue(part, 'type') !== 'text') return part;
  const text = valueBytes(part, 'text');
  if (text?.[0] !== QUOTE) return part;
  const edited = editedText(text);
  if (edited === text) return part;
  return edited === EMPTY ? undefined : replaceValue(part, 'text', edited);
}

const systemReminder: MessageRule = {
  name: 'system-reminder',
  summary:
    'Cuts <system-reminder> blocks out of user messages and results; drops a user message that is left empty.',
  on: 'message',
  apply,
};

export default systemReminder;
