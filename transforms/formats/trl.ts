/**
 * Format `trl`: for TRL, Unsloth and chat templates of Hugging Face. Like `openai`, but arguments are objects, because
 * several templates fail on strings or encode them twice. A string with an object becomes that object; empty, null or
 * absent arguments become `{}`, with the finding `empty-arguments`; anything else rejects the record.
 * `parallel_tool_calls` is not written: no template reads it, and as a column it would be null in most records.
 */
import { elementsOf, membersOf, valuesOf } from '../json/members.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation } from '../model/element.ts';
import { type ArrowSafe, arrowSafeOption } from './arrow-safe.ts';
import { chatRecord, withCommas } from './chat.ts';
import { reportOtherContents } from './content-not-text.ts';
import { type ContextMarks, isAnswer } from './context-marks.ts';
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

/**
 * TRL trains only the completion, so that begins at the first answer to train; without one it is the last message. Neither
 * part is empty, which TRL cannot read, unless there is only one message.
 */
function beginOfCompletion(messages: readonly Uint8Array[], answers: number): number {
  let left = answers;
  const first = messages.findIndex((message) => isAnswer(message) && left-- === 0);
  const last = messages.length - 1;
  return first < 0 ? last : Math.min(Math.max(first, 1), last);
}

const split: ContextMarks = {
  meaning:
    'every record has `prompt` and `completion` instead of `messages`; the completion begins at the first answer that is not context',
  inAll: true,
  mark(record, answers) {
    const lists = valuesOf(record, ['messages', 'prompt', 'completion']); // an update reads records that are split
    const messages = lists.flatMap((list) => (list === undefined ? [] : elementsOf(list)));
    const begin = beginOfCompletion(messages, answers);
    const part = (list: readonly Uint8Array[]): Uint8Array[] => withCommas(list.map((bytes) => ({ bytes })));
    const tools = membersOf(record).find(({ key }) => key === 'tools');
    return concat([
      encode('{"prompt":['),
      ...part(messages.slice(0, begin)),
      encode('],"completion":['),
      ...part(messages.slice(begin)),
      encode('],'),
      record.subarray(tools?.start),
    ]);
  },
};

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
  context: split,
  otherContent: 'is written as it is',
  options: { arrowSafe: arrowSafeOption(false) },
  metadata: ({ arrowSafe = false }) => (arrowSafe ? 'string' : 'object'),
  encode: (conversation, { arrowSafe = false } = {}) => templateRecord(conversation, arrowSafe),
};

export default trl;
