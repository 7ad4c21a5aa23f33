/** Assembles streams of the Messages API: a message, its blocks, and their deltas. */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { arrayOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';
import { ARGUMENTS_CUT, RESPONSE_ERROR } from '../shared/reading-notes.ts';
import { isUnsaid, saidIn, textsIn } from '../shared/said-texts.ts';
import { says } from '../shared/unread-text.ts';
import {
  indexIn,
  isKeepAlive,
  isOtherId,
  STREAM_CUT,
  type StreamedAnswer,
  type StreamGrammar,
  stringIn,
  UnknownKinds,
} from './grammar.ts';
import { GrowingMembers, GrowingText } from './growing-text.ts';

const TYPES: ReadonlySet<string> = new Set([
  ...['message_start', 'message_delta', 'message_stop', 'ping', 'error'],
  ...['content_block_start', 'content_block_delta', 'content_block_stop'],
]);

/**
 * By type of delta: its member, the member of the block that it extends, and the block's type if its start is missing.
 */
const DELTAS: ReadonlyMap<string, readonly [from: string, to: string, block: string]> = new Map([
  ['text_delta', ['text', 'text', 'text']],
  ['thinking_delta', ['thinking', 'thinking', 'thinking']],
  ['signature_delta', ['signature', 'signature', 'thinking']],
  ['compaction_delta', ['content', 'content', 'compaction']],
  ['citations_delta', ['citation', 'citations', 'text']],
  ['input_json_delta', ['partial_json', 'input', 'tool_use']],
]);

/** Whether the event belongs to a stream of the Messages API. */
export const isAnthropicEvent = (event: Pick<JsonView, 'get'>): boolean =>
  TYPES.has(event.get('type')?.text() ?? '') && !isOfOther(event);

/** Whether another program wrote it, with a type that this API has too: an error of OpenCode, or a message of pi. */
function isOfOther(event: Pick<JsonView, 'get'>): boolean {
  const error = event.get('error');
  if (error?.type === 'object') return !['type', 'message'].some((key) => present(error.get(key)));
  return present(event.get('message')?.get('timestamp'));
}

export class AnthropicEvents implements StreamGrammar {
  readonly #head = new Map<string, Uint8Array>();
  readonly #usage = new Map<string, Uint8Array>();
  readonly #blocks = new Map<number, Block>();
  readonly #unknown = new UnknownKinds();
  /** The texts of the blocks that the event of the start had. */
  #begun: readonly string[] = [];
  #hasStarted = false;
  isOver = false;
  #isFailed = false;

  put(event: JsonView): void {
    const type = event.get('type')?.text();
    if (type === 'message_start') this.#start(event.get('message'));
    else if (type === 'content_block_start') {
      const start = event.get('content_block');
      if (start?.type !== 'object' && says(start)) this.#unknown.lose(type);
      else this.#block(event, start);
    } else if (type === 'content_block_delta') this.#grow(event);
    else if (type === 'message_delta') {
      this.#note(event.get('delta'));
      const context = event.get('context_management');
      if (present(context)) this.#head.set('context_management', context.copy());
      this.#count(event.get('usage'));
    } else if (type === 'message_stop') this.isOver = true;
    else if (type === 'error') this.#isFailed = true;
    else if (type === 'content_block_stop') this.#blocks.get(indexIn(event, 'index') ?? -1)?.end();
    else if (present(event.get('delta'))) this.#unknown.lose(type);
    else this.#unknown.add(type, event);
  }

  begins(event: JsonView): boolean {
    const type = event.get('type')?.text() ?? '';
    if (type === 'message_start') return this.#hasStarted;
    return this.isOver && TYPES.has(type) && !isKeepAlive(type);
  }

  isOfAnother(event: JsonView): boolean {
    const type = event.get('type')?.text();
    if (type === 'content_block_delta') return this.isOver;
    if (type === 'content_block_start')
      return this.isOver || this.#blocks.get(indexIn(event, 'index') ?? -1)?.hasEnded === true;
    return type === 'message_start' && isOtherId(event.get('message'), this.#head.get('id'));
  }

  #start(message: JsonView | undefined): void {
    this.#hasStarted = true;
    this.#note(message);
    this.#count(message?.get('usage'));
    const content = message?.get('content');
    this.#begun = textsIn(content);
    for (const [i, block] of (content?.elements() ?? []).entries()) this.#blocks.set(i, new Block(block));
  }

  /** Keeps members of an event about the whole message; the last value counts. */
  #note(members: JsonView | undefined): void {
    for (const [key, value] of members?.members() ?? [])
      if (key !== 'content' && key !== 'usage' && present(value)) this.#head.set(key, value.copy());
  }

  #count(usage: JsonView | undefined): void {
    for (const [key, value] of usage?.members() ?? []) if (present(value)) this.#usage.set(key, value.copy());
  }

  #block(event: JsonView, start: JsonView | undefined): Block {
    const index = indexIn(event, 'index') ?? this.#blocks.size;
    const block = new Block(start);
    this.#blocks.set(index, block);
    return block;
  }

  #grow(event: JsonView): void {
    const delta = event.get('delta');
    const type = delta?.get('type')?.text();
    const known = DELTAS.get(type ?? '');
    if (delta === undefined || known === undefined) {
      if (delta?.type !== 'object' && says(delta)) this.#unknown.lose(type);
      else if ((present(delta) ? delta : event).others(DELTA).some(([, value]) => says(value)))
        this.#unknown.lose(type);
      else this.#unknown.add(type, event);
      return;
    }
    const [from, to, kind] = known;
    const index = indexIn(event, 'index') ?? this.#blocks.size - 1;
    const block = this.#blocks.get(index) ?? new Block(undefined, kind);
    this.#blocks.set(index, block);
    if (!block.grow(to, delta, from)) this.#unknown.lose(type);
  }

  answer(): StreamedAnswer {
    const all = [...this.#blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
    const blocks = all.filter((block) => this.isOver || !block.isUnsaid);
    const isCut = blocks.length < all.length || blocks.some((block) => block.isCut);
    const notes: ReadingNote[] = isCut ? [ARGUMENTS_CUT] : [];
    if (!this.isOver) notes.push(STREAM_CUT);
    if (this.#isFailed) notes.push(RESPONSE_ERROR);
    const members: Piece[] = [...this.#head];
    // a dump may begin in the middle of its first answer
    if (!this.#head.has('type')) members.push(['type', '"message"']);
    if (!this.#head.has('role')) members.push(['role', '"assistant"']);
    const content = arrayOf(blocks.map((block) => block.json()));
    members.push(['content', content]);
    // a client may log the start with all that it received later
    const said = this.#begun.length === 0 ? '' : saidIn(new JsonView(content).parsed());
    if (this.#begun.some((text) => isUnsaid(text, said))) this.#unknown.lose('message_start');
    if (this.#usage.size > 0) members.push(['usage', objectOf([...this.#usage])]);
    return { json: objectOf(members), notes: [...notes, ...this.#unknown.notes()] };
  }
}

const INPUT = 'input';
const EMPTY_OBJECT = '{}';
/** Members of an event of a delta that say nothing. */
const DELTA: ReadonlySet<string> = new Set(['type', 'index']);

class Block {
  readonly #members = new GrowingMembers(['type', 'id', 'name', 'tool_use_id']);
  readonly #input = new GrowingText();
  #start: Uint8Array | undefined;
  hasEnded = false;

  /** @param kind the block's type, if its start is missing */
  constructor(start: JsonView | undefined, kind?: string) {
    if (kind !== undefined) this.#members.put('type', new JsonView(encode(quote(kind))));
    if (start === undefined) return;
    this.#start = start.get(INPUT)?.copy();
    this.#members.add(start, (key) => key === INPUT);
  }

  /** @returns false for a delta that says something, but not where it should */
  grow(to: string, delta: JsonView, from: string): boolean {
    const value = delta.get(from);
    const text = stringIn(delta, from);
    const isRead = to === 'citations' ? present(value) : text !== undefined;
    if (!isRead && present(value) && value.type !== 'string') return false;
    if (!isRead) return !delta.others(DELTA).some(([, other]) => says(other));
    if (to === INPUT) this.#input.add(text as Uint8Array);
    else if (to === 'citations' && present(value))
      this.#members.put(to, new JsonView(arrayOf([value.bytes])));
    else if (present(value)) this.#members.put(to, value);
    return true;
  }

  end(): void {
    this.hasEnded = true;
  }

  get isCut(): boolean {
    return this.#input.isCut;
  }

  /** Is it a call that was cut before its input came? It begins with an empty one. */
  get isUnsaid(): boolean {
    return !this.hasEnded && this.#input.isEmpty && this.#start?.length === EMPTY_OBJECT.length;
  }

  json(): Uint8Array {
    const input = this.#input.isEmpty ? this.#start : this.#input.value();
    const members = this.#members.pieces();
    return objectOf(input === undefined ? members : [...members, [INPUT, input]]);
  }
}
