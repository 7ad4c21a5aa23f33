/**
 * Converts the arguments of calls to the encoding that a format needs: JSON in a string, or an object. Logs have both.
 * Copies the JSON text instead of parsing and serialising it, so that keys, their order and numbers stay.
 */

import { LETTER_N, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { valueBytes } from '../json/members.ts';
import { ReturnOverride } from '../json/notes.ts';
import { oneLine } from '../json/one-line.ts';
import { textScanner } from '../json/plain-scanner.ts';
import { inString } from '../json/respace.ts';
import { skipBlanks } from '../json/scanner.ts';
import { addMember, editElements, replaceValue } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import { knownToolCalls } from '../model/assistant-calls.ts';
import type { Message } from '../model/element.ts';
import { textOfValue } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import type { FormatFinding, Report } from './format.ts';
import { fatal, warning } from './shared-rules.ts';

/** The arguments of a call, from either encoding. */
export interface Arguments {
  /** `none`: absent, null or a blank string. `value`: JSON other than an object. `text`: a string that is not JSON. */
  readonly holds: 'object' | 'value' | 'text' | 'none';
  /** JSON text of the object or value, on one line; `{}` for `text` and `none`. */
  readonly source: Uint8Array;
}

/** Encodes the arguments of one call. Returns JSON text; undefined to leave the member absent. */
export type EncodeArguments = (
  json: Uint8Array | undefined,
  where: string,
  report: Report,
) => Uint8Array | undefined;

const EMPTY = encode('{}');
const EMPTY_STRING = encode('"{}"');
/** Nesting depth of arguments: record, messages, message, tool_calls, call and function are around them. */
const DEPTH = 6;

/** Remembers what a string of arguments holds, because the format, its checks and its consumer ask. */
class KnownArguments extends ReturnOverride {
  readonly #read: Arguments;

  constructor(json: Uint8Array, read: Arguments) {
    super(json);
    this.#read = read;
  }

  static of(json: Uint8Array): Arguments | undefined {
    return #read in json ? (json as unknown as KnownArguments).#read : undefined;
  }
}

/** @param json the JSON text of `arguments`; undefined if there are none */
export function readArguments(json: Uint8Array | undefined): Arguments {
  if (json === undefined || json[0] === LETTER_N) return { holds: 'none', source: EMPTY };
  if (json[0] !== QUOTE) return holding(json);
  const known = KnownArguments.of(json);
  if (known !== undefined) return known;
  const read = readText(json);
  new KnownArguments(json, read);
  return read;
}

function readText(json: Uint8Array): Arguments {
  const text = textOfValue(json) as string;
  if (!text.isWellFormed()) return { holds: 'text', source: EMPTY }; // a lone surrogate has no UTF-8
  const bytes = encode(text);
  const start = skipBlanks(bytes, 0);
  if (start === bytes.length) return { holds: 'none', source: EMPTY };
  const end = textScanner.value(bytes, start, DEPTH);
  if (end < 0 || skipBlanks(bytes, end) < bytes.length) return { holds: 'text', source: EMPTY };
  return holding(bytes.subarray(start, end));
}

function holding(json: Uint8Array): Arguments {
  return { holds: json[0] === OPEN_OBJECT ? 'object' : 'value', source: oneLine(json) };
}

/** Reads arguments that must be an object, and reports it if they are not. */
export function readObject(json: Uint8Array | undefined, where: string, report: Report): Arguments {
  const found = readArguments(json);
  if (found.holds === 'none') report(empty(where));
  else if (found.holds !== 'object')
    report(fatal('arguments-not-object', `${where} has arguments that are not a JSON object`));
  return found;
}

/** Arguments as a string. A string stays; anything else becomes a string of its JSON text. */
export const asString: EncodeArguments = (json, where, report) => {
  const { holds, source } = readArguments(json);
  if (json?.[0] === QUOTE) {
    if (holds === 'text' || holds === 'none')
      report(warning('arguments-not-json', `${where} has arguments that are not JSON: kept as text`));
    return json;
  }
  if (holds !== 'none') return inString(source);
  report(empty(where));
  return EMPTY_STRING;
};

/** Arguments as an object. A string of an object becomes that object. Anything else stays, with a fatal finding. */
export const asObject: EncodeArguments = (json, where, report) => {
  const { holds, source } = readObject(json, where, report);
  if (holds === 'object') return json?.[0] === QUOTE ? source : json;
  return holds === 'none' ? source : json;
};

/** Arguments as a string of an object. Anything else becomes a string too, so that the column has one type. */
export const asObjectInString: EncodeArguments = (json, where, report) => {
  const { holds, source } = readObject(json, where, report);
  if (holds === 'none') return EMPTY_STRING;
  return json?.[0] === QUOTE ? json : inString(source);
};

const empty = (where: string): FormatFinding =>
  warning('empty-arguments', `${where} has no arguments: written as {}`);

/** Encodes the arguments of all calls. Returns the same object for a message that does not change. */
export function encodeArguments(
  messages: readonly Message[],
  encodeOne: EncodeArguments,
  report: Report,
): readonly Message[] {
  return messages.map((message, index) => {
    const calls = message.role === 'assistant' ? knownToolCalls(message) : undefined;
    if (calls === undefined || calls === 'not-a-list') return message;
    const list = valueBytes(message.bytes, 'tool_calls') as Uint8Array;
    const edited = editElements(list, (_bytes, i) => {
      return encodeCall(calls[i] as ToolCall, `messages[${index}].tool_calls[${i}]`, encodeOne, report);
    });
    if (edited === list) return message;
    return { bytes: replaceValue(message.bytes, 'tool_calls', edited) as Uint8Array, role: message.role };
  });
}

/**
 * The call with its arguments encoded; undefined if it does not change. A call without a function or a name does not,
 * and is reported by the check `tool-calls`.
 */
function encodeCall(
  { bytes, function: fn, name, arguments: json }: ToolCall,
  where: string,
  encodeOne: EncodeArguments,
  report: Report,
): Uint8Array | undefined {
  if (fn === undefined || (name === undefined && json === undefined)) return undefined;
  const encoded = encodeOne(json, where, report);
  if (encoded === undefined || encoded === json) return undefined;
  const edited = replaceValue(fn, 'arguments', encoded) ?? addMember(fn, 'arguments', encoded);
  return replaceValue(bytes, 'function', edited) as Uint8Array;
}
