/** Format `chat`: `{"messages":[...],"tools":[...]}`, with every message and tool byte for byte. */

import { QUOTE } from '../json/bytes.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message, ToolDefinition } from '../model/element.ts';
import { type ArrowSafe, arrowSafeOption, toolsInString } from './arrow-safe.ts';
import { chatColumns } from './columns.ts';
import { reportOtherContents } from './content-not-text.ts';
import { type ContextMarks, editAnswers, withMember } from './context-marks.ts';
import type { Format } from './format.ts';
import { collectFindings, NO_ANSWER } from './shared-rules.ts';
import { asString, type EncodeArguments, encodeArguments } from './tool-arguments.ts';

const HEAD = encode('{"messages":[');
const MIDDLE = encode('],"tools":');
const OPEN = encode('[');
const CLOSE = encode(']');
const TAIL = encode('}');
const COMMA = encode(',');

/** Leaves strings unchanged, whether they are JSON or not, and absent arguments absent. */
const inString: EncodeArguments = (json, where, report) =>
  json === undefined || json[0] === QUOTE ? json : asString(json, where, report);

/**
 * Builds a record.
 * @param arrowSafe whether to write the list of tools as a JSON string
 * @param noTools value of `tools` if there are none, in place of an empty list
 */
export function chatRecord(
  messages: readonly Message[],
  tools: readonly ToolDefinition[],
  arrowSafe: boolean = false,
  noTools?: Uint8Array,
): Uint8Array {
  const pieces = [HEAD];
  addWithCommas(pieces, messages);
  pieces.push(MIDDLE);
  if (noTools !== undefined && tools.length === 0) pieces.push(noTools);
  else if (arrowSafe) pieces.push(encode(toolsInString(tools)));
  else {
    pieces.push(OPEN);
    addWithCommas(pieces, tools);
    pieces.push(CLOSE);
  }
  pieces.push(TAIL);
  return concat(pieces);
}

function addWithCommas(pieces: Uint8Array[], items: readonly { readonly bytes: Uint8Array }[]): void {
  items.forEach(({ bytes }, i) => {
    if (i > 0) pieces.push(COMMA);
    pieces.push(bytes);
  });
}

/** The bytes of the items, with commas between them. */
export function withCommas(items: readonly { readonly bytes: Uint8Array }[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  addWithCommas(pieces, items);
  return pieces;
}

/** A weight of the log is replaced. */
const markedByWeight: ContextMarks = {
  meaning: 'answers that are context have `"weight": 0`',
  mark: (record, answers) =>
    editAnswers(record, (answer, i) => (i < answers ? withMember(answer, 'weight', '0') : undefined)),
};

const chat: Format<ArrowSafe> = {
  name: 'chat',
  summary: 'One conversation per line: {"messages": [...], "tools": [...]}, bytes as logged.',
  rules: ['content-not-text', 'empty-arguments', NO_ANSWER],
  listsMessages: true,
  context: markedByWeight,
  otherContent: 'is written as it is',
  options: { arrowSafe: arrowSafeOption(false) },
  columns: chatColumns(false),
  metadata: ({ arrowSafe = false }) => (arrowSafe ? 'string' : 'object'),
  encode({ messages, tools }: Conversation, { arrowSafe = false } = {}) {
    const { findings, report } = collectFindings();
    reportOtherContents(messages, report);
    if (!arrowSafe) return { bytes: chatRecord(messages, tools), written: messages, findings };
    const written = encodeArguments(messages, inString, report);
    return { bytes: chatRecord(written, tools, true), written, findings };
  },
};

export default chat;
