/**
 * Format `chat-inline` (`--json-tool-calls`): writes tool calls and their results into the content, for models that
 * call tools by text. Reports `control-token-in-content` for a text with such a tag, which would be read as a call.
 */

import { QUOTE } from '../json/bytes.ts';
import { quote, respace, respaceText } from '../json/respace.ts';
import { addMember, dropMembers, replaceValue } from '../json/splice.ts';
import { decode, encode, parseJson } from '../json/utf8.ts';
import type { Conversation, Message } from '../model/element.ts';
import { type MessageText, otherContent, stringValue, textOf, toolCallsOf } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import { strip } from '../model/white-space.ts';
import { type ArrowSafe, arrowSafeOption } from './arrow-safe.ts';
import { chatRecord } from './chat.ts';
import { chatColumns } from './columns.ts';
import { AS_IT_IS, AS_JSON_TEXT, reportOtherContent } from './content-not-text.ts';
import type { Format, Report } from './format.ts';
import { collectFindings, NO_ANSWER, reportParts } from './shared-rules.ts';
import { spokenAsText } from './spoken-text.ts';

const CONTROL_TOKEN = /<\/?tool_call>|<\/tool_result>|<tool_result(?=[ >])/;

/** Writes the calls or the result of a message into its content; the same message if it has none. */
export function inline(message: Message, report: Report): Message {
  if (message.role === 'assistant') return inlineCalls(message, report);
  return message.role === 'tool' ? inlineResult(message, report) : message;
}

function inlineCalls(message: Message, report: Report): Message {
  const calls = toolCallsOf(message);
  if (calls === undefined || calls === 'not-a-list' || calls.length === 0) return message;
  const lines = calls.map((call) => callLine(call, report)).filter((line) => line !== undefined);
  const text = plainText(resultText(message), 'an assistant message', report);
  const content = strip([text, ...lines].join('\n'));
  return withContent(message, content, 'tool_calls');
}

function inlineResult(message: Message, report: Report): Message {
  const id = idOf(message);
  if (id === undefined) return message;
  const text = plainText(resultText(message), 'a tool result', report);
  return withContent(message, `<tool_result tool_call_id="${id}">${text}</tool_result>`, 'tool_call_id');
}

function idOf(message: Message): string | undefined {
  return stringValue(message.bytes, 'tool_call_id') || undefined;
}

/** The text of a message, with a line for each part; an object, a number or a boolean becomes its JSON text. */
export function resultText(message: Message): MessageText {
  const other = otherContent(message);
  return other === undefined
    ? textOf(message, '\n')
    : { text: decode(other), otherParts: false, isJoined: false };
}

function plainText(text: MessageText, where: string, report: Report): string {
  reportParts(text, where, report);
  return text.text ?? '';
}

function callLine(call: ToolCall, report: Report): string | undefined {
  if (call.function === undefined || call.name === undefined) {
    const rule = call.function === undefined ? 'tool-call-no-function' : 'tool-call-no-name';
    report({ rule, severity: 'ERROR', message: 'a tool call that cannot be written was left out' });
    return undefined;
  }
  return `<tool_call>{"name": ${quote(call.name)}, "arguments": ${argumentsText(call.arguments)}}</tool_call>`;
}

/** The arguments of a call as JSON. A string of JSON becomes that JSON; any other string stays a string. */
function argumentsText(json: Uint8Array | undefined): string {
  if (json === undefined) return '{}';
  if (json[0] !== QUOTE) return respace(json);
  const text = parseJson(json) as string;
  return respaceText(text) ?? quote(text);
}

/** The message with this content and without the member `replaced`. */
function withContent(message: Message, content: string, replaced: string): Message {
  const json = encode(quote(content));
  const without = dropMembers(message.bytes, ({ key }) => key === replaced);
  return {
    bytes: replaceValue(without, 'content', json) ?? addMember(without, 'content', json),
    role: message.role,
  };
}

/** Whether the texts of a message contain a tag that would be read as a call or a result. */
function containsTag(message: Message): boolean {
  const texts = message.role === 'tool' ? [idOf(message)] : [];
  const calls = message.role === 'assistant' ? toolCallsOf(message) : undefined;
  if (message.role === 'tool' || calls !== undefined) texts.push(resultText(message).text);
  texts.push(textOf(message).text); // a template may put the parts of a list together
  if (calls !== undefined && calls !== 'not-a-list')
    for (const call of calls) texts.push(call.name, argumentsText(call.arguments));
  return texts.some((text) => text !== undefined && CONTROL_TOKEN.test(text));
}

const chatInline: Format<ArrowSafe> = {
  name: 'chat-inline',
  summary:
    'Like chat, with <tool_call> and <tool_result> in the content: for models that call tools by text.',
  rules: ['content-not-text', 'control-token-in-content', NO_ANSWER, 'non-text-part', 'parts-joined'],
  listsMessages: true,
  tagsCalls: true,
  otherContent:
    'is written as it is, and as its JSON text in the message of calls or a result that become text',
  options: { arrowSafe: arrowSafeOption(false) },
  columns: chatColumns(false),
  metadata: ({ arrowSafe = false }) => (arrowSafe ? 'string' : 'object'),
  encode({ messages: logged, tools }: Conversation, { arrowSafe = false } = {}) {
    const { findings, report } = collectFindings();
    const messages = spokenAsText(logged);
    messages.forEach((message, i) => {
      if (!containsTag(message)) return;
      const where = `messages[${i}] (${message.role}) contains a tool-call tag`;
      report({ rule: 'control-token-in-content', severity: 'ERROR', message: where });
    });
    const written = messages.map((message, i) => {
      const inlined = inline(message, report);
      reportOtherContent(message, i, inlined === message ? AS_IT_IS : AS_JSON_TEXT, report);
      return inlined;
    });
    return { bytes: chatRecord(written, tools, arrowSafe), written, findings };
  },
};

export default chatInline;
