/**
 * Builds a conversation from messages of any client. Messages in OpenAI's format keep their bytes. A call without an id
 * gets one, and a result without one answers the first open call with its name.
 */

import type { JsonView } from '../../json/json-view.ts';
import { isMasked, MAX_MASKED } from '../../model/cut-texts.ts';
import type { Changes, Message, ReadingNote } from '../../model/element.ts';
import { differentSpeakers, isRole, OTHER_ROLE, roleNamed, unknownSpeaker } from '../../model/known-roles.ts';
import type { LineReason } from '../../model/reasons.ts';
import { AssistantDraft } from '../fold/assistant-draft.ts';
import { messageWithoutBilling } from './billing-line.ts';
import { callJson, makeMessage, toolMessage, withCallId } from './build-messages.ts';
import { callsInText, itemIn } from './calls-in-text.ts';
import { contentOfParts, keptIn, type Part } from './content-parts.ts';
import type { ContinuedLists } from './continued-lists.ts';
import { heldMessage, isSameList } from './history.ts';
import { TRACED_MESSAGE } from './known-bodies.ts';
import { firstOf, unpacked } from './logged-values.ts';
import {
  blocksIn,
  bodyOf,
  isDefinition,
  isOfParts,
  isOpenAi,
  namesOther,
  secondContent,
  speakerIn,
} from './message-blocks.ts';
import { type CallBlock, callOf, isFailed, type MessageBlock, resultText } from './message-parts.ts';
import { OpenCalls } from './open-calls.ts';
import {
  FREE_FORM,
  keptBlock,
  noted,
  RESULT_ERROR,
  SEALED,
  SUMMARY,
  UNANSWERED,
  warning,
} from './reading-notes.ts';
import { hasTexts, withJoinedTexts } from './sdk-parts.ts';
import { type KnownObject, unreadIn, unreadMember } from './unread-text.ts';
import { faultOf, type Unreadable } from './unreadable.ts';

const PLACEHOLDER: ReadingNote = warning(
  'body-placeholder',
  'the text was masked or truncated by the logger',
);

/** Why the conversation cannot be read: something in it was not understood. */
export interface Refusal extends Unreadable {
  /** The offending value, valid as long as its line. */
  readonly at: JsonView | undefined;
}

/** The last message of the model, which may continue: some clients log each call of an answer as a message. */
interface Turn {
  readonly draft: AssistantDraft;
  readonly message: Message;
  readonly notes: readonly ReadingNote[];
  /** Whether it may not be the whole answer, because it has a call, or only reasoning. */
  readonly isOpen: boolean;
}

/** A conversation after a list of messages. */
export interface ListState {
  /** The messages before the list. */
  readonly before: readonly Message[];
  readonly messages: readonly Message[];
  readonly open: OpenCalls;
  readonly changes: Changes;
}

export class Transcript {
  readonly messages: Message[] = [];
  /** Tool definitions among the messages, where LangChain's tracers put them: valid as long as the line. */
  readonly definitions: JsonView[] = [];
  joinsTexts = false; // texts of an answer without a separator, as the client joins those of the last one
  readonly #keepSealed: boolean;
  readonly #known: ContinuedLists<ListState> | undefined;
  #changes = new Map<string, number>();
  #open = new OpenCalls();
  /** The last message, if it is one of the model. */
  #turn: Turn | undefined;
  #refusal: Refusal | undefined;

  /** @param known lists of earlier calls, of a dialect whose calls repeat them */
  constructor(keepSealed: boolean, known?: ContinuedLists<ListState>) {
    this.#keepSealed = keepSealed;
    this.#known = known;
  }

  get changes(): Changes {
    return this.#changes;
  }

  /** The first thing that was not understood: the conversation must then be rejected. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Records why the conversation cannot be read. @param detail positions and names, never content */
  refuse(reason: LineReason, detail: string, at?: JsonView): void {
    this.#refusal ??= { reason, detail, at };
  }

  /**
   * Adds the messages of a list.
   * @param elements of the list, those that are JSON in a string as its value
   * @param add adds one of them
   */
  addList(
    list: JsonView,
    elements: readonly JsonView[],
    add: (element: JsonView) => unknown = (one) =>
      this.add(one) || this.refuse('unknown-content', NO_MESSAGE, one),
  ): void {
    const before = [...this.messages];
    const known = this.#hasOnlySystem ? this.#known : undefined;
    const read = known?.find(list, (state) => isSameList(state.before, before));
    if (read !== undefined) this.#resume(read.state);
    for (const element of elements.slice(read?.count)) add(element);
    const isWhole = this.#refusal === undefined && this.definitions.length === 0;
    // the next list could continue the last message of the model
    if (known === undefined || !isWhole || this.#turn?.message === this.messages.at(-1)) return;
    for (const [i, message] of this.messages.entries()) this.messages[i] = heldMessage(message);
    const [messages, open, changes] = [[...this.messages], this.#open.copy(), new Map(this.#changes)];
    known.add(list, { count: elements.length, state: { before, messages, open, changes } }, read);
  }

  /** Has it at most the system text, which opens and changes nothing? */
  get #hasOnlySystem(): boolean {
    const isPlain = this.#open.isNew && this.#changes.size + this.definitions.length === 0;
    return isPlain && this.#turn === undefined && this.#refusal === undefined;
  }

  #resume({ messages, open, changes }: ListState): void {
    this.messages.splice(0, this.messages.length, ...messages);
    this.#open = open.copy();
    this.#changes = new Map(changes);
  }

  /**
   * Adds a message in the format of any client.
   * @param role used if the message has none
   * @param kind the members that it may have
   * @returns false if it is not a message
   */
  add(message: JsonView, role?: string, kind: KnownObject = TRACED_MESSAGE): boolean {
    if (message.type !== 'object') return false;
    const { body, speaker: logged } = bodyOf(message);
    const isAdded = this.#addBody(message, body, logged ?? speakerIn(body) ?? role);
    this.expect(body, kind);
    const second = secondContent(body);
    if (second !== undefined)
      this.noteFirst(
        unreadMember(`message ${this.messages.length}`, second, 'another text in a second content'),
      );
    return isAdded;
  }

  #addBody(message: JsonView, body: JsonView, speaker: string | undefined): boolean {
    if (speaker === undefined) return false;
    if (namesOther(body, speaker)) {
      this.refuse('unknown-speaker', differentSpeakers(`message ${this.messages.length + 1}`), message);
      return true;
    }
    // Koog writes a call under the role of a tool
    const isCaller = speaker === 'assistant' || (speaker === 'tool' && !namesCall(body));
    const printed = isCaller ? callsInText(body) : undefined;
    const content = unpacked(body.get('content'));
    if (speaker === 'tool' && content?.type === 'object' && !namesCall(body)) {
      if (isDefinition(content)) this.definitions.push(content);
      else this.refuse('unknown-content', UNKNOWN_RESULT, content);
    } else if (printed !== undefined) this.addBlocks('assistant', printed.map(callOf));
    else if (isOpenAi(body) && !(this.joinsTexts && hasTexts(body))) this.#addAsLogged(body, speaker);
    else if (isRole(speaker) && !hasContentMember(body)) this.#addBare(body, speaker);
    else if (isRole(speaker)) this.addBlocks(speaker, blocksIn(body), body);
    else if (this.#open.hasName(speaker)) this.#addResultOf(speaker, body);
    else this.refuse('unknown-speaker', unknownSpeaker(`message ${this.messages.length + 1}`), message);
    return true;
  }

  /** Adds a message without a member that has content: only an empty one of the model may lack it. */
  #addBare(body: JsonView, speaker: string): void {
    const blocks = blocksIn(body);
    const bare = blocks.length > 0 ? undefined : { bytes: body.copy(), role: speaker };
    const fault = bare && faultOf(bare, `message ${this.messages.length + 1}`);
    if (fault === undefined) this.addBlocks(speaker, blocks, body);
    else this.refuse(fault.reason, fault.detail, body);
  }

  /** Adds an answer: a message of the model. */
  addAnswer(message: JsonView): void {
    const { body, speaker = speakerIn(body) } = bodyOf(message);
    if (speaker !== undefined && roleNamed(speaker) !== 'assistant')
      this.refuse('unknown-speaker', OTHER_ROLE, message);
    else this.add(message, 'assistant');
  }

  /** Adds messages that are the items of one answer, as the Responses API has them. */
  addItems(messages: readonly JsonView[]): void {
    this.addBlocks(
      'assistant',
      messages.flatMap((message) => itemIn(bodyOf(message).body)),
    );
  }

  /** Adds a message. @param message names the call that a result answers */
  addBlocks(role: string, blocks: readonly MessageBlock[], message?: JsonView): void {
    if (blocks.some((block) => block.kind === 'part' && block.isUnknown === true))
      this.refuse('unknown-content', UNKNOWN_PART, message);
    if (blocks.some(isNoCall)) this.refuse('unknown-content', UNKNOWN_CALL, message);
    if (role === 'assistant') this.#addAnswer(this.joinsTexts ? withJoinedTexts(blocks) : blocks);
    else if (RESULT_ROLES.has(role) && blocks.every(({ kind }) => kind !== 'result'))
      this.#addToolMessage(blocks, message);
    else {
      this.#addResults(blocks);
      const parts = blocks.flatMap(partOf);
      if (parts.length === 0 && blocks.length > 0) return;
      if (role === 'user') this.#noteUnanswered();
      this.messages.push(noted(makeMessage(role, [['content', contentOfParts(parts)]]), notesOn(blocks)));
    }
  }

  /** Ends the model's last message: its next blocks begin another one. */
  endTurn(): void {
    this.#turn = undefined;
  }

  /** Adds findings to the last message; does nothing if there is none. */
  note(...notes: readonly ReadingNote[]): void {
    const last = this.messages.pop();
    if (last !== undefined) this.messages.push(noted(last, notes));
  }

  /** Adds findings about the whole conversation, which its first message carries. */
  noteFirst(...notes: readonly ReadingNote[]): void {
    const [first] = this.messages;
    if (first === undefined || notes.length === 0) return;
    const marked = noted(first, notes);
    this.messages[0] = marked;
    const turn = this.#turn;
    if (turn?.message === first) this.#turn = { ...turn, message: marked, notes: [...turn.notes, ...notes] };
  }

  /** Reports words in members of an object that turnmill does not know. */
  expect(object: JsonView, kind: KnownObject): void {
    const note = unreadIn(object, kind, `message ${this.messages.length}`);
    if (note !== undefined) this.noteFirst(note);
  }

  #addAsLogged(message: JsonView, role: string): void {
    for (const call of message.get('tool_calls')?.elements() ?? []) {
      const { id = '', name } = callOf(call);
      this.#open.add(id, name, this.messages.length);
    }
    if (role === 'user') this.#noteUnanswered();
    const answered = message.get('tool_call_id')?.text();
    const id = answered === undefined ? undefined : this.#open.answer(answered, undefined);
    const masked = isMasked(message.get('content')?.text()) ? [PLACEHOLDER] : [];
    const bytes = id === answered ? message.copy() : withCallId(message, id);
    this.messages.push(noted(messageWithoutBilling({ bytes, role }), masked));
  }

  #addAnswer(all: readonly MessageBlock[]): void {
    const isEmptyThought = (block: MessageBlock): boolean =>
      block.kind === 'thought' && isEmptyText(block.text);
    const blocks = all.filter((block) => !isEmptyThought(block));
    if (blocks.length === 0 && all.length > 0) return;
    const isMore = blocks.some(({ kind }) => kind === 'call');
    const before = this.#turnBefore(isMore);
    const draft = before?.draft ?? new AssistantDraft();
    for (const block of blocks) {
      if (block.kind === 'result' || (isMore && block.kind === 'text' && isEmptyText(block.text))) continue;
      const at = this.messages.length - (before === undefined ? 0 : 1);
      draft.put(block.kind === 'call' ? this.#callOf(block, at) : block, 'add');
    }
    const isSealed = blocks.some(({ kind }) => kind === 'sealed');
    const isHidden = isSealed && !this.#keepSealed;
    if (isHidden) this.#changes.set('sealed-reasoning', (this.#changes.get('sealed-reasoning') ?? 0) + 1);
    if (isHidden && draft.isEmpty(this.#keepSealed)) return;
    const masked = notesOn(blocks).filter((note) => note === PLACEHOLDER);
    const isSummary = blocks.some((block) => block.kind === 'thought' && block.isSummary === true);
    const isFreeForm = blocks.some((block) => block.kind === 'call' && block.isFreeForm === true);
    const about = [
      ...(isSummary ? [SUMMARY] : []),
      ...(isSealed ? [SEALED] : []),
      ...(isFreeForm ? [FREE_FORM] : []),
    ];
    const notes = [...new Set([...(before?.notes ?? []), ...masked, ...about])];
    if (before !== undefined) this.messages.pop();
    const message = noted(draft.message(this.#keepSealed), notes);
    this.messages.push(message);
    const isOpen = isMore || before?.isOpen === true || blocks.every(({ kind }) => isReasoning(kind));
    this.#turn = { draft, message, notes, isOpen };
    this.#addResults(blocks);
  }

  /** The message that the next blocks continue: an open one, or any if the blocks are calls. */
  #turnBefore(isMore: boolean): Turn | undefined {
    const turn = this.#turn;
    const isLast = turn !== undefined && turn.message === this.messages.at(-1);
    return isLast && (turn.isOpen || isMore) ? turn : undefined;
  }

  /** @param at index of its message */
  #callOf(
    { id: logged, name, args }: CallBlock,
    at: number,
  ): { readonly kind: 'call'; readonly id: string; readonly json: Uint8Array } {
    const id = this.#open.add(logged, name, at);
    return { kind: 'call', id, json: callJson(id, name, args) };
  }

  /** Adds the result of a tool whose name is logged as the role, as LangChain's tracers of JavaScript do. */
  #addResultOf(tool: string, body: JsonView): void {
    const content = body.get('content');
    const failed = isFailed(body) ? [RESULT_ERROR] : [];
    this.#pushResult(body.get('tool_call_id')?.text(), tool, resultText(content), failed);
  }

  #addToolMessage(blocks: readonly MessageBlock[], message: JsonView | undefined): void {
    const id = firstOf(message, 'tool_call_id', 'toolCallId', 'call_id')?.text();
    const name = firstOf(message, 'name', 'tool_name')?.text();
    const content = firstOf(message, 'content', 'parts', 'contents', 'result', 'output');
    if (blocks.length === 0 && (content?.elements().length ?? 0) > 0) return; // none of its parts is for the model
    const text = isOfParts(content) ? contentOfParts(blocks.flatMap(partOf)) : resultText(content);
    const failed = message !== undefined && isFailed(message) ? [RESULT_ERROR] : [];
    this.#pushResult(id, name, text, [...notesOn(blocks), ...failed]);
  }

  #addResults(blocks: readonly MessageBlock[]): void {
    for (const block of blocks) {
      if (block.kind !== 'result') continue;
      const failed = block.isError === true ? [RESULT_ERROR] : [];
      this.#pushResult(block.id, block.name, block.content, [...keptIn(block.content), ...failed]);
    }
  }

  #pushResult(
    id: string | undefined,
    name: string | undefined,
    content: Uint8Array,
    notes: readonly ReadingNote[],
  ): void {
    const answered = this.#open.answer(id, name);
    this.messages.push(noted(toolMessage(answered, content), notes));
  }

  /** Reports calls without a result, before a text of the user. Only results that name them can still answer them. */
  #noteUnanswered(): void {
    for (const at of this.#open.places) {
      const message = this.messages[at];
      if (message === undefined || message.notes?.includes(UNANSWERED) === true) continue;
      this.messages[at] = noted(message, [UNANSWERED]);
    }
  }
}

/** Why a value is refused where a message is due. */
export const NO_MESSAGE = 'a value is neither a message nor a text of a known form';

/** Does a message say which call it answers? */
const namesCall = (message: JsonView): boolean =>
  firstOf(message, 'tool_call_id', 'toolCallId', 'call_id', 'name') !== undefined;

/** Members that hold what was said or called, in the messages of all clients. */
const CONTENT_MEMBERS = [
  ...['content', 'parts', 'contents', 'tool_calls', 'toolCalls', 'function_call', 'additional_kwargs'],
];
const hasContentMember = (body: JsonView): boolean =>
  CONTENT_MEMBERS.some((key) => body.get(key) !== undefined);

/** Is it a call without a name or without arguments? */
const isNoCall = (block: MessageBlock): boolean =>
  block.kind === 'call' && (block.name === undefined || block.args === undefined);
const UNKNOWN_CALL = 'a call has no name or no arguments under a name that is read';

const UNKNOWN_PART = 'a part of a content has no known form';
const UNKNOWN_RESULT = 'the content of a message of a tool is neither a text nor parts';

/** Results in the first form of the chat completions API have the role `function`. */
const RESULT_ROLES: ReadonlySet<string> = new Set(['tool', 'function']);
const isEmptyText = (json: Uint8Array): boolean => json.length <= 2;
const isReasoning = (kind: MessageBlock['kind']): boolean => kind === 'thought' || kind === 'sealed';

function partOf(block: MessageBlock): readonly Part[] {
  if (block.kind === 'text' || block.kind === 'thought') return [{ text: block.text }];
  return block.kind === 'part' ? [{ object: block.object }] : [];
}

function notesOn(blocks: readonly MessageBlock[]): readonly ReadingNote[] {
  return blocks.flatMap((block): ReadingNote[] => {
    if (block.kind === 'part') return block.kept === undefined ? [] : [keptBlock(block.kept)];
    const isShort = block.kind === 'text' && block.text.length <= MAX_MASKED;
    return isShort && isMasked(JSON.parse(Buffer.from(block.text).toString())) ? [PLACEHOLDER] : [];
  });
}
