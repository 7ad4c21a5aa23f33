/**
 * Format `trl`: for TRL, Unsloth and the templates of Hugging Face (formats.md §1). Like `openai`, but arguments are
 * objects: several templates fail on strings or encode them twice. A string that holds an object becomes that object;
 * empty, null or absent arguments become `{}` (`empty-arguments`: nothing is lost); anything else rejects the record.
 * There is no `parallel_tool_calls`: no template reads it, and it would be null in the other rows of its column.
 */
import type { Conversation } from '../element.ts';
import { chatRecord } from './chat.ts';
import type { Format, FormatFinding } from './format.ts';
import { wrapTools } from './openai.ts';
import { asObject, encodeArguments, type Report } from './tool-arguments.ts';

const trl: Format = {
  name: 'trl',
  summary: 'Like openai, with arguments as JSON objects: for TRL, Unsloth and Hugging Face templates.',
  rules: ['arguments-not-object', 'empty-arguments', 'tool-not-function'],
  encode({ messages, tools }: Conversation) {
    const findings: FormatFinding[] = [];
    const report: Report = (finding) => findings.push(finding);
    const written = encodeArguments(messages, asObject, report);
    return { bytes: chatRecord(written, wrapTools(tools, report)), written, findings };
  },
};

export default trl;
