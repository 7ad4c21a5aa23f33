/** Reads a call whose members are in the order of the chat completions API, without blanks: most are, and need no search. */
import { BACKSLASH, QUOTE } from '../json/bytes.ts';
import { trustingScanner } from '../json/trusting-scanner.ts';
import { knownText } from '../json/utf8.ts';
import type { ToolCall } from './message.ts';

const [ID, FUNCTION, NAME, ARGUMENTS, END] = [
  '{"id":',
  ',"type":"function","function":',
  '{"name":',
  ',"arguments":',
  '}}',
].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer, Buffer, Buffer];

/** @returns undefined if the call at `at` has another form */
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
