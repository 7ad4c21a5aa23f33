/**
 * Format `openai`: for OpenAI's fine-tuning. Tool definitions are wrapped in
 * `{"type":"function","function":...}`, arguments are strings (absent or null ones `"{}"`, with the finding
 * `empty-arguments`), and `parallel_tool_calls` is true if a message has several calls. A list of
 * text parts becomes one text. Messages keep all their members, except empty lists of calls.
 */

import { keptMembersOf, valueBytes } from '../json/members.ts';
import { addMember, concat, dropMembers } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import { knownToolCalls } from '../model/assistant-calls.ts';
import type { Conversation, Message, ToolDefinition } from '../model/element.ts';
import { stringValue, textOfValue } from '../model/message.ts';
import { words } from '../model/words.ts';
import type { ArrowSafe } from './arrow-safe.ts';
import chat, { chatRecord } from './chat.ts';
import { chatColumns } from './columns.ts';
import { reportOtherContents } from './content-not-text.ts';
import type { Format, Report } from './format.ts';
import { collectFindings, NO_ANSWER, reportUnknownRoles } from './shared-rules.ts';
import { joinTextParts, leaveOutEmptyCalls } from './template-contents.ts';
import { asString, encodeArguments } from './tool-arguments.ts';

const HEAD = encode('{"type":"function","function":');
const TAIL = encode('}');
const TRUE = encode('true');

/** Wraps definitions. Reports those that do not define a function, which stay unchanged. */
export function wrapTools(tools: readonly ToolDefinition[], report: Report): readonly ToolDefinition[] {
  return functionsOf(tools, report).map((fn, i) => {
    const tool = tools[i] as ToolDefinition;
    return fn === undefined ? tool : { bytes: concat([HEAD, fn, TAIL]), name: tool.name };
  });
}

/** The function of each definition, without `"type":"function"`; undefined, with a finding, if it defines none. */
export function functionsOf(
  tools: readonly ToolDefinition[],
  report: Report,
): readonly (Uint8Array | undefined)[] {
  return tools.map(({ bytes }, i) => {
    const fn = functionOf(bytes);
    if (fn === undefined) {
      const message = `tools[${i}] is not a function definition: kept as it is`;
      report({ rule: 'tool-not-function', severity: 'ERROR', message });
    }
    return fn;
  });
}

function functionOf(definition: Uint8Array): Uint8Array | undefined {
  if (!stringValue(definition, 'name')) return undefined;
  const type = valueBytes(definition, 'type');
  if (type === undefined) return definition;
  if (textOfValue(type) !== 'function') return undefined;
  return dropMembers(definition, ({ key }) => key === 'type');
}

function hasParallelCalls(message: Message): boolean {
  const calls = message.role === 'assistant' ? knownToolCalls(message) : undefined;
  return calls !== undefined && calls !== 'not-a-list' && calls.length > 1;
}

const openai: Format<ArrowSafe> = {
  ...chat,
  name: 'openai',
  summary: 'Like chat, with wrapped tools and arguments as strings: for OpenAI fine-tuning.',
  rules: words(`
    arguments-not-json content-not-text empty-arguments ${NO_ANSWER} parts-joined tool-not-function unknown-role
  `),
  needsAnswer: true,
  columns: chatColumns(false, { parallel_tool_calls: 'boolean' }),
  encode({ messages, tools }: Conversation, { arrowSafe = false } = {}) {
    const { findings, report } = collectFindings();
    for (const { bytes } of messages) keptMembersOf(bytes); // several looks into each message follow
    reportOtherContents(messages, report);
    reportUnknownRoles(messages, report);
    const joined = joinTextParts(leaveOutEmptyCalls(messages), report);
    const written = encodeArguments(joined, asString, report);
    const record = chatRecord(written, wrapTools(tools, report), arrowSafe);
    const bytes = messages.some(hasParallelCalls) ? addMember(record, 'parallel_tool_calls', TRUE) : record;
    return { bytes, written, findings };
  },
};

export default openai;
