/**
 * Format `sts`: session traces for the Hugging Face Hub. A record has several lines: a header, then one per message.
 * The dialect `sts` can read them.
 */
import { OPEN_ARRAY, QUOTE } from '../json/bytes.ts';
import { elementsOf, valueBytes } from '../json/members.ts';
import { inString, quote } from '../json/respace.ts';
import { decode, encode } from '../json/utf8.ts';
import type { Conversation, Message } from '../model/element.ts';
import { hashOf } from '../model/hashed-set.ts';
import { isNextLine, otherContent, reasoningOf, stringValue, textOfValue } from '../model/message.ts';
import { isPersonal } from '../model/meta.ts';
import { words } from '../model/words.ts';
import { AS_JSON_TEXT, reportOtherContent } from './content-not-text.ts';
import type { Format, Report } from './format.ts';
import { loggedCalls, malformed } from './logged-calls.ts';
import { collectFindings, fatal, reportOtherMembers, reportParts, warning } from './shared-rules.ts';
import { spokenAsText } from './spoken-text.ts';
import { isCited, textIn } from './template-contents.ts';
import { asString } from './tool-arguments.ts';

const NO_TEXT = '""';
const NO_HARNESS = encode('"unknown"');
const ROLES: ReadonlyMap<string, string> = new Map([
  ...['system', 'user', 'assistant', 'tool'].map((role) => [role, role] as const),
  ['developer', 'system'],
  ['function', 'tool'],
]);

const sts: Format = {
  name: 'sts',
  summary:
    'Session traces, a header and then a line per message: for the trace viewer of the Hugging Face Hub.',
  rules: words(`
    arguments-not-json content-not-text definition-left-out empty-arguments malformed-call members-dropped
    no-messages non-text-part parts-joined unknown-role
  `),
  otherContent: 'is written as its JSON text',
  options: {},
  fileKind: () => 'sts.jsonl',
  columns: () => ({ type: 'text', harness: 'free-text', id: 'free-text', message: 'json' }),
  metadata: () => 'object',
  readsMeta: true,
  encode(conversation: Conversation) {
    const { tools } = conversation;
    const messages = spokenAsText(conversation.messages);
    const { findings, report } = collectFindings();
    if (messages.length === 0) report(fatal('no-messages', 'the conversation has no messages'));
    if (tools.length > 0)
      report(warning('definition-left-out', 'a trace has no place for tool definitions: left out'));
    reportOtherMembers(messages, 'a trace', report);
    const written = messages.map((message, at) => messageOf(message, at, report));
    const lines = written.map(({ bytes }) => `{"type":"message","message":${decode(bytes)}}`);
    return { bytes: encode([headerOf(conversation), ...lines].join('\n')), written, findings };
  },
};

function headerOf({ sessionId, origin, meta }: Conversation): string {
  const place = `${origin.source}:${origin.line}`;
  const id = [sessionId, place].find((text) => !isPersonal(text)) ?? hashOf(place).toString('hex');
  const harness = decode(meta?.get('harness') ?? NO_HARNESS);
  return `{"type":"session","harness":${harness},"id":${quote(id)}}`;
}

function messageOf(message: Message, at: number, report: Report): Message {
  reportOtherContent(message, at, AS_JSON_TEXT, report);
  const role = ROLES.get(message.role) ?? 'user';
  if (!ROLES.has(message.role)) {
    const text = `messages[${at}] has a role that a trace cannot have: written as a user message`;
    report({ rule: 'unknown-role', severity: 'ERROR', message: text, rejects: true });
  }
  const members = [`"role":"${role}"`, `"content":${contentOf(message, at, report)}`];
  if (role === 'assistant') {
    const reasoning = reasoningOf(message);
    if (reasoning !== '') members.push(`"reasoningContent":${quote(reasoning)}`);
    const calls = callsOf(message, at, report);
    if (calls.length > 0) members.push(`"toolCalls":[${calls.join(',')}]`);
  }
  const callId = role === 'tool' ? stringValue(message.bytes, 'tool_call_id') : undefined;
  if (callId) members.push(`"toolCallId":${quote(callId)}`);
  return { bytes: encode(`{${members.join(',')}}`), role };
}

/** The content as a JSON string: a trace can have no other content. */
function contentOf(message: Message, at: number, report: Report): string {
  const content = valueBytes(message.bytes, 'content');
  if (content?.[0] === QUOTE) return decode(content);
  const other = otherContent(message);
  if (other !== undefined) return decode(inString(other));
  if (content?.[0] !== OPEN_ARRAY) return NO_TEXT;
  const parts = elementsOf(content);
  const texts = parts.filter((part) => textIn(part) !== undefined);
  const lines = texts.map(
    (part, i) => `${isNextLine(texts, i, isCited) ? '\n' : ''}${textOfValue(textIn(part))}`,
  );
  const text = lines.join('');
  const otherParts = texts.length < parts.length;
  reportParts({ text, otherParts, isJoined: texts.length > 1 }, `messages[${at}]`, report);
  return quote(text);
}

function callsOf(message: Message, at: number, report: Report): readonly string[] {
  return loggedCalls(message, `messages[${at}]`, report).flatMap(({ id, name, arguments: json }, i) => {
    const where = `messages[${at}].tool_calls[${i}]`;
    if (!name) {
      report(malformed(where));
      return [];
    }
    const args = decode(asString(json, where, report) ?? encode('"{}"'));
    const fn = `"function":{"name":${quote(name)},"arguments":${args}}`;
    return [`{${id ? `"id":${quote(id)},` : ''}${fn}}`];
  });
}

export default sts;
