/** Drops the message about the machine and the folder with which Gemini CLI begins each session. */
import type { Message } from '../model/element.ts';
import { firstVisible, textOf } from '../model/message.ts';
import { blockOf, isBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const BLOCKS = [blockOf('session_context')];

function apply(message: Message): Message | undefined {
  if (message.role !== 'user' || (firstVisible(message) ?? '<') !== '<') return message;
  const { text, otherParts } = textOf(message);
  return text !== undefined && !otherParts && isBlocks(text, BLOCKS) ? undefined : message;
}

const sessionContext: MessageRule = {
  name: 'session-context',
  summary: 'Drops user messages of Gemini CLI that consist of a <session_context> block only.',
  on: 'message',
  apply,
};

export default sessionContext;
