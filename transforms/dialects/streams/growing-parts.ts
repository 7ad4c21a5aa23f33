/**
 * A content that grows with the contents of a stream, which may be texts, lists of parts, or both. Texts and thoughts
 * continue the last part if it is of their type.
 */

import type { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import { arrayOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';
import { GrowingText } from './growing-text.ts';

const TEXT = 'text';
/** Types of parts that continue, and members that continue with them. */
const GROWING: ReadonlySet<string> = new Set([TEXT, 'thinking', 'reasoning', 'signature']);
/** The last member of a thought: the next thought is another part. */
const SIGNATURE = 'signature';

interface Part {
  readonly type: string | undefined;
  /** Texts, inner lists of parts, and values that do not grow. */
  readonly members: Map<string, GrowingText | GrowingParts | Uint8Array>;
}

export class GrowingParts {
  readonly #parts: Part[] = [];
  #isText = true;
  /** A content of no known form: it takes the place of all, so that the message is rejected. */
  #odd: Uint8Array | undefined;

  /** Adds a text or a list of parts. */
  add(content: JsonView | undefined): void {
    if (content?.type === 'string') this.#addText(content.bytes);
    else if (content?.type === 'array')
      for (const element of content.elements()) {
        this.#isText = false;
        if (element.type === 'string') this.#addText(element.bytes);
        else if (element.type === 'object') this.#addPart(element);
        else if (element.type !== 'null') this.#odd ??= element.copy();
      }
    else if (present(content)) this.#odd ??= content.copy();
  }

  #addText(json: Uint8Array): void {
    if (json.length > NO_TEXT.length) grow(this.#partOf(TEXT), TEXT, json);
  }

  #addPart(element: JsonView): void {
    const part = this.#partOf(element.textOf('type'));
    for (const [key, value] of element.members()) {
      if (value.type === 'null' || key === 'type') continue;
      if (GROWING.has(key) && value.type === 'string') grow(part, key, value.bytes);
      else if (GROWING.has(key) && value.type === 'array') {
        const known = part.members.get(key);
        const inner = known instanceof GrowingParts ? known : new GrowingParts();
        inner.add(value);
        part.members.set(key, inner);
      } else part.members.set(key, value.copy());
    }
  }

  /** The part to continue: the last one, if it grows and is of this type; else a new one. */
  #partOf(type: string | undefined): Part {
    const last = this.#parts.at(-1);
    const isMore = type !== undefined && type === last?.type && GROWING.has(type);
    if (isMore && !last.members.has(SIGNATURE)) return last;
    const part: Part = { type, members: new Map() };
    this.#parts.push(part);
    return part;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.#odd === undefined;
  }

  /** A string if only texts were added, else a list. */
  json(): Uint8Array {
    if (this.#odd !== undefined) return this.#odd;
    if (!this.#isText) return arrayOf(this.#parts.map(partJson));
    const text = this.#parts[0]?.members.get(TEXT);
    return text instanceof GrowingText ? text.json() : NO_TEXT;
  }
}

/** @param json a JSON string */
function grow({ members }: Part, key: string, json: Uint8Array): void {
  const known = members.get(key);
  members.set(key, (known instanceof GrowingText ? known : new GrowingText()).add(json));
}

function partJson({ type, members }: Part): Uint8Array {
  const pieces: Piece[] = type === undefined ? [] : [['type', quote(type)]];
  for (const [key, value] of members) pieces.push([key, value instanceof Uint8Array ? value : value.json()]);
  return objectOf(pieces);
}
