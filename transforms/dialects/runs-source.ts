/** Folds benchmark trajectories into conversations: one per run, or one for all bare messages of a source. */

import type { JsonView } from '../json/json-view.ts';
import { oneLine } from '../json/one-line.ts';
import type { Fate, Rejection, ToolDefinition } from '../model/element.ts';
import { foldChatObject, foldResultBlocks, readChatObject } from './chat-object.ts';
import type { ReadContext } from './dialect-spec.ts';
import type { ItemFacts } from './fold/thread.ts';
import { metaOf } from './logged-meta.ts';
import { isTrue, present } from './logged-values.ts';
import { objectOf, type Piece } from './made-messages.ts';
import { readItem } from './responses-items.ts';

const MAIN = 'main';
/** mini-swe-agent ends its runs with a message of this role, which the model never sees. */
const EXIT = 'exit';
const USER = 'user';

export class RunsSource {
  /** Number of runs so far: each has its own thread. */
  #runs = 0;
  /** Number of messages so far, to name the answers. */
  #messages = 0;
  /** Name of the answer that the next item of the model is part of; undefined before its first item. */
  #answer: string | undefined;
  #tools: readonly ToolDefinition[] = [];
  #model: string | undefined;

  /** A run that is one object. @param list its messages */
  readRun(run: JsonView, list: JsonView, context: ReadContext): Rejection | undefined {
    const messages = list.elements();
    const bad = messages.findIndex((message) => !isReadable(message));
    if (bad >= 0) {
      const detail = `message ${bad} is not an object with a string role`;
      return context.reject('bad-messages', detail, messages[bad]);
    }
    const { fold } = context;
    fold.open(`run ${this.#runs++}`, idOf(run, context), timeOf(messages[0], context));
    fold.describe(metaOf({ model: this.#model, ...metaIn(run) }));
    if (this.#tools.length > 0) fold.tools(this.#tools);
    for (const message of messages) this.#take(message, context);
    fold.close();
    return undefined;
  }

  /** The head of a list of simulations, which follow one by one. */
  readHead(head: JsonView, context: ReadContext): Fate {
    const definitions = head.get('info')?.get('environment_info')?.get('tool_defs');
    const list =
      definitions?.type === 'object'
        ? definitions.members().map(([, tool]) => tool)
        : definitions?.elements();
    this.#tools = (list ?? []).flatMap(toolOf);
    this.#model = head.get('info')?.get('agent_info')?.get('llm')?.text();
    return context.drop('client-event');
  }

  /** A bare message: all of a source form one conversation. */
  readMessage(message: JsonView, context: ReadContext): Fate | Rejection | undefined {
    if (!isReadable(message))
      return context.reject('bad-event', 'the message has no role, or its content is not valid');
    if (isExit(message) || isMark(message)) return context.drop('client-event');
    context.fold.open(MAIN, context.origin.source, timeOf(message, context));
    this.#take(message, context);
    return undefined;
  }

  #take(message: JsonView, context: ReadContext): void {
    const several = message.get('tool_messages');
    if (several?.type === 'array') {
      for (const one of several.elements()) this.#take(one, context);
      return;
    }
    if (isExit(message) || isUsers(message)) {
      leaveOut(context);
      return;
    }
    if (isItems(message)) {
      this.#takeItems(message, context);
      return;
    }
    this.#answer = undefined;
    if (foldResultBlocks(context, message)) return;
    const object = readChatObject(message);
    const isDemo = isTrue(message.get('is_demo'));
    const facts: ItemFacts = isDemo ? { isCopied: true, isTurn: false } : {};
    if (object !== undefined) foldChatObject(context, object, `${this.#messages++}`, facts);
  }

  /** An answer of the Responses API, or an item of it: the model's items up to the next result or user item are one message. */
  #takeItems(message: JsonView, { fold }: ReadContext): void {
    const items = message.get('output')?.type === 'array' ? message.get('output')?.elements() : undefined;
    if (items !== undefined) this.#answer = undefined;
    for (const item of (items ?? [message]).map(readItem)) {
      if (item.kind === 'blocks') {
        this.#answer ??= `${this.#messages++}`;
        fold.amend(this.#answer, item.blocks, 'add', { notes: item.notes });
        continue;
      }
      this.#answer = undefined;
      if (item.kind === 'result')
        fold.answer(item.callId, item.message, { changes: item.changes, notes: item.notes });
      else if (item.kind === 'message') fold.add(item.message, { isTurn: item.message.role === 'user' });
    }
    if (items !== undefined) this.#answer = undefined;
  }
}

/** Counts a message that the model neither saw nor wrote. */
function leaveOut({ fold: { last } }: ReadContext): void {
  if (last.index >= 0) last.changes = [...(last.changes ?? []), 'not-by-model'];
}

/** In tau2 the simulated user has tools too: its calls and their results are not the model's. */
function isUsers(message: JsonView): boolean {
  if (message.get('requestor')?.text() === USER) return true;
  const calls = message.get('tool_calls')?.elements() ?? [];
  return (
    message.get('role')?.text() === USER && calls.length > 0 && message.get('content')?.text() === undefined
  );
}

/** A definition of tau2 `{name, doc, params}`. */
function toolOf(tool: JsonView): readonly ToolDefinition[] {
  const name = tool.get('name');
  if (name?.type !== 'string') return [];
  const members: Piece[] = [['name', name.copy()]];
  const [doc, params] = [
    tool.get('doc') ?? tool.get('description'),
    tool.get('params') ?? tool.get('parameters'),
  ];
  if (doc?.type === 'string') members.push(['description', doc.copy()]);
  if (params?.type === 'object') members.push(['parameters', params.copy()]);
  return [{ bytes: oneLine(objectOf(members)), name: name.text() || undefined }];
}

/** How the run ended, what it cost and what it was worth, as each benchmark calls it. */
function metaIn(run: JsonView): Parameters<typeof metaOf>[0] {
  const info = run.get('info');
  const first = (...views: readonly (JsonView | undefined)[]): JsonView | undefined => views.find(present);
  return {
    source_id: first(run.get('instance_id'), run.get('id'), run.get('task_id')),
    cost: first(info?.get('model_stats')?.get('instance_cost'), run.get('agent_cost')),
    reward: first(run.get('reward'), run.get('reward_info')?.get('reward')),
    finish: first(info?.get('exit_status'), run.get('termination_reason')),
  };
}

/** Kimi CLI keeps its marks and counts among the messages, with special roles. */
const isMark = (message: JsonView): boolean => message.get('role')?.text()?.startsWith('_') === true;

const isExit = (message: JsonView): boolean => message.get('role')?.text() === EXIT;

function isReadable(message: JsonView): boolean {
  const several = message.get('tool_messages');
  if (several?.type === 'array') return several.elements().every(isReadable);
  if (!isItems(message)) return readChatObject(message) !== undefined;
  if (message.get('output')?.type === 'array') return true;
  const { kind } = readItem(message);
  return kind === 'result' || kind === 'blocks' || kind === 'message';
}

/** Is it an item of the Responses API, or an answer with several? Messages of the chat API have a role and no such type. */
function isItems(message: JsonView): boolean {
  return message.get('role') === undefined || message.get('type')?.text() === 'message';
}

/** The run's own id; else its file, with task and trial where a file holds several runs. */
function idOf(run: JsonView, { origin }: ReadContext): string {
  const parts = ['task_id', 'trial'].map((key) => run.get(key)).filter(present);
  return [origin.source, ...parts.map((part) => part.text() ?? String(part.parsed()))].join('/');
}

function timeOf(message: JsonView | undefined, context: ReadContext): bigint | undefined {
  return context.time(message?.get('extra')?.get('timestamp') ?? message?.get('timestamp'));
}
