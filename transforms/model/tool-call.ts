/** Reads one call of an assistant message from its bytes. */
import { BACKSLASH, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { isKey, textAt, walkMembers } from '../json/members.ts';
import { trustingScanner } from '../json/trusting-scanner.ts';
import { knownText } from '../json/utf8.ts';

/** One call of an assistant message, with those parts of it that are valid. */
export interface ToolCall {
  /** The JSON text of the call. */
  readonly bytes: Uint8Array;
  /** Whether the call is a JSON object. */
  readonly isObject: boolean;
  readonly id: string | undefined;
  /** The JSON text of its `function`; undefined if that is not an object. */
  readonly function: Uint8Array | undefined;
  readonly name: string | undefined;
  /** The JSON text of `function.arguments`; undefined if absent. */
  readonly arguments: Uint8Array | undefined;
}

/** Reads the call at `at`, which may be any value. */
export const readCall = (bytes: Uint8Array, at: number): LoggedCall =>
  usualCall(bytes, at) ?? anyCall(bytes, at);

const [ID, FUNCTION, NAME, ARGUMENTS, END] = [
  '{"id":',
  ',"type":"function","function":',
  '{"name":',
  ',"arguments":',
  '}}',
].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer, Buffer, Buffer];

/**
 * Reads a call whose members are in the order of the chat completions API, without blanks: most are, and need no search.
 * @returns undefined if the call at `at` has another form
 */
export function usualCall(bytes: Uint8Array, at: number): LoggedCall | undefined {
  const id = after(bytes, at, ID);
  const idEnd = plainEnd(bytes, id);
  const fn = after(bytes, idEnd, FUNCTION);
  const name = after(bytes, fn, NAME);
  const nameEnd = plainEnd(bytes, name);
  const args = after(bytes, nameEnd, ARGUMENTS);
  if (args < 0 || bytes[args] !== QUOTE) return undefined;
  const argsEnd = trustingScanner.string(bytes, args);
  const end = after(bytes, argsEnd, END);
  if (end < 0) return undefined;
  const called = new CalledFunction(bytes, fn, end - 1, knownText(bytes, name, nameEnd), args, argsEnd);
  return new LoggedCall(bytes, at, end, knownText(bytes, id, idEnd), called);
}

/** Index after a text at `at`; -1 if there is another one, or if `at` is -1. */
function after(bytes: Uint8Array, at: number, text: Uint8Array): number {
  if (at < 0) return -1;
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return -1;
  return at + text.length;
}

/** Index after the string at `at`; -1 if it is none, or has an escape. */
function plainEnd(bytes: Uint8Array, at: number): number {
  if (at < 0 || bytes[at] !== QUOTE) return -1;
  for (let p = at + 1; p < bytes.length; p++) {
    if (bytes[p] === QUOTE) return p + 1;
    if (bytes[p] === BACKSLASH) return -1;
  }
  return -1;
}

/** Reads the call at `at` in one walk. If a key occurs twice, the last one counts. */
function anyCall(bytes: Uint8Array, at: number): LoggedCall {
  if (bytes[at] !== OPEN_OBJECT) return new LoggedCall(bytes, at, trustingScanner.value(bytes, at, 1));
  let id: string | undefined;
  let called: CalledFunction | undefined;
  const end = walkMembers(bytes, at, trustingScanner, (start, keyEnd, value) => {
    if (isKey(bytes, start, keyEnd, 'function')) {
      called = readFunction(bytes, value);
      return called.end;
    }
    const after = trustingScanner.value(bytes, value, 1);
    if (isKey(bytes, start, keyEnd, 'id')) id = textAt(bytes, value, after);
    return after;
  });
  return new LoggedCall(bytes, at, end, id, called);
}

/** Reads the function of a call or of a tool definition. If a key occurs twice, the last one counts. */
export function readFunction(bytes: Uint8Array, at: number): CalledFunction {
  if (bytes[at] !== OPEN_OBJECT) return new CalledFunction(bytes, at, trustingScanner.value(bytes, at, 1));
  let name: string | undefined;
  let [argsStart, argsEnd] = [-1, -1];
  const end = walkMembers(bytes, at, trustingScanner, (start, keyEnd, value) => {
    const after = trustingScanner.value(bytes, value, 1);
    if (isKey(bytes, start, keyEnd, 'name')) name = textAt(bytes, value, after);
    else if (isKey(bytes, start, keyEnd, 'arguments')) [argsStart, argsEnd] = [value, after];
    return after;
  });
  return new CalledFunction(bytes, at, end, name, argsStart, argsEnd);
}

/** A call as places in the JSON text around it. Most members are never asked for, so they are cut out when they are. */
class LoggedCall implements ToolCall {
  readonly #text: Uint8Array;
  readonly #start: number;
  readonly #called: CalledFunction | undefined;
  /** The index after it. */
  readonly end: number;
  readonly id: string | undefined;

  constructor(text: Uint8Array, start: number, end: number, id?: string, called?: CalledFunction) {
    this.#text = text;
    this.#start = start;
    this.end = end;
    this.id = id;
    this.#called = called;
  }

  get bytes(): Uint8Array {
    return this.#text.subarray(this.#start, this.end);
  }

  get isObject(): boolean {
    return this.#text[this.#start] === OPEN_OBJECT;
  }

  get function(): Uint8Array | undefined {
    return this.#called?.bytes;
  }

  get name(): string | undefined {
    return this.#called?.name;
  }

  get arguments(): Uint8Array | undefined {
    return this.#called?.arguments;
  }
}

/** The value of `function`, likewise. */
export class CalledFunction implements Pick<ToolCall, 'name' | 'arguments'> {
  readonly #text: Uint8Array;
  readonly #start: number;
  readonly #argsStart: number;
  readonly #argsEnd: number;
  /** The index after it. */
  readonly end: number;
  readonly name: string | undefined;

  /** @param argsStart -1 if there are none */
  constructor(text: Uint8Array, start: number, end: number, name?: string, argsStart = -1, argsEnd = -1) {
    this.#text = text;
    this.#start = start;
    this.end = end;
    this.name = name;
    this.#argsStart = argsStart;
    this.#argsEnd = argsEnd;
  }

  /** Undefined if it is not an object. */
  get bytes(): Uint8Array | undefined {
    return this.#text[this.#start] === OPEN_OBJECT ? this.#text.subarray(this.#start, this.end) : undefined;
  }

  get arguments(): Uint8Array | undefined {
    return this.#argsStart < 0 ? undefined : this.#text.subarray(this.#argsStart, this.#argsEnd);
  }
}
