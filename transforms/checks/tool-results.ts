/**
 * Reports calls without a result, results without a call, and results that are empty or errors. Ids repeat in real
 * logs, so a result can only answer a call in the same block: from an assistant message up to the next one.
 */

import { eachAssistantCall } from '../model/assistant-calls.ts';
import type { Conversation, Message } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import { UnansweredCalls } from '../model/unanswered-calls.ts';
import type { ConversationCheck, Found } from './check.ts';
import { type Verdict, verdictOf } from './result-verdict.ts';
import { shownName } from './shown-name.ts';

interface Call {
  readonly index: number;
  readonly id: string | undefined;
  readonly name: string | undefined;
}

interface Result {
  readonly at: number;
  /** The call that it answers, or why it answers none. */
  readonly answers: Call | string;
  readonly verdict: Verdict;
}

/** An assistant message and those after it, up to the next one at `end`; `at` is -1 before the first one. */
interface Block {
  readonly at: number;
  readonly end: number;
  readonly calls: readonly Call[];
  readonly results: readonly Result[];
}

const FAULTS: Readonly<Record<Verdict, string>> = { ok: '', empty: 'is empty', error: 'reports an error' };

function* blocksOf(messages: readonly Message[]): Generator<Block> {
  for (let at = -1; at < messages.length; ) {
    let end = at + 1;
    while (end < messages.length && messages[end]?.role !== 'assistant') end++;
    const calls = at < 0 ? [] : callsOf(messages[at] as Message);
    yield { at, end, calls, results: resultsOf(messages, at + 1, end, calls) };
    at = end;
  }
}

function callsOf(message: Message): Call[] {
  const calls: Call[] = [];
  eachAssistantCall(message, ({ isObject, id, name }, index) => {
    if (isObject) calls.push({ index, id: id || undefined, name });
  });
  return calls;
}

function resultsOf(
  messages: readonly Message[],
  start: number,
  end: number,
  calls: readonly Call[],
): Result[] {
  const results: Result[] = [];
  const open = new UnansweredCalls(calls);
  for (let at = start; at < end; at++) {
    const message = messages[at] as Message;
    if (message.role !== 'tool') continue;
    const id = stringValue(message.bytes, 'tool_call_id');
    results.push({ at, answers: take(open, id), verdict: verdictOf(message) });
  }
  return results;
}

/** Logs without ids, as TRL and Ollama write them, or with empty ones have the results in the order of the calls. */
function take(open: UnansweredCalls<Call>, id: string | undefined): Call | string {
  if (!id) return open.take(undefined) ?? 'has no tool_call_id';
  if (!open.knows(id)) return 'answers no call of the assistant message before it';
  return open.take(id) ?? 'answers a call that has its result already';
}

function* checkBlock({ at, end, calls, results }: Block, isLast: boolean): Generator<Found> {
  const answered = new Set<Call | string>(results.map(({ answers }) => answers));
  const succeeded = new Set<string | undefined>();
  for (const { answers, verdict } of results)
    if (typeof answers !== 'string' && verdict === 'ok') succeeded.add(answers.name);
  const fault = (rule: string, { name }: Call, message: string): Found => ({
    rule,
    severity: name !== undefined && succeeded.has(name) ? 'WARNING' : 'ERROR',
    message,
  });
  const isTarget = isLast && end === at + 1; // calls in the last message are the training target
  for (const call of isTarget ? [] : calls) {
    if (answered.has(call)) continue;
    const text = `messages[${at}].tool_calls[${call.index}] ${shownName(call.name)} has no result`;
    yield fault('tool-result-missing', call, text);
  }
  for (const { at: index, answers, verdict } of results) {
    if (typeof answers === 'string') {
      yield { rule: 'tool-result-orphan', severity: 'ERROR', message: `messages[${index}] ${answers}` };
    } else if (verdict !== 'ok') {
      const text = `messages[${index}], the result of ${shownName(answers.name)}, ${FAULTS[verdict]}`;
      yield fault(`tool-result-${verdict}`, answers, text);
    }
  }
}

/** Does every call have a valid result, and every result a call? */
function isFine({ calls, results }: Block): boolean {
  return (
    calls.length === results.length &&
    results.every(({ answers, verdict }) => typeof answers !== 'string' && verdict === 'ok')
  );
}

function* check({ messages }: Conversation): Generator<Found> {
  for (const block of blocksOf(messages))
    if (!isFine(block)) yield* checkBlock(block, block.end === messages.length);
}

const toolResults: ConversationCheck = {
  name: 'tool-results',
  summary: 'Calls without a result, results without a call, and results that are empty or report an error.',
  rules: ['tool-result-error', 'tool-result-empty', 'tool-result-missing', 'tool-result-orphan'],
  on: 'conversation',
  check,
};

export default toolResults;
