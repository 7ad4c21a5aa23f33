/**
 * Builds a conversation from messages of any client. Messages in OpenAI's format keep their bytes. A call without an id
 * gets one, and a result without one answers the first open call with its name.
 */

import type { JsonView } from '../../json/json-view.ts';
import { decode } from '../../json/utf8.ts';
import type { Changes, Message, ReadingNote } from '../../model/element.ts';
import { AssistantDraft } from '../fold/assistant-draft.ts';
import { callJson, makeMessage, toolMessage } from './build-messages.ts';
import { contentOfParts, type Part } from './content-parts.ts';
import { firstOf } from './logged-values.ts';
import { blocksOf, type CallBlock, callOf, type MessageBlock, resultText } from './message-parts.ts';
import { keptBlock, noted, SEALED, warning } from './reading-notes.ts';

const PLACEHOLDER: ReadingNote = warning(
  'body-placeholder',
  'the text was masked or truncated by the logger',
);

/** Beginnings of the short texts that loggers write in place of a text they left out. */
const MASKED =
  /^\s*[[<{(*_]+\s*(?:redacted|masked|filtered|hidden|truncated|omitted|removed|elided)\b[^\n]{0,60}$/i;
const MOST_MASKED = 100;

const ROLES: Readonly<Record<string, string>> = {
  ...{ human: 'user', HumanMessage: 'user', HumanMessageChunk: 'user', user: 'user' },
  ...{ ai: 'assistant', AIMessage: 'assistant', AIMessageChunk: 'assistant', model: 'assistant' },
  ...{ assistant: 'assistant', system: 'system', SystemMessage: 'system', developer: 'developer' },
  ...{ tool: 'tool', ToolMessage: 'tool', function: 'function', FunctionMessage: 'function' },
};

const OPENAI_KEYS: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content', 'refusal'],
]);
const OPENAI_PARTS: ReadonlySet<string> = new Set(['text', 'image_url', 'input_audio', 'file', 'refusal']);

/** Whether a text is a placeholder of a logger. */
export const isMasked = (text: string | undefined): boolean =>
  text !== undefined && text.length <= MOST_MASKED && MASKED.test(text);

interface OpenCall {
  readonly id: string;
  readonly name: string | undefined;
}

/** The last message of the model, which may continue: some clients log each call of an answer as a message. */
interface Turn {
  readonly draft: AssistantDraft;
  readonly message: Message;
  readonly notes: readonly ReadingNote[];
  /** Whether it may not be the whole answer, because it has a call, or only reasoning. */
  readonly isOpen: boolean;
}

export class Transcript {
  readonly messages: Message[] = [];
  readonly #keepSealed: boolean;
  readonly #changes = new Map<string, number>();
  #open: OpenCall[] = [];
  #ids = 0;
  /** The last message, if it is one of the model. */
  #turn: Turn | undefined;

  constructor(keepSealed: boolean) {
    this.#keepSealed = keepSealed;
  }

  get changes(): Changes {
    return this.#changes;
  }

  /**
   * Adds a message in the format of any client.
   * @param role used if the message has none
   * @returns false if it is not a message
   */
  add(message: JsonView, role?: string): boolean {
    if (message.type !== 'object') return false;
    const { body, speaker = role } = bodyOf(message);
    if (speaker === undefined) return false;
    if (isOpenAi(body)) this.#addAsLogged(body, speaker);
    else this.addBlocks(speaker, blocksIn(body), body);
    return true;
  }

  /** Adds a message with these blocks. @param message of role tool: names the call that it answers */
  addBlocks(role: string, blocks: readonly MessageBlock[], message?: JsonView): void {
    if (role === 'assistant') this.#addAnswer(blocks);
    else if (role === 'tool' && blocks.every(({ kind }) => kind !== 'result'))
      this.#addToolMessage(blocks, message);
    else {
      this.#addResults(blocks);
      const parts = blocks.flatMap(partOf);
      if (parts.length > 0 || blocks.length === 0)
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
    if (first !== undefined) this.messages[0] = noted(first, notes);
  }

  #addAsLogged(message: JsonView, role: string): void {
    for (const call of message.get('tool_calls')?.elements() ?? []) {
      const { id = '', name } = callOf(call);
      this.#open.push({ id, name });
    }
    const answered = message.get('tool_call_id')?.text();
    if (answered !== undefined) this.#closeCall(answered, undefined);
    const masked = isMasked(message.get('content')?.text()) ? [PLACEHOLDER] : [];
    this.messages.push(noted({ bytes: message.copy(), role }, masked));
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
      draft.put(block.kind === 'call' ? this.#callOf(block) : block, 'add');
    }
    const isSealed = blocks.some(({ kind }) => kind === 'sealed');
    const isHidden = isSealed && !this.#keepSealed;
    if (isHidden) this.#changes.set('sealed-reasoning', (this.#changes.get('sealed-reasoning') ?? 0) + 1);
    if (isHidden && draft.isEmpty(this.#keepSealed)) return;
    const masked = notesOn(blocks).filter((note) => note === PLACEHOLDER);
    const notes = [...new Set([...(before?.notes ?? []), ...masked, ...(isSealed ? [SEALED] : [])])];
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

  #callOf({ id: logged, name, args }: CallBlock): {
    readonly kind: 'call';
    readonly id: string;
    readonly json: Uint8Array;
  } {
    const id = logged ?? `call_${++this.#ids}`;
    this.#open.push({ id, name });
    return { kind: 'call', id, json: callJson(id, name, args) };
  }

  #addToolMessage(blocks: readonly MessageBlock[], message: JsonView | undefined): void {
    const id = firstOf(message, 'tool_call_id', 'toolCallId', 'call_id')?.text();
    const name = firstOf(message, 'name', 'tool_name')?.text();
    const content = firstOf(message, 'content', 'parts', 'result', 'output');
    const isAsLogged = content?.elements().every((part) => part.get('text')?.type === 'string') ?? true;
    const text = isAsLogged ? resultText(content) : contentOfParts(blocks.flatMap(partOf));
    this.#pushResult(id, name, text, notesOn(blocks));
  }

  #addResults(blocks: readonly MessageBlock[]): void {
    for (const block of blocks) {
      if (block.kind === 'result') this.#pushResult(block.id, block.name, block.content, []);
    }
  }

  #pushResult(
    id: string | undefined,
    name: string | undefined,
    content: Uint8Array,
    notes: readonly ReadingNote[],
  ): void {
    const answered = this.#closeCall(id, name);
    this.messages.push(noted(toolMessage(answered, content), notes));
  }

  /**
   * Closes the call that a result answers and returns its id: by id, else the first one with the name, else the first.
   */
  #closeCall(id: string | undefined, name: string | undefined): string | undefined {
    const byName = this.#open.findIndex((call) => call.name === name);
    const at = id === undefined ? Math.max(byName, 0) : this.#open.findIndex((call) => call.id === id);
    const [call] = at < 0 ? [] : this.#open.splice(at, 1);
    return id ?? call?.id;
  }
}

const isEmptyText = (json: Uint8Array): boolean => json.length <= 2;
const isReasoning = (kind: MessageBlock['kind']): boolean => kind === 'thought' || kind === 'sealed';

/** The object with the content, and the role. LangChain wraps messages in its classes, other clients in `message`. */
function bodyOf(message: JsonView): { readonly body: JsonView; readonly speaker: string | undefined } {
  const kwargs = message.get('kwargs');
  if (kwargs?.type === 'object') {
    const name = message.get('id')?.elements().at(-1)?.text() ?? '';
    return { body: kwargs, speaker: kwargs.get('role')?.text() ?? ROLES[name] };
  }
  const data = message.get('data');
  const type = message.get('type')?.text() ?? '';
  if (data?.type === 'object' && ROLES[type] !== undefined) return { body: data, speaker: ROLES[type] };
  const role = message.get('role')?.text();
  const inner = message.get('message');
  if (role === undefined && inner?.type === 'object') return bodyOf(inner);
  return { body: message, speaker: role === undefined ? ROLES[type] : (ROLES[role] ?? role) };
}

/** Whether a message is one of the chat completions API and needs no conversion. */
function isOpenAi(message: JsonView): boolean {
  const role = message.get('role')?.text() ?? '';
  if (ROLES[role] !== role || !message.members().every(([key]) => OPENAI_KEYS.has(key))) return false;
  const content = message.get('content');
  const isContent =
    content === undefined ||
    content.type === 'string' ||
    content.type === 'null' ||
    (content.type === 'array' && content.elements().every(isOpenAiPart));
  if (!isContent || (role === 'tool' && message.get('tool_call_id')?.type !== 'string')) return false;
  const calls = message.get('tool_calls');
  if (calls === undefined || calls.type === 'null') return true;
  return calls.elements().every(isOpenAiCall);
}

const isOpenAiPart = (part: JsonView): boolean => OPENAI_PARTS.has(part.get('type')?.text() ?? '');

const isOpenAiCall = (call: JsonView): boolean =>
  call.get('id')?.type === 'string' &&
  call.get('type')?.text() === 'function' &&
  call.get('function')?.get('arguments')?.type === 'string';

/** Reasoning, content and calls of a message, wherever its client puts them. */
function blocksIn(body: JsonView): readonly MessageBlock[] {
  const more = body.get('additional_kwargs');
  const reasoning =
    firstOf(body, 'reasoning_content', 'reasoning', 'thinking') ?? firstOf(more, 'reasoning_content');
  const lists = [firstOf(body, 'tool_calls', 'toolCalls'), firstOf(more, 'tool_calls')];
  const listed = lists.find((list) => list !== undefined && list.elements().length > 0)?.elements() ?? [];
  const legacy = firstOf(body, 'function_call') ?? firstOf(more, 'function_call');
  const calls = listed.map(callOf);
  const content = blocksOf(firstOf(body, 'content', 'parts', 'contents')).map((block) =>
    block.kind === 'call' ? withArguments(block, calls) : block,
  );
  const known = new Set(content.flatMap((block) => (block.kind === 'call' ? [block.id] : [])));
  const blocks = calls.filter(({ id }) => id === undefined || !known.has(id));
  const one = blocks.length === 0 && legacy?.type === 'object' ? [callOf(legacy)] : [];
  const thought: MessageBlock[] =
    reasoning?.type === 'string' ? [{ kind: 'thought', text: reasoning.copy() }] : [];
  return [...thought, ...content, ...blocks, ...one];
}

/** Adds arguments that are only in the list beside the content, as LangChain logs them for streamed calls. */
function withArguments(call: CallBlock, listed: readonly CallBlock[]): CallBlock {
  const same = listed.find(({ id, args }) => id === call.id && args !== undefined);
  const isEmpty = call.args === undefined || EMPTY_ARGUMENTS.has(decode(call.args));
  return isEmpty && same !== undefined && call.id !== undefined ? { ...call, args: same.args } : call;
}

const EMPTY_ARGUMENTS: ReadonlySet<string> = new Set(['""', '"{}"']);

function partOf(block: MessageBlock): readonly Part[] {
  if (block.kind === 'text' || block.kind === 'thought') return [{ text: block.text }];
  return block.kind === 'part' ? [{ object: block.object }] : [];
}

function notesOn(blocks: readonly MessageBlock[]): readonly ReadingNote[] {
  return blocks.flatMap((block): ReadingNote[] => {
    if (block.kind === 'part') return block.kept === undefined ? [] : [keptBlock(block.kept)];
    const isShort = block.kind === 'text' && block.text.length <= MOST_MASKED;
    return isShort && isMasked(JSON.parse(Buffer.from(block.text).toString())) ? [PLACEHOLDER] : [];
  });
}
