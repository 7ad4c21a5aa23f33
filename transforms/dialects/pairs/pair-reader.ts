/**
 * Reads pairs of requests and responses whose API may change from pair to pair, as a proxy logs them. The dialect of
 * the last pair reads the next one; if it finds no answer, the answer itself shows its API. Streams, and pairs of the
 * Responses API, are read by the dialect `responses`, which knows all APIs.
 */
import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { valuesOf } from '../../json/members.ts';
import { decode } from '../../json/utf8.ts';
import type { Entry, Fate, Line } from '../../model/element.ts';
import { objectBytes, stringValue, textOfValue } from '../../model/message.ts';
import { withNotes } from '../../model/reply.ts';
import { isChatRequest, isRequest } from '../anthropic/pair.ts';
import { MAX_CONVERSATION_BYTES } from '../define-dialect.ts';
import type { Dialect, DialectReader, LineObjects, ReadElement, ReadingOptions } from '../dialect.ts';
import { GatheredSessions } from '../shared/gathered-sessions.ts';
import { RESPONSE_ERROR } from '../shared/reading-notes.ts';
import { isStreamEvent } from '../streams/assembler.ts';
import { looksLikeEvents } from '../streams/sse.ts';

/** Its reader does not open bodies. */
const CHAT = 'exchange';
/** Dialects of pairs with a fast reader, and the list that their answers have. */
const ANSWERS: ReadonlyMap<string, string> = new Map([
  [CHAT, 'choices'],
  ['anthropic', 'content'],
]);
/** Reads pairs of every API. */
const ANY = 'responses';
/** Its calls are gathered here: its clients ask for titles and run sub-agents between the turns of a conversation. */
const GATHERED = 'anthropic';
/** A longer message is not a probe, and its text need not be decoded. */
const LONGEST_PROBE_BYTES = 1024;
/** Reasons for which a dialect rejects a pair of another API. */
const STRANGE: ReadonlySet<string> = new Set(['bad-response', 'bad-messages']);

export const isPairDialect = ({ name }: Dialect): boolean => ANSWERS.has(name) || name === ANY;

/** Are the sessions of a dialect gathered here, also when the user names the dialect? */
export const isGathered = ({ name }: Dialect): boolean => name === GATHERED;

export class PairReader implements DialectReader {
  readonly #readers: ReadonlyMap<string, DialectReader>;
  readonly #first: string;
  #now: string;
  /** Gathers the conversations of each session; undefined where the dialect does, or one entry of a session counts. */
  readonly #gathered: GatheredSessions | undefined;

  /** @param first name of the dialect of the first pair */
  constructor(
    first: string,
    readers: ReadonlyMap<string, DialectReader>,
    { maxConversation = MAX_CONVERSATION_BYTES, select = 'leaves' }: ReadingOptions = {},
  ) {
    this.#readers = readers;
    this.#first = first;
    this.#now = first;
    if (first === GATHERED) this.#gathered = new GatheredSessions({ maxBytes: maxConversation, select });
  }

  read(line: Line): LineObjects {
    const objects = this.#readPairs(line);
    if (this.#gathered === undefined) return objects;
    if (Array.isArray(objects)) return this.gather(objects as readonly ReadElement[]);
    const gather = (element: ReadElement): readonly ReadElement[] => this.gather([element]);
    function* each(): Generator<ReadElement> {
      for (const element of objects) yield* gather(element);
    }
    return { length: objects.length, [Symbol.iterator]: each };
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
   * Reads an object again if the current dialect found no answer in it; undefined if no other dialect finds one either.
   */
  #readAgain(line: Line, only: ReadElement): LineObjects | undefined {
    const pair = pairIn(line.bytes);
    if (pair === undefined) return undefined;
    const { asks, answer, isBody, isStrange, lacksPlace } = pair;
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
      if (other === undefined && this.#isOfOther(asks)) return this.#readAny(line, only, pair.sessionId);
      const isUnread = isBody || this.#now === GATHERED;
      if (other === undefined && isUnread && !isStrange && isFailed(answer))
        return [withNotes(only, [RESPONSE_ERROR])];
    }
    const isOther = isStrange || (answer === undefined && this.#isOfOther(asks));
    return isOther ? this.#readAny(line, only, pair.sessionId) : undefined;
  }

  /** Does a request without an answer that tells the API belong to another one than the last pair? */
  #isOfOther(asks: Uint8Array | undefined): boolean {
    if (asks === undefined) return false;
    return this.#now === GATHERED ? isChatRequest(asks) && !isRequest(asks) : isRequest(asks);
  }

  /** The entry from the reader of every API, in the session that the fast readers would choose. */
  #readAny(line: Line, only: ReadElement, logged: string | undefined): LineObjects | undefined {
    const [read] = this.#reader(ANY).readApart?.(line) ?? [];
    if (read === undefined || read.kind === 'rejection') return undefined;
    if (read.kind !== 'entry' || read.refused !== undefined) return [read];
    const { alone: _alone, ...entry } = read;
    const { source } = read.origin;
    const sessionId = only.kind === 'entry' ? only.sessionId : (logged ?? source);
    return [{ ...entry, sessionId }];
  }

  get strays(): boolean {
    return this.#now !== this.#first;
  }

  get holds(): true | undefined {
    return this.#gathered === undefined ? this.#reader(this.#first).holds : true;
  }

  readApart(line: Line): readonly ReadElement[] {
    const reader = this.#reader(this.#first);
    return reader.readApart?.(line) ?? [...this.#readPairs(line)];
  }

  gather(entries: readonly ReadElement[]): readonly ReadElement[] {
    const gathered = this.#gathered;
    if (gathered === undefined) return this.#reader(this.#first).gather?.(entries) ?? entries;
    const passed = entries.filter((element) => {
      if (element.kind !== 'entry' || element.alone === true) return true;
      gathered.add(element);
      return false;
    });
    return gathered.hasOver ? [...gathered.take(), ...passed] : passed;
  }

  end(): Iterable<ReadElement> {
    if (this.#gathered === undefined) return this.#reader(this.#first).end?.() ?? [];
    this.#gathered.closeAll();
    return this.#gathered.take();
  }

  forget(): void {
    this.#now = this.#first;
    this.#gathered?.forget();
    for (const reader of this.#readers.values()) reader.forget();
  }

  #reader(name: string): DialectReader {
    return this.#readers.get(name) as DialectReader;
  }
}

const hasNoReply = ({ reply, emptyReply }: Entry): boolean => reply === undefined && emptyReply !== true;

/** The fate of a request that asks for no answer. */
const noCompletion = ({ origin, sessionId, timestamp }: Entry): Fate => ({
  ...{ kind: 'fate', fate: 'dropped:no-completion' },
  ...{ origin, sessionId, timestamp },
});

/** Does it only ask whether it may ask, as Claude Code does? */
const isProbe = ({ messages: [first, second] }: Entry): boolean =>
  first !== undefined &&
  second === undefined &&
  first.bytes.length <= LONGEST_PROBE_BYTES &&
  stringValue(first.bytes, 'content') === 'quota';

function isFailed(answer: Uint8Array): boolean {
  const [error] = valuesOf(answer, ['error']);
  return error !== undefined && error[0] !== LETTER_N;
}

/** Might another dialect find more in it? */
function isDoubtful(element: ReadElement): boolean {
  if (element.kind === 'rejection') return STRANGE.has(element.reason);
  return element.kind === 'entry' && (hasNoReply(element) || isProbe(element));
}

/** One object of a line with several, as a separate line. */
function objectAt(line: Line, { origin }: ReadElement): Line {
  const start = origin.offset - line.origin.offset;
  return { ...line, origin, bytes: line.bytes.subarray(start, start + origin.length) };
}

interface Pair {
  /** The request, or the body that it is logged with, if it is an object. */
  readonly asks?: Uint8Array;
  /** The response, or the body that it is logged with, if it is an object. */
  readonly answer: Uint8Array | undefined;
  /** Is it such a body? */
  readonly isBody: boolean;
  /** Is it a pair that the fast dialects cannot read: a stream, JSON in a text, or one of the Responses API? */
  readonly isStrange: boolean;
  /** Does it lack its time or its session, which the fast reader of chats requires? */
  readonly lacksPlace: boolean;
  readonly sessionId: string | undefined;
  readonly mostTokens: number | undefined;
}

/** The member of a valid line that shows the API of the pair; undefined if it has no response. */
function pairIn(line: Uint8Array): Pair | undefined {
  const object = line.subarray(line.indexOf(OPEN_OBJECT));
  const [request, response, id, time] = valuesOf(object, ['request', 'response', 'session_id', 'timestamp']);
  const sessionId = textOfValue(id) || undefined;
  const none = { answer: undefined, isBody: false, sessionId, lacksPlace: !isThere(id) || !isThere(time) };
  if (isObjectText(request)) return { ...none, isStrange: true, mostTokens: undefined };
  if (request?.[0] !== OPEN_OBJECT) return undefined;
  const asks = objectBytes(request, 'body') ?? request;
  const [messages, input, prompt, most] = valuesOf(asks, ['messages', 'input', 'prompt', 'max_tokens']);
  const mostTokens = most && Number(decode(most));
  // the fast reader of chats does not open the body of a request
  const isOther = asks !== request || (messages === undefined && (isThere(input) || isThere(prompt)));
  if (response?.[0] !== OPEN_OBJECT) {
    const isStrange = isStream(response) || isObjectText(response) || isOther;
    return { ...none, asks, isStrange, mostTokens };
  }
  const [body, raw, output] = valuesOf(response, ['body', 'body_raw', 'output']);
  const isStrange = [body, raw].some((value) => value?.[0] === QUOTE || value?.[0] === OPEN_ARRAY);
  const isBody = body?.[0] === OPEN_OBJECT;
  const answer = isBody ? body : response;
  const hasOutput = output?.[0] === OPEN_ARRAY || valuesOf(answer, ['output'])[0]?.[0] === OPEN_ARRAY;
  const isFound = !isOther && !hasOutput && !isOfHttp(response);
  return { ...none, asks, answer, isBody, isStrange: isStrange || !isFound, mostTokens };
}

const isThere = (value: Uint8Array | undefined): boolean => value !== undefined && value[0] !== LETTER_N;

/** Is it a logged response of HTTP, whose answer may be in any member? */
const isOfHttp = (response: Uint8Array): boolean =>
  valuesOf(response, ['status', 'status_code', 'statusCode', 'headers']).some(isThere);

/** Is it a string whose text is a JSON object? */
const isObjectText = (value: Uint8Array | undefined): boolean => /^\s*\{/.test(textOfValue(value) ?? '');

/** Is a response the text of a stream, or a list of its chunks? */
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
