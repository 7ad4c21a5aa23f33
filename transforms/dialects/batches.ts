/**
 * Dialect `batches`: requests and answers of batch APIs, joined by `custom_id` in either order; by `key` in Gemini's
 * (https://ai.google.dev/gemini-api/docs/batch-api). The file of answers does not repeat the requests, so both files are
 * read as one source (src/input/sources/batch-files.ts).
 */

import { isSameBytes, OPEN_OBJECT } from '../json/bytes.ts';
import { JsonView } from '../json/json-view.ts';
import { copyOf } from '../json/keep.ts';
import { valuesOf } from '../json/members.ts';
import { createPlainScanner } from '../json/plain-scanner.ts';
import type { Scanner } from '../json/scanner.ts';
import type { Entry, Fate, Line, Origin, Rejection } from '../model/element.ts';
import { createEntryLog } from '../model/entry-log.ts';
import { settleReply } from '../model/reply.ts';
import type {
  Dialect,
  DialectReader,
  LineObjects,
  ObjectMembers,
  ReadElement,
  ReadingOptions,
} from './dialect.ts';
import { MAX_CONVERSATION_BYTES } from './dialect.ts';
import { CallReader } from './pairs/call-reader.ts';
import { hasFailed } from './pairs/logged-answer.ts';
import type { Call } from './pairs/logged-call.ts';
import { wholeMessages } from './shared/history.ts';
import { type ObjectWalk, readObjects, rejectObject } from './shared/line-objects.ts';
import { firstOf, present, structured, unpacked } from './shared/logged-values.ts';
import { faultIn } from './shared/unreadable.ts';

const ANSWERS = ['response', 'result', 'error'] as const;
const REQUESTS = ['body', 'params', 'request'] as const;

/** Types of results for requests that never reached the model. */
const UNANSWERED: ReadonlySet<string> = new Set(['expired', 'canceled']);

/** A request that waits for its answer, or an answer that waits for its request. */
interface Half {
  readonly origin: Origin;
  readonly json: JsonView;
  readonly isAnswer: boolean;
  /** Whether another one with its id waited too. */
  readonly isSecond?: boolean;
}

class BatchReader implements DialectReader, ObjectWalk {
  readonly holds = true;
  readonly makes = true;
  readonly #scanner: Scanner;
  readonly #options: ReadingOptions;
  #calls: CallReader;
  /** By `custom_id`, oldest first. */
  readonly #halves = new Map<string, Half>();
  #held = 0;
  #start = 0;
  #end = 0;

  constructor(scanner: Scanner = createPlainScanner(), options: ReadingOptions = {}) {
    this.#scanner = scanner;
    this.#options = options;
    this.#calls = new CallReader(options);
  }

  read(line: Line): LineObjects {
    return readObjects(line, this.#scanner, this);
  }

  walk(bytes: Uint8Array, at: number): number {
    this.#start = at;
    this.#end = this.#scanner.value(bytes, at, 0);
    return this.#end;
  }

  entryOf(line: Line, origin: Origin): ReadElement | readonly ReadElement[] {
    const json = new JsonView(copyOf(line.bytes, this.#start, this.#end));
    const id = firstOf(json, 'custom_id', 'key')?.text();
    const isAnswer = ANSWERS.some((key) => present(json.get(key)));
    if (id === undefined || !(isAnswer || REQUESTS.some((key) => present(json.get(key)))))
      return rejectObject(line, origin, 'bad-event', 'neither a request nor an answer of a batch', -1);
    if (hasSeveral(json, REQUESTS) || hasSeveral(json, BODIES))
      return rejectObject(line, origin, 'unknown-content', TWO_BODIES, -1);
    const half: Half = { origin, json, isAnswer };
    // Vertex AI writes the request beside its answer
    if (isAnswer && present(json.get('request'))) return this.#join(id, half, half, line);
    const other = this.#take(id);
    if (other !== undefined && other.isAnswer !== isAnswer) return this.#join(id, half, other, line);
    const isSecond = other !== undefined && (other.isSecond === true || !isSame(other, half));
    this.#halves.set(id, isSecond ? { ...half, isSecond } : half);
    this.#held += json.bytes.length;
    return [...(other === undefined ? [] : [alone(id, other)]), ...this.#makeRoom()];
  }

  #take(id: string): Half | undefined {
    const half = this.#halves.get(id);
    if (half === undefined) return undefined;
    this.#halves.delete(id);
    this.#held -= half.json.bytes.length;
    return half;
  }

  *#makeRoom(): Generator<ReadElement> {
    const { maxConversation = MAX_CONVERSATION_BYTES } = this.#options;
    for (const id of this.#halves.keys()) {
      if (this.#held <= maxConversation) return;
      yield alone(id, this.#take(id) as Half);
    }
  }

  #join(sessionId: string, half: Half, other: Half, line: Line): readonly ReadElement[] {
    const [request, answer] = half.isAnswer ? [other, half] : [half, other];
    if (other.isSecond === true)
      return [without(sessionId, answer, SEVERAL), dropped('no-completion', request.origin)];
    if (UNANSWERED.has(structured(answer.json.get('result'))?.get('type')?.text() ?? ''))
      return [...new Set([request, answer])].map(({ origin }) => dropped('no-completion', origin));
    const call = callOf(request.json, answer.json);
    const read = this.#calls.read(
      call,
      {
        userTurn: undefined,
        reject: (reason, detail) => rejectObject(line, half.origin, reason, detail, -1),
        drop: (name) => dropped(name, half.origin),
      },
      answer.json,
    );
    const withOther = (own: Rejection | Fate): readonly ReadElement[] =>
      half === other ? [own] : [own, dropped('no-completion', other.origin)];
    if ('kind' in read) return withOther(read);
    const { reply, tools, changes, refused } = read;
    const messages = 'kind' in read.messages ? read.messages : wholeMessages(read.messages, read.chain);
    if ('kind' in messages || (tools !== undefined && 'kind' in tools)) return [];
    const fault = faultIn(messages, reply);
    if (fault !== undefined)
      return withOther(rejectObject(line, half.origin, fault.reason, fault.detail, -1));
    const log = createEntryLog();
    for (const { origin } of new Set([other, half])) log.add(origin);
    const entry: Entry = {
      ...{ kind: 'entry', origin: other.origin, sessionId, alone: true, timestamp: undefined },
      ...{ lines: log.take(), messages, tools: tools ?? [], reply, changes: changes ?? new Map() },
      ...(read.meta && { meta: read.meta }),
      ...(refused && { refused }),
    };
    return [settleReply(entry)];
  }

  *end(): Generator<ReadElement> {
    for (const [id, half] of this.#halves) yield alone(id, half);
    this.forget();
  }

  forget(): void {
    this.#halves.clear();
    this.#held = 0;
    this.#calls = new CallReader(this.#options);
  }
}

const SEVERAL =
  'several requests, or several answers, have this custom_id or key: read each batch apart, as a file or a folder of its own';

const TWO_BODIES =
  'the line has two requests (body, params, request) or two answers (response, result): which one counts is not known';
const BODIES = ['response', 'result'] as const;
const hasSeveral = (json: JsonView, keys: readonly string[]): boolean =>
  keys.filter((key) => present(json.get(key))).length > 1;

const isSame = (a: Half, b: Half): boolean => isSameBytes(a.json.bytes, b.json.bytes);

const dropped = (name: string, origin: Origin): Fate => ({ kind: 'fate', fate: `dropped:${name}`, origin });

function callOf(request: JsonView, answer: JsonView): Call {
  const result = unpacked(answer.get('result'));
  const logged = structured(answer.get('response'));
  const body = logged?.get('body') ?? (present(answer.get('error')) ? undefined : logged);
  const response = result?.get('message') ?? result ?? body ?? answer;
  const asked = REQUESTS.map((key) => structured(request.get(key))).find(present);
  return { request: asked, response, isFailed: hasFailed(logged) && 'status' };
}

/** Drops a request without an answer, and rejects an answer without its request. */
const alone = (sessionId: string, half: Half): ReadElement =>
  half.isAnswer ? without(sessionId, half, NO_REQUEST) : dropped('no-completion', half.origin);

const NO_REQUEST =
  'the request with this custom_id or key is not in the source, or has its answer already: put the file of requests into the folder of the answers, and pass the folder with --session-by folder, or name the files batch_input.jsonl and batch_output.jsonl';

/** A call of which the request is not known. */
function without(sessionId: string, { origin }: Half, detail: string): ReadElement {
  const refused = { reason: 'context-missing', detail } as const;
  const nothing = { messages: [], tools: [], reply: undefined, changes: new Map() };
  return { kind: 'entry', origin, sessionId, alone: true, timestamp: undefined, ...nothing, refused };
}

function detect(first: ObjectMembers): boolean {
  if (first.has('custom_id')) return [...ANSWERS, ...REQUESTS].some((key) => first.has(key));
  const [request, response] = ['request', 'response'].map((key) => first.get(key));
  const has = (value: Uint8Array | undefined, key: string): boolean =>
    value?.[0] === OPEN_OBJECT && valuesOf(value, [key])[0] !== undefined;
  return first.has('key') && (has(request, 'contents') || has(response, 'candidates'));
}

const batches: Dialect = {
  name: 'batches',
  summary:
    'Batches of OpenAI, Anthropic and Gemini: the files of requests and answers in a folder, joined by custom_id.',
  knownBy:
    'custom_id, and body, params, request, response, result or error; or key, and a request or response of Gemini',
  marks: ['custom_id', 'response'],
  alone: true,
  detect,
  create: (scanner, options) => new BatchReader(scanner, options),
};

export default batches;
