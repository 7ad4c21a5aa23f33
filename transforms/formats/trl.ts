/**
 * Format `trl`: for TRL, Unsloth and chat templates of Hugging Face. Like `openai`, but arguments are objects, because
 * several templates fail on strings or encode them twice. A string with an object becomes that object; empty, null or
 * absent arguments become `{}`, with the finding `empty-arguments`; anything else rejects the record.
 * `parallel_tool_calls` is not written: no template reads it, and as a column it would be null in most records.
 */
import type { Conversation } from '../model/element.ts';
import { type ArrowSafe, arrowSafeOption } from './arrow-safe.ts';
import { chatRecord } from './chat.ts';
import { reportOtherContents } from './content-not-text.ts';
import type { EncodedRecord, Format, FormatFinding } from './format.ts';
import { NO_ANSWER } from './no-answer.ts';
import { wrapTools } from './openai.ts';
import { asObject, asObjectInString, encodeArguments, type Report } from './tool-arguments.ts';
import { reportUnknownRoles } from './unknown-role.ts';

/** Builds one record. @param arrowSafe whether to write tools and arguments as JSON strings */
export function templateRecord({ messages, tools }: Conversation, arrowSafe: boolean): EncodedRecord {
  const findings: FormatFinding[] = [];
  const report: Report = (finding) => findings.push(finding);
  reportOtherContents(messages, report);
  reportUnknownRoles(messages, report);
  const written = encodeArguments(messages, arrowSafe ? asObjectInString : asObject, report);
  return { bytes: chatRecord(written, wrapTools(tools, report), arrowSafe), written, findings };
}

const trl: Format<ArrowSafe> = {
  name: 'trl',
  summary: 'Like openai, with arguments as JSON objects: for TRL, Unsloth and Hugging Face templates.',
  rules: [
    'arguments-not-object',
    'content-not-text',
    'empty-arguments',
    NO_ANSWER,
    'tool-not-function',
    'unknown-role',
  ],
  needsAnswer: true,
  listsMessages: true,
  otherContent: 'is written as it is',
  options: { arrowSafe: arrowSafeOption(false) },
  metadata: ({ arrowSafe = false }) => (arrowSafe ? 'string' : 'object'),
  encode: (conversation, { arrowSafe = false } = {}) => templateRecord(conversation, arrowSafe),
};

export default trl;
