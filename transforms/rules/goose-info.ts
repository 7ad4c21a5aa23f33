/**
 * Drops user messages that contain only `<info-msg>...</info-msg>` blocks: goose adds them to each request (clock,
 * working directory) and removes them again.
 */
import { blockOf, dropBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const gooseInfo: MessageRule = dropBlocks(
  'goose-info',
  'Drops user messages that consist of <info-msg> blocks only.',
  [blockOf('info-msg')],
  'user',
);

export default gooseInfo;
