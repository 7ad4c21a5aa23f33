/**
 * Drops user messages that contain only `<info-msg>...</info-msg>` blocks: goose adds them to each request (clock,
 * working directory) and removes them again. A block ends at the first closing tag; linear.
 */
import type { Message } from '../model/element.ts';
import { firstVisible, textOf } from '../model/message.ts';
import { skipSpace } from '../model/white-space.ts';
import type { MessageRule } from './rule.ts';

const OPEN = '<info-msg>';
const CLOSE = '</info-msg>';

/** Is the text one or more complete blocks and white space? */
export function isInfo(text: string): boolean {
  let p = skipSpace(text, 0);
  if (p === text.length) return false;
  while (p < text.length) {
    if (!text.startsWith(OPEN, p)) return false;
    const close = text.indexOf(CLOSE, p + OPEN.length);
    if (close < 0) return false;
    p = skipSpace(text, close + CLOSE.length);
  }
  return true;
}

function apply(message: Message): Message | undefined {
  if (message.role !== 'user' || (firstVisible(message) ?? '<') !== '<') return message;
  const { text, otherParts } = textOf(message);
  return text !== undefined && !otherParts && isInfo(text) ? undefined : message;
}

const gooseInfo: MessageRule = {
  name: 'goose-info',
  summary: 'Drops user messages that consist of <info-msg> blocks only.',
  on: 'message',
  apply,
};

export default gooseInfo;
