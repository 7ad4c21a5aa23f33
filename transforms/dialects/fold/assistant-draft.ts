/**
 * An assistant message that is not finished: event logs spread one message over several lines. Collects the model's
 * output as blocks until its conversation ends.
 */

import { isSameBytes } from '../../json/bytes.ts';
import { concat } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { equalityKey, parseExactly } from '../../model/equality-key.ts';
import { isObject, textOfValue } from '../../model/message.ts';
import { readCall, type ToolCall } from '../../model/tool-call.ts';
import { arrayOf, callJson, joinStrings, messageObject, type Piece } from '../shared/build-messages.ts';
import { contentOfParts, type Part } from '../shared/content-parts.ts';
import { NO_CONTENT, saidBesideCalls } from '../shared/no-content.ts';
import { keptBlock, noted, ORDER_LOST } from '../shared/reading-notes.ts';

/** One piece of the model's output. The block owns its bytes, which are JSON text. */
export type FoldBlock =
  /** A JSON string. */
  | { readonly kind: 'text'; readonly text: Uint8Array }
  /** A JSON string: reasoning in plain text. */
  | { readonly kind: 'thought'; readonly text: Uint8Array }
  /** Any other part; `kept` is its type if consumers may not know it. */
  | { readonly kind: 'part'; readonly object: Uint8Array; readonly kept?: string }
  | CallPiece
  /** Encrypted reasoning: an object `{type, data}`. */
  | { readonly kind: 'sealed'; readonly detail: Uint8Array };

/** A call in the OpenAI shape. */
export interface CallPiece {
  readonly kind: 'call';
  readonly id: string | undefined;
  readonly json: Uint8Array;
  /** Set if the log does not say what was called, or with what: the fold refuses it. */
  readonly lacks?: 'name' | 'arguments';
}

/** Whether a block that repeats an earlier one replaces it or is added. */
export type Repeats = 'replace' | 'add';

const EMPTY_STRING_BYTES = 2;
const ASSISTANT = encode('"assistant"');
const SEALED_HEAD = encode('{"type":"reasoning.encrypted","data":');
const CLOSE = encode('}');

export class AssistantDraft {
  readonly #blocks: FoldBlock[] = [];
  /** Index of the last block of each kind, and of each call by its id: a new block may repeat these. */
  readonly #last = new Map<string, number>();
  #sealed = 0;
  /** Number of lines that added to it. */
  lines = 0;

  /**
   * Adds a block.
   * @param before number of blocks that it may replace: the blocks of one line do not repeat each other
   * @returns false if it replaced an earlier one
   */
  put(block: FoldBlock, repeats: Repeats, before: number = this.size): boolean {
    const slot = block.kind === 'call' ? `call ${block.id}` : block.kind;
    const at = repeats === 'replace' ? this.#last.get(slot) : undefined;
    if (at !== undefined && at < before && this.#isRepeated(at, block)) {
      this.#blocks[at] = block;
      return false;
    }
    this.#last.set(slot, this.#blocks.length);
    this.#blocks.push(block);
    if (block.kind === 'sealed') this.#sealed++;
    return true;
  }

  /** Whether a block repeats the one at an index. Only the last block can have grown. */
  #isRepeated(at: number, block: FoldBlock): boolean {
    const known = this.#blocks[at] as FoldBlock;
    if (block.kind === 'call') return known.kind === 'call' && isVersionOf(block, known);
    return at === this.size - 1 ? continues(block, known) : isSameBytes(bytesOf(block), bytesOf(known));
  }

  /**
   * Replaces the former version of a block: the one that it continues, or the only one of its kind.
   * @returns false if there is none
   */
  renew(block: FoldBlock): boolean {
    let at = this.#blocks.findLastIndex((one) => continues(block, one));
    const alike = this.#blocks.filter(({ kind }) => kind === block.kind).length;
    if (at < 0 && alike === 1 && block.kind !== 'call')
      at = this.#blocks.findIndex(({ kind }) => kind === block.kind);
    if (at >= 0) this.#blocks[at] = block;
    return at >= 0;
  }

  has(block: FoldBlock): boolean {
    return this.#blocks.some((one) => one.kind === block.kind && isSameBytes(bytesOf(one), bytesOf(block)));
  }

  /** Whether it has a block, or a text that begins with that of the block. */
  covers(block: FoldBlock): boolean {
    return this.has(block) || (block.kind !== 'call' && this.#blocks.some((one) => continues(one, block)));
  }

  /** Whether a block repeats one of it, or continues its text. */
  isContinuedBy(block: FoldBlock): boolean {
    return this.#blocks.some((one) => continues(block, one));
  }

  get size(): number {
    return this.#blocks.length;
  }

  /** Bytes of its blocks. */
  get weight(): number {
    return this.#blocks.reduce((sum, block) => sum + bytesOf(block).length, 0);
  }

  /** Whether it has encrypted reasoning. */
  get isSealed(): boolean {
    return this.#sealed > 0;
  }

  /** Whether its message would be empty. */
  isEmpty(keepSealed: boolean): boolean {
    return this.#blocks.every(
      (block) =>
        ((block.kind === 'text' || block.kind === 'thought') && block.text.length <= EMPTY_STRING_BYTES) ||
        (block.kind === 'sealed' && !keepSealed),
    );
  }

  /** @param keepSealed write encrypted reasoning as `reasoning_details` */
  message(keepSealed: boolean): Message {
    const parts: Part[] = [];
    const thoughts: Uint8Array[] = [];
    const calls: Uint8Array[] = [];
    const details: Uint8Array[] = [];
    const notes: ReadingNote[] = [];
    let isMixed = false;
    for (const block of this.#blocks) {
      if (block.kind === 'call') calls.push(block.json);
      else if (block.kind === 'sealed') details.push(block.detail);
      else if (block.kind === 'thought') thoughts.push(block.text);
      else {
        isMixed ||= calls.length > 0;
        parts.push(block.kind === 'text' ? { text: block.text } : { object: block.object });
        if (block.kind === 'part' && block.kept !== undefined) notes.push(keptBlock(block.kept));
      }
    }
    if (isMixed) notes.push(ORDER_LOST);
    const said = calls.length > 0 ? saidBesideCalls(parts) : parts;
    if (said.length < parts.length) notes.push(NO_CONTENT);
    const shown = thoughts.filter(({ length }) => length > EMPTY_STRING_BYTES);
    const members: Piece[] = [['role', ASSISTANT]];
    if (said.length > 0 || calls.length === 0) members.push(['content', contentOfParts(said)]);
    if (shown.length > 0) members.push(['reasoning_content', joinStrings(shown)]);
    if (keepSealed && details.length > 0) members.push(['reasoning_details', arrayOf(details)]);
    if (calls.length > 0) members.push(['tool_calls', arrayOf(calls)]);
    const bytes = messageObject(members);
    return noted({ bytes, role: 'assistant' }, notes);
  }
}

export function bytesOf(block: FoldBlock): Uint8Array {
  if (block.kind === 'call') return block.json;
  if (block.kind === 'part') return block.object;
  return block.kind === 'sealed' ? block.detail : block.text;
}

/** Whether a block repeats an earlier one: the same call or part, or a text that begins with the earlier text. */
function continues(block: FoldBlock, before: FoldBlock): boolean {
  if (block.kind === 'call')
    return before.kind === 'call' && block.id !== undefined && block.id === before.id;
  if (block.kind === 'text') return before.kind === 'text' && beginsWith(block.text, before.text);
  if (block.kind === 'thought') return before.kind === 'thought' && beginsWith(block.text, before.text);
  if (block.kind === 'sealed') return before.kind === 'sealed' && isSameBytes(block.detail, before.detail);
  return before.kind === 'part' && isSameBytes(block.object, before.object);
}

/** Whether a call says the same as one with its id, or is that call once its arguments are complete. */
function isVersionOf(call: CallPiece, before: CallPiece): boolean {
  if (isSameBytes(call.json, before.json)) return true;
  const [now, then] = [readCall(call.json, 0), readCall(before.json, 0)];
  const known = argumentsIn(then);
  if (isUnfinished(known)) return true;
  return now.name === then.name && equalityKey(argumentsIn(now)) === equalityKey(known);
}

/** The arguments; a text if they are not JSON. */
function argumentsIn({ arguments: args }: ToolCall): unknown {
  const text = textOfValue(args) ?? '';
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}

const isUnfinished = (args: unknown): boolean =>
  typeof args === 'string' || (isObject(args) && Object.keys(args).length === 0);

/** Whether `text` begins with the text of `start`; both are JSON strings. */
function beginsWith(text: Uint8Array, start: Uint8Array): boolean {
  const length = start.length - 1; // without the closing quote
  return text.length >= start.length && isSameBytes(text.subarray(0, length), start.subarray(0, length));
}

/** @param args a JSON string */
export function callBlock(
  id: string | undefined,
  name: string | undefined,
  args: Uint8Array | undefined,
): CallPiece {
  const call: CallPiece = { kind: 'call', id, json: callJson(id, name, args) };
  if (name === undefined || name === '') return { ...call, lacks: 'name' };
  return args === undefined ? { ...call, lacks: 'arguments' } : call;
}

export const blockOfPart = (part: Part): FoldBlock =>
  'text' in part ? { kind: 'text', text: part.text } : { kind: 'part', object: part.object };

/**
 * A block of encrypted reasoning, with the type that OpenRouter uses for it.
 * @param data a JSON string
 */
export function sealedBlock(data: Uint8Array): Extract<FoldBlock, { readonly kind: 'sealed' }> {
  return { kind: 'sealed', detail: concat([SEALED_HEAD, data, CLOSE]) };
}
