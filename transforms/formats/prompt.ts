/**
 * Format `prompt`: what an agent of the text protocol is shown, and what it answers (formats.md §4). A record is one turn of the
 * model: `--turns last` makes one of a conversation, `all` one of each turn that can be taught. The history is
 * prompt-history.ts.
 */
import type { Conversation } from '../element.ts';
import { createTextScanner } from '../json/elements.ts';
import { quote, respace } from '../json/respace.ts';

import { decode, encode } from '../json/utf8.ts';
import type { OptionSpecs } from '../stage.ts';
import type { Format, FormatFinding } from './format.ts';
import { lastAnswer } from './last-answer.ts';
import { createReader, type Said } from './prompt-history.ts';
import type { Report } from './tool-arguments.ts';

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
const scanner = createTextScanner();

/** What the model answers: its thought, its text and its calls, of which the protocol has room for one. */
function completionOf({ text, thought, calls }: Said, where: string, report: Report): string {
  const fatal = (rule: string, message: string): void =>
    report({ rule, severity: 'ERROR', message: `${where} ${message}`, rejects: true });
  if (calls.length > 1) fatal('several-final-calls', 'has more than one call, and the protocol takes one');
  if (CALL_TAG.test(text) || TAG.test(thought))
    fatal('control-token-in-content', 'holds a tag of the protocol');
  if (thought !== '') {
    const message = `the reasoning of ${where} stands in front of its text, in <think> tags`;
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

interface TaughtTurn {
  readonly turn: number;
  readonly bytes: Uint8Array;
  readonly found: readonly FormatFinding[];
}

function taughtTurn(said: readonly Said[], turn: number, tools: string): TaughtTurn {
  const found: FormatFinding[] = [];
  return { turn, bytes: turnRecord(said, turn, tools, (finding) => found.push(finding)), found };
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
    'messages-left-out',
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
    const roles = said.map(({ role }) => role);
    const last = lastAnswer(roles, report);
    if (last < 0) return { bytes: turnRecord(said, said.length, '', () => undefined), written: [], findings };
    const answers = roles.flatMap((role, i) => (role === 'assistant' ? [i] : []));
    const listed =
      tools.length === 0 ? '' : `[\n${tools.map(({ bytes }) => `  ${decode(bytes)}`).join(',\n')}\n]`;
    const made = (turns === 'all' ? answers : [last]).map((turn) => taughtTurn(said, turn, listed));
    const isTaught = ({ found }: TaughtTurn): boolean => !found.some(({ rejects }) => rejects);
    const kept = made.some(isTaught) ? made.filter(isTaught) : made.slice(-1);
    for (const { found } of kept) found.forEach(report);
    for (const { turn, found } of made) {
      if (kept.some((one) => one.turn === turn)) continue;
      const why = found.find(({ rejects }) => rejects)?.rule;
      const message = `messages[${turn}] is not taught: ${why}`;
      report({ rule: 'messages-left-out', severity: 'WARNING', message });
    }
    const [first, ...more] = kept.map(({ bytes }) => bytes);
    return { bytes: first as Uint8Array, written: [], findings, more };
  },
};

export default prompt;
