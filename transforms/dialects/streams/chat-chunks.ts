/** Assembles streams of chat completions: chunks with a delta for each choice. */

import { QUOTE } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { createTextScanner } from '../../json/plain-scanner.ts';
import { inString } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { arrayOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';
import { RESPONSE_ERROR } from '../shared/reading-notes.ts';
import {
  ARGUMENTS_CUT,
  indexIn,
  STREAM_CUT,
  type StreamedAnswer,
  type StreamGrammar,
  stringIn,
} from './grammar.ts';
import { GrowingMembers } from './growing-members.ts';
import { GrowingText } from './growing-text.ts';

/** Members of a chunk that are handled separately; of all others the first value counts. */
const CHUNK_MEMBERS: ReadonlySet<string> = new Set(['choices', 'object', 'usage', 'error']);
/** Members of a delta that are handled separately; all others are joined. */
const DELTA_MEMBERS: ReadonlySet<string> = new Set([
  ...['role', 'tool_calls', 'function_call', 'reasoning', 'reasoning_details'],
]);
const CALL_MEMBERS: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function']);
const FUNCTION = encode('"function"');
const ASSISTANT = encode('"assistant"');
const EMPTY = encode('""');
const scanner = createTextScanner();

const CHUNK = 'chat.completion.chunk';

/** Whether the event is a chunk of a chat completion. */
export function isChatChunk(event: Pick<JsonView, 'get'>): boolean {
  if (event.get('object')?.text() === CHUNK) return true;
  const [first] = event.get('choices')?.elements() ?? [];
  return first?.get('delta')?.type === 'object';
}

/** Id of the answer that a chunk belongs to; undefined for other events, or if it has none. */
export function chunkId(event: JsonView): string | undefined {
  return event.textOf('object') === CHUNK || isChatChunk(event) || event.get('choices')?.type === 'array'
    ? event.textOf('id') || undefined
    : undefined;
}

export class ChatChunks implements StreamGrammar {
  readonly #head = new Map<string, Uint8Array>();
  readonly #choices = new Map<number, Choice>();
  #usage: Uint8Array | undefined;
  #isFailed = false;
  #hasEnd = false;
  #weight = 0;

  put(chunk: JsonView): void {
    this.#weight += chunk.length;
    if (chunk.keys().some((key) => this.#mayAdd(key))) {
      for (const [key, value] of chunk.members())
        if (this.#mayAdd(key) && present(value) && value.text() !== '') this.#head.set(key, value.copy());
    }
    const usage = chunk.get('usage');
    if (present(usage)) this.#usage = usage.copy();
    if (present(chunk.get('error'))) this.#isFailed = true;
    for (const [i, one] of (chunk.get('choices')?.elements() ?? []).entries()) {
      const index = indexIn(one, 'index') ?? i;
      const choice = this.#choices.get(index) ?? new Choice();
      this.#choices.set(index, choice);
      choice.put(one);
    }
  }

  #mayAdd(key: string): boolean {
    return !CHUNK_MEMBERS.has(key) && !this.#head.has(key);
  }

  /** Records `[DONE]`. */
  end(): void {
    this.#hasEnd = true;
  }

  /** A chunk with another id begins another answer only if it has a role: some servers change the id in every chunk. */
  begins(chunk: JsonView): boolean {
    const [first] = chunk.get('choices')?.elements() ?? [];
    if (first === undefined) return this.#hasEnd;
    const isStart = first.get('delta')?.get('role')?.type === 'string';
    const id = stringIn(chunk, 'id');
    const own = this.#head.get('id');
    const isOther = id !== undefined && own !== undefined && id.length > 2 && Buffer.compare(id, own) !== 0;
    return this.#hasEnd || (isStart && (isOther || (this.#isFinished && own === undefined)));
  }

  get isOver(): boolean {
    return this.#hasEnd || this.#isFinished;
  }

  get weight(): number {
    return this.#weight;
  }

  get #isFinished(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(({ finish }) => finish !== undefined);
  }

  answer(): StreamedAnswer {
    const choices = [...this.#choices].sort(([a], [b]) => a - b);
    const [, first] = choices[0] ?? [];
    const notes: ReadingNote[] = [...(first?.notes() ?? [])];
    if (first?.finish === undefined) notes.push(STREAM_CUT);
    if (this.#isFailed) notes.push(RESPONSE_ERROR);
    const members: Piece[] = [...this.#head];
    members.push(['object', '"chat.completion"']);
    members.push(['choices', arrayOf(choices.map(([index, choice]) => choice.json(index)))]);
    if (this.#usage !== undefined) members.push(['usage', this.#usage]);
    return { api: 'chat', json: objectOf(members), notes };
  }
}

class Choice {
  readonly #members = new GrowingMembers();
  readonly #calls: Call[] = [];
  readonly #details = new Map<number, GrowingMembers>();
  readonly #reasoning = new GrowingText();
  #function: Call | undefined;
  #role = ASSISTANT;
  #finish: Uint8Array | undefined;

  get finish(): Uint8Array | undefined {
    return this.#finish;
  }

  put(choice: JsonView): void {
    const finish = choice.get('finish_reason');
    if (present(finish)) this.#finish = finish.copy();
    const delta = choice.get('delta') ?? choice.get('message');
    if (delta?.type === 'object') this.#take(delta);
    const text = choice.get('text');
    if (text?.type === 'string') this.#members.put('content', text);
  }

  #take(delta: JsonView): void {
    this.#members.add(delta, (key) => DELTA_MEMBERS.has(key));
    const role = delta.get('role');
    if (role?.type === 'string' && role.text() !== '') this.#role = role.copy();
    const reasoning = stringIn(delta, 'reasoning');
    if (reasoning !== undefined) this.#reasoning.add(reasoning);
    for (const [i, detail] of (delta.get('reasoning_details')?.elements() ?? []).entries()) {
      const index = indexIn(detail, 'index') ?? i;
      const known = this.#details.get(index) ?? new GrowingMembers(['type', 'id', 'format']);
      this.#details.set(index, known);
      known.add(detail);
    }
    const fn = delta.get('function_call');
    if (fn?.type === 'object') {
      this.#function ??= new Call();
      this.#function.putFunction(fn);
    }
    for (const [i, call] of (delta.get('tool_calls')?.elements() ?? []).entries())
      this.#callOf(call, i).put(call);
  }

  /** The call that a piece belongs to, by index, else by id, else by position in the list. */
  #callOf(piece: JsonView, place: number): Call {
    const index = indexIn(piece, 'index');
    const id = piece.get('id')?.text() || undefined;
    let known: Call | undefined;
    if (index !== undefined) known = this.#calls.findLast((call) => call.index === index);
    else if (id !== undefined) known = this.#calls.find((call) => call.id === id);
    else known = this.#calls[place] ?? (hasName(piece) ? undefined : this.#calls.at(-1));
    if (known !== undefined && !known.isOverBefore(piece)) return known;
    const call = new Call(index);
    this.#calls.push(call);
    return call;
  }

  notes(): readonly ReadingNote[] {
    const calls = this.#function === undefined ? this.#calls : [...this.#calls, this.#function];
    return calls.some((call) => call.isCut) ? [ARGUMENTS_CUT] : [];
  }

  json(index: number): Uint8Array {
    const members: Piece[] = [['role', this.#role]];
    const calls = this.#calls.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const hasCalls = calls.length > 0 || this.#function !== undefined;
    const isSilent = this.#members.text('content')?.isEmpty !== false;
    const content = this.#members.json('content') ?? EMPTY;
    if (!hasCalls || !isSilent || content[0] !== QUOTE) members.push(['content', content]);
    members.push(...this.#members.pieces((key) => key === 'content'));
    const hasReasoning = this.#members.text('reasoning_content')?.isEmpty === false;
    if (!this.#reasoning.isEmpty && !hasReasoning)
      members.push(['reasoning_content', this.#reasoning.json()]);
    if (this.#details.size > 0) {
      const details = [...this.#details.values()].map((detail) => objectOf(detail.pieces()));
      members.push(['reasoning_details', arrayOf(details)]);
    }
    if (calls.length > 0) members.push(['tool_calls', arrayOf(calls.map((call) => call.json()))]);
    if (this.#function !== undefined) members.push(['function_call', this.#function.functionJson()]);
    return objectOf([
      ['index', `${index}`],
      ['message', objectOf(members)],
      ['finish_reason', this.#finish ?? 'null'],
    ]);
  }
}

class Call {
  readonly index: number | undefined;
  readonly #others = new GrowingMembers();
  readonly #arguments = new GrowingText();
  #hasArguments = false;
  #id: Uint8Array | undefined;
  #type: Uint8Array | undefined;
  #name: Uint8Array | undefined;

  constructor(index?: number) {
    this.index = index;
  }

  get id(): string | undefined {
    return this.#id && JSON.parse(Buffer.from(this.#id).toString());
  }

  put(piece: JsonView): void {
    this.#id ??= firstText(piece.get('id'));
    this.#type ??= firstText(piece.get('type'));
    this.#others.add(piece, (key) => CALL_MEMBERS.has(key));
    const fn = piece.get('function');
    if (fn?.type === 'object') this.putFunction(fn);
  }

  putFunction(fn: JsonView): void {
    this.#name ??= firstText(fn.get('name'));
    const args = fn.get('arguments');
    if (!present(args)) return;
    this.#hasArguments = true;
    this.#arguments.add(args.type === 'string' ? args.bytes : inString(args.bytes));
  }

  /**
   * Whether a piece starts another call although it has the index of this one, as some servers do: it has another id
   * and a name, and this call is complete.
   */
  isOverBefore(piece: JsonView): boolean {
    const id = firstText(piece.get('id'));
    const name = firstText(piece.get('function')?.get('name'));
    if (id === undefined || name === undefined || this.#id === undefined) return false;
    return Buffer.compare(id, this.#id) !== 0 && isWhole(this.#arguments);
  }

  get isCut(): boolean {
    return !this.#arguments.isEmpty && !isWhole(this.#arguments);
  }

  json(): Uint8Array {
    const members: Piece[] = this.#id === undefined ? [] : [['id', this.#id]];
    members.push(['type', this.#type ?? FUNCTION], ['function', this.functionJson()]);
    return objectOf([...members, ...this.#others.pieces()]);
  }

  functionJson(): Uint8Array {
    const members: Piece[] = this.#name === undefined ? [] : [['name', this.#name]];
    if (this.#hasArguments) members.push(['arguments', this.#arguments.json()]);
    return objectOf(members);
  }
}

const hasName = (piece: JsonView): boolean => firstText(piece.get('function')?.get('name')) !== undefined;

/** The JSON text of a non-empty string; undefined for anything else. */
function firstText(value: JsonView | undefined): Uint8Array | undefined {
  return value?.type === 'string' && value.text() !== '' ? value.copy() : undefined;
}

/** Whether a text is one complete JSON value. */
export function isWhole(text: GrowingText): boolean {
  const json = encode(text.text().trim());
  return json.length > 0 && scanner.value(json, 0, 0) === json.length;
}
