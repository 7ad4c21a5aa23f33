/**
 * Format `axolotl`: for axolotl's `type: chat_template`. Like `trl`, but with `--arrow-safe` by default: `tools` is one
 * JSON string, and all `arguments` are JSON strings with an object (or the record is rejected). Messages keep
 * `reasoning_content` and all other members.
 */
import { valueSpan } from '../json/members.ts';
import { type ArrowSafe, arrowSafeOption } from './arrow-safe.ts';
import { chatColumns } from './columns.ts';
import { type ContextMarks, editAnswers, withMember } from './context-marks.ts';
import type { Format } from './format.ts';
import trl, { templateRecord } from './trl.ts';

/** All answers have the member: a loader with columns fails if it is missing in the first records that it reads. */
const trained: ContextMarks = {
  meaning: 'all answers have `"train": true`, or `"train": false` if they are context',
  inAll: true,
  mark: (record, answers) =>
    editAnswers(record, (answer, i) => {
      if (i < answers) return withMember(answer, 'train', 'false');
      return valueSpan(answer, 'train') === undefined ? withMember(answer, 'train', 'true') : undefined;
    }),
};

const axolotl: Format<ArrowSafe> = {
  ...trl,
  name: 'axolotl',
  summary: 'Like trl, with tools and arguments as JSON strings that Arrow cannot re-type: for axolotl.',
  context: trained,
  options: { arrowSafe: arrowSafeOption(true) },
  columns: chatColumns(true),
  metadata: ({ arrowSafe = true }) => (arrowSafe ? 'string' : 'object'),
  encode: (conversation, { arrowSafe = true } = {}) => templateRecord(conversation, arrowSafe),
};

export default axolotl;
