/** A call that grows with the pieces of a stream of chat completions. */
import { CLOSE_OBJECT, isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import { objectOf, type Piece } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';
import { GrowingMembers, GrowingText } from './growing-text.ts';

const CALL_MEMBERS: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function']);
const FUNCTION = encode('"function"');

export class ChatCall {
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
   * Some servers give every call the same index, or no index at all: a piece with a name may begin the next call. It does
   * if this one is complete; and if it has no arguments yet, only under another id and another name, because some servers
   * repeat both in every piece.
   */
  isOverBefore(piece: JsonView): boolean {
    const fn = piece.get('function');
    const name = firstText(fn?.get('name'));
    if (name === undefined || this.#name === undefined) return false;
    const id = firstText(piece.get('id'));
    const isNamed = id !== undefined && this.#id !== undefined;
    if (isNamed && isSameBytes(id, this.#id as Uint8Array)) return false;
    const isRenamed = !isSameBytes(name, this.#name);
    if (this.#arguments.isEmpty) return isNamed && isRenamed;
    const isOpen = this.#arguments.head().startsWith('{') && !this.#arguments.endsWith(CLOSE_OBJECT);
    if (isOpen) return false; // without a scan: some servers repeat the name in every piece of long arguments
    const mayBeNext = isNamed || (/^\s*\{/.test(this.#arguments.head()) && (isRenamed || hasArguments(fn)));
    return mayBeNext && this.#arguments.isWhole();
  }

  get isCut(): boolean {
    return this.#arguments.isCut;
  }

  /** Has none of its arguments come? */
  get isUnsaid(): boolean {
    return this.#arguments.isEmpty;
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

export const hasName = (piece: JsonView): boolean =>
  firstText(piece.get('function')?.get('name')) !== undefined;
const hasArguments = (fn: JsonView | undefined): boolean => {
  const args = fn?.get('arguments');
  return present(args) && !args.isEmptyText;
};

/** The JSON text of a non-empty string; undefined for anything else. */
function firstText(value: JsonView | undefined): Uint8Array | undefined {
  return value?.type === 'string' && !value.isEmptyText ? value.copy() : undefined;
}
