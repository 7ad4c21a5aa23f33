/** Folds trajectories into conversations: one per run, or one for all bare messages of a source. */

import { JsonView } from '../../json/json-view.ts';
import { oneLine } from '../../json/one-line.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import type { Fate, LineFate, Rejection, ToolDefinition } from '../../model/element.ts';
import { differentSpeakers } from '../../model/known-roles.ts';
import type { ReadContext } from '../dialect-spec.ts';
import { type ItemFacts, noteItem } from '../fold/thread.ts';
import { copiesOf, objectOf, type Piece, systemMessage } from '../shared/build-messages.ts';
import { contentOfUnknown } from '../shared/carried-content.ts';
import { foldChatObject, foldResultBlocks, readChatObject } from '../shared/chat-object.ts';
import { CopiedLines } from '../shared/copied-lines.ts';
import { chatMessageWith, RESPONSE_MEMBERS, RESPONSES_ITEM } from '../shared/known-members.ts';
import { LastObject } from '../shared/last-object.ts';
import { toolsIn } from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, isTrue, present } from '../shared/logged-values.ts';
import { isOfTwoSpeakers } from '../shared/message-blocks.ts';
import { RESULT_ERROR } from '../shared/reading-notes.ts';
import { RepeatedIds } from '../shared/repeated-ids.ts';
import { readItem } from '../shared/responses-items.ts';
import { type KnownObject, known, says, unreadMember, withKinds } from '../shared/unread-text.ts';
import { isSubmission, metaOfAnswer, metaOfRun, notesOfAnswer } from './meta.ts';
import { noteOfThought, notesOfSteps } from './steps.ts';

const MAIN = 'main';
/** mini-swe-agent ends its runs with a message of this role, which the model never sees. */
const EXIT = 'exit';
const USER = 'user';
const RESULTS: ReadonlySet<string> = new Set(['tool', 'function']);
/** Hermes begins its logs with an object of this role, which has the tools and the system text. */
const HEAD = 'session_meta';

/** Members of messages besides those of the API: of SWE-agent, mini-swe-agent, tau-bench, tau2 and published lists. */
const MESSAGE = chatMessageWith(
  [
    'agent message_type thought action is_demo tool_call_ids tags extra object raw_data raw_response response_cost',
    'turn_idx cost usage requestor error tool_messages generation_time_seconds is_audio audio_format audio_content',
    'audio_path audio_script_gold turn_taking_action contains_speech system_prompt tools finish_reason stop_reason model response mask train weight loss',
    'loss_weight token_count ts date',
  ].join(' '),
);
/** An answer of the Responses API; one of its items is described by its type. */
const OUTPUT: KnownObject = withKinds(RESPONSES_ITEM, {
  '': known(RESPONSE_MEMBERS, { 'output!': RESPONSES_ITEM }),
});

export class RunsSource {
  /** Number of runs so far, used to name their threads. */
  #runs = 0;
  /** Number of messages so far, used to name the answers. */
  #messages = 0;
  /** Name of the answer that the next item of the model belongs to; undefined if it begins another one. */
  #answer: string | undefined;
  /** Id of the first session of bare messages. */
  #main: string | undefined;
  /** Name of the thread of the bare message before. */
  #open: string | undefined;
  #tools: readonly ToolDefinition[] = [];
  #model: string | undefined;
  readonly #repeated = new RepeatedIds();
  readonly #last = new LastObject();
  /** The bare messages, by session. */
  #copies = new Map<string | undefined, CopiedLines>();

  /**
   * Reads a run that is one object.
   * @param list its messages
   * @param part suffix of the session id, if the object has several runs
   */
  readRun(run: JsonView, list: JsonView, context: ReadContext, part = ''): Rejection | undefined {
    const messages = list.elements().map(asMessage);
    const rejection = rejected(messages, context);
    if (rejection !== undefined) return rejection;
    const { fold } = context;
    const id = `${idOf(run, context)}${part}`;
    const own = toolsIn(run.get('tools'));
    const tools = own.length > 0 ? own : this.#tools;
    const last = messages.at(-1);
    const other = LISTS.find((name) => isOtherList(run.get(name), list));
    const ofSteps = notesOfSteps(run, list);
    for (const [agent, thread] of byAgent(messages)) {
      const isMain = thread[0] === messages[0];
      fold.open(`run ${this.#runs++}`, isMain ? id : `${id}/${agent}`, firstTime(thread));
      fold.describe(isMain ? metaOfRun(run, this.#model) : metaOf({ parent: id }));
      if (tools.length > 0) fold.tools(tools);
      if (other !== undefined) fold.note(unreadMember('the run', other, 'messages in another list too'));
      for (const note of ofSteps) fold.note(note);
      for (const message of thread) {
        if (message === last && isSubmission(message, run)) leaveOut(context);
        else this.#take(message, context);
      }
      fold.close();
    }
    return undefined;
  }

  /**
   * Reads the attempts of an agent that retries, each a run. The object repeats the chosen one, which is read only
   * once.
   */
  readAttempts(run: JsonView, attempts: JsonView, context: ReadContext): Rejection | undefined {
    const own = run.get('history');
    let isRepeated = own?.type !== 'array';
    const lists = attempts.elements().map((attempt) => attempt.get('history'));
    for (const [i, list] of lists.entries()) {
      if (list?.type !== 'array')
        return context.reject('bad-messages', `attempts[${i}] has no history`, attempts);
      const rejection = rejected(list.elements(), context);
      if (rejection !== undefined) return rejection;
      isRepeated ||= own !== undefined && isSame(list, own);
    }
    const rejection = isRepeated || own === undefined ? undefined : this.readRun(run, own, context);
    if (rejection !== undefined) return rejection;
    for (const [i, attempt] of attempts.elements().entries())
      this.readRun(attempt, lists[i] as JsonView, context, `/${i}`);
    return undefined;
  }

  /** The head of a list of simulations, which follow one by one, or are in it if the document is one line. */
  readSimulations(head: JsonView, list: JsonView, context: ReadContext): LineFate {
    this.#readHead(head);
    const simulations = list.elements();
    if (simulations.length === 0) return context.drop('client-event');
    for (const [i, one] of simulations.entries()) {
      const messages = one.get('messages');
      if (messages?.type !== 'array')
        return context.reject('bad-messages', `simulations[${i}] has no list of messages`, one);
      const rejection = rejected(messages.elements(), context);
      if (rejection !== undefined) return rejection;
    }
    for (const one of simulations) this.readRun(one, one.get('messages') as JsonView, context);
    return undefined;
  }

  #readHead(head: JsonView): void {
    const definitions = head.get('info')?.get('environment_info')?.get('tool_defs');
    const list =
      definitions?.type === 'object'
        ? definitions.members().map(([, tool]) => tool)
        : definitions?.elements();
    this.#tools = (list ?? []).flatMap(toolOf);
    this.#model = head.get('info')?.get('agent_info')?.get('llm')?.text();
  }

  /** Reads a bare message; all those of a session form one conversation, or of a source if they name none. */
  readMessage(message: JsonView, context: ReadContext): LineFate {
    if (roleOf(message) === HEAD && message.get('content') === undefined)
      return this.#readSystem(message, message.get('system_prompt'), context);
    if (!isReadable(message))
      return context.reject('bad-event', 'the message has no role, or no content that can be read');
    if (hasTwoSpeakers(message))
      return context.reject('unknown-speaker', differentSpeakers('the message'), message);
    if (isExit(message) || isMark(message)) return context.drop('client-event');
    if (roleOf(message) === SYSTEM_PROMPT) return this.#readSystem(message, message.get('content'), context);
    const session = message.get('session_id')?.text();
    if (session !== undefined && isInactive(message)) return context.drop('abandoned-branch');
    const id = session === undefined ? undefined : message.get('id'); // the number of a row
    const row = id?.type === 'number' ? `${session} ${Buffer.from(id.bytes)}` : undefined;
    const repeated = row === undefined ? undefined : this.#repeated.fateOf(row, message, context);
    if (repeated !== undefined) return repeated;
    if (this.#isCopy(message, session, context)) return context.drop('copied-line');
    this.#openMain(message, context, session);
    this.#take(message, context);
    return undefined;
  }

  #isCopy(message: JsonView, session: string | undefined, { origin }: ReadContext): boolean {
    const copies = this.#copies.get(session) ?? new CopiedLines();
    this.#copies.set(session, copies);
    const mark = markOf(message);
    return copies.isTimedCopy(message, origin, mark) || this.#last.isAgain(message, mark, origin);
  }

  #openMain(message: JsonView, { fold, origin }: ReadContext, session?: string): void {
    this.#main ??= session;
    const isMain = session === undefined || session === this.#main;
    const name = isMain ? MAIN : `${MAIN} ${session}`;
    if (name !== this.#open) this.#answer = undefined;
    this.#open = name;
    fold.open(name, isMain ? origin.source : `${origin.source}/${session}`, timeIn(message));
    if (this.#tools.length > 0) fold.tools(this.#tools);
  }

  #readSystem(head: JsonView, text: JsonView | undefined, context: ReadContext): Fate | undefined {
    context.fold.closeAll(); // those of a log to which this one was appended
    this.#copies = new Map();
    this.#tools = toolsIn(head.get('tools'));
    const [system] = systemMessage(text?.copy() ?? NO_TEXT);
    if (system === undefined) return context.drop('document-head');
    this.#openMain(head, context);
    context.fold.add(system, { isTurn: false });
    return undefined;
  }

  #take(message: JsonView, context: ReadContext): void {
    const several = message.get('tool_messages');
    if (several?.type === 'array') {
      for (const one of several.elements()) this.#take(one, context);
      return;
    }
    if (isExit(message) || isOfUserTools(message)) {
      leaveOut(context);
      return;
    }
    if (isItems(message)) {
      this.#takeItems(message, context);
      if (message.get('output') !== undefined) context.fold.describeAnswer(metaOfAnswer(message));
      return;
    }
    this.#answer = undefined;
    context.fold.expect(message, MESSAGE, `message ${this.#messages + 1}`);
    const ofThought = noteOfThought(message, `message ${this.#messages + 1}`);
    if (ofThought !== undefined) context.fold.note(ofThought);
    if (foldResultBlocks(context, message)) return;
    const object = readChatObject(message);
    const isDemo = isTrue(message.get('is_demo'));
    const facts: ItemFacts = isDemo
      ? { isCopied: true, isTurn: false }
      : {
          ...(object?.kind === 'answer' && { meta: metaOfAnswer(message), notes: notesOfAnswer(message) }),
          ...(object?.kind === 'result' && isTrue(message.get('error')) && { notes: [RESULT_ERROR] }),
        };
    if (object !== undefined) foldChatObject(context, object, `${this.#messages++}`, facts);
  }

  /** Adds an answer of the Responses API or one of its items: consecutive items of the model form one message. */
  #takeItems(message: JsonView, { fold }: ReadContext): void {
    fold.expect(message, OUTPUT, `message ${this.#messages + 1}`);
    const items = itemsIn(message);
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

/** The time of a message, by which a repeated one is known; none for results without an id, which calls of one answer may share. */
function markOf(message: JsonView): JsonView | undefined {
  const isResult = RESULTS.has(roleOf(message) ?? '');
  return isResult && !present(message.get('tool_call_id')) ? undefined : timeIn(message);
}

/** Counts a message that is left out because the model neither saw nor wrote it. */
function leaveOut({ fold: { last } }: ReadContext): void {
  if (last.index >= 0) noteItem(last, { changes: ['not-by-model'] });
}

/** Whether a message is a call or a result of the simulated user in tau2, who has tools too. */
function isOfUserTools(message: JsonView): boolean {
  if (message.get('requestor')?.text() === USER) return true;
  return roleOf(message) === USER && (message.get('tool_calls')?.elements().length ?? 0) > 0;
}

/** Converts a tool definition of tau2, `{name, doc, params}`. */
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

/** The rejection of a run with a message that cannot be read; undefined if all can be read. */
function rejected(messages: readonly JsonView[], context: ReadContext): Rejection | undefined {
  const bad = messages.findIndex((message) => !isReadable(message));
  const torn = messages.findIndex(hasTwoSpeakers);
  if (bad < 0 && torn < 0) return undefined;
  if (bad < 0) return context.reject('unknown-speaker', differentSpeakers(`message ${torn}`), messages[torn]);
  const detail = `message ${bad} has no role, or no content that can be read`;
  return context.reject('bad-messages', detail, messages[bad]);
}

/** Splits a history that several agents share into the messages of each agent. */
function byAgent(messages: readonly JsonView[]): ReadonlyMap<string | undefined, readonly JsonView[]> {
  const threads = new Map<string | undefined, JsonView[]>();
  const agents = messages.map((message) => message.get('agent')?.text());
  const isSplit = !agents.includes(undefined);
  for (const [i, message] of messages.entries()) {
    const agent = isSplit ? agents[i] : undefined;
    const own = threads.get(agent);
    if (own === undefined) threads.set(agent, [message]);
    else own.push(message);
  }
  return threads.size > 0 ? threads : new Map([[undefined, []]]);
}

/** Members that may hold the messages of a run. */
const LISTS = ['history', 'traj', 'messages', 'trajectory'] as const;

/** Is it a list of messages that is not the one that is read? The steps of SWE-agent are none. */
function isOtherList(other: JsonView | undefined, list: JsonView): boolean {
  const isList = other?.type === 'array' && other.elements().some((one) => one.get('role') !== undefined);
  return isList && !isSame(other, list);
}

/** Renames the text of a message in a published trajectory, which is under `text` or `system_prompt`, to `content`. */
function asMessage(message: JsonView): JsonView {
  const texts = ['text', 'system_prompt'].filter((key) => says(message.get(key)));
  const text = texts.length > 1 ? undefined : firstOf(message, 'text', 'system_prompt');
  const role = message.get('role');
  if (message.get('content') !== undefined || text?.type !== 'string' || role?.type !== 'string')
    return message;
  const name = role.text() === 'ai' ? '"assistant"' : role.copy();
  const others = copiesOf(message.others(RENAMED));
  return new JsonView(objectOf([['role', name], ['content', text.copy()], ...others]));
}

const RENAMED: ReadonlySet<string> = new Set(['role', 'text', 'system_prompt']);

/** Compares lists of messages; the parsed values of those with other bytes, because copies differ in indentation. */
function isSame(a: JsonView, b: JsonView): boolean {
  const [own, others] = [a.elements(), b.elements()];
  return own.length === others.length && own.every((one, i) => isSameValue(one, others[i] as JsonView));
}

const isSameValue = (a: JsonView, b: JsonView): boolean =>
  Buffer.compare(a.bytes, b.bytes) === 0 || JSON.stringify(a.parsed()) === JSON.stringify(b.parsed());

/** Whether Hermes keeps a row that the model no longer sees: the user took it back, or a compaction replaced it. */
const isInactive = (row: JsonView): boolean => INACTIVE.has(String(row.get('active')?.parsed()));
const INACTIVE: ReadonlySet<string> = new Set(['0', 'false']);

/** Whether a message is a checkpoint or a count of Kimi CLI, which logs these with special roles. */
const isMark = (message: JsonView): boolean => MARKS.has(roleOf(message));
const MARKS: ReadonlySet<string | undefined> = new Set(['_checkpoint', '_usage']);
/** The role of the first line of Kimi CLI. */
const SYSTEM_PROMPT = '_system_prompt';

const isExit = (message: JsonView): boolean => roleOf(message) === EXIT;

const roleOf = (message: JsonView): string | undefined => message.get('role')?.text();

/** Do the members of a message, or of one of several in it, name different speakers? */
function hasTwoSpeakers(message: JsonView): boolean {
  const several = message.get('tool_messages');
  return several?.type === 'array' ? several.elements().some(hasTwoSpeakers) : isOfTwoSpeakers(message);
}

function isReadable(message: JsonView): boolean {
  const several = message.get('tool_messages');
  if (several?.type === 'array') return several.elements().every(isReadable);
  if (!isItems(message)) return readChatObject(message) !== undefined;
  return itemsIn(message)?.every(isReadableItem) ?? OF_TURN.has(readItem(message).kind);
}

/** The items of an answer of the Responses API. The output of a call may be a list, too. */
function itemsIn(answer: JsonView): readonly JsonView[] | undefined {
  const output = answer.textOf('type')?.endsWith('_output') === true ? undefined : answer.get('output');
  return output?.type === 'array' ? output.elements() : undefined;
}

const OF_TURN: ReadonlySet<string> = new Set(['result', 'blocks', 'message']);

/** Whether an item of an answer is known, or says nothing. */
function isReadableItem(item: JsonView): boolean {
  const { kind } = readItem(item);
  return OF_TURN.has(kind) || (kind !== 'bad' && contentOfUnknown(item.textOf('type'), item) === undefined);
}

/** Whether a message is an item of the Responses API, or an answer with a list of items. */
function isItems(message: JsonView): boolean {
  return message.get('role') === undefined || message.get('type')?.text() === 'message';
}

/** Session id of a run: its source, then the task and trial, or the run's own id if a file has several runs. */
function idOf(run: JsonView, { origin }: ReadContext): string {
  const own = run.get('history') === undefined && run.get('trajectory') !== undefined;
  const id = own ? firstOf(run, 'trajectory_id', 'instance_id') : undefined;
  const parts = [id, run.get('task_id'), run.get('trial')].filter(present);
  return [origin.source, ...parts.map((part) => part.text() ?? String(part.parsed()))].join('/');
}

/** The time of the first message that has one: mini-swe-agent has none for the system text and the task. */
function firstTime(messages: readonly JsonView[]): JsonView | undefined {
  const timed = messages.find((message) => timeIn(message) !== undefined);
  return timed && timeIn(timed);
}

const timeIn = (message: JsonView): JsonView | undefined =>
  firstOf(message.get('extra'), 'timestamp') ?? firstOf(message, 'timestamp');
