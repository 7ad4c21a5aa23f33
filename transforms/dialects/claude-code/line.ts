/** One line of a Claude Code transcript: its type and ids, and its message as blocks. */

import type { JsonView } from '../../json/json-view.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import type { Fate, Message, ReadingNote, Rejection } from '../../model/element.ts';
import { OTHER_ROLE_THAN_TYPE } from '../../model/known-roles.ts';
import { textOfValue } from '../../model/message.ts';
import type { Meta } from '../../model/meta.ts';
import type { ReadContext } from '../dialect-spec.ts';
import { callBlock, type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import type { Version } from '../fold/later-version.ts';
import type { LineSpots } from '../fold/line-spots.ts';
import { type ItemFacts, noteItem } from '../fold/thread.ts';
import { foldedBlock, readBlock } from '../shared/anthropic-blocks.ts';
import { resultMessage } from '../shared/anthropic-message.ts';
import { makeMessage } from '../shared/build-messages.ts';
import { argumentsOf } from '../shared/call-arguments.ts';
import { contentOfUnknown, leaveUnknown } from '../shared/carried-content.ts';
import { contentOfParts, type Part } from '../shared/content-parts.ts';
import { metaOf, modelMeta } from '../shared/logged-meta.ts';
import { firstOf, isTrue, present } from '../shared/logged-values.ts';
import { CONTEXT_CUT, INTERRUPT, keptBlock, noted, warning } from '../shared/reading-notes.ts';
import { isUnsaid, saidIn } from '../shared/said-texts.ts';
import { holdsWords, says } from '../shared/unread-text.ts';
import { type Preserved, preservedBy } from './kept-messages.ts';
import { isInterruption, isReminder } from './marks.ts';
import type { StreamPieces } from './stream-pieces.ts';

/** Modes of queued texts that the model received; a line for the shell is none. */
const RECEIVED_MODES: ReadonlySet<string> = new Set(['prompt', 'task-notification']);
/** Types of lines with a message, and the roles of their messages. */
export const SPEAKERS: ReadonlySet<string> = new Set(['user', 'assistant']);

export interface ClaudeResult {
  readonly callId: string | undefined;
  readonly message: Message;
}

/** Content of a user line: results of tools, and the rest as a separate message. */
export interface UserContent {
  readonly results: readonly ClaudeResult[];
  readonly rest: Message | undefined;
  /** The texts of the rest; undefined if it has anything but text. */
  readonly texts: readonly string[] | undefined;
  /** Its texts, also beside images. */
  readonly said: string;
}

/** Claude Code writes this after an answer whose connection ended; its last line may have any `stop_reason`. */
const ABOVE_IS_CUT = 'The response above may be incomplete.';
const STREAM_BROKEN = warning('stream-cut', 'the connection ended before the answer did');

/** Lines of the type `system`. */
const CUTS: ReadonlySet<string> = new Set(['snip_boundary', 'microcompact_boundary']);

export class ClaudeLine {
  readonly type: string;
  readonly uuid: string | undefined;
  /** Null for a line that has no parent; undefined if the line has no such member. */
  readonly parent: string | null | undefined;
  readonly sessionId: string | undefined;
  /** Id of the line's sub-agent; null if the line does not give one, undefined in the main conversation. */
  readonly agent: string | null | undefined;
  readonly #json: JsonView;
  readonly #message: JsonView | undefined;

  private constructor(type: string, json: JsonView) {
    this.type = type;
    this.#json = json;
    this.#message = json.get('message');
    this.uuid = this.text('uuid');
    const parent = json.get('parentUuid');
    this.parent = parent?.type === 'null' ? null : parent?.text();
    this.sessionId = this.text('sessionId') || this.text('session_id') || undefined;
    this.agent = this.#agent();
  }

  /** Undefined if the object has no type. */
  static of(json: JsonView): ClaudeLine | undefined {
    const type = json.textOf('type');
    return type === undefined ? undefined : new ClaudeLine(type, json);
  }

  #agent(): string | null | undefined {
    const call = this.text('parent_tool_use_id');
    if (call !== undefined) return call;
    return this.is('isSidechain') ? (this.text('agentId') ?? null) : undefined;
  }

  /**
   * Empties the answers that the client took back, because the model refused to finish them: another model answers, which
   * does not see them. @returns whether the line names any
   */
  retract(spots: LineSpots, fold: Fold): boolean {
    const uuids = firstOf(this.#json, 'retractedMessageUuids', 'retracted_message_uuids')?.elements() ?? [];
    for (const uuid of uuids) {
      const { place, stretch, isOwn } = spots.get(uuid.text() ?? '') ?? {};
      if (place === undefined || stretch === undefined || isOwn !== true || !fold.has(stretch.thread))
        continue;
      fold.open(stretch.thread, '');
      if (fold.isHere(place)) noteItem(fold.reset(place), { changes: ['not-by-model'] });
    }
    return uuids.length > 0;
  }

  /** The finding about a line after which the model lacks messages (a snip) or results (a microcompaction). */
  get contextCut(): ReadingNote | undefined {
    return CUTS.has(this.text('subtype') ?? '') ? CONTEXT_CUT : undefined;
  }

  get time(): JsonView | undefined {
    return this.#json.get('timestamp');
  }

  /** Undefined if it is not an object. */
  get message(): JsonView | undefined {
    return this.#message?.type === 'object' ? this.#message : undefined;
  }

  get role(): string | undefined {
    return this.#message?.textOf('role');
  }

  /** Whether the client wrote the message itself, in place of an answer. */
  get isSynthetic(): boolean {
    return this.is('isApiErrorMessage') || this.#message?.textOf('model') === '<synthetic>';
  }

  /** Reports an answer before the line, if this one says that it is cut: the client keeps what it has of a broken stream. */
  noteCut(thread: string, fold: Fold): void {
    if (!this.is('isApiErrorMessage') || !fold.has(thread)) return;
    if (isUnsaid(ABOVE_IS_CUT, saidIn(this.#message?.parsed()))) return;
    fold.open(thread, '');
    const { content } = fold.last;
    if (content !== undefined && !('role' in content)) fold.noteLast(STREAM_BROKEN);
  }

  /** Id that all lines of one assistant message share. */
  get messageId(): string | undefined {
    return this.#message?.textOf('id') || this.text('requestId') || this.uuid;
  }

  /** Whether the answer continues on a line with another id: Qwen Code gives each piece the id of its line. */
  get isUnfinishedPiece(): boolean {
    if (this.uuid === undefined || this.#message?.textOf('id') !== this.uuid) return false;
    return this.#message?.get('stop_reason')?.type === 'null';
  }

  /** Model, tokens and finish reason of an answer. */
  get meta(): Meta {
    const [model, usage, finish] = ['model', 'usage', 'stop_reason'].map((key) => this.#message?.get(key));
    return metaOf({ model, usage, finish });
  }

  /** Only the model of an answer. */
  get modelMeta(): Meta {
    return modelMeta(this.#message?.get('model'));
  }

  get requestId(): string | undefined {
    return this.text('requestId');
  }

  /** Why the model stopped; most lines of an answer do not say it. */
  get stopReason(): string | undefined {
    return this.#message?.textOf('stop_reason');
  }

  /** Whether the line was copied from the session that this one was forked from. */
  get isForked(): boolean {
    return this.#json.get('forkedFrom')?.type === 'object';
  }

  /** Whether a run of the client begins: only stream-json has such lines. */
  get beginsRun(): boolean {
    return this.type === 'system' && this.text('subtype') === 'init';
  }

  /** The event of a stream that it has. */
  get event(): JsonView | undefined {
    return this.#json.get('event');
  }

  /** Ends a run, of which the line has the result. */
  endRun(stream: StreamPieces, context: ReadContext): void {
    stream.endRun(this.#json, context);
  }

  /** The lines that a compaction kept besides the summary. */
  get preserved(): Preserved | undefined {
    return preservedBy(this.#json);
  }

  /** A text that the model received in the middle of a turn: a prompt of the user, or the end of a background task. */
  get queuedPrompt(): UserContent | undefined {
    const attachment = this.#json.get('attachment');
    if (attachment?.textOf('type') !== 'queued_command') return undefined;
    const content = userContentOf(attachment.get('prompt'));
    const mode = attachment.textOf('commandMode');
    return mode === undefined || RECEIVED_MODES.has(mode) ? content : undefined;
  }

  /** Whether it is an attachment whose prompt cannot be read, or a prompt of an unknown type. */
  get hasBadPrompt(): boolean {
    if (this.type !== 'attachment') return false;
    const attachment = this.#json.get('attachment');
    if (attachment?.type !== 'object') return this.contentOfUnknown !== undefined || says(attachment);
    if (attachment.textOf('type') === undefined) return holdsWords(attachment);
    const prompt = attachment.get('prompt');
    if (attachment.textOf('type') !== 'queued_command') return present(prompt);
    return userContentOf(prompt) === undefined;
  }

  /** Texts that the model received in place of results of tools. */
  get replacements(): readonly ClaudeResult[] {
    return (this.#json.get('replacements')?.elements() ?? []).flatMap((one) => {
      const [id, text] = [one.get('toolUseId'), one.get('replacement')];
      if (id?.type !== 'string' || text?.type !== 'string') return [];
      return { callId: id.text(), message: resultMessage(id.copy(), text.copy(), undefined) };
    });
  }

  /** The prompt of an event of the queue; undefined if the event does not have it. */
  get queueContent(): UserContent | undefined {
    return userContentOf(this.#json.get('content'));
  }

  /** Why its message cannot be read; undefined if it can. */
  get fault(): string | undefined {
    if (this.message === undefined) return 'message is not an object';
    const { type, role = type } = this;
    if (!SPEAKERS.has(role)) return 'message.role is not valid';
    if (role !== type) return OTHER_ROLE_THAN_TYPE;
    if (type === 'assistant' && this.isSynthetic) return undefined;
    if (!this.#hasContent) return 'message.content is not valid';
    return this.#saysMore ? 'the line has another text beside its message' : undefined;
  }

  /** Has the line a text that its message lacks? */
  get #saysMore(): boolean {
    const beside = [this.text('content'), this.text('text')].filter(Boolean);
    if (beside.length === 0) return false;
    const said = saidIn(this.#message?.parsed());
    return beside.some((text) => isUnsaid(text, said));
  }

  /** Whether the content is a text or a list. */
  get #hasContent(): boolean {
    const content = this.#message?.get('content');
    return content?.type === 'string' || content?.type === 'array';
  }

  /** Content of a user line; undefined if it is neither a text nor a list. */
  get userContent(): UserContent | undefined {
    return userContentOf(this.#message?.get('content'));
  }

  /** Content of an assistant line; undefined if it is neither a text nor a list. */
  get blocks(): readonly FoldBlock[] | undefined {
    const content = this.#message?.get('content');
    if (content?.type === 'string') return [{ kind: 'text', text: content.copy() }];
    return content?.type === 'array' ? content.elements().map(foldBlock) : undefined;
  }

  /** Its messages, to compare with those of its former version. */
  get versions(): readonly Version[] {
    const { type, blocks, userContent } = this;
    if (type === 'assistant') return blocks === undefined ? [] : [{ kind: 'answer', blocks }];
    if (type !== 'user' || userContent === undefined) return [];
    const { results, rest } = userContent;
    const versions: Version[] = results.map((result) => ({ kind: 'result', ...result }));
    const hasText = rest !== undefined && !(results.length > 0 && isMark(userContent));
    return hasText ? [...versions, { kind: 'message', message: rest }] : versions;
  }

  /** Why the line, whose type is unknown, is rejected; undefined if it carries no content. */
  get contentOfUnknown(): string | undefined {
    return contentOfUnknown(this.type, this.#json);
  }

  /** Rejects or drops the line, whose type is unknown. */
  leave(context: ReadContext): Fate | Rejection {
    return leaveUnknown(this.type, this.#json, context);
  }

  text(key: string): string | undefined {
    return this.#json.textOf(key);
  }

  is(key: string): boolean {
    const value = this.#json.get(key);
    return value?.type === 'boolean' && isTrue(value);
  }
}

/** Whether all texts of a user message are marks of an interruption. */
export const isMark = ({ texts }: UserContent): boolean => texts?.every(isInterruption) === true;

/** Adds the results and the texts of a user line. A mark of an interruption beside results is left out. */
export function addUser(content: UserContent, facts: ItemFacts, fold: Fold): FoldPlace | undefined {
  const { results, rest } = content;
  const isInterrupted = results.length > 0 && isMark(content);
  const mark = isInterrupted ? { notes: [INTERRUPT], changes: ['interrupt-mark'] } : {};
  let place: FoldPlace | undefined;
  for (const [i, { callId, message }] of results.entries())
    place = fold.answer(callId, message, i === results.length - 1 ? mark : {});
  return rest === undefined || isInterrupted ? place : fold.add(rest, facts);
}

function userContentOf(content: JsonView | undefined): UserContent | undefined {
  if (content?.type === 'string') {
    const rest = makeMessage('user', [['content', content.bytes]]);
    const said = content.text() ?? '';
    return { results: [], rest, texts: [said], said };
  }
  if (content?.type !== 'array') return undefined;
  const results: ClaudeResult[] = [];
  const parts: Part[] = [];
  const notes: ReadingNote[] = [];
  for (const block of content.elements()) {
    if (block.textOf('type') === 'tool_result') results.push(resultOf(block));
    else parts.push(partOf(block, notes));
  }
  if (parts.length === 0) return { results, rest: undefined, texts: undefined, said: '' };
  const known = parts.flatMap((part) => ('text' in part ? (textOfValue(part.text) ?? []) : []));
  const texts = known.length === parts.length ? known : undefined;
  const rest = noted(makeMessage('user', [['content', contentOfParts(parts)]]), notes);
  const isJoined = texts !== undefined && texts.length > 1 && texts.some(isReminder);
  const said = known.join('\n');
  return { results, rest: isJoined ? { joined: parts.flatMap(textIn), ...rest } : rest, texts, said };
}

const textIn = (part: Part): readonly Uint8Array[] => ('text' in part ? [part.text] : []);

/** A part of a user message; a block of an answer, which does not belong there, stays as it is. */
function partOf(block: JsonView, notes: ReadingNote[]): Part {
  const text = block.textOf('type') === 'text' ? plainText(block) : undefined;
  if (text !== undefined) return { text: text.bytes };
  const read = readBlock(block.copy(), false);
  const kept = read.kind === 'part' ? read.kept : block.textOf('type');
  if (kept !== undefined) notes.push(keptBlock(kept));
  return read.kind === 'part' ? read.part : { object: block.copy() };
}

function resultOf(block: JsonView): ClaudeResult {
  const id = block.get('tool_use_id');
  const [key, content, isError] = [id, block.get('content'), block.get('is_error')].map(jsonOf);
  return { callId: id?.text(), message: resultMessage(key, content, isError) };
}

/** The value as JSON text on one line. Without a copy of its bytes where possible: copy it before `read` returns. */
function jsonOf(value: JsonView | undefined): Uint8Array | undefined {
  return value?.type === 'object' || value?.type === 'array' ? value.copy() : value?.bytes;
}

/** The text of a block without citations. */
function plainText(block: JsonView): JsonView | undefined {
  const text = block.get('text');
  const citations = block.get('citations');
  const isPlain = citations === undefined || citations.type === 'null' || isEmptyList(citations);
  return isPlain && text?.type === 'string' ? text : undefined;
}

function isEmptyList(value: JsonView): boolean {
  return value.type === 'array' && value.elements().length === 0;
}

function foldBlock(block: JsonView): FoldBlock {
  const type = block.textOf('type');
  if (type === 'text') {
    const text = plainText(block)?.copy();
    if (text !== undefined) return { kind: 'text', text };
  } else if (type === 'tool_use') {
    const id = block.textOf('id');
    const input = block.get('input');
    return callBlock(id, block.textOf('name'), input && argumentsOf(input.bytes));
  } else if (type === 'thinking') {
    const thought = plainThought(block);
    if (thought !== undefined) return thought;
  }
  return foldedBlock(readBlock(block.copy(), true));
}

/** A thought with a text, or with a signature in its place. */
function plainThought(block: JsonView): FoldBlock | undefined {
  const text = block.get('thinking');
  if (text?.type !== 'string') return undefined;
  if (text.length > NO_TEXT.length) return { kind: 'thought', text: text.copy() };
  const signature = block.get('signature');
  const isSealed = signature?.type === 'string' && signature.length > NO_TEXT.length;
  return isSealed ? sealedBlock(signature.bytes) : undefined;
}
