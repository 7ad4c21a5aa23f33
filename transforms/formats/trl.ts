/**
 * Format `trl`: for TRL, Unsloth and chat templates of Hugging Face. Like `openai`, but arguments are objects, because
 * several templates fail on strings or encode them twice. A string with an object becomes that object; empty, null or
 * absent arguments become `{}`, with the finding `empty-arguments`; anything else rejects the record.
 * A list of text parts becomes one text, a refusal the text of its answer, and a message without a content has an empty
 * one. An empty list of calls is left out, and a call of the old form is one of `tool_calls`.
 * Without tools, `tools` is null. `parallel_tool_calls` is not written: no template reads it, and as a column it would be
 * null in most records.
 */
import { OPEN_ARRAY } from '../json/bytes.ts';
import { valueSpan, walkElements } from '../json/members.ts';
import { type Splice, spliced } from '../json/splice.ts';
import { trustingScanner } from '../json/trusting-scanner.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation } from '../model/element.ts';
import { words } from '../model/words.ts';
import type { ArrowSafe } from './arrow-safe.ts';
import { chatRecord } from './chat.ts';
import { chatColumns } from './columns.ts';
import { reportOtherContents } from './content-not-text.ts';
import { type ContextMarks, isAnswer } from './context-marks.ts';
import type { EncodedRecord, Format } from './format.ts';
import { oldCallsAsNew } from './old-calls.ts';
import openai, { wrapTools } from './openai.ts';
import { collectFindings, NO_ANSWER, reportUnknownRoles } from './shared-rules.ts';
import { spokenAsText } from './spoken-text.ts';
import { fillContents, joinTextParts, leaveOutEmptyCalls } from './template-contents.ts';
import { asObject, asObjectInString, encodeArguments } from './tool-arguments.ts';

/** Builds one record. @param arrowSafe whether to write tools and arguments as JSON strings. `noTools` as for `chatRecord` */
export function templateRecord(
  { messages, tools }: Conversation,
  arrowSafe: boolean,
  noTools?: Uint8Array,
): EncodedRecord {
  const { findings, report } = collectFindings();
  reportOtherContents(messages, report);
  reportUnknownRoles(messages, report);
  const current = leaveOutEmptyCalls(oldCallsAsNew(messages));
  const filled = fillContents(joinTextParts(spokenAsText(current), report));
  const written = encodeArguments(filled, arrowSafe ? asObjectInString : asObject, report);
  return { bytes: chatRecord(written, wrapTools(tools, report), arrowSafe, noTools), written, findings };
}

const MESSAGES = encode('{"messages":[');
const PROMPT = encode('{"prompt":[');
const COMPLETION = encode('],"completion":[');
const COMMA = encode(',');
/** TRL passes `tools` to the template as it is, and those of Llama ask for a function call if that is an empty list. */
const NO_TOOLS = encode('null');
const NOTHING = new Uint8Array(0);

/**
 * Returns the place between prompt and completion. TRL trains only the completion, so that begins at the first answer to
 * train after the first message; without one it is the last message. Neither part is empty, which TRL cannot read, unless
 * there is only one message.
 * @param record with messages
 */
function boundaryIn(record: Uint8Array, answers: number): Omit<Splice, 'by'> {
  let [start, end] = [MESSAGES.length, MESSAGES.length];
  let before = end;
  let left = answers;
  walkElements(record, before - 1, trustingScanner, (number, at) => {
    [start, end] = [before, at];
    before = trustingScanner.value(record, at, 1);
    const isTrained = isAnswer(record.subarray(at, before)) && left-- <= 0;
    return isTrained && number > 0 ? -1 : before; // a walk ends at -1
  });
  return { start, end };
}

/** Returns a record with messages: an update has records that are split. */
function joined(record: Uint8Array): Uint8Array {
  const [prompt, completion] = ['prompt', 'completion'].map((key) => valueSpan(record, key));
  if (prompt === undefined || completion === undefined) return record;
  const isOneEmpty = record[prompt.end - 2] === OPEN_ARRAY || record[completion.end - 2] === OPEN_ARRAY;
  return spliced(record, [
    { start: 0, end: prompt.valueStart + 1, by: MESSAGES },
    { start: prompt.end - 1, end: completion.valueStart + 1, by: isOneEmpty ? NOTHING : COMMA },
  ]);
}

const split: ContextMarks = {
  meaning:
    'every record has `prompt` and `completion` instead of `messages`; the completion begins at the first answer that is not context',
  inAll: true,
  columns: ({ messages = 'json-list', ...others }) => ({ prompt: messages, completion: messages, ...others }),
  mark(written, answers) {
    const record = written[2] === MESSAGES[2] ? written : joined(written);
    return spliced(record, [
      { start: 0, end: MESSAGES.length, by: PROMPT },
      { ...boundaryIn(record, answers), by: COMPLETION },
    ]);
  },
};

const trl: Format<ArrowSafe> = {
  ...openai,
  name: 'trl',
  summary: 'Like openai, with arguments as JSON objects: for TRL, Unsloth and Hugging Face templates.',
  rules: words(`
    arguments-not-object content-not-text empty-arguments ${NO_ANSWER} parts-joined tool-not-function unknown-role
  `),
  context: split,
  columns: chatColumns(false),
  encode: (conversation, { arrowSafe = false } = {}) => templateRecord(conversation, arrowSafe, NO_TOOLS),
};

export default trl;
