/**
 * Converts ShareGPT's turns to messages the way LLaMA-Factory does, reversing the format `sharegpt`. Calls get the ids
 * `call_1`, `call_2` ... in order; an observation answers the first open call of the previous turn.
 */

import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { elementsOf, membersOf, valuesOf } from '../../json/members.ts';
import { quote, valueIn } from '../../json/respace.ts';
import type { Message } from '../../model/element.ts';
import { stringValue, textOfValue } from '../../model/message.ts';
import { arrayOf, callJson, makeMessage, type Piece, toolMessage } from '../shared/build-messages.ts';
import { argumentsOf } from '../shared/call-arguments.ts';

const ROLES: Readonly<Record<string, string>> = {
  ...{ human: 'user', gpt: 'assistant', function_call: 'assistant', observation: 'tool' },
  ...{ chatgpt: 'assistant', bing: 'assistant', bard: 'assistant', function_response: 'tool' },
};
const THOUGHT_BEGINS = '<think>\n';
const THOUGHT_ENDS = '\n</think>\n\n';
const CALL_BEGINS = '<tool_call>';
const CALL_ENDS = '</tool_call>';

interface Call {
  readonly name: string;
  /** JSON text; undefined if there are none. */
  readonly arguments: Uint8Array | undefined;
}

/**
 * The messages of the turns, or what is wrong with the first turn that is not valid.
 * @param list the JSON text of an array
 * @param name of the member that holds it
 */
export function readTurns(list: Uint8Array, name: string): readonly Message[] | string {
  const messages: Message[] = [];
  let calls = 0; // number of calls so far
  let open: string[] = []; // ids of the unanswered calls
  let isCalling = false; // whether the previous turn was a call
  for (const [i, turn] of elementsOf(list).entries()) {
    const isObject = turn[0] === OPEN_OBJECT;
    const [fromJson, value] = isObject ? valuesOf(turn, ['from', 'value']) : [];
    const from = textOfValue(fromJson);
    if (from === undefined || value?.[0] !== QUOTE)
      return `${name}[${i}] is not an object with a string from and a string value`;
    const role = Object.hasOwn(ROLES, from) ? (ROLES[from] as string) : from;
    const others = otherMembers(turn);
    if (from === 'function_call') {
      const parsed = readCalls(textOfValue(value) as string);
      if (parsed === undefined) return `${name}[${i}] is a function_call without a call`;
      const ids = parsed.calls.map(() => `call_${++calls}`);
      open = isCalling ? [...open, ...ids] : ids;
      messages.push(makeMessage(role, [...callMembers(parsed.text, parsed.calls, ids), ...others]));
    } else if (role === 'assistant') {
      messages.push(makeMessage(role, [...answerMembers(value), ...others]));
    } else if (role === 'tool') {
      messages.push(toolMessage(open.shift(), value, others));
    } else messages.push(makeMessage(role, [['content', value], ...others]));
    isCalling = from === 'function_call';
  }
  return messages;
}

function otherMembers(turn: Uint8Array): readonly Piece[] {
  return membersOf(turn)
    .filter(({ key }) => key !== 'from' && key !== 'value')
    .map(({ key, valueStart, end }) => [key, turn.subarray(valueStart, end)]);
}

/** Splits off a thought before the text, in the layout that LLaMA-Factory parses. */
function splitThought(text: string): { readonly thought: Piece[]; readonly rest: string } {
  const end = text.startsWith(THOUGHT_BEGINS) ? text.indexOf(THOUGHT_ENDS) : -1;
  if (end < 0) return { thought: [], rest: text };
  const thought = text.slice(THOUGHT_BEGINS.length, end);
  return { thought: [['reasoning_content', quote(thought)]], rest: text.slice(end + THOUGHT_ENDS.length) };
}

function answerMembers(value: Uint8Array): readonly Piece[] {
  const { thought, rest } = splitThought(textOfValue(value) as string);
  return thought.length === 0 ? [['content', value]] : [['content', quote(rest)], ...thought];
}

function callMembers(text: string, calls: readonly Call[], ids: readonly string[]): readonly Piece[] {
  const { thought, rest } = splitThought(text);
  const content: Piece[] = rest === '' ? [] : [['content', quote(rest)]];
  const list = calls.map(({ name, arguments: args }, i) => callJson(ids[i], name, args && argumentsOf(args)));
  return [...content, ...thought, ['tool_calls', arrayOf(list)]];
}

/** Splits a `function_call` turn into its text, including a thought, and its calls; undefined if it has no call. */
function readCalls(value: string): { readonly text: string; readonly calls: readonly Call[] } | undefined {
  const { rest } = splitThought(value);
  const bare = callsIn(rest);
  if (bare !== undefined) return { text: value.slice(0, value.length - rest.length), calls: bare };
  const start = value.indexOf(CALL_BEGINS);
  const end = value.indexOf(CALL_ENDS, start);
  if (start < 0 || end < 0 || value.slice(end + CALL_ENDS.length).trim() !== '') return undefined;
  const calls = callsIn(value.slice(start + CALL_BEGINS.length, end));
  return calls && { text: value.slice(0, start).replace(/\n$/, ''), calls };
}

/** The calls in a JSON text: one object, or a list of them. Undefined for anything else. */
function callsIn(text: string): readonly Call[] | undefined {
  const whole = valueIn(text);
  if (whole === undefined) return undefined;
  const list = whole[0] === OPEN_ARRAY ? elementsOf(whole) : [whole];
  if (list.length === 0 || !list.every((call) => call[0] === OPEN_OBJECT && stringValue(call, 'name')))
    return undefined;
  return list.map((call) => {
    const [name, args] = valuesOf(call, ['name', 'arguments']);
    return { name: textOfValue(name) as string, arguments: args };
  });
}
