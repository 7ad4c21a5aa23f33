/**
 * Format `axolotl`: for axolotl's `type: chat_template` (formats.md §1). Like `trl`, and safe for columnar loaders:
 * `tools` is one JSON string and every `arguments` a JSON string (of an object, or the record is rejected), so that
 * Arrow cannot pad them with nulls or give them other types. `reasoning_content` stays, like all other members.
 */
import type { Conversation, ToolDefinition } from '../element.ts';
import { quote } from '../json/respace.ts';
import { concat } from '../json/splice.ts';
import { decode, encode } from '../json/utf8.ts';
import { withCommas } from './chat.ts';
import type { Format, FormatFinding } from './format.ts';
import { wrapTools } from './openai.ts';
import { asObjectInString, encodeArguments, type Report } from './tool-arguments.ts';

const HEAD = encode('{"messages":[');
const MIDDLE = encode('],"tools":');
const TAIL = encode('}');

/** The JSON string that holds the list of these definitions. */
export function toolsInString(tools: readonly Pick<ToolDefinition, 'bytes'>[]): string {
  return quote(`[${tools.map(({ bytes }) => decode(bytes)).join(',')}]`);
}

const axolotl: Format = {
  name: 'axolotl',
  summary: 'Like trl, with tools and arguments as JSON strings that Arrow cannot re-type: for axolotl.',
  rules: ['arguments-not-object', 'empty-arguments', 'tool-not-function'],
  encode({ messages, tools }: Conversation) {
    const findings: FormatFinding[] = [];
    const report: Report = (finding) => findings.push(finding);
    const written = encodeArguments(messages, asObjectInString, report);
    const toolsText = encode(toolsInString(wrapTools(tools, report)));
    return { bytes: concat([HEAD, ...withCommas(written), MIDDLE, toolsText, TAIL]), written, findings };
  },
};

export default axolotl;
