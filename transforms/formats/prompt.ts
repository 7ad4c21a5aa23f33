/**
 * Format `prompt`: for agents that write calls into their text, `{"prompt", "completion"}` (docs/reference/format-details.md). A
 * record is one turn of the model: `--turns last` writes one per conversation, `--turns all` one per turn that can be
 * taught.
 */

import { cutProtocol, cutProtocolInThoughts } from '../dialects/text-protocol/agent-text.ts';
import { quote, respace } from '../json/respace.ts';
import { decode, encode } from '../json/utf8.ts';
import type { Conversation, ToolDefinition } from '../model/element.ts';
import { isBlank } from '../model/white-space.ts';
import { words } from '../model/words.ts';
import type { OptionSpecs } from '../stage.ts';
import type { Format, FormatFinding, Report } from './format.ts';
import { createReader, type HistoryMessage } from './prompt-history.ts';
import { collectFindings, fatal, lastAnswer, NO_ANSWER, warning } from './shared-rules.ts';
import { spokenAsText } from './spoken-text.ts';

interface PromptOptions {
  readonly turns: 'all' | 'last';
  /** Beginning of each prompt. */
  readonly promptHeader: string;
}

/** The default header: the instructions of the agent's own prompt on how to answer and to call tools. */
export const RESPONSE_FORMAT: string = `RESPONSE FORMAT
- Think between <think> and </think> before you answer. Always write both tags.
- The user sees everything outside of these tags, and nothing inside of them.
- DO NOT output "STATE:" headers.

TOOL CALLS
To use a tool, end your answer with one block like this:
<tool_call>
{"name": "read", "arguments": {"path": "file.md"}}
</tool_call>

Rules:
- At most one tool block per response.
- A block holds one JSON object with "name" and "arguments", and nothing else.
- Do not repeat calls that were already made.
- The results of earlier calls are in the conversation history: use them.`;

const options: OptionSpecs<PromptOptions> = {
  turns: {
    describe: 'Teach all turns of the model, or its last one',
    default: 'last',
    choices: ['all', 'last'],
  },
  promptHeader: {
    describe:
      'Begin each prompt with the text of this file instead of the sections on response format and calls',
    default: RESPONSE_FORMAT,
    fromFile: true,
  },
};

/** The agent reads tags in any case. */
const CALL_TAG = /<\/?tool_call>/i;
const TAG = /<\/?(?:tool_call|think)>/i;

/** Whether a message is an answer that is not empty. Empty completions are never taught. */
function isAnswer({ role, text, thought, calls }: HistoryMessage): boolean {
  return role === 'assistant' && (calls.length > 0 || thought !== '' || !isBlank(text));
}

/** The completion: the model's thought, its text and its call. The protocol allows one call. */
function completionOf(answer: HistoryMessage, where: string, report: Report): string {
  const { calls } = answer;
  const { text: thought, lines, blocks: cutBlocks } = cutProtocol(answer.thought);
  const inText = cutProtocolInThoughts(answer.text);
  const { text } = inText;
  const refuse = (rule: string, problem: string): void => report(fatal(rule, `${where} ${problem}`));
  if (calls.length > 1) refuse('several-final-calls', 'has more than one call, but the protocol allows one');
  if (CALL_TAG.test(text) || TAG.test(thought))
    refuse('control-token-in-content', 'contains a tag of the protocol');
  if (inText.lines + inText.blocks > 0) {
    const message = `the reasoning in the text of ${where} is written${withoutCut(inText)}`;
    report(warning('reasoning-inlined', message));
  }
  if (thought !== '') {
    const cut = withoutCut({ lines, blocks: cutBlocks });
    const message = `the reasoning of ${where} is written before its text, in <think> tags${cut}`;
    report(warning('reasoning-inlined', message));
  }
  const blocks = calls.map(({ name, source }) => {
    const json = `{"name": ${quote(name)}, "arguments": ${respace(source)}}`;
    if (CALL_TAG.test(json)) refuse('control-token-in-content', 'contains a tag of the protocol in its call');
    return `<tool_call>\n${json}\n</tool_call>`;
  });
  const pieces = [thought === '' ? '' : `<think>\n${thought}\n</think>`, text, ...blocks];
  return pieces.filter((part) => part !== '').join('\n');
}

const withoutCut = ({ lines, blocks }: { readonly lines: number; readonly blocks: number }): string =>
  lines + blocks === 0 ? '' : `, without ${lines} lines and ${blocks} calls of the protocol`;

/** The beginning that all prompts of a conversation share. */
interface Preamble {
  readonly header: string;
  readonly tools: readonly ToolDefinition[];
}

function preambleOf({ header, tools }: Preamble): readonly string[] {
  const listed = tools.map(({ bytes }) => `  ${decode(bytes)}`).join(',\n');
  return [...(header === '' ? [] : [header]), ...(tools.length === 0 ? [] : [`Tools:\n[\n${listed}\n]`])];
}

/**
 * The record of one turn. As in the agent, its history is all messages before it, without the request (the last user
 * message) if that comes directly before the turn.
 */
function turnRecord(
  messages: readonly HistoryMessage[],
  turn: number,
  preamble: Preamble,
  report: Report,
): Uint8Array {
  const request = messages.findLastIndex(({ role }, i) => role === 'user' && i < turn);
  if (request < 0) report(fatal('no-user-turn', `no user message before messages[${turn}]`));
  const shown = messages.slice(0, request === turn - 1 ? request : turn);
  const history = shown.length === 0 ? '[]' : `[\n${shown.map((one) => `  ${one.shown}`).join(',\n')}\n]`;
  const prompt = [
    ...preambleOf(preamble),
    `Conversation History:\n${history}`,
    `User Request:\n${messages[request]?.text ?? ''}`,
  ].join('\n\n');
  const answer = messages[turn];
  const completion = answer === undefined ? '' : completionOf(answer, `messages[${turn}]`, report);
  return encode(`{"prompt":${quote(prompt)},"completion":${quote(completion)}}`);
}

interface TaughtTurn {
  readonly turn: number;
  readonly bytes: Uint8Array;
  readonly findings: readonly FormatFinding[];
}

function taughtTurn(messages: readonly HistoryMessage[], turn: number, preamble: Preamble): TaughtTurn {
  const { findings, report } = collectFindings();
  return { turn, bytes: turnRecord(messages, turn, preamble, report), findings };
}

const prompt: Format<PromptOptions> = {
  name: 'prompt',
  summary: 'Turns of a text-protocol agent: {"prompt": ..., "completion": ...} with history and request.',
  rules: words(`
    arguments-not-object content-not-text control-token-in-content empty-arguments malformed-call member-left-out
    messages-left-out ${NO_ANSWER} no-user-turn non-text-part parts-joined reasoning-inlined several-final-calls
    unanswered-end
  `),
  otherContent: 'is written as its JSON text',
  options,
  columns: () => ({ prompt: 'text', completion: 'free-text' }),
  metadata: () => 'object',
  encode({ messages, tools }: Conversation, { turns = 'last', promptHeader = RESPONSE_FORMAT } = {}) {
    const { findings, report } = collectFindings();
    const shown = spokenAsText(messages).map(createReader(report));
    const last = lastAnswer(shown.map(isAnswer), report);
    const preamble: Preamble = { header: promptHeader, tools };
    if (last < 0)
      return { bytes: turnRecord(shown, shown.length, preamble, () => undefined), written: [], findings };
    const answers = shown.flatMap((one, i) => (isAnswer(one) ? [i] : []));
    const taught = (turns === 'all' ? answers : [last]).map((turn) => taughtTurn(shown, turn, preamble));
    for (const [i, one] of turns === 'all' ? shown.slice(0, last).entries() : []) {
      if (one.role !== 'assistant' || isAnswer(one)) continue;
      report(warning('messages-left-out', `messages[${i}] is not taught: it is an empty answer`));
    }
    const isTaught = (one: TaughtTurn): boolean => !one.findings.some(({ rejects }) => rejects);
    const kept = taught.some(isTaught) ? taught.filter(isTaught) : taught.slice(-1);
    for (const one of kept) one.findings.forEach(report);
    const keptTurns = new Set(kept.map(({ turn }) => turn));
    for (const { turn, findings: problems } of taught) {
      if (keptTurns.has(turn)) continue;
      const why = problems.find(({ rejects }) => rejects)?.rule;
      report(warning('messages-left-out', `messages[${turn}] is not taught: ${why}`));
    }
    const [first, ...more] = kept.map(({ bytes }) => bytes);
    return { bytes: first as Uint8Array, written: [], findings, more };
  },
};

export default prompt;
