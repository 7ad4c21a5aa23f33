/** Assembles streams of chat completions: chunks with a delta for each choice. */

import { JsonView } from '../../json/json-view.ts';
import { decode, encode } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { arrayOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { carriesContent } from '../shared/carried-content.ts';
import { CHAT_CHOICE } from '../shared/known-bodies.ts';
import { isTrue, present } from '../shared/logged-values.ts';
import { ARGUMENTS_CUT, RESPONSE_ERROR, unreadText } from '../shared/reading-notes.ts';
import { isUnsaid, saidIn } from '../shared/said-texts.ts';
import { says } from '../shared/unread-text.ts';
import { ChatCall, hasName } from './chat-call.ts';
import { hidesDelta, PIECES, saidOf, saysPiece } from './delta-pieces.ts';
import {
  indexIn,
  STREAM_CUT,
  type StreamedAnswer,
  type StreamGrammar,
  stringIn,
  TWO_ANSWERS,
  UnknownKinds,
} from './grammar.ts';
import { GrowingParts } from './growing-parts.ts';
import { GrowingMembers, GrowingText } from './growing-text.ts';

/** Members of a chunk that are handled separately; of all others the first value counts. */
const CHUNK_MEMBERS: ReadonlySet<string> = new Set([
  ...['choices', 'object', 'usage', 'error'],
  ...['message', 'response', 'done', 'done_reason', 'context'],
]);
/** Members of a delta that are handled separately; all others are joined. */
const DELTA_MEMBERS: ReadonlySet<string> = new Set([
  ...['role', 'tool_calls', 'function_call', 'reasoning', 'reasoning_details'],
]);
const ASSISTANT = encode('"assistant"');
const STOP = encode('"stop"');
const UNFINISHED: ReadonlySet<string> = new Set(['""', '"null"']);

const CHUNK = 'chat.completion.chunk';

export function isChatChunk(event: Pick<JsonView, 'get'>): boolean {
  if (event.get('object')?.text() === CHUNK) return true;
  const [first] = event.get('choices')?.elements() ?? [];
  return first?.get('delta')?.type === 'object';
}

/** Is it a line of a stream of Ollama, which has the pieces of a message? */
export function isOllamaChunk(event: JsonView): boolean {
  const isPiece = event.get('message')?.type === 'object' || event.get('response')?.type === 'string';
  return isPiece && event.get('done')?.type === 'boolean' && event.get('choices') === undefined;
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
  readonly #unknown = new UnknownKinds();
  #usage: Uint8Array | undefined;
  #isFailed = false;
  #hasEnd = false;
  readonly #ids = new IdsOfChunks();

  put(chunk: JsonView): void {
    this.#ids.put(chunk);
    if (isOther(chunk)) {
      this.#unknown.add(chunk.textOf('type'), chunk);
      return;
    }
    if (chunk.keys().some((key) => this.#mayAdd(key))) {
      for (const [key, value] of chunk.members())
        if (this.#mayAdd(key) && present(value) && !value.isEmptyText) this.#head.set(key, value.copy());
    }
    const usage = chunk.get('usage');
    if (present(usage)) this.#usage = usage.copy();
    if (present(chunk.get('error'))) this.#isFailed = true;
    const choices = chunk.get('choices');
    if (choices === undefined && isOllamaChunk(chunk)) this.#choiceAt(0).putOllama(chunk);
    else if (!present(choices) && chunk.others(AROUND_CHOICES).some(isSaid)) this.#unknown.lose(undefined);
    else if (present(choices) && choices.type !== 'array') this.#unknown.lose(undefined);
    choices?.elements().forEach((one, i) => {
      if (!this.#choiceAt(indexIn(one, 'index') ?? i).put(one)) this.#unknown.lose(undefined);
    });
  }

  #choiceAt(index: number): Choice {
    const choice = this.#choices.get(index) ?? new Choice();
    this.#choices.set(index, choice);
    return choice;
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
    if (this.#hasEnd) return true;
    if (chunk.get('choices')?.elements()[0]?.get('delta')?.get('role')?.type !== 'string') return false;
    const own = this.#head.get('id');
    if (own === undefined) return this.#isFinished;
    const id = stringIn(chunk, 'id');
    return id !== undefined && id.length > 2 && Buffer.compare(id, own) !== 0;
  }

  /** Some servers give a reason to end in every chunk. */
  isOfAnother(chunk: JsonView): boolean {
    const choices = chunk.get('choices')?.elements() ?? [chunk];
    return choices.some((one, i) => {
      const known = this.#choices.get(indexIn(one, 'index') ?? i);
      const isFinished = known?.isFinished === true && !present(one.get('finish_reason'));
      return (this.#hasEnd || (isFinished && !known.isNextCall(one))) && saysPiece(one);
    });
  }

  get isOver(): boolean {
    return this.#hasEnd || this.#isFinished;
  }

  get #isFinished(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(({ finish }) => finish !== undefined);
  }

  answer(): StreamedAnswer {
    const choices = [...this.#choices].sort(([a], [b]) => a - b);
    const [, first] = choices[0] ?? [];
    const isOver = this.#hasEnd || first?.finish !== undefined;
    const notes: ReadingNote[] = [...(first?.notes(isOver) ?? [])];
    if (first?.finish === undefined) notes.push(STREAM_CUT);
    if (this.#isFailed) notes.push(RESPONSE_ERROR);
    if (this.#ids.areOfTwo) notes.push(TWO_ANSWERS);
    const members: Piece[] = [...this.#head];
    members.push(['object', '"chat.completion"']);
    members.push(['choices', arrayOf(choices.map(([index, choice]) => choice.json(index, isOver)))]);
    if (this.#usage !== undefined) members.push(['usage', this.#usage]);
    return { json: objectOf(members), notes: [...notes, ...this.#unknown.notes()] };
  }
}

/**
 * Finds a stream in which a gateway began another answer after a piece of one, as it does when the first server broke off:
 * a role under another id. Some servers change the id in every chunk, so most chunks must have the id of the one before.
 */
class IdsOfChunks {
  #last: string | undefined;
  #repeats = 0;
  #changes = 0;
  #hasSaid = false;
  #hasBegunAgain = false;

  put(chunk: JsonView): void {
    const choices = chunk.get('choices')?.elements() ?? [];
    const id = chunk.textOf('id') || this.#last;
    if (id === this.#last) this.#repeats++;
    else if (this.#last !== undefined) {
      this.#changes++;
      const hasRole = choices[0]?.get('delta')?.get('role')?.type === 'string';
      this.#hasBegunAgain ||= hasRole && this.#hasSaid;
    }
    this.#last = id;
    this.#hasSaid ||= choices.some(saysPiece);
  }

  get areOfTwo(): boolean {
    return this.#hasBegunAgain && this.#repeats >= this.#changes;
  }
}

/** Is it an event of another kind, such as one by which a server keeps the connection open? */
const isOther = (event: JsonView): boolean =>
  event.get('type')?.type === 'string' &&
  !['choices', 'object', 'error', 'usage'].some((key) => present(event.get(key)));

/** Members of a chunk besides its choices. */
const AROUND_CHOICES: ReadonlySet<string> = new Set([
  ...['id', 'object', 'created', 'model', 'usage', 'error', 'provider', 'system_fingerprint', 'service_tier'],
  ...['citations', 'search_results', 'prompt_filter_results', 'prompt_annotations', 'metadata', 'headers'],
  ...['x_groq', 'timings', 'nvext', 'type', 'message', 'images', 'request', 'prompt', 'hidden_params'],
]);
const isSaid = ([, value]: readonly [string, JsonView]): boolean => carriesContent(value);

const HIDDEN = unreadText('a delta of the answer has its piece in a member that turnmill does not know');
const TWO_THOUGHTS = unreadText('the deltas have other reasoning in reasoning than in reasoning_content');
class Choice {
  readonly #members = new GrowingMembers(['channel', 'recipient', 'id', 'type', 'name']);
  readonly #content = new GrowingParts();
  readonly #audio = new GrowingMembers(['id']);
  readonly #calls: ChatCall[] = [];
  /** The last call at each place of the lists, for pieces that name neither their index nor their id. */
  readonly #places: ChatCall[] = [];
  /** By index, and by type: a summary and its encrypted form may have the same index. */
  readonly #details = new Map<string, GrowingMembers>();
  readonly #thoughts = new GrowingParts();
  readonly #reasoning = new GrowingText();
  #function: ChatCall | undefined;
  #role = ASSISTANT;
  /** Why the model stopped. */
  finish: Uint8Array | undefined;
  /** Index of its last call when the model stopped. */
  #lastIndex = Number.POSITIVE_INFINITY;
  /** Has a delta its piece in a member that is not known? */
  #isHiding = false;
  #hasDeltas = false;

  /** @returns false if what it says is in a member that is not known */
  put(choice: JsonView): boolean {
    const finish = choice.get('finish_reason');
    if (present(finish) && this.#isWhole(choice)) return true;
    if (present(finish)) this.finish = finish.copy();
    const delta = choice.get('delta') ?? choice.get('message');
    const isMixed =
      this.#hasDeltas && !present(choice.get('delta')) && PIECES.some((key) => says(delta?.get(key)));
    if (isMixed) return false;
    this.#hasDeltas ||= choice.get('delta')?.type === 'object';
    if (delta?.type === 'object') this.#take(delta);
    if (present(finish)) this.#lastIndex = this.#calls.at(-1)?.index ?? Number.POSITIVE_INFINITY;
    const text = choice.get('text');
    const own = delta?.get('content');
    const isSaidTwice = says(text) && says(own); // Together
    if (isSaidTwice && text?.text() !== own?.text()) return false;
    if (text?.type === 'string' && !isSaidTwice) this.#content.add(text);
    if (delta?.type === 'object') this.#isHiding ||= hidesDelta(delta);
    else if (says(delta) || (choice.type !== 'object' && says(choice))) return false;
    return present(delta) || present(text) || !choice.others(CHAT_CHOICE.names).some(isSaid);
  }

  /** Has it a reason to end? Some servers write one that says nothing in every chunk. */
  get isFinished(): boolean {
    return this.finish !== undefined && !UNFINISHED.has(decode(this.finish));
  }

  /** Is it only a piece of a later call? Together ends each of several calls with a reason. */
  isNextCall(choice: JsonView): boolean {
    const delta = choice.get('delta');
    const isOnly = PIECES.every((key) => key === 'tool_calls' || !says(delta?.get(key)));
    const pieces = delta?.get('tool_calls')?.elements() ?? [];
    return (
      isOnly && pieces.length > 0 && pieces.every((piece) => (indexIn(piece, 'index') ?? 0) > this.#lastIndex)
    );
  }

  /** Does the last event repeat the whole answer, whose pieces came before it? */
  #isWhole(choice: JsonView): boolean {
    const whole = choice.get('message');
    if (whole?.type !== 'object' || present(choice.get('delta'))) return false;
    const own = saidOf(new JsonView(this.json(0, true)).get('message'));
    const isSame = own.some((text) => text !== '') && saidOf(whole).join('\n') === own.join('\n');
    if (isSame) this.finish = choice.get('finish_reason')?.copy();
    return isSame;
  }

  putOllama(chunk: JsonView): void {
    const message = chunk.get('message');
    if (message?.type === 'object') this.#take(message);
    this.#content.add(chunk.get('response'));
    const thought = chunk.get('thinking');
    if (thought?.type === 'string') this.#reasoning.add(thought.bytes);
    if (isTrue(chunk.get('done'))) this.finish = chunk.get('done_reason')?.copy() ?? STOP;
  }

  #take(delta: JsonView): void {
    for (const [key, value] of delta.members()) {
      if (key === 'content') this.#content.add(value);
      else if (key === 'audio') this.#audio.add(value);
      else if (key === 'thinking_blocks') this.#thoughts.add(value);
      // the channel of a delta without text is that of its reasoning
      else if (key === 'channel' && !says(delta.get('content'))) continue;
      else if (present(value) && !DELTA_MEMBERS.has(key)) this.#members.put(key, value);
    }
    const role = delta.get('role');
    if (role?.type === 'string' && !role.isEmptyText) this.#role = role.copy();
    const reasoning = delta.get('reasoning');
    if (reasoning?.type === 'string') this.#reasoning.add(reasoning.bytes);
    else if (present(reasoning)) this.#members.put('reasoning', reasoning); // its message is then rejected
    for (const [i, detail] of (delta.get('reasoning_details')?.elements() ?? []).entries()) {
      const slot = `${indexIn(detail, 'index') ?? i} ${detail.textOf('type')}`;
      const known = this.#details.get(slot) ?? new GrowingMembers(['type', 'id', 'format']);
      this.#details.set(slot, known);
      known.add(detail);
    }
    const fn = delta.get('function_call');
    if (fn?.type === 'object') {
      this.#function ??= new ChatCall();
      this.#function.putFunction(fn);
    }
    for (const [i, call] of (delta.get('tool_calls')?.elements() ?? []).entries())
      this.#callOf(call, i).put(call);
  }

  /** The call of a piece: by its index, else by its id, else by its place in the list. A piece without a name never begins one. */
  #callOf(piece: JsonView, place: number): ChatCall {
    const index = indexIn(piece, 'index');
    const known = this.#knownCall(piece, index, place);
    const call = known === undefined || known.isOverBefore(piece) ? new ChatCall(index) : known;
    if (call !== known) this.#calls.push(call);
    this.#places[place] = call;
    return call;
  }

  #knownCall(piece: JsonView, index: number | undefined, place: number): ChatCall | undefined {
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    const id = piece.get('id')?.text() || undefined;
    const byId = id === undefined ? undefined : this.#calls.findLast((call) => call.id === id);
    const isStart = hasName(piece);
    if (byId !== undefined || (id !== undefined && isStart)) return byId;
    return this.#places[place] ?? (isStart ? undefined : this.#calls.at(-1));
  }

  notes(isOver: boolean): readonly ReadingNote[] {
    const calls = this.#function === undefined ? this.#calls : [...this.#calls, this.#function];
    const isCut = calls.some((call) => call.isCut) || (!isOver && this.#lastCall?.isUnsaid === true);
    const notes = [...(isCut ? [ARGUMENTS_CUT] : []), ...(this.#isHiding ? [HIDDEN] : [])];
    return this.#thinksTwice ? [...notes, TWO_THOUGHTS] : notes;
  }

  /** Is its reasoning under two names, with a text that is not the same? Only one of them is read. */
  get #thinksTwice(): boolean {
    const own = this.#members.text('reasoning_content');
    if (this.#reasoning.isEmpty || own === undefined || own.isEmpty) return false;
    return isUnsaid(this.#reasoning.text(), saidIn(own.text()));
  }

  get #lastCall(): ChatCall | undefined {
    return this.#function ?? this.#calls.at(-1);
  }

  /** @param isOver whether the answer is complete; else a last call without arguments is left out */
  json(index: number, isOver: boolean): Uint8Array {
    const members: Piece[] = [['role', this.#role]];
    const calls = this.#calls
      .filter((call) => isOver || call !== this.#lastCall || !call.isUnsaid)
      .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const hasCalls = this.#calls.length > 0 || this.#function !== undefined;
    if (!hasCalls || !this.#content.isEmpty) members.push(['content', this.#content.json()]);
    members.push(...this.#members.pieces());
    if (!this.#audio.isEmpty) members.push(['audio', objectOf(this.#audio.pieces())]);
    if (!this.#thoughts.isEmpty) members.push(['thinking_blocks', this.#thoughts.json()]);
    const hasReasoning = this.#members.text('reasoning_content')?.isEmpty === false;
    if (!this.#reasoning.isEmpty && !hasReasoning)
      members.push(['reasoning_content', this.#reasoning.json()]);
    if (this.#details.size > 0) {
      const details = [...this.#details.values()].map((detail) => objectOf(detail.pieces()));
      members.push(['reasoning_details', arrayOf(details)]);
    }
    if (calls.length > 0) members.push(['tool_calls', arrayOf(calls.map((call) => call.json()))]);
    if (this.#function !== undefined && (isOver || !this.#function.isUnsaid))
      members.push(['function_call', this.#function.functionJson()]);
    return objectOf([
      ['index', `${index}`],
      ['message', objectOf(members)],
      ['finish_reason', this.finish ?? 'null'],
    ]);
  }
}
