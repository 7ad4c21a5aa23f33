/**
 * Folds conversations whose messages have the format of the Gemini API, `{role, parts}`: checkpoints of Gemini CLI, and
 * recordings of Qwen Code, with one such message per line.
 */

import type { JsonView } from '../../json/json-view.ts';
import type { LineFate, ReadingNote, Rejection } from '../../model/element.ts';
import { HashedSet } from '../../model/hashed-set.ts';
import { OTHER_ROLE_THAN_TYPE } from '../../model/known-roles.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import type { FoldPlace } from '../fold/fold.ts';
import { readVersion, type Version } from '../fold/later-version.ts';
import { makeMessage } from '../shared/build-messages.ts';
import { leaveUnknown, mayHoldContent } from '../shared/carried-content.ts';
import { contentOfParts } from '../shared/content-parts.ts';
import { GEMINI_PART } from '../shared/known-members.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { PARENT_MISSING } from '../shared/reading-notes.ts';
import { known } from '../shared/unread-text.ts';
import { blocksOfPart, type GeminiResult, partOf, resultOfParts } from './message.ts';

const MAIN = 'main';
const QWEN = 'qwen-code';
const GEMINI = 'gemini-cli';
const LINES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result', 'system']);
const CONTENT = known('role id ts timestamp type', { 'parts:list': GEMINI_PART });
const COMPRESSION = 'chat_compression';

/** Whether the object is a message of this API. Other clients have parts too, but each has a type. */
export function isContent(json: FirstObject | undefined): boolean {
  const role = json?.get('role')?.text();
  const parts = json?.get('parts');
  if ((role !== 'user' && role !== 'model') || parts?.type !== 'array') return false;
  const all = parts.elements();
  return all[0]?.get('type') === undefined && all.every(areObjects);
}

/** Are the call and the result of a part objects? */
const areObjects = (part: JsonView): boolean =>
  ['functionCall', 'functionResponse'].every((key) => (part.get(key)?.type ?? 'object') === 'object');

export function isQwenLine(json: FirstObject): boolean {
  if (json.get('uuid')?.type !== 'string' || json.get('sessionId')?.type !== 'string') return false;
  return LINES.has(json.get('type')?.text() ?? '') && isContent(json.get('message'));
}

/** A line of Qwen Code. */
interface Spot {
  /** The last message after it was read. */
  readonly place: FoldPlace;
  /** The ids that its calls and results got here; undefined if it has no message. */
  readonly named?: readonly string[];
}

export class ContentsSource {
  #session: string | undefined;
  /** The lines of the current conversation, by uuid. */
  readonly #spots = new Map<string, Spot>();
  /** The uuids of lines before a compression. */
  readonly #replaced = new HashedSet();
  /** Number of messages so far, used to name the answers. */
  #contents = 0;
  /** The ids that calls without one got here, by the name of the tool; those before `next` have their result. */
  readonly #nameless = new Map<string | undefined, { readonly ids: string[]; next: number }>();
  #calls = 0;
  /** Ids that the calls and results of the current line got here, and those that its first version got. */
  #named: string[] = [];
  #reused: string[] = [];

  /** Reads a checkpoint: a list of messages, or one of them. */
  readContents(contents: readonly JsonView[], context: ReadContext): Rejection | undefined {
    const bad = contents.find((content) => !isContent(content));
    if (bad !== undefined)
      return context.reject('bad-event', 'a message has no role user or model, or no parts', bad);
    this.#open(context, undefined, GEMINI);
    for (const content of contents) this.#take(content, context);
    return undefined;
  }

  /** Reads a line of Qwen Code. */
  readLine(line: JsonView, context: ReadContext): LineFate {
    const { fold } = context;
    this.#session ??= line.get('sessionId')?.text();
    const uuid = line.get('uuid')?.text();
    const type = line.get('type')?.text();
    const message = line.get('message');
    const left = LINES.has(type ?? '') ? undefined : leaveUnknown(type, line, context);
    if (left?.kind === 'rejection') return left;
    if (message === undefined && type !== 'system' && LINES.has(type ?? ''))
      return context.reject('bad-event', 'message is missing', line);
    if (isOfTwo(type, message)) return context.reject('bad-event', OTHER_ROLE_THAN_TYPE, message);
    const spot = uuid === undefined ? undefined : this.#spots.get(uuid);
    if (spot !== undefined) return this.#readAgain(message, spot, context);
    if (uuid !== undefined && this.#replaced.has(uuid)) return context.drop('copied-line');
    if (type === 'system' || message === undefined) {
      const read = this.#readSystem(line, uuid, context);
      return left ?? read;
    }
    if (!isContent(message)) return context.reject('bad-event', NO_PARTS, message);
    this.#open(context, line.get('timestamp'), QWEN);
    this.#goToParent(line, context, type === 'user');
    this.#named = [];
    this.#take(message, context, line);
    if (uuid !== undefined) this.#spots.set(uuid, { place: fold.last, named: this.#named });
    return undefined;
  }

  /** Reads a line whose uuid has occurred. If its message is another, it is a later version and replaces the former. */
  #readAgain(message: JsonView | undefined, { place, named }: Spot, context: ReadContext): LineFate {
    if (message === undefined || named === undefined) return context.drop('copied-line');
    if (!isContent(message)) return context.reject('bad-event', NO_PARTS, message);
    this.#open(context, undefined, QWEN);
    const { fold } = context;
    fold.expect(message, CONTENT, 'message');
    this.#reused = [...named];
    const read = this.#versionsOf(message, []).map((version) => {
      const answered = version.kind === 'result' ? version.callId : undefined;
      const hasCall = ({ calls }: FoldPlace): boolean => calls.some(({ id }) => id === answered);
      // the call is mostly near the line, which may be far from the end
      const called =
        answered === undefined ? undefined : (fold.findLast(hasCall, place) ?? fold.findLast(hasCall));
      return readVersion(version, called ?? place, context);
    });
    this.#reused = [];
    return read.find((one) => one?.kind === 'rejection') ?? (read.includes(undefined) ? undefined : read[0]);
  }

  /**
   * Handles a compression: the next conversation begins with the compressed history. Drops other lines of the client.
   */
  #readSystem(line: JsonView, uuid: string | undefined, context: ReadContext): LineFate {
    const { fold } = context;
    const history = line.get('systemPayload')?.get('compressedHistory')?.elements() ?? [];
    const isCompression = line.get('subtype')?.text() === COMPRESSION;
    if (isCompression && (history.length === 0 ? mayHoldContent(line) : !history.every(isContent)))
      return context.reject('bad-event', 'the history of a compression is not a list of messages', line);
    if (!isCompression || history.length === 0 || !fold.has(MAIN)) {
      if (uuid !== undefined && fold.has(MAIN)) {
        this.#open(context, undefined, QWEN);
        this.#spots.set(uuid, { place: this.#placeOf(line, context) });
      }
      return context.drop('client-event');
    }
    this.#open(context, undefined, QWEN);
    fold.close(true);
    for (const replaced of this.#spots.keys()) this.#replaced.add(replaced);
    this.#spots.clear();
    this.#open(context, line.get('timestamp'), QWEN);
    for (const content of history) this.#take(content, context);
    if (uuid !== undefined) this.#spots.set(uuid, { place: fold.last });
    return undefined;
  }

  #placeOf(line: JsonView, { fold }: ReadContext): FoldPlace {
    const parent = line.get('parentUuid')?.text();
    return (parent === undefined ? undefined : this.#spots.get(parent)?.place) ?? fold.last;
  }

  /** Goes back if the user typed after an earlier line, and to the branch of a line whose parent is in another. */
  #goToParent(line: JsonView, context: ReadContext, isTyped: boolean): void {
    const { fold } = context;
    const place = this.#placeOf(line, context);
    const parent = line.get('parentUuid')?.text();
    const isMissing = parent !== undefined && !this.#spots.has(parent) && !this.#replaced.has(parent);
    if (isTyped && isMissing) fold.note(PARENT_MISSING);
    const isLeft = place.index >= 0 && !fold.isHere(place);
    if (isLeft || (isTyped && place !== fold.last)) fold.cut(place);
  }

  #take(content: JsonView, { fold }: ReadContext, line?: JsonView): void {
    fold.expect(content, CONTENT, 'message');
    const notes: ReadingNote[] = [];
    const versions = this.#versionsOf(content, notes);
    const isTurn = versions.every(({ kind }) => kind !== 'result');
    for (const version of versions) {
      if (version.kind === 'result') fold.answer(version.callId, version.message);
      else if (version.kind === 'message') fold.add(version.message, { isTurn, notes });
      else {
        const meta = metaOf({ model: line?.get('model'), usage: line?.get('usageMetadata') });
        fold.amend(`${this.#contents++}`, version.blocks, 'add', { notes, meta });
      }
    }
  }

  /** An answer, or results and what the user said. */
  #versionsOf(content: JsonView, notes: ReadingNote[]): readonly Version[] {
    const parts = content.get('parts')?.elements() ?? [];
    if (content.get('role')?.text() === 'model') {
      const name = (called: string | undefined): string => this.#nameCall(called);
      return [{ kind: 'answer', blocks: parts.flatMap((part) => blocksOfPart(part, notes, name)) }];
    }
    const results = parts.flatMap((part): readonly GeminiResult[] => this.#resultOf(part));
    const rest = parts.filter((part) => !isResult(part)).map((part) => partOf(part, notes));
    const answered = results.map(({ callId, message }): Version => ({ kind: 'result', callId, message }));
    if (rest.length === 0 && results.length > 0) return answered;
    return [
      ...answered,
      { kind: 'message', message: makeMessage('user', [['content', contentOfParts(rest)]]) },
    ];
  }

  #nameCall(name: string | undefined): string {
    const reused = this.#reused.shift();
    if (reused !== undefined) return reused;
    const id = `call_${++this.#calls}`;
    const known = this.#nameless.get(name);
    if (known === undefined) this.#nameless.set(name, { ids: [id], next: 0 });
    else known.ids.push(id);
    this.#named.push(id);
    return id;
  }

  /** A result without an id answers the first open call of its name. */
  #resultOf(part: JsonView): readonly GeminiResult[] {
    const response = part.get('functionResponse');
    if (response?.type !== 'object') return [];
    const id = response.get('id')?.text();
    if (id) return [resultOfParts([part], id, [])];
    const known = this.#reused.shift();
    if (known !== undefined) return [resultOfParts([part], known, [])];
    const name = response.get('name')?.text();
    const open = this.#nameless.get(name);
    const made = open?.ids[open.next] ?? `call_${++this.#calls}`;
    if (open !== undefined && open.next < open.ids.length) open.next++;
    this.#named.push(made);
    return [resultOfParts([part], made, [])];
  }

  #open({ fold, origin }: ReadContext, stamp: JsonView | undefined, harness: string): void {
    const isNew = !fold.has(MAIN);
    fold.open(MAIN, this.#session ?? origin.source, stamp);
    if (isNew) fold.describe(metaOf({ source_id: this.#session, harness }));
  }
}

const isResult = (part: JsonView): boolean => part.get('functionResponse')?.type === 'object';

/** Does the type of a line name another speaker than the role of its message? Results are sent by the user. */
function isOfTwo(type: string | undefined, message: JsonView | undefined): boolean {
  const role = message?.textOf('role');
  if (role !== 'user' && role !== 'model') return false;
  return type === 'assistant'
    ? role === 'user'
    : (type === 'user' || type === 'tool_result') && role === 'model';
}

const NO_PARTS = 'message is not a message with parts';
