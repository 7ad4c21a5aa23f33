/**
 * Reads pairs of requests and responses whose API may change from pair to pair, as a proxy logs them. Tries the dialect
 * that read the last pair; if that finds no answer, tells the API from the response and reads the pair again. Streams
 * and pairs of the Responses API are read by the dialect `responses`, which can read all APIs but is slower.
 */
import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { valuesOf } from '../../json/members.ts';
import { decode } from '../../json/utf8.ts';
import type { Entry, Fate, Line } from '../../model/element.ts';
import { objectBytes, stringValue, textOfValue } from '../../model/message.ts';
import { withNotes, withoutRepeat } from '../../model/reply.ts';
import { isChatRequest, isRequest, isThere } from '../anthropic/pair.ts';
import type { Dialect, DialectReader, LineObjects, ReadElement, ReadingOptions } from '../dialect.ts';
import { MAX_BRANCHES, MAX_CONVERSATION_BYTES } from '../dialect.ts';
import { GatheredSessions } from '../shared/gathered-sessions.ts';
import type { CallChain } from '../shared/history.ts';
import { COPIED_MESSAGE } from '../shared/known-members.ts';
import { rejectObject } from '../shared/line-objects.ts';
import { RESPONSE_ERROR } from '../shared/reading-notes.ts';
import { mayBeSaid, STRAY, strayMember } from '../shared/stray-members.ts';
import { says, unreadIn } from '../shared/unread-text.ts';
import { isStreamEvent } from '../streams/assembler.ts';
import { looksLikeEvents } from '../streams/sse.ts';
import { ChainedCalls } from './chained-calls.ts';
import { STREAMS } from './logged-answer.ts';

/** Pairs of the chat completions API. This dialect does not read bodies of logged HTTP. */
const CHAT = 'exchange';
/** Dialects with a fast reader, and the list by which their answers are recognised. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  [CHAT, 'choices'],
  ['anthropic', 'content'],
]);
/** Reads pairs of every API. */
const ANY = 'responses';
/**
 * Its calls are gathered by session: its clients request titles and run sub-agents between the turns of a conversation.
 */
const GATHERED = 'anthropic';
/** A longer message cannot be a probe, so it is not decoded. */
const MAX_PROBE_BYTES = 1024;
/** Reasons with which a dialect rejects pairs of another API. */
const OTHER_API_REASONS: ReadonlySet<string> = new Set(['bad-response', 'bad-messages']);

export const isPairDialect = ({ name }: Dialect): boolean => ANSWERS.has(name) || name === ANY;

/**
 * Whether a `PairReader` gathers the sessions of the dialect; then one is also needed if the user names the dialect.
 */
export const isGathered = ({ name }: Dialect): boolean => name === GATHERED;

export class PairReader implements DialectReader {
  readonly #readers: ReadonlyMap<string, DialectReader>;
  readonly #first: string;
  #now: string;
  /** Undefined if the dialect gathers sessions itself, or its sessions do not interleave. */
  readonly #gathered: GatheredSessions | undefined;
  /** Undefined if chains are gathered. */
  readonly #chained: ChainedCalls | undefined;
  /** The chains of the entries that list only their own messages. */
  readonly #chains = new WeakMap<ReadElement, CallChain>();
  /** Whether the source has had such entries. */
  #hasChains = false;

  /** @param first name of the dialect of the first pair */
  constructor(first: string, readers: ReadonlyMap<string, DialectReader>, options: ReadingOptions = {}) {
    const {
      maxConversation = MAX_CONVERSATION_BYTES,
      maxBranches = MAX_BRANCHES,
      select = 'leaves',
      cleaned,
    } = options;
    this.#readers = readers;
    this.#first = first;
    this.#now = first;
    if (first === GATHERED)
      this.#gathered = new GatheredSessions({ maxBytes: maxConversation, maxBranches, select, cleaned });
    if (first === CHAT) this.#chained = new ChainedCalls(options);
  }

  read(line: Line): LineObjects {
    const objects = this.#readPairs(line);
    if (this.#gathered === undefined) return this.#joined(objects);
    if (Array.isArray(objects)) return this.gather(objects as readonly ReadElement[]);
    const gather = (element: ReadElement): readonly ReadElement[] => this.gather([element]);
    function* each(): Generator<ReadElement> {
      for (const element of objects) yield* gather(element);
    }
    return { length: objects.length, [Symbol.iterator]: each };
  }

  /** Joins the calls of chains. Other objects, which most sources have only, pass as they are. */
  #joined(objects: LineObjects): LineObjects {
    const chained = this.#chained;
    if (chained === undefined || (!this.#hasChains && Array.isArray(objects))) return objects;
    return chained.take(objects, (entry) => this.#chains.get(entry));
  }

  #readPairs(line: Line): LineObjects {
    const objects = this.#reader(this.#now).read(line);
    if (this.#first === ANY) return objects;
    if (objects.length !== 1 || !Array.isArray(objects)) return this.#readSeveral(line, objects);
    const [only] = objects as readonly ReadElement[];
    return only === undefined || !isDoubtful(only) ? objects : (this.#readAgain(line, only) ?? objects);
  }

  /** Reads the objects of a line with several, each as if it were alone. */
  #readSeveral(line: Line, objects: LineObjects): LineObjects {
    const readAgain = (object: Line, only: ReadElement): LineObjects | undefined =>
      this.#readAgain(object, only);
    function* each(): Generator<ReadElement> {
      for (const element of objects) {
        const again = isDoubtful(element) ? readAgain(objectAt(line, element), element) : undefined;
        if (again === undefined) yield element;
        else yield* again;
      }
    }
    return { length: objects.length, [Symbol.iterator]: each };
  }

  /**
   * Reads an object again after the current dialect found no answer in it. Undefined if no other dialect finds one.
   */
  #readAgain(line: Line, only: ReadElement): LineObjects | undefined {
    const pair = pairIn(line.bytes);
    if (pair === undefined) return undefined;
    const { sent, answer, isBody, isForAny, lacksPlace } = pair;
    if (only.kind === 'entry' && only.emptyReply === true)
      return hidesAnswer(answer) ? [strayAnswer(line, only)] : undefined;
    if (this.#gathered !== undefined && only.kind === 'entry' && isProbe(only) && pair.mostTokens === 1)
      return [noCompletion(only)];
    if (only.kind === 'entry' && answer !== undefined) {
      const other = apiOf(answer);
      if (other === CHAT && (isBody || (lacksPlace && this.#first === GATHERED)))
        return this.#readAny(line, only, pair.sessionId);
      if (other !== undefined && other !== this.#now) {
        this.#now = other;
        return this.#reader(other).read(line);
      }
      if (other === undefined && valuesOf(answer, ['input_tokens'])[0] !== undefined)
        return [noCompletion(only)];
      if (other === undefined && this.#isOfOther(sent)) return this.#readAny(line, only, pair.sessionId);
      const isUnread = isBody || this.#now === GATHERED;
      if (other === undefined && isUnread && !isForAny && isFailed(answer))
        return [withNotes(only, [RESPONSE_ERROR])];
    }
    const isStrange = only.kind === 'entry' && answer !== undefined && this.#now === GATHERED;
    const refused = isStrange && !isForAny ? this.#refused(line) : undefined;
    if (refused !== undefined) return [refused];
    const isOther = isForAny || (answer === undefined && this.#isOfOther(sent));
    const read = isOther ? this.#readAny(line, only, pair.sessionId) : undefined;
    const isUnreadable = read === undefined && isForAny;
    const mayBeRefused = isUnreadable && (answer === undefined || isLoggedStream(answer));
    const other = mayBeRefused ? this.#refused(line) : undefined;
    if (other !== undefined) return [other];
    return read ?? (lacksAnswer(line, only, answer) ? [strayAnswer(line, only)] : undefined);
  }

  /** The rejection of a pair whose answer has no known form; the reader of chats takes it for none, by its contract. */
  #refused(line: Line): ReadElement | undefined {
    const [read] = this.#reader(ANY).readApart?.(line) ?? [];
    return read?.kind === 'rejection' && REFUSED.has(read.reason) ? read : undefined;
  }

  /** Does a request without an answer that tells the API belong to another one than the last pair? */
  #isOfOther(sent: Uint8Array | undefined): boolean {
    if (sent === undefined) return false;
    return this.#now === GATHERED ? isChatRequest(sent) && !isRequest(sent) : isRequest(sent);
  }

  /** Reads an object with the reader of all APIs, but assigns it to the session that the fast readers would choose. */
  #readAny(line: Line, only: ReadElement, logged: string | undefined): LineObjects | undefined {
    let chain: CallChain | undefined;
    const onChain = (found: object): void => {
      chain = found as CallChain;
    };
    const takesChains = this.#gathered !== undefined || this.#chained !== undefined;
    const [read] = this.#reader(ANY).readApart?.(line, takesChains ? onChain : undefined) ?? [];
    if (read === undefined || read.kind === 'rejection') return undefined;
    if (read.kind !== 'entry' || read.refused !== undefined) return [read];
    const { alone: _alone, ...entry } = read;
    const { source } = read.origin;
    const sessionId = only.kind === 'entry' ? only.sessionId : (logged ?? source);
    const own: ReadElement = { ...entry, sessionId };
    if (chain !== undefined) {
      this.#chains.set(own, chain);
      this.#hasChains = true;
    }
    return [own];
  }

  get strays(): boolean {
    return this.#now !== this.#first || this.#chained?.isOpen === true;
  }

  get holds(): true | undefined {
    if (this.#gathered !== undefined || this.#chained?.isHolding === true) return true;
    return this.#reader(this.#first).holds;
  }

  readApart(line: Line): LineObjects {
    const reader = this.#reader(this.#first);
    return reader.readApart?.(line) ?? [...this.#readPairs(line)];
  }

  gather(entries: readonly ReadElement[]): readonly ReadElement[] {
    const gathered = this.#gathered;
    if (gathered === undefined)
      return this.#reader(this.#first).gather?.(entries) ?? [...this.#joined(entries)];
    const passed = entries.filter((element) => {
      if (element.kind !== 'entry' || element.alone === true) return true;
      gathered.add(withoutRepeat(element), { chain: this.#chains.get(element) });
      return false;
    });
    return gathered.hasFinished ? [...gathered.take(), ...passed] : passed;
  }

  end(): Iterable<ReadElement> {
    if (this.#gathered === undefined) return this.#chained?.end() ?? this.#reader(this.#first).end?.() ?? [];
    this.#gathered.closeAll();
    return this.#gathered.take();
  }

  forget(): void {
    this.#now = this.#first;
    this.#hasChains = false;
    this.#gathered?.forget();
    this.#chained?.forget();
    for (const reader of this.#readers.values()) reader.forget();
  }

  #reader(name: string): DialectReader {
    return this.#readers.get(name) as DialectReader;
  }
}

const REFUSED: ReadonlySet<string> = new Set(['unknown-content', 'unknown-speaker']);

/** Members of a pair that are read, or that are about the call. */
const PAIR: ReadonlySet<string> = new Set([
  ...['request', 'session_id', 'timestamp', 'logged_at', 'message', 'detail', 'msg', 'reason', 'title'],
  ...['request_body', 'headers', 'object'],
]);

/** The same, with the member of an answer that is checked by itself. */
const ANSWERED: ReadonlySet<string> = new Set([...PAIR, 'response']);

/** Members of a choice that do not hold its message. */
const CHOICE: ReadonlySet<string> = new Set(['message', 'logprobs', 'index', 'finish_reason', 'delta']);

/** Members of a pair without an answer that may hold it, under the names of other logs. */
const OUTPUTS = ['output', 'completion', 'choices'] as const;

/** Is a pair without an answer, in which a member that is not read may be one? */
function lacksAnswer(line: Line, only: ReadElement, answer: Uint8Array | undefined): boolean {
  if (only.kind !== 'entry' || (answer !== undefined && isFailed(answer))) return false;
  const pair = new JsonView(line.bytes.subarray(line.bytes.indexOf(OPEN_OBJECT)));
  if (OUTPUTS.some((key) => says(pair.get(key)))) return true;
  if (answer === undefined) return strayMember(pair, PAIR) !== undefined;
  const body = new JsonView(answer);
  if (says(body.get('output'))) return true;
  const choices = body.get('choices');
  const choice = choices?.elements()[0];
  if (choice !== undefined && choice.type !== 'object') return says(choice);
  const message = choice?.get('message');
  if (message !== undefined && message.type !== 'object' && says(message)) return mayBeSaid(message);
  if (message?.type === 'null') return strayMember(choice as JsonView, CHOICE) !== undefined;
  // a single piece of a stream has a known form, but is not an answer
  if (message === undefined && choice?.get('delta') !== undefined) return false;
  const beside = choices === undefined ? strayMember(pair, ANSWERED) : undefined;
  return (beside ?? strayMember(body, PAIR)) !== undefined;
}

/** Does an answer without text and calls, which may be a thought alone, hold words under a name that is not known? */
function hidesAnswer(answer: Uint8Array | undefined): boolean {
  const body = answer && new JsonView(answer);
  const message = body?.get('choices')?.elements()[0]?.get('message');
  if (message !== undefined) return unreadIn(message, COPIED_MESSAGE, 'the answer') !== undefined;
  const lacksContent = body !== undefined && (body.typeOf('content') ?? 'null') === 'null';
  return lacksContent && strayMember(body, PAIR) !== undefined;
}

const strayAnswer = (line: Line, { origin }: ReadElement): ReadElement =>
  rejectObject(line, origin, 'unknown-content', STRAY, -1);

/** The fate of a request that was not for a completion. */
const noCompletion = ({ origin, sessionId, timestamp }: Entry): Fate => ({
  ...{ kind: 'fate', fate: 'dropped:no-completion' },
  ...{ origin, sessionId, timestamp },
});

/** Whether the request is Claude Code's test of its quota. */
const isProbe = ({ messages: [first, second] }: Entry): boolean =>
  first !== undefined &&
  second === undefined &&
  first.bytes.length <= MAX_PROBE_BYTES &&
  stringValue(first.bytes, 'content') === 'quota';

function isFailed(answer: Uint8Array): boolean {
  const [error] = valuesOf(answer, ['error']);
  return error !== undefined && error[0] !== LETTER_N;
}

/** Whether another dialect may find an answer where this one did not. */
function isDoubtful(element: ReadElement): boolean {
  if (element.kind === 'rejection') return OTHER_API_REASONS.has(element.reason);
  return element.kind === 'entry' && (element.reply === undefined || isProbe(element));
}

/** One object of a line, as a separate line. */
function objectAt(line: Line, { origin }: ReadElement): Line {
  const start = origin.offset - line.origin.offset;
  return { ...line, origin, bytes: line.bytes.subarray(start, start + origin.length) };
}

interface Pair {
  /** The request, or the body that it is logged with, if it is an object. */
  readonly sent?: Uint8Array;
  /** The response or its body, if that is an object. */
  readonly answer: Uint8Array | undefined;
  /** Whether `answer` is the body of a logged HTTP response. */
  readonly isBody: boolean;
  /** Whether only the reader of all APIs can read it: a stream, JSON in a string, or a pair of the Responses API. */
  readonly isForAny: boolean;
  /** Does it lack its time or its session, which the fast reader of chats requires? */
  readonly lacksPlace: boolean;
  readonly sessionId: string | undefined;
  readonly mostTokens: number | undefined;
}

/** Parses what shows the API of a pair in a valid line; undefined if it has no request. */
function pairIn(line: Uint8Array): Pair | undefined {
  const object = line.subarray(line.indexOf(OPEN_OBJECT));
  const [request, response, id, time] = valuesOf(object, ['request', 'response', 'session_id', 'timestamp']);
  const sessionId = textOfValue(id) || undefined;
  const none = { answer: undefined, isBody: false, sessionId, lacksPlace: !isThere(id) || !isThere(time) };
  if (isObjectText(request)) return { ...none, isForAny: true, mostTokens: undefined };
  if (request?.[0] !== OPEN_OBJECT) return undefined;
  const sent = objectBytes(request, 'body') ?? request;
  const names = ['messages', 'input', 'prompt', 'contents', 'max_tokens'];
  const [messages, input, prompt, contents, most] = valuesOf(sent, names);
  const mostTokens = most && Number(decode(most));
  // the fast reader of chats does not open the body of a request
  const isOther = sent !== request || (messages === undefined && [input, prompt, contents].some(isThere));
  if (response?.[0] !== OPEN_OBJECT) {
    const isForAny = isStream(response) || isObjectText(response) || isOther;
    return { ...none, sent, isForAny, mostTokens };
  }
  const [body, raw, output] = valuesOf(response, ['body', 'body_raw', 'output']);
  const isEncoded = [body, raw].some((value) => value?.[0] === QUOTE || value?.[0] === OPEN_ARRAY);
  const isBody = body?.[0] === OPEN_OBJECT;
  const answer = isBody ? body : response;
  const [inner, candidates, message] = valuesOf(answer, ['output', 'candidates', 'message']);
  // Ollama and Cohere answer with a message; that of a failed server is a text
  const hasMessage = message?.[0] === OPEN_OBJECT;
  const hasOutput = isOpen(output) || isOpen(inner) || isOpen(candidates) || hasMessage;
  const isFound = !isOther && !hasOutput && !isOfHttp(response);
  return { ...none, sent, answer, isBody, isForAny: isEncoded || !isFound, mostTokens };
}

const isOpen = (value: Uint8Array | undefined): boolean =>
  value?.[0] === OPEN_ARRAY || value?.[0] === OPEN_OBJECT;

/** Is it a logged response of HTTP, whose answer may be in any member, or the lines of a stream? */
const isOfHttp = (response: Uint8Array): boolean =>
  valuesOf(response, ['status', 'status_code', 'statusCode', 'headers']).some(isThere) ||
  isLoggedStream(response);

/** Is it a response with the lines or the events of a stream? */
const isLoggedStream = (response: Uint8Array | undefined): boolean =>
  response !== undefined && apiOf(response) === undefined && valuesOf(response, STREAMS).some(isThere);

/** Whether the value is a string whose text is a JSON object. */
const isObjectText = (value: Uint8Array | undefined): boolean => /^\s*\{/.test(textOfValue(value) ?? '');

/** Whether the response is a stream: its text, or the list of its chunks. */
function isStream(response: Uint8Array | undefined): boolean {
  if (response?.[0] !== OPEN_ARRAY) return looksLikeEvents(textOfValue(response) ?? '');
  const [first] = new JsonView(response).elements();
  return first?.type === 'object' && isStreamEvent(first);
}

function apiOf(answer: Uint8Array): string | undefined {
  for (const [name, list] of ANSWERS) {
    if (valuesOf(answer, [list])[0]?.[0] === OPEN_ARRAY) return name;
  }
  return undefined;
}
