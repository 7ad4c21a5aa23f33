/** Drops the message about the machine and the working directory that begins each session of Gemini CLI. */
import { blockOf, dropBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const sessionContext: MessageRule = dropBlocks(
  'session-context',
  'Drops user messages of Gemini CLI that consist of a <session_context> block only.',
  [blockOf('session_context')],
  'user',
);

export default sessionContext;
