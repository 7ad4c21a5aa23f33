/**
 * Drops user messages that contain only `<info-msg>...</info-msg>` blocks: goose adds them to each request (clock,
 * working directory) and removes them again. A block ends at the first closing tag; linear.
 */
import type { Message } from '../model/element.ts';
import { firstVisible, textOf } from '../model/message.ts';
import { blockOf, isBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const BLOCKS = [blockOf('info-msg')];

/** Whether the text consists of complete blocks and white space. */
export const isInfo = (text: string): boolean => isBlocks(text, BLOCKS);

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
