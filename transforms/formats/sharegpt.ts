/**
 * Format `sharegpt`: LLaMA-Factory's `conversations`, whose turns must alternate between human or observation and gpt
 * or function_call. Adjacent turns of one kind are merged with a blank line between, a text is merged with the calls
 * that follow it, and unanswered turns at the end are left out; any other order rejects the record. A call is written as
 * `{"name": ..., "arguments": {...}}`, several as a list, with a text before it as `TEXT\n<tool_call>CALL</tool_call>`,
 * and a thought as `<think>\n...\n</think>\n\n`: LLaMA-Factory parses all of these (docs/format-details.md).
 */

import { quote } from '../json/respace.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message } from '../model/element.ts';
import { isBlank } from '../model/white-space.ts';
import { toolsInString } from './arrow-safe.ts';
import { withCommas } from './chat.ts';
import type { Format, FormatFinding } from './format.ts';
import { functionsOf } from './openai.ts';
import { type Turn, turnsOf } from './sharegpt-turns.ts';
import type { Report } from './tool-arguments.ts';

const HEAD = encode('{"conversations":[');
const INPUTS: ReadonlySet<string> = new Set(['human', 'observation']);
const ANSWERS: ReadonlySet<string> = new Set(['gpt', 'function_call']);
/** Tags that LLaMA-Factory searches for in the value of a call: `CALL_TAG` in its text, `TAG` in its JSON. */
const CALL_TAG = /<\/?tool_call>/;
const TAG = /<\/?(?:tool_call|think)>/;

/** Sorts consecutive results into the order of the calls before them, if their ids determine it. */
function orderResults(turns: readonly Turn[], report: Report): readonly Turn[] {
  const ordered = [...turns];
  turns.forEach(({ calls, ids }, i) => {
    if (calls.length < 2) return;
    let end = i + 1;
    while (turns[end]?.from === 'observation') end++;
    const results = turns.slice(i + 1, end);
    const places = results.map(({ answers }) => (answers === undefined ? -1 : ids.indexOf(answers)));
    const isKnown = new Set(ids).size === ids.length && !places.includes(-1);
    if (!isKnown || places.every((place, k) => k === 0 || place >= (places[k - 1] as number))) return;
    const sorted = results.toSorted((a, b) => ids.indexOf(a.answers) - ids.indexOf(b.answers));
    ordered.splice(i + 1, sorted.length, ...sorted);
    const message = `the results after messages[${(turns[i] as Turn).at}] are put into the order of its calls`;
    report({ rule: 'results-reordered', severity: 'WARNING', message });
  });
  return ordered;
}

/** Merges adjacent turns; undefined if they are of different kinds, or if a text would come after calls. */
function merged(one: Turn, two: Turn): Turn | undefined {
  const alike = one.from === two.from && (one.calls.length === 0 || two.text === '');
  if (!alike && !(one.from === 'gpt' && two.from === 'function_call')) return undefined;
  const texts = [one, two].filter(({ text }) => text !== '');
  return {
    ...two,
    at: one.at,
    text: texts.map(({ text }) => text).join('\n\n'),
    onlyThought: texts.length === 1 && (texts[0] as Turn).onlyThought,
    calls: [...one.calls, ...two.calls],
  };
}

function mergeTurns(turns: readonly Turn[], report: Report): Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const before = joined.at(-1);
    const both = before && merged(before, turn);
    if (before === undefined || both === undefined) joined.push(turn);
    else {
      joined[joined.length - 1] = both;
      const message = `messages[${turn.at}] is merged into messages[${before.at}]`;
      report({ rule: 'messages-merged', severity: 'WARNING', message });
    }
  }
  return joined;
}

/** Removes the turns after the last answer that is not empty; changes nothing if there is none. */
function cutEnd(turns: readonly Turn[], report: Report): readonly Turn[] {
  const end = turns.findLastIndex((turn) => !INPUTS.has(turn.from) && !isEmptyAnswer(turn)) + 1;
  if (end === turns.length) return turns;
  const rule = 'unanswered-end';
  if (end === 0) {
    const empty = turns.find(isEmptyAnswer);
    const message = `messages[${empty?.at}] is an empty answer, and the only one`;
    if (empty !== undefined) report({ rule, severity: 'ERROR', message, rejects: true });
    return turns;
  }
  const message = `messages[${(turns[end] as Turn).at}] and the messages after it have no answer: left out`;
  report({ rule, severity: 'WARNING', message });
  return turns.slice(0, end);
}

const isEmptyAnswer = ({ from, text }: Turn): boolean => from === 'gpt' && isBlank(text);

function checkOrder(turns: readonly Turn[], report: Report): void {
  const wrong = turns.findIndex(({ from }, i) => !(i % 2 === 0 ? INPUTS : ANSWERS).has(from));
  if (wrong < 0 && turns.length > 0 && turns.length % 2 === 0) return;
  const turn = turns[wrong];
  const message =
    turn === undefined
      ? 'the conversation has no answer'
      : `messages[${turn.at}] must be ${wrong % 2 === 0 ? 'a question or a result' : 'an answer or a call'}, because turns alternate`;
  report({ rule: 'not-alternating', severity: 'ERROR', message, rejects: true });
}

/** Reports tags that LLaMA-Factory would read as those of a call or a thought. */
function checkTags(turns: readonly Turn[], report: Report): void {
  for (const { at, text, calls } of turns) {
    if (calls.length === 0 || !(CALL_TAG.test(text) || calls.some((call) => TAG.test(call)))) continue;
    const message = `the turn of messages[${at}] contains a tag where consumers read a call`;
    report({ rule: 'control-token-in-content', severity: 'ERROR', message, rejects: true });
  }
}

function turnValue({ text, onlyThought, calls }: Turn): string {
  if (calls.length === 0) return text;
  const json = calls.length === 1 ? (calls[0] as string) : `[${calls.join(', ')}]`;
  return text === '' || onlyThought ? `${text}${json}` : `${text}\n<tool_call>${json}</tool_call>`;
}

function turnBytes(turn: Turn): Message {
  const role = turn.from === 'human' ? 'user' : ANSWERS.has(turn.from) ? 'assistant' : 'tool';
  return { bytes: encode(`{"from":${quote(turn.from)},"value":${quote(turnValue(turn))}}`), role };
}

const sharegpt: Format = {
  name: 'sharegpt',
  summary: 'Alternating turns {"from": ..., "value": ...} with calls in the value: for LLaMA-Factory.',
  rules: [
    'arguments-not-object',
    'content-not-text',
    'control-token-in-content',
    'empty-arguments',
    'malformed-call',
    'members-dropped',
    'messages-merged',
    'non-text-part',
    'not-alternating',
    'reasoning-inlined',
    'results-reordered',
    'tool-not-function',
    'unanswered-end',
  ],
  otherContent: 'is written as its JSON text',
  options: {},
  metadata: () => 'string',
  encode({ messages, tools }: Conversation) {
    const findings: FormatFinding[] = [];
    const report: Report = (finding) => findings.push(finding);
    const all = mergeTurns(orderResults(turnsOf(messages, report), report), report);
    const system = all[0]?.from === 'system' ? all[0] : undefined;
    const turns = cutEnd(system === undefined ? all : all.slice(1), report);
    checkOrder(turns, report);
    checkTags(turns, report);
    const written = turns.map(turnBytes);
    const functions = functionsOf(tools, report);
    const definitions = tools.map(({ bytes }, i) => ({ bytes: functions[i] ?? bytes }));
    const rest = `],"system":${quote(system?.text ?? '')},"tools":${toolsInString(definitions)}}`;
    const bytes = concat([HEAD, ...withCommas(written), encode(rest)]);
    return { bytes, written, findings };
  },
};

export default sharegpt;
