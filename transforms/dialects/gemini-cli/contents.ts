/**
 * Folds conversations whose messages have the format of the Gemini API, `{role, parts}`: checkpoints of Gemini CLI, and
 * recordings of Qwen Code, with one such message per line.
 */

import type { JsonView } from '../../json/json-view.ts';
import type { Fate, ReadingNote, Rejection } from '../../model/element.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import type { FoldPlace } from '../fold/fold.ts';
import { makeMessage } from '../shared/build-messages.ts';
import { contentOfUnknown } from '../shared/carried-content.ts';
import { contentOfParts } from '../shared/content-parts.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { blocksOfPart, type GeminiResult, partOf, resultOfParts } from './message.ts';

const MAIN = 'main';
const QWEN = 'qwen-code';
const GEMINI = 'gemini-cli';
const LINES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_result', 'system']);
const COMPRESSION = 'chat_compression';

/** Whether the object is a message of this API. Other clients have parts too, but each has a type. */
export function isContent(json: FirstObject | undefined): boolean {
  const role = json?.get('role')?.text();
  const parts = json?.get('parts');
  if ((role !== 'user' && role !== 'model') || parts?.type !== 'array') return false;
  return parts.elements()[0]?.get('type') === undefined;
}

export function isQwenLine(json: FirstObject): boolean {
  if (json.get('uuid')?.type !== 'string' || json.get('sessionId')?.type !== 'string') return false;
  return LINES.has(json.get('type')?.text() ?? '') && isContent(json.get('message'));
}

export class ContentsSource {
  #session: string | undefined;
  /** For each line of Qwen Code, the last message after it was read. */
  readonly #spots = new Map<string, FoldPlace>();
  /** Number of messages so far, used to name the answers. */
  #contents = 0;
  /** Calls that had no id, got one here, and have no result yet. */
  #nameless: { readonly id: string; readonly name: string | undefined }[] = [];
  #calls = 0;

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
  readLine(line: JsonView, context: ReadContext): Fate | Rejection | undefined {
    const { fold } = context;
    this.#session ??= line.get('sessionId')?.text();
    const uuid = line.get('uuid')?.text();
    if (uuid !== undefined && this.#spots.has(uuid)) return context.drop('copied-line');
    const type = line.get('type')?.text();
    const message = line.get('message');
    const lost = LINES.has(type ?? '') ? undefined : contentOfUnknown(type, line);
    if (lost !== undefined) return context.reject('bad-event', lost, line);
    if (type === 'system' || message === undefined) return this.#readSystem(line, uuid, context);
    if (!isContent(message))
      return context.reject('bad-event', 'message is not a message with parts', message);
    this.#open(context, line.get('timestamp'), QWEN);
    if (type === 'user') this.#rewind(line, context);
    this.#take(message, context, line);
    if (uuid !== undefined) this.#spots.set(uuid, fold.last);
    return undefined;
  }

  /**
   * Handles a compression: the next conversation begins with the compressed history. Drops other lines of the client.
   */
  #readSystem(line: JsonView, uuid: string | undefined, context: ReadContext): Fate | undefined {
    const { fold } = context;
    const history = line.get('systemPayload')?.get('compressedHistory')?.elements() ?? [];
    const isCompression = line.get('subtype')?.text() === COMPRESSION && history.every(isContent);
    if (!isCompression || history.length === 0 || !fold.has(MAIN)) {
      if (uuid !== undefined && fold.has(MAIN)) {
        this.#open(context, undefined, QWEN);
        this.#spots.set(uuid, this.#placeOf(line, context));
      }
      return context.drop('client-event');
    }
    this.#open(context, undefined, QWEN);
    fold.close(true);
    this.#spots.clear();
    this.#open(context, line.get('timestamp'), QWEN);
    for (const content of history) this.#take(content, context);
    if (uuid !== undefined) this.#spots.set(uuid, fold.last);
    return undefined;
  }

  #placeOf(line: JsonView, { fold }: ReadContext): FoldPlace {
    const parent = line.get('parentUuid')?.text();
    return (parent === undefined ? undefined : this.#spots.get(parent)) ?? fold.last;
  }

  /** Goes back if the user typed after an earlier line. */
  #rewind(line: JsonView, context: ReadContext): void {
    const { fold } = context;
    const place = this.#placeOf(line, context);
    if (place !== fold.last) fold.cut(place);
  }

  #take(content: JsonView, context: ReadContext, line?: JsonView): void {
    const { fold } = context;
    const parts = content.get('parts')?.elements() ?? [];
    const notes: ReadingNote[] = [];
    if (content.get('role')?.text() === 'model') {
      const name = `${this.#contents++}`;
      const blocks = parts.flatMap((part) => blocksOfPart(part, notes, (called) => this.#nameCall(called)));
      const meta = metaOf({ model: line?.get('model'), usage: line?.get('usageMetadata') });
      fold.amend(name, blocks, 'add', { notes, meta });
      return;
    }
    const results = parts.flatMap((part): readonly GeminiResult[] => this.#resultOf(part));
    for (const { callId, message } of results) fold.answer(callId, message);
    const rest = parts.filter((part) => !isResult(part)).map((part) => partOf(part, notes));
    if (rest.length === 0 && results.length > 0) return;
    fold.add(makeMessage('user', [['content', contentOfParts(rest)]]), {
      isTurn: results.length === 0,
      notes,
    });
  }

  #nameCall(name: string | undefined): string {
    const id = `call_${++this.#calls}`;
    this.#nameless.push({ id, name });
    return id;
  }

  /** A result without an id answers the first open call of its name. */
  #resultOf(part: JsonView): readonly GeminiResult[] {
    const response = part.get('functionResponse');
    if (response?.type !== 'object') return [];
    const id = response.get('id')?.text();
    if (id) return [resultOfParts([part], id, [])];
    const name = response.get('name')?.text();
    const at = this.#nameless.findIndex((call) => call.name === name);
    const [call] = at < 0 ? [] : this.#nameless.splice(at, 1);
    return [resultOfParts([part], call?.id ?? `call_${++this.#calls}`, [])];
  }

  #open({ fold, origin, time }: ReadContext, stamp: JsonView | undefined, harness: string): void {
    const isNew = !fold.has(MAIN);
    fold.open(MAIN, this.#session ?? origin.source, time(stamp));
    if (isNew) fold.describe(metaOf({ source_id: this.#session, harness }));
  }
}

const isResult = (part: JsonView): boolean => part.get('functionResponse')?.type === 'object';
