/**
 * Joins lines of a program that Docker or containerd logged in pieces of 16 KiB, one object each
 * (`{"log": ..., "stream": ...}`).
 */

import type { JsonView } from '../../json/json-view.ts';
import type { Fate } from '../../model/element.ts';
import { MAX_CONVERSATION_BYTES, type ReadingOptions } from '../dialect.ts';
import type { FirstObject, ObjectPart, ReadContext } from '../dialect-spec.ts';
import { jsonIn } from '../shared/logged-values.ts';

/** Bytes of UTF-8 in each piece but the last one. */
const PIECE_BYTES = 16 * 1024;
/** The character that the logger writes for the bytes of a character that it cut in two. */
const REPLACEMENT = '\ufffd';

/** The text of an object that has a piece of a line, or a whole one. */
function textIn(object: FirstObject): string | undefined {
  const log = object.get('stream')?.type === 'string' ? object.get('log') : undefined;
  return log?.type === 'string' ? log.text() : undefined;
}

const goesOn = (text: string): boolean =>
  text.length >= PIECE_BYTES / 3 && !text.endsWith('\n') && Buffer.byteLength(text) >= PIECE_BYTES;

/** Whether an object has the first piece of a line that begins like an object. */
export function isCutLine(object: FirstObject): boolean {
  const text = textIn(object);
  return text?.startsWith('{') === true && goesOn(text);
}

interface CutLine {
  readonly pieces: string[];
  /** Characters of its pieces. */
  held: number;
  isWhole: boolean;
}

export class CutLines {
  readonly #maxBytes: number;
  readonly #readCall: (object: JsonView, context: ReadContext) => ObjectPart;
  /** The lines that are not whole yet, by stream. */
  readonly #open = new Map<string, CutLine>();
  /** The line of the last object: a line that could not be read may have been a piece. */
  #line = 0;

  /** @param readCall reads the object that is a whole line */
  constructor(
    { maxConversation = MAX_CONVERSATION_BYTES }: ReadingOptions,
    readCall: (object: JsonView, context: ReadContext) => ObjectPart,
  ) {
    this.#maxBytes = maxConversation;
    this.#readCall = readCall;
  }

  /**
   * Reads a piece of a line: the last one has the call, and the others are dropped. If the last one is missing, the first
   * one is rejected when the source ends.
   * @returns undefined for anything else
   */
  read(json: JsonView, context: ReadContext): ObjectPart | undefined {
    const { line: number } = context.origin;
    if (number > this.#line + 1) this.#open.clear();
    this.#line = number;
    const text = textIn(json);
    if (text === undefined) return undefined;
    const stream = json.textOf('stream') ?? '';
    const open = this.#open.get(stream);
    if (open === undefined) {
      if (!goesOn(text)) return undefined;
      const line = { pieces: [text], held: text.length, isWhole: false };
      this.#open.set(stream, line);
      const refused = { reason: 'context-missing', detail: 'a piece of this line is missing' } as const;
      const later = (): Fate | undefined => (line.isWhole ? context.drop('joined-row') : undefined);
      return { messages: [], alone: true, refused, later };
    }
    open.pieces.push(text);
    open.held += text.length;
    if (goesOn(text) && open.held <= this.#maxBytes) return context.drop('joined-row');
    this.#open.delete(stream);
    if (goesOn(text))
      return context.reject('bad-event', 'a line in pieces is longer than --max-conversation', json);
    open.isWhole = true;
    return this.#readWhole(open.pieces, json, context);
  }

  #readWhole(pieces: readonly string[], json: JsonView, context: ReadContext): ObjectPart {
    const isCutHere = (text: string, i: number): boolean =>
      text.startsWith(REPLACEMENT) || pieces[i]?.endsWith(REPLACEMENT) === true;
    if (pieces.slice(1).some(isCutHere))
      return context.reject('unknown-content', 'a character was cut in two at the end of a piece', json);
    const text = pieces.join('');
    const line = jsonIn(text);
    if (line?.type === 'object') return this.#readCall(line, context);
    return text.includes('{')
      ? context.reject('bad-messages', 'the line that ends here is not an object', json)
      : context.drop('client-event');
  }
}
