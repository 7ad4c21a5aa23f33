/**
 * Dialect `atif`: trajectories in the Agent Trajectory Interchange Format, versions 1.0 to 1.7. One object is a run of
 * an agent, and may contain the runs of its sub-agents.
 */

import { JsonView } from '../json/json-view.ts';
import type { ReadingNote, Rejection } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect } from './dialect.ts';
import type { ObjectPart, ReadContext } from './dialect-spec.ts';
import { metaOfAnswers } from './fold/path-meta.ts';
import { copiesOf, objectOf } from './shared/build-messages.ts';
import { toolsIn } from './shared/logged-bodies.ts';
import { metaOf } from './shared/logged-meta.ts';
import { firstOf } from './shared/logged-values.ts';
import { blocksIn } from './shared/message-blocks.ts';
import { blocksOf, callOf, type MessageBlock, type ResultBlock, resultText } from './shared/message-parts.ts';
import { warning } from './shared/reading-notes.ts';
import { Transcript } from './shared/transcript.ts';
import { ANYTHING, known, knownByType, unreadIn } from './shared/unread-text.ts';

const PART = knownByType('type', { text: known('type text:text!'), image: known('type source!') });
const RESULT = known('source_call_id subagent_trajectory_ref extra', { 'content:parts!': PART });
const STEP_MEMBERS =
  'step_id timestamp source model_name reasoning_effort metrics extra llm_call_count is_copied_context';
const STEP_PARTS = {
  'message:parts!': PART,
  'observation:object': known('extra', { 'results:list!': RESULT }),
};
/** The members of a step of the user or of the system. */
const OTHER_STEP = known(STEP_MEMBERS, STEP_PARTS);
const STEP = known(`${STEP_MEMBERS} reasoning_content:text`, {
  ...STEP_PARTS,
  'tool_calls:list!': known('tool_call_id function_name:text arguments! extra'),
});

const TRAJECTORY = known(
  [
    'schema_version session_id trajectory_id agent steps notes final_metrics continued_trajectory_ref extra',
  ].join(' '),
  { 'subagent_trajectories:list': ANYTHING },
);

const VERSION = /^ATIF-v1\b/;
const copied = (count: number): ReadingNote =>
  warning('copied-history', `${count} of its steps are copied from an earlier trajectory`);

const UNORDERED = warning(
  'order-lost',
  'the steps are not in the order of their numbers: they are read in the order of the log',
);

/** Turns the steps of one trajectory into messages. */
class Steps {
  readonly transcript: Transcript;
  readonly changes = new Map<string, number>();
  /** Number of steps copied from another trajectory, which are only context. */
  copied = 0;
  /** Number of messages from those steps. */
  copiedMessages = 0;
  /** Model, tokens and cost of each answer. */
  readonly metas: Meta[] = [];
  /** Whether a step has a number that is not after that of the step before. */
  isUnordered = false;
  #number = Number.NEGATIVE_INFINITY;
  #hasBegun = false;
  /** Whether the last step of the agent had calls. */
  #hasCalled = false;

  constructor(keepSealed: boolean) {
    this.transcript = new Transcript(keepSealed);
  }

  /** Adds a step. @returns what is wrong with the step, if it cannot be read */
  add(step: JsonView): string | undefined {
    if (step.type !== 'object') return 'is not an object';
    const source = step.get('source')?.text();
    if (source !== 'system' && source !== 'user' && source !== 'agent') return 'has an unknown source';
    const number = step.get('step_id')?.parsed();
    if (typeof number === 'number') {
      this.isUnordered ||= number <= this.#number;
      this.#number = number;
    }
    const isCopied = step.get('is_copied_context')?.parsed() === true;
    if (isCopied) this.copied++;
    if (source === 'agent' && step.get('llm_call_count')?.parsed() === 0) {
      this.#count('not-by-model');
      return undefined;
    }
    if (source === 'agent') this.#addAgent(step);
    else this.#addOther(step, source);
    if (isCopied) this.copiedMessages = this.transcript.messages.length;
    else if (source === 'agent') this.metas.push(metaOfStep(step));
    return undefined;
  }

  #count(rule: string): void {
    this.changes.set(rule, (this.changes.get(rule) ?? 0) + 1);
  }

  /** A system message after the first turn becomes a user message: the model got it as input from outside. */
  #addOther(step: JsonView, source: 'system' | 'user'): void {
    const isLate = source === 'system' && this.#hasBegun;
    if (isLate) this.#count('system-step');
    if (source === 'user') this.#hasBegun = true;
    const results = resultsIn(step);
    const named = results.flatMap((result) => resultOf(result, undefined) ?? []);
    if (named.length > 0) this.transcript.addBlocks('user', named);
    const blocks = blocksOf(firstOf(step, 'message'));
    if (blocks.length > 0) this.transcript.addBlocks(isLate ? 'user' : source, blocks);
    for (const result of results) if (resultOf(result, undefined) === undefined) this.#observe(result);
  }

  #addAgent(step: JsonView): void {
    this.#hasBegun = true;
    const reasoning = firstOf(step, 'reasoning_content');
    const calls = step.get('tool_calls')?.elements().map(callOf) ?? [];
    const results = resultsIn(step);
    const blocks: MessageBlock[] =
      reasoning?.type === 'string' ? [{ kind: 'thought', text: reasoning.copy() }] : [];
    blocks.push(...blocksOf(firstOf(step, 'message')), ...calls);
    const named = calls.map(({ id }) => id);
    const given = new Set(results.map((result) => firstOf(result, 'source_call_id')?.text()));
    const areInOrder = results.length === calls.length || calls.length === 1;
    const inOrder = named.map((id) => (areInOrder && !given.has(id) ? id : undefined));
    const answers: ResultBlock[] = [];
    const others: JsonView[] = [];
    for (const [i, result] of results.entries()) {
      const answer = resultOf(result, inOrder[i]);
      if (answer === undefined) others.push(result);
      else answers.push(answer);
    }
    // some programs log each call of an answer as a step; a text or a thought begins the next answer
    if (hasContent(blocks.filter(({ kind }) => kind !== 'call')) && this.#hasCalled)
      this.transcript.endTurn();
    this.#hasCalled = calls.length > 0;
    if (hasContent(blocks))
      this.transcript.addBlocks('assistant', [...sealedIn(step), ...blocks, ...answers]);
    else this.#count('empty-assistant');
    for (const result of others) this.#observe(result);
  }

  /** Adds a result without a call as a user message: agents that write calls into their text get results that way. */
  #observe(result: JsonView): void {
    const blocks = blocksOf(firstOf(result, 'content'));
    if (blocks.length === 0) return;
    this.#count('observation-as-user');
    this.transcript.addBlocks('user', blocks);
  }
}

/** The fault of a step that lacks the words of a user or of the system. */
function faultOfStep(step: JsonView): string | undefined {
  const message = firstOf(step, 'message')?.type;
  const isSaid = step.get('source')?.text() === 'agent' || message === 'string' || message === 'array';
  return isSaid ? undefined : 'has no message';
}

function metaOfStep(step: JsonView): Meta {
  const metrics = step.get('metrics');
  return metaOf({
    model: step.get('model_name'),
    usage: tokensIn(metrics),
    cost: metrics?.get('cost_usd'),
  });
}

/** Tokens and cost of the whole run. @param totals the object with them */
const metaOfTotals = (totals: JsonView | undefined): Meta =>
  metaOf({ usage: tokensIn(totals), cost: totals?.get('total_cost_usd') });

const tokensIn = (metrics: JsonView | undefined): JsonView =>
  new JsonView(objectOf(copiesOf((metrics?.members() ?? []).filter(([key]) => key.endsWith('_tokens')))));

/** The result of the call that it names, or else of `call`; undefined if it answers no call. */
function resultOf(result: JsonView, call: string | undefined): ResultBlock | undefined {
  const id = firstOf(result, 'source_call_id')?.text() ?? call;
  if (id === undefined) return undefined;
  return { kind: 'result', id, name: undefined, content: resultText(firstOf(result, 'content')) };
}

/** The encrypted reasoning of a step or of its calls, which their model wants back: only `extra` has room for it. */
const sealedIn = (step: JsonView): readonly MessageBlock[] =>
  [step, ...(step.get('tool_calls')?.elements() ?? [])].flatMap((one) => {
    const extra = one.get('extra');
    return extra?.type === 'object' ? blocksIn(extra).filter(({ kind }) => kind === 'sealed') : [];
  });

const resultsIn = (step: JsonView): readonly JsonView[] =>
  step.get('observation')?.get('results')?.elements() ?? [];

const hasContent = (blocks: readonly MessageBlock[]): boolean =>
  blocks.some((block) => (block.kind !== 'text' && block.kind !== 'thought') || block.text.length > 2);

/** Yields the trajectory and those inside it, each as a conversation. */
function* conversations(
  trajectory: JsonView,
  parent: string | undefined,
  context: ReadContext,
  keepSealed: boolean,
): Generator<ObjectPart> {
  const own = parent === undefined ? ['session_id', 'trajectory_id'] : ['trajectory_id', 'session_id'];
  const id = firstOf(trajectory, ...own)?.text() || undefined;
  const sessionId = parent === undefined || id === undefined ? id : `${parent}/${id}`;
  yield conversation(trajectory, sessionId, parent, context, keepSealed);
  for (const inner of trajectory.get('subagent_trajectories')?.elements() ?? [])
    yield* conversations(inner, sessionId ?? parent ?? context.origin.source, context, keepSealed);
}

function conversation(
  trajectory: JsonView,
  sessionId: string | undefined,
  parent: string | undefined,
  context: ReadContext,
  keepSealed: boolean,
): ObjectPart | Rejection {
  const list = trajectory.get('steps');
  if (list?.type !== 'array') return context.reject('bad-messages', 'steps is not a list', list);
  const steps = new Steps(keepSealed);
  let unread = unreadIn(trajectory, TRAJECTORY, 'the trajectory');
  for (const [i, step] of list.elements().entries()) {
    const fault = steps.add(step) ?? faultOfStep(step);
    unread ??= unreadIn(step, step.textOf('source') === 'agent' ? STEP : OTHER_STEP, `steps[${i}]`);
    if (fault !== undefined) return context.reject('bad-messages', `steps[${i}] ${fault}`, step);
  }
  const { transcript, changes } = steps;
  const { refusal } = transcript;
  if (refusal !== undefined) return context.reject(refusal.reason, refusal.detail, list);
  if (transcript.messages.length === 0) return context.reject('bad-messages', 'no step has a message', list);
  if (unread !== undefined) transcript.noteFirst(unread);
  if (steps.isUnordered) transcript.noteFirst(UNORDERED);
  if (steps.copied > 0) transcript.noteFirst(copied(steps.copied));
  const agent = trajectory.get('agent');
  // steps need no metrics; the sums of a run may include those of copied steps
  const totals = steps.copied > 0 ? undefined : trajectory.get('final_metrics');
  const whole = metaOf({
    source_id: firstOf(trajectory, 'session_id') ?? sessionId,
    harness: agent?.get('name'),
    model: agent?.get('model_name'),
    parent,
    ...(steps.copiedMessages > 0 && { copied: steps.copiedMessages }),
  });
  return {
    ...context.replyLast(transcript.messages),
    tools: toolsIn(agent?.get('tool_definitions')),
    sessionId,
    alone: true,
    timestamp: context.time(list.elements()[0]?.get('timestamp')),
    changes: new Map([...changes, ...transcript.changes]),
    meta: new Map([...metaOfTotals(totals), ...metaOfAnswers(whole, steps.metas)]),
  };
}

const atif: Dialect = defineDialect({
  name: 'atif',
  summary: 'Trajectories of agents (ATIF, Harbor): {schema_version, agent, steps}, with their sub-agents.',
  keys: ['schema_version', 'session_id', 'trajectory_id', 'agent', 'steps', 'subagent_trajectories'],
  alone: true,
  lacks: ['marks'],
  marks: ['schema_version', 'steps'],
  detect: (first) =>
    VERSION.test(first.get('schema_version')?.text() ?? '') && first.get('steps')?.type === 'array',
  memory: ({ keepSealed = false }) => ({ keepSealed }),
  read: (json, context, { keepSealed }) => [...conversations(json, undefined, context, keepSealed)],
});

export default atif;
