import { isSameBytes } from '../../json/bytes.ts';
import type { Message } from '../../model/element.ts';
import { textOf } from '../../model/message.ts';

/** Whether two results of a call say the same: clients log one as a text, and again as a list with that text. */
export function isSameResult(one: Message, other: Message): boolean {
  if (isSameBytes(one.bytes, other.bytes)) return true;
  const [{ text, otherParts }, again] = [textOf(one), textOf(other)];
  return text !== undefined && text === again.text && !otherParts && !again.otherParts;
}
