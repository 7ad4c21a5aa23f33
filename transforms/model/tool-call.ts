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
export const readCall = (bytes: Uint8Array, at: number): ToolCall =>
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
export function usualCall(bytes: Uint8Array, at: number): ToolCall | undefined {
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
  return {
    bytes: bytes.subarray(at, end),
    isObject: true,
    id: knownText(bytes, id, idEnd),
    function: bytes.subarray(fn, end - 1),
    name: knownText(bytes, name, nameEnd),
    arguments: bytes.subarray(args, argsEnd),
  };
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
function anyCall(bytes: Uint8Array, at: number): ToolCall {
  const isObject = bytes[at] === OPEN_OBJECT;
  if (!isObject) return noCall(bytes.subarray(at, trustingScanner.value(bytes, at, 1)));
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
  return {
    bytes: bytes.subarray(at, end),
    isObject,
    id,
    function: called?.bytes,
    name: called?.name,
    arguments: called?.arguments,
  };
}

/** The value of `function`. */
export interface CalledFunction extends Pick<ToolCall, 'name' | 'arguments'> {
  /** Undefined if it is not an object. */
  readonly bytes: Uint8Array | undefined;
  /** The index after it. */
  readonly end: number;
}

/** Reads the function of a call or of a tool definition. If a key occurs twice, the last one counts. */
export function readFunction(bytes: Uint8Array, at: number): CalledFunction {
  let name: string | undefined;
  let args: Uint8Array | undefined;
  if (bytes[at] !== OPEN_OBJECT)
    return { bytes: undefined, end: trustingScanner.value(bytes, at, 1), name, arguments: args };
  const end = walkMembers(bytes, at, trustingScanner, (start, keyEnd, value) => {
    const after = trustingScanner.value(bytes, value, 1);
    if (isKey(bytes, start, keyEnd, 'name')) name = textAt(bytes, value, after);
    else if (isKey(bytes, start, keyEnd, 'arguments')) args = bytes.subarray(value, after);
    return after;
  });
  return { bytes: bytes.subarray(at, end), end, name, arguments: args };
}

const noCall = (bytes: Uint8Array): ToolCall => ({
  bytes,
  isObject: false,
  id: undefined,
  function: undefined,
  name: undefined,
  arguments: undefined,
});
