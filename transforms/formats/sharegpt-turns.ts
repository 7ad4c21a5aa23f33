/**
 * Converts messages to turns of LLaMA-Factory's `sharegpt`, one turn per message; sharegpt.ts then merges and checks
 * them. Reports anything that a turn cannot express.
 */

import { membersOf } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { decode } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { legacyCallOf, REASONING_MEMBERS, reasoningOf, stringValue, textOfValue } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import { resultText } from './chat-inline.ts';
import { AS_JSON_TEXT, reportOtherContent } from './content-not-text.ts';
import type { Report } from './format.ts';
import { loggedCalls, malformed } from './logged-calls.ts';
import { fatal, reportParts, warning, warnOf } from './shared-rules.ts';
import { readObject } from './tool-arguments.ts';

export interface Turn {
  /** Index of the first message in the turn. */
  readonly at: number;
  readonly from: string;
  readonly text: string;
  readonly onlyThought: boolean;
  /** JSON texts `{"name": ..., "arguments": ...}`. */
  readonly calls: readonly string[];
  readonly ids: readonly (string | undefined)[];
  /** Id of the call that a result answers. */
  readonly answers: string | undefined;
}

/** LLaMA-Factory's names of the roles. */
const FROM: Readonly<Record<string, string>> = {
  system: 'system',
  user: 'human',
  assistant: 'gpt',
  tool: 'observation',
  function: 'observation',
};
/** Members that turns of all roles can express. */
const ANY_ROLE = new Set(['role', 'content']);
const THINK_TAG = /<\/?think>/;

export function turnsOf(messages: readonly Message[], report: Report): readonly Turn[] {
  const losing = messages.flatMap((message, at) => (losesMembers(message) ? [at] : []));
  warnOf(losing, 'members-dropped', 'members that a turn has no place for: left out', report);
  return messages.map((message, at) => turnOf(message, at, report));
}

function fromOf({ role }: Message): string {
  return Object.hasOwn(FROM, role) ? (FROM[role] as string) : role;
}

/** Whether a message has members that a turn cannot express. Ids of calls and results are expressed by their order. */
function losesMembers(message: Message): boolean {
  const from = fromOf(message);
  const isHeld = (key: string): boolean => {
    if (ANY_ROLE.has(key)) return true;
    if (from === 'observation') return key === 'tool_call_id' || key === 'name';
    if (from !== 'gpt') return false;
    if (REASONING_MEMBERS.includes(key)) return stringValue(message.bytes, key) !== undefined;
    return key === 'tool_calls' || (key === 'function_call' && legacyCallOf(message) !== undefined);
  };
  return membersOf(message.bytes).some(({ key }) => !isHeld(key));
}

function turnOf(message: Message, at: number, report: Report): Turn {
  const from = fromOf(message);
  const found = resultText(message);
  reportOtherContent(message, at, AS_JSON_TEXT, report);
  reportParts(found, `messages[${at}]`, report);
  const answers = from === 'observation' ? stringValue(message.bytes, 'tool_call_id') : undefined;
  const turn = { at, from, text: found.text ?? '', onlyThought: false, calls: [], ids: [], answers };
  return from === 'gpt' ? modelTurn(message, turn, `messages[${at}]`, report) : turn;
}

function modelTurn(message: Message, turn: Turn, where: string, report: Report): Turn {
  const logged = loggedCalls(message, where, report);
  const written = logged.map((call, i) => callText(call, `${where}.tool_calls[${i}]`, report));
  const calls = written.filter((call) => call !== undefined);
  const thought = reasoningOf(message);
  const change = `the reasoning of ${where} is written before its text, in <think> tags`;
  if (thought !== '') report(warning('reasoning-inlined', change));
  if (THINK_TAG.test(thought))
    report(fatal('control-token-in-content', `the reasoning of ${where} contains a <think> tag`));
  return {
    ...turn,
    from: calls.length > 0 ? 'function_call' : 'gpt',
    text: thought === '' ? turn.text : `<think>\n${thought}\n</think>\n\n${turn.text}`,
    onlyThought: thought !== '' && turn.text === '',
    calls,
    ids: logged.map(({ id }) => id),
  };
}

/** A call in LLaMA-Factory's format; the arguments keep their JSON text. */
function callText(call: ToolCall, where: string, report: Report): string | undefined {
  if (!call.name) {
    report(malformed(where));
    return undefined;
  }
  const { holds, source } = readObject(call.arguments, where, report);
  const json = holds === 'text' ? quote(textOfValue(call.arguments) as string) : decode(source);
  return `{"name": ${quote(call.name)}, "arguments": ${json}}`;
}
