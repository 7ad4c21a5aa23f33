/**
 * Format `sharegpt`: LLaMA-Factory's `conversations`, whose turns must alternate between human or observation and gpt
 * or function_call. Adjacent turns of one kind are merged with a blank line between, a text is merged with the calls
 * that follow it, and unanswered turns at the end are left out; any other order rejects the record. A call is written as
 * `{"name": ..., "arguments": {...}}`, several as a list, with a text before it as `TEXT\n<tool_call>CALL</tool_call>`,
 * and a thought as `<think>\n...\n</think>\n\n`: LLaMA-Factory parses all of these (docs/reference/format-details.md).
 */

import { quote } from '../json/respace.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Conversation, Message } from '../model/element.ts';
import { isBlank } from '../model/white-space.ts';
import { words } from '../model/words.ts';
import { toolsInString } from './arrow-safe.ts';
import { withCommas } from './chat.ts';
import type { Format, Report } from './format.ts';
import { functionsOf } from './openai.ts';
import {
  collectFindings,
  fatal,
  NO_ANSWER,
  reportUnknownRoles,
  unansweredEnd,
  warning,
} from './shared-rules.ts';
import { type Turn, turnsOf } from './sharegpt-turns.ts';
import { spokenAsText } from './spoken-text.ts';

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
    const places = new Map(ids.map((id, place) => [id, place]));
    const placeOf = ({ answers }: Turn): number => (answers === undefined ? -1 : (places.get(answers) ?? -1));
    const results = turns.slice(i + 1, end);
    const isKnown = places.size === ids.length && results.every((result) => placeOf(result) >= 0);
    const isSorted = results.every(
      (result, k) => k === 0 || placeOf(result) >= placeOf(results[k - 1] as Turn),
    );
    if (!isKnown || isSorted) return;
    const sorted = results.toSorted((a, b) => placeOf(a) - placeOf(b));
    for (const [k, result] of sorted.entries()) ordered[i + 1 + k] = result;
    const message = `the results after messages[${(turns[i] as Turn).at}] are put into the order of its calls`;
    report(warning('results-reordered', message));
  });
  return ordered;
}

/** Whether a turn continues the one before it: the same kind, and no text after calls; or calls after a text. */
function continues(before: Turn, { from, text }: Turn): boolean {
  if (before.from === 'gpt' && from === 'function_call') return true;
  return before.from === from && (before.calls.length === 0 || text === '');
}

/** One turn from adjacent ones. */
function merged(turns: readonly Turn[]): Turn {
  const [first, last] = [turns[0], turns.at(-1)] as [Turn, Turn];
  if (first === last) return first;
  const texts = turns.filter(({ text }) => text !== '');
  return {
    ...last,
    at: first.at,
    text: texts.map(({ text }) => text).join('\n\n'),
    onlyThought: texts.length === 1 && (texts[0] as Turn).onlyThought,
    calls: turns.flatMap(({ calls }) => calls),
  };
}

function mergeTurns(turns: readonly Turn[], report: Report): Turn[] {
  const groups: Turn[][] = [];
  for (const turn of turns) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group === undefined || before === undefined || !continues(before, turn)) groups.push([turn]);
    else {
      group.push(turn);
      report(warning('messages-merged', `messages[${turn.at}] is merged into messages[${group[0]?.at}]`));
    }
  }
  return groups.map(merged);
}

/**
 * Removes the turns after the last answer that is not empty; changes nothing if there is none.
 * @param count number of messages
 */
function cutEnd(turns: readonly Turn[], count: number, report: Report): readonly Turn[] {
  const end = turns.findLastIndex((turn) => !INPUTS.has(turn.from) && !isEmptyAnswer(turn)) + 1;
  if (end === turns.length) return turns;
  if (end === 0) {
    const empty = turns.find(isEmptyAnswer);
    const message = `messages[${empty?.at}] is an empty answer, and the only one`;
    if (empty !== undefined) report({ rule: 'unanswered-end', severity: 'ERROR', message, rejects: true });
    return turns;
  }
  report(unansweredEnd((turns[end] as Turn).at, count));
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
  report(fatal('not-alternating', message));
}

/** Reports tags that LLaMA-Factory would read as those of a call or a thought. */
function checkTags(turns: readonly Turn[], report: Report): void {
  for (const { at, text, calls } of turns) {
    if (calls.length === 0 || !(CALL_TAG.test(text) || calls.some((call) => TAG.test(call)))) continue;
    const message = `the turn of messages[${at}] contains a tag where consumers read a call`;
    report(fatal('control-token-in-content', message));
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
  rules: words(`
    arguments-not-object content-not-text control-token-in-content empty-arguments malformed-call members-dropped
    messages-merged ${NO_ANSWER} non-text-part not-alternating parts-joined reasoning-inlined results-reordered
    tool-not-function unanswered-end unknown-role
  `),
  needsAnswer: true,
  ownRules: {
    'messages-merged': {
      meaning: 'Messages would be merged into one turn (with --on-finding messages-merged=reject).',
    },
    'not-alternating': {
      meaning: 'The turns do not alternate between the two sides (by default; =keep writes them unchanged).',
    },
  },
  otherContent: 'is written as its JSON text',
  options: {},
  columns: () => ({ conversations: 'turns', system: 'free-text', tools: 'text' }),
  metadata: () => 'string',
  encode({ messages, tools }: Conversation) {
    const { findings, report } = collectFindings();
    reportUnknownRoles(messages, report);
    const all = mergeTurns(orderResults(turnsOf(spokenAsText(messages), report), report), report);
    const system = all[0]?.from === 'system' ? all[0] : undefined;
    const turns = cutEnd(system === undefined ? all : all.slice(1), messages.length, report);
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
