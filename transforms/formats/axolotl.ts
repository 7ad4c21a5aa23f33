/**
 * Format `axolotl`: for axolotl's `type: chat_template`. Like `trl`, but with `--arrow-safe` by default: `tools` is one
 * JSON string, and all `arguments` are JSON strings with an object (or the record is rejected). Messages keep
 * `reasoning_content` and all other members.
 */
import { type ArrowSafe, arrowSafeOption } from './arrow-safe.ts';
import { markedByMember } from './context-marks.ts';
import type { Format } from './format.ts';
import trl, { templateRecord } from './trl.ts';

const axolotl: Format<ArrowSafe> = {
  ...trl,
  name: 'axolotl',
  summary: 'Like trl, with tools and arguments as JSON strings that Arrow cannot re-type: for axolotl.',
  context: markedByMember('train', 'false'),
  options: { arrowSafe: arrowSafeOption(true) },
  metadata: ({ arrowSafe = true }) => (arrowSafe ? 'string' : 'object'),
  encode: (conversation, { arrowSafe = true } = {}) => templateRecord(conversation, arrowSafe),
};

export default axolotl;
