/**
 * Converts the arguments of calls to the encoding that a format needs: JSON text inside a string, or an object. Logs
 * hold both. Their source text is moved from one to the other, never parsed and printed: keys, their order and numbers
 * stay.
 */

import { LETTER_N, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { valueBytes } from '../json/members.ts';
import { oneLine } from '../json/one-line.ts';
import { createTextScanner } from '../json/plain-scanner.ts';
import { inString } from '../json/respace.ts';
import { skipBlanks } from '../json/scanner.ts';
import { addMember, editElements, replaceValue } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { type ToolCall, textOfValue, toolCallsOf } from '../model/message.ts';
import type { FormatFinding } from './format.ts';

export type Report = (finding: FormatFinding) => void;

/** Classifies a call's arguments, however the log encodes them. */
export interface Arguments {
  /** `none`: absent, null or a blank string. `value`: JSON other than an object. `text`: a string that is not JSON. */
  readonly holds: 'object' | 'value' | 'text' | 'none';
  /** The JSON text of an object or a value, on one line. */
  readonly source: Uint8Array;
}

/** Encodes the arguments of one call: new JSON text, or the same bytes; undefined stays absent. */
export type EncodeArguments = (
  json: Uint8Array | undefined,
  where: string,
  report: Report,
) => Uint8Array | undefined;

const EMPTY = encode('{}');
const EMPTY_STRING = encode('"{}"');
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Nesting around the arguments of a record: messages, message, tool_calls, call, function and the record itself. */
const DEPTH = 6;
const scanner = createTextScanner();

/** @param json the JSON text of `arguments`; undefined if there are none */
export function readArguments(json: Uint8Array | undefined): Arguments {
  if (json === undefined || json[0] === LETTER_N) return { holds: 'none', source: EMPTY };
  if (json[0] !== QUOTE) return holding(json);
  const text = textOfValue(json) as string;
  if (LONE_SURROGATE.test(text)) return { holds: 'text', source: EMPTY }; // a lone surrogate has no UTF-8
  const bytes = encode(text);
  const start = skipBlanks(bytes, 0);
  if (start === bytes.length) return { holds: 'none', source: EMPTY };
  const end = scanner.value(bytes, start, DEPTH);
  if (end < 0 || skipBlanks(bytes, end) < bytes.length) return { holds: 'text', source: EMPTY };
  return holding(bytes.subarray(start, end));
}

function holding(json: Uint8Array): Arguments {
  return { holds: json[0] === OPEN_OBJECT ? 'object' : 'value', source: oneLine(json) };
}

/** Always a string: keeps one, and puts the text of anything else into one. */
export const asString: EncodeArguments = (json, where, report) => {
  const { holds, source } = readArguments(json);
  if (json?.[0] === QUOTE) {
    if (holds === 'text' || holds === 'none') report(notJson(where));
    return json;
  }
  if (holds !== 'none') return inString(source);
  report(empty(where));
  return EMPTY_STRING;
};

/** An object: parses a string that holds one. Keeps anything else, with a finding that rejects. */
export const asObject: EncodeArguments = (json, where, report) => {
  const { holds, source } = readArguments(json);
  if (holds === 'object') return json?.[0] === QUOTE ? source : json;
  if (holds === 'none') report(empty(where));
  else report(notObject(where));
  return holds === 'none' ? source : json;
};

/** A string that holds an object. Anything else becomes a string too, so that its column has one type. */
export const asObjectInString: EncodeArguments = (json, where, report) => {
  const { holds, source } = readArguments(json);
  if (holds === 'none') report(empty(where));
  else if (holds !== 'object') report(notObject(where));
  if (holds === 'none') return EMPTY_STRING;
  return json?.[0] === QUOTE ? json : inString(source);
};

function notJson(where: string): FormatFinding {
  const message = `${where} has arguments that are not JSON: kept as text`;
  return { rule: 'arguments-not-json', severity: 'WARNING', message };
}

export function empty(where: string): FormatFinding {
  return {
    rule: 'empty-arguments',
    severity: 'WARNING',
    message: `${where} has no arguments: written as {}`,
  };
}

export function notObject(where: string): FormatFinding {
  const message = `${where} has arguments that are not a JSON object`;
  return { rule: 'arguments-not-object', severity: 'ERROR', message, rejects: true };
}

/** The messages with the arguments of all calls encoded; an unchanged message is the same object. */
export function encodeArguments(
  messages: readonly Message[],
  encodeOne: EncodeArguments,
  report: Report,
): readonly Message[] {
  return messages.map((message, index) => {
    const calls = message.role === 'assistant' ? toolCallsOf(message) : undefined;
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
 * The call with its arguments encoded; undefined if it stays unchanged, like one without a function or a name (check
 * `tool-calls`).
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
