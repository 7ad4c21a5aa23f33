/**
 * Assembles streams of the Responses API. The last event has the whole response; a truncated stream is assembled from
 * its items and deltas.
 */

import { JsonView } from '../../json/json-view.ts';
import { membersOf } from '../../json/members.ts';
import { editMembers } from '../../json/splice.ts';
import type { ReadingNote } from '../../model/element.ts';
import { arrayOf, objectOf, type Piece, typedObject } from '../shared/build-messages.ts';
import { ARGUMENTS_CUT, error, RESPONSE_ERROR } from '../shared/reading-notes.ts';
import {
  indexIn,
  isOtherId,
  STREAM_CUT,
  type StreamedAnswer,
  type StreamGrammar,
  stringIn,
  UnknownKinds,
} from './grammar.ts';
import { GrowingText } from './growing-text.ts';

const PREFIX = 'response.';
const LAST: ReadonlySet<string> = new Set([
  ...['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'],
]);
const HEAD: ReadonlySet<string> = new Set([
  ...['response.created', 'response.in_progress', 'response.queued'],
]);

const UNORDERED = error('unknown-content', 'the events of the answer are not in the order of their numbers');

/** The place that a delta extends: a part of the item's content or summary, or a member of the item. */
interface DeltaTarget {
  /** Type of the item, if its start is missing. */
  readonly item: string;
  readonly list?: 'content' | 'summary';
  /** Type of the part. */
  readonly part?: string;
  readonly key: string;
}

const DELTAS: ReadonlyMap<string, DeltaTarget> = new Map([
  ['output_text', { item: 'message', list: 'content', part: 'output_text', key: 'text' }],
  ['refusal', { item: 'message', list: 'content', part: 'refusal', key: 'refusal' }],
  ['reasoning_text', { item: 'reasoning', list: 'content', part: 'reasoning_text', key: 'text' }],
  ['reasoning_summary_text', { item: 'reasoning', list: 'summary', part: 'summary_text', key: 'text' }],
  ['function_call_arguments', { item: 'function_call', key: 'arguments' }],
  ['mcp_call_arguments', { item: 'mcp_call', key: 'arguments' }],
  ['custom_tool_call_input', { item: 'custom_tool_call', key: 'input' }],
  ['code_interpreter_call_code', { item: 'code_interpreter_call', key: 'code' }],
]);

/** Events that repeat items and deltas, or report the progress of a call on the server. */
const IGNORED =
  /\.(?:done|added|delta|in_progress|searching|completed|generating|interpreting|failed|partial_image)$/;

/** Whether the event belongs to a stream of the Responses API. */
export function isResponsesEvent(event: Pick<JsonView, 'get'>): boolean {
  return event.get('type')?.text()?.startsWith(PREFIX) === true;
}

export class ResponsesEvents implements StreamGrammar {
  readonly #items = new Map<number, Item>();
  readonly #unknown = new UnknownKinds();
  #head: Uint8Array | undefined;
  #whole: Uint8Array | undefined;
  #isFailed = false;
  /** Whether the whole response says that it failed: an error event may follow. */
  #hasFailed = false;
  #sequence = -1;
  /** Whether an event comes after a later one: the deltas are then not the text. */
  #isUnordered = false;

  put(event: JsonView): void {
    const sequence = indexIn(event, 'sequence_number');
    if (sequence !== undefined) {
      this.#isUnordered ||= sequence < this.#sequence; // some servers number all events 0
      this.#sequence = sequence;
    }
    const type = event.get('type')?.text() ?? '';
    const response = event.get('response');
    if (LAST.has(type) && response?.type === 'object') {
      this.#whole = response.copy();
      this.#hasFailed = type === 'response.failed';
    } else if (HEAD.has(type)) this.#head = response?.copy();
    else if (type === 'response.output_item.added') this.#itemOf(event).begin(event.get('item'));
    else if (type === 'response.output_item.done') this.#itemOf(event).end(event.get('item'));
    else if (type === 'error') this.#isFailed = true;
    else if (type.endsWith('.delta')) this.#grow(type, event);
    else if (type.endsWith('.done') && this.#settle(type, event)) return;
    else if (!IGNORED.test(type)) this.#unknown.add(type, event);
  }

  begins(event: JsonView): boolean {
    const type = event.get('type')?.text();
    if (type === 'response.created') return this.#head !== undefined || this.#whole !== undefined;
    if (!isResponsesEvent(event) && this.#isOfOther(event, this.#head)) return true;
    const isRepeated = type === 'error' && this.#hasFailed;
    return this.#whole !== undefined && !isRepeated && (type === 'error' || isResponsesEvent(event));
  }

  isOfAnother(event: JsonView): boolean {
    const type = event.textOf('type') ?? '';
    if (type === 'response.created') return this.#isOfOther(event, this.#head);
    return LAST.has(type) && this.#isOfOther(event, this.#whole);
  }

  /** Does an event have another response than this one? */
  #isOfOther(event: JsonView, known: Uint8Array | undefined): boolean {
    return known !== undefined && isOtherId(event.get('response'), stringIn(new JsonView(known), 'id'));
  }

  get isOver(): boolean {
    return this.#whole !== undefined;
  }

  /** The item of an event: by its index, else by its id, else the open one. */
  #itemOf(event: JsonView): Item {
    const index = indexIn(event, 'output_index') ?? this.#indexOf(event) ?? this.#items.size;
    const item = this.#items.get(index) ?? new Item();
    this.#items.set(index, item);
    return item;
  }

  #indexOf(event: JsonView): number | undefined {
    const isStart = event.textOf('type') === 'response.output_item.added';
    const id = event.textOf('item_id') ?? event.get('item')?.textOf('id');
    let open: number | undefined;
    for (const [index, item] of this.#items) {
      if (id !== undefined && item.id === id) return index;
      if (item.isOpen && (id === undefined || item.id === undefined)) open = index;
    }
    return isStart ? undefined : open;
  }

  /** Takes the whole text that an event repeats. @returns whether it is of a known kind */
  #settle(type: string, event: JsonView): boolean {
    const target = DELTAS.get(type.slice(PREFIX.length, -'.done'.length));
    const text = target && event.get(target.key);
    if (target === undefined || text?.type !== 'string') return false;
    this.#itemOf(event).settle(target, partIn(event, target), text.bytes);
    return true;
  }

  #grow(type: string, event: JsonView): void {
    const target = DELTAS.get(type.slice(PREFIX.length, -'.delta'.length));
    const delta = event.get('delta');
    if (target === undefined || delta?.type !== 'string') {
      if (target === undefined) this.#unknown.add(type, event);
      else this.#unknown.lose(type);
      return;
    }
    this.#itemOf(event).grow(target, partIn(event, target), delta.bytes);
  }

  answer(): StreamedAnswer {
    const notes: ReadingNote[] = this.#isFailed ? [RESPONSE_ERROR] : [];
    const items = [...this.#items].sort(([a], [b]) => a - b).map(([, item]) => item);
    const said = items.filter((item) => !item.isUnsaid);
    const output = said.flatMap((item) => item.json() ?? []);
    if (this.#whole === undefined) notes.push(STREAM_CUT);
    const isCut = said.length < items.length || items.some((item) => item.isCut);
    if (this.#whole === undefined && isCut) notes.push(ARGUMENTS_CUT);
    if (this.#isUnordered && !this.hasRepeated) notes.push(UNORDERED);
    return { json: this.#json(output), notes: [...notes, ...this.#unknown.notes(this.#whole !== undefined)] };
  }

  get hasRepeated(): boolean {
    return this.#hasOutput || ![...this.#items.values()].some((item) => item.isOpen && !item.isUnsaid);
  }

  /** Does the response at the end repeat the answer? */
  get #hasOutput(): boolean {
    const output = this.#whole && new JsonView(this.#whole).get('output');
    return (output?.elements().length ?? 0) > 0;
  }

  /** The response; with the streamed items if its own output is empty, as some servers send it. */
  #json(items: readonly Uint8Array[]): Uint8Array {
    if (this.#whole !== undefined && (items.length === 0 || this.#hasOutput)) return this.#whole;
    const members: Piece[] = [['object', '"response"']];
    const known = this.#whole ?? this.#head;
    const others =
      known === undefined
        ? []
        : new JsonView(known).members().flatMap(([key, value]): Piece[] => {
            const isStale = key === 'status' && this.#whole === undefined;
            const isReplaced = isStale || key === 'output' || members.some(([name]) => name === key);
            return isReplaced ? [] : [[key, value.copy()]];
          });
    return objectOf([...members, ...others, ['output', arrayOf(items)]]);
  }
}

/** Number of the part that an event belongs to. */
const partIn = (event: JsonView, { list }: DeltaTarget): number =>
  indexIn(event, list === 'summary' ? 'summary_index' : 'content_index') ?? 0;

/** An item of the output, possibly unfinished. */
class Item {
  #start: Uint8Array | undefined;
  #whole: Uint8Array | undefined;
  #type: string | undefined;
  /** Does it begin as a call without its input? */
  #isCall = false;
  readonly #texts = new Map<
    string,
    { readonly target: DeltaTarget; readonly part: number; readonly text: GrowingText }
  >();

  /** Its id, if an event named it. */
  id: string | undefined;

  begin(item: JsonView | undefined): void {
    if (item?.type !== 'object') return;
    this.#start = item.copy();
    this.id = item.textOf('id');
    this.#isCall = ['arguments', 'input'].some((key) => item.textOf(key) === '');
  }

  end(item: JsonView | undefined): void {
    if (item?.type !== 'object') return;
    this.#whole = item.copy();
    this.id ??= item.textOf('id');
  }

  /** May more of it follow? */
  get isOpen(): boolean {
    return this.#whole === undefined;
  }

  grow(target: DeltaTarget, part: number, delta: Uint8Array): void {
    const slot = slotOf(target, part);
    const known = this.#texts.get(slot) ?? { target, part, text: new GrowingText() };
    this.#texts.set(slot, known);
    this.#type ??= target.item;
    known.text.add(delta);
  }

  /** Replaces a text by the whole one. */
  settle(target: DeltaTarget, part: number, whole: Uint8Array): void {
    this.#texts.delete(slotOf(target, part));
    this.grow(target, part, whole);
  }

  /** Whether its arguments are incomplete. */
  get isCut(): boolean {
    if (this.#whole !== undefined) return false;
    return [...this.#texts.values()].some(
      ({ target, text }) => target.key === 'arguments' && !text.isWhole(),
    );
  }

  /** Is it a call that was cut before its input came? */
  get isUnsaid(): boolean {
    return this.#whole === undefined && this.#texts.size === 0 && this.#isCall;
  }

  /** The item as far as it was received; undefined if nothing was received. */
  json(): Uint8Array | undefined {
    if (this.#whole !== undefined) return this.#whole;
    if (this.#type === undefined) return this.#start;
    const start = this.#start ?? typedObject(this.#type);
    const grown = new Map<string, Uint8Array>();
    for (const { target, text } of this.#texts.values())
      if (target.list === undefined) grown.set(target.key, text.json());
    for (const list of ['content', 'summary'] as const) {
      const parts = this.#partsOf(list);
      if (parts.length > 0) grown.set(list, arrayOf(parts));
    }
    return withMembers(start, grown);
  }

  #partsOf(list: 'content' | 'summary'): readonly Uint8Array[] {
    const texts = [...this.#texts.values()].filter(({ target }) => target.list === list);
    return texts
      .sort((a, b) => a.part - b.part)
      .map(({ target, text }) => typedObject(target.part as string, [target.key, text.json()]));
  }
}

const slotOf = ({ list, key }: DeltaTarget, part: number): string =>
  list === undefined ? key : `${list}${part}`;

/** Replaces members of an object, which move to its end. */
function withMembers(object: Uint8Array, members: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const kept = editMembers(object, ({ key }) => (members.has(key) ? null : undefined));
  const others = membersOf(kept).map(
    ({ key, valueStart, end }): Piece => [key, kept.subarray(valueStart, end)],
  );
  return objectOf([...others, ...members]);
}
