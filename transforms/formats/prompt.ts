/**
 * Format `prompt`: what an agent of the text protocol is shown, and what it answers (formats.md §4). A record is one turn of the
 * model: `--turns last` makes one of a conversation, `all` one of each turn. The history is written from the log's own text, so
 * that numbers stay; what it looks like is that of the library's `buildConversationHistory`.
 */
import type { Conversation, Message } from '../element.ts';
import { membersOf, walkElements, walkMembers } from '../json/members.ts';
import { quote, respace } from '../json/respace.ts';
import { createPlainScanner } from '../json/scanner.ts';
import { concat } from '../json/splice.ts';
import { decode, encode } from '../json/utf8.ts';
import { stringValue, type ToolCall, toolCallsOf } from '../message.ts';
import type { OptionSpecs } from '../stage.ts';
import { withCommas } from './chat.ts';
import { resultText } from './chat-inline.ts';
import type { Format, FormatFinding } from './format.ts';
import { empty, notObject, type Report, readArguments } from './tool-arguments.ts';

interface PromptOptions {
  readonly turns: 'all' | 'last';
}

const options: OptionSpecs<PromptOptions> = {
  turns: { describe: "The model's turns that are taught", default: 'last', choices: ['all', 'last'] },
};

const RESPONSE_FORMAT = `Response Format:
- Think between <think> and </think> before you answer. The user does not see it.
- To use a tool, end your answer with one block like this, and with at most one:
<tool_call>
{"name": "read", "arguments": {"path": "file.md"}}
</tool_call>
- Do not repeat calls that were already made: use their results in the conversation history.
- Do not output headers such as STATE:.`;
const CALL_TAG = /<\/?tool_call>/;
const TAG = /<\/?(?:tool_call|think)>/;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const PLACED: ReadonlySet<string> = new Set(
  'role content tool_calls tool_call_id reasoning_content'.split(' '),
);
const scanner = createPlainScanner();

/** A message as both sides of a record need it. */
interface Said {
  readonly role: string;
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly { readonly name: string; readonly source: Uint8Array }[];
  /** In the history. */
  readonly shown: string;
}

/** The value with two blanks of indentation, as `JSON.stringify` lays it out, from its own text. */
function indented(json: Uint8Array, indent: string): string {
  const pieces: string[] = [];
  writeIndented(json, 0, indent, pieces);
  return pieces.join('');
}

/** @returns the index after the value */
function writeIndented(json: Uint8Array, at: number, indent: string, pieces: string[]): number {
  const inner = `${indent}  `;
  let separator = '\n';
  const begin = (): void => {
    pieces.push(separator, inner);
    separator = ',\n';
  };
  const end = (close: string): void => {
    pieces.push(separator === '\n' ? close : `\n${indent}${close}`);
  };
  if (json[at] === OPEN_OBJECT) {
    pieces.push('{');
    const after = walkMembers(json, at, scanner, (start, keyEnd, valueStart) => {
      begin();
      pieces.push(decode(json.subarray(start, keyEnd)), ': ');
      return writeIndented(json, valueStart, inner, pieces);
    });
    end('}');
    return after;
  }
  if (json[at] === OPEN_ARRAY) {
    pieces.push('[');
    const after = walkElements(json, at, scanner, (_number, start) => {
      begin();
      return writeIndented(json, start, inner, pieces);
    });
    end(']');
    return after;
  }
  const after = scanner.value(json, at, 1);
  pieces.push(decode(json.subarray(at, after)));
  return after;
}

/** Reads the messages in their order: calls get the ids that the protocol has, and results the id of the call that they answer. */
function createReader(report: Report): (message: Message, at: number) => Said {
  let number = 0;
  let open: { readonly logged: string | undefined; readonly id: string }[] = [];

  function callOf(call: ToolCall, where: string): Said['calls'] {
    if (!call.name) {
      const message = `${where} is no call of a function with a name: left out`;
      report({ rule: 'malformed-call', severity: 'ERROR', message, rejects: true });
      return [];
    }
    const { holds, source } = readArguments(call.arguments);
    if (holds === 'none') report(empty(where));
    else if (holds !== 'object') report(notObject(where));
    open.push({ logged: call.id, id: `${number++}-${call.name}` });
    return [{ name: call.name, source: holds === 'object' ? source : encode('{}') }];
  }

  function callsOf(message: Message, where: string): Said['calls'] {
    open = [];
    const calls = toolCallsOf(message) ?? [];
    if (calls !== 'not-a-list') return calls.flatMap((call, i) => callOf(call, `${where}.tool_calls[${i}]`));
    const problem = `${where}.tool_calls is no list: left out`;
    report({ rule: 'malformed-call', severity: 'ERROR', message: problem, rejects: true });
    return [];
  }

  function answered(logged: string | undefined): string | undefined {
    const place = open.findIndex(
      (call) => logged === undefined || call.logged === logged || call.id === logged,
    );
    return place < 0 ? logged : open.splice(place, 1)[0]?.id;
  }

  return (message, at) => {
    const where = `messages[${at}]`;
    const role = message.role || 'assistant';
    const { text = '', otherParts } = resultText(message);
    const lost = (rule: string, what: string): void =>
      report({ rule, severity: 'WARNING', message: `${where} has ${what}: left out` });
    if (otherParts) lost('non-text-part', 'parts that are no text');
    if (membersOf(message.bytes).some(({ key }) => !PLACED.has(key)))
      lost('member-left-out', 'members that the history has no place for');
    const calls = role === 'assistant' ? callsOf(message, where) : [];
    const id = role === 'tool' ? answered(stringValue(message.bytes, 'tool_call_id')) : undefined;
    const listed = calls.map(({ name, source }) =>
      concat([encode(`{"name":${quote(name)},"arguments":`), source, encode('}')]),
    );
    const members = [
      encode(`{"role":${quote(role)},"content":${quote(text)}`),
      ...(listed.length > 0
        ? [encode(',"tool_calls":['), ...withCommas(listed.map((bytes) => ({ bytes }))), encode(']')]
        : []),
      encode(id === undefined ? '}' : `,"tool_call_id":${quote(id)}}`),
    ];
    const thought = stringValue(message.bytes, 'reasoning_content') ?? '';
    return { role, text, thought, calls, shown: indented(concat(members), '  ') };
  };
}

/** What the model answers: its thought, its text and its calls, of which the protocol has room for one. */
function completionOf({ text, thought, calls }: Said, where: string, report: Report): string {
  const fatal = (rule: string, message: string): void =>
    report({ rule, severity: 'ERROR', message: `${where} ${message}`, rejects: true });
  if (calls.length > 1) fatal('several-final-calls', 'has more than one call, and the protocol takes one');
  if (CALL_TAG.test(text) || TAG.test(thought))
    fatal('control-token-in-content', 'holds a tag of the protocol');
  if (thought !== '') {
    const message = `the reasoning_content of ${where} stands in front of its text, in <think> tags`;
    report({ rule: 'reasoning-inlined', severity: 'WARNING', message });
  }
  const blocks = calls.map(({ name, source }) => {
    const json = `{"name": ${quote(name)}, "arguments": ${respace(source, scanner)}}`;
    if (CALL_TAG.test(json)) fatal('control-token-in-content', 'holds a tag of the protocol in its call');
    return `<tool_call>\n${json}\n</tool_call>`;
  });
  const spoken = [thought === '' ? '' : `<think>\n${thought}\n</think>`, text, ...blocks];
  return spoken.filter((part) => part !== '').join('\n');
}

/** The record of one turn; the messages before it are its history, without the request that it answers. */
function turnRecord(said: readonly Said[], turn: number, tools: string, report: Report): Uint8Array {
  const asked = said.findLastIndex(({ role }, i) => role === 'user' && i < turn);
  if (asked < 0) {
    const message = `there is no user message before messages[${turn}]`;
    report({ rule: 'no-user-turn', severity: 'ERROR', message, rejects: true });
  }
  const shown = said.slice(0, turn).filter((_message, i) => i !== asked);
  const history = shown.length === 0 ? '[]' : `[\n${shown.map((one) => `  ${one.shown}`).join(',\n')}\n]`;
  const prompt = [
    RESPONSE_FORMAT,
    ...(tools === '' ? [] : [`Tools:\n${tools}`]),
    `Conversation History:\n${history}`,
    `User Request:\n${said[asked]?.text ?? ''}`,
  ].join('\n\n');
  const answer = said[turn];
  const completion = answer === undefined ? '' : completionOf(answer, `messages[${turn}]`, report);
  return encode(`{"prompt":${quote(prompt)},"completion":${quote(completion)}}`);
}

const prompt: Format<PromptOptions> = {
  name: 'prompt',
  summary: 'Turns of a text-protocol agent: {"prompt": ..., "completion": ...} with history and request.',
  rules: [
    'arguments-not-object',
    'control-token-in-content',
    'empty-arguments',
    'malformed-call',
    'member-left-out',
    'no-user-turn',
    'non-text-part',
    'reasoning-inlined',
    'several-final-calls',
    'unanswered-end',
  ],
  options,
  encode({ messages, tools }: Conversation, { turns = 'last' } = {}) {
    const findings: FormatFinding[] = [];
    const report: Report = (finding) => findings.push(finding);
    const said = messages.map(createReader(report));
    const answers = said.flatMap(({ role }, i) => (role === 'assistant' ? [i] : []));
    const last = answers.at(-1);
    if (last === undefined) {
      const message = 'the conversation has no assistant message to learn from';
      report({ rule: 'unanswered-end', severity: 'ERROR', message, rejects: true });
      return { bytes: turnRecord(said, said.length, '', () => undefined), written: [], findings };
    }
    if (last < said.length - 1) {
      const message = `messages[${last + 1}] and what follows has no answer: left out`;
      report({ rule: 'unanswered-end', severity: 'WARNING', message });
    }
    const listed =
      tools.length === 0 ? '' : `[\n${tools.map(({ bytes }) => `  ${decode(bytes)}`).join(',\n')}\n]`;
    const taught = turns === 'all' ? answers : [last];
    const [first, ...more] = taught.map((turn) => turnRecord(said, turn, listed, report));
    return { bytes: first as Uint8Array, written: [], findings, more };
  },
};

export default prompt;
