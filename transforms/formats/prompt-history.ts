/**
 * Writes messages for the history in the prompt of a text-protocol agent: one indented JSON object each, like the
 * library's `buildConversationHistory`. Indents the log's own JSON text, so that numbers stay unchanged.
 */

import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { type Member, membersOf, walkElements, walkMembers } from '../json/members.ts';
import { textScanner } from '../json/plain-scanner.ts';
import { quote } from '../json/respace.ts';
import { concat } from '../json/splice.ts';
import { decode, encode } from '../json/utf8.ts';
import type { Message } from '../model/element.ts';
import { legacyCallOf, REASONING_MEMBERS, reasoningOf, stringValue } from '../model/message.ts';
import type { ToolCall } from '../model/tool-call.ts';
import { UnansweredCalls } from '../model/unanswered-calls.ts';
import { withCommas } from './chat.ts';
import { resultText } from './chat-inline.ts';
import { AS_JSON_TEXT, reportOtherContent } from './content-not-text.ts';
import type { Report } from './format.ts';
import { loggedCalls, malformed } from './logged-calls.ts';
import { reportParts, warning } from './shared-rules.ts';
import { readObject } from './tool-arguments.ts';

/** Members that are written to the history. */
const SHOWN: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'tool_call_id']);
/** `function` is the old name of `tool`. */
const ROLES: ReadonlyMap<string, string> = new Map([['function', 'tool']]);

/** A message, for the history of a prompt or as a completion. */
export interface HistoryMessage {
  readonly role: string;
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly { readonly name: string; readonly source: Uint8Array }[];
  /** The message in the history: indented JSON. */
  readonly shown: string;
}

interface OpenCall {
  /** The id by which results name the call. */
  readonly id: string | undefined;
  readonly newId: string;
}

/**
 * Indents a value by two spaces like `JSON.stringify`, but keeps the text of its strings and numbers.
 * @returns the index after the value
 */
function writeIndented(json: Uint8Array, at: number, indent: string, pieces: string[]): number {
  const inner = `${indent}  `;
  let separator = '\n';
  const begin = (): void => {
    pieces.push(separator, inner);
    separator = ',\n';
  };
  const end = (close: string): void => {
    pieces.push(separator === '\n' ? close : `\n${indent}${close}`);
  };
  if (json[at] === OPEN_OBJECT) {
    pieces.push('{');
    const after = walkMembers(json, at, textScanner, (start, keyEnd, valueStart) => {
      begin();
      pieces.push(decode(json.subarray(start, keyEnd)), ': ');
      return writeIndented(json, valueStart, inner, pieces);
    });
    end('}');
    return after;
  }
  if (json[at] === OPEN_ARRAY) {
    pieces.push('[');
    const after = walkElements(json, at, textScanner, (_number, start) => {
      begin();
      return writeIndented(json, start, inner, pieces);
    });
    end(']');
    return after;
  }
  const after = textScanner.value(json, at, 1);
  pieces.push(decode(json.subarray(at, after)));
  return after;
}

function callOf(call: ToolCall, where: string, report: Report): HistoryMessage['calls'][number] | undefined {
  if (!call.name) {
    report(malformed(where));
    return undefined;
  }
  const { holds, source } = readObject(call.arguments, where, report);
  return { name: call.name, source: holds === 'object' ? source : encode('{}') };
}

/**
 * Returns a function that reads the messages of a conversation in order. Calls get ids like `0-read`, and results the
 * id of the call that they answer.
 */
export function createReader(report: Report): (message: Message, at: number) => HistoryMessage {
  let number = 0;
  let open = new UnansweredCalls<OpenCall>([]);

  function callsOf(message: Message, where: string): HistoryMessage['calls'] {
    const logged = loggedCalls(message, where, report);
    const loggedIds = new Set(logged.map(({ id }) => id));
    const opened: OpenCall[] = [];
    const calls = logged.flatMap((call, i) => {
      const written = callOf(call, `${where}.tool_calls[${i}]`, report);
      if (written === undefined) return [];
      const newId = `${number++}-${written.name}`;
      // results of a call without an id may have its new one, unless that is the logged id of another call
      opened.push({ id: call.id ?? (loggedIds.has(newId) ? undefined : newId), newId });
      return [written];
    });
    open = new UnansweredCalls(opened);
    return calls;
  }

  /** Closes the call that a result answers; returns the new id of the call, or the logged id if there is none. */
  function closeCall(logged: string | undefined): string | undefined {
    const call = logged === undefined ? open.takeFirst() : open.take(logged);
    return call === undefined ? logged : call.newId;
  }

  return (message, at) => {
    const where = `messages[${at}]`;
    const role = ROLES.get(message.role) ?? message.role;
    const isLost = ({ key, valueStart }: Member): boolean => {
      if (REASONING_MEMBERS.includes(key)) return message.bytes[valueStart] !== QUOTE;
      if (key === 'function_call') return legacyCallOf(message) === undefined;
      return !SHOWN.has(key) && !(key === 'name' && message.role === 'function');
    };
    const found = resultText(message);
    const { text = '' } = found;
    reportOtherContent(message, at, AS_JSON_TEXT, report);
    reportParts(found, where, report);
    if (membersOf(message.bytes).some(isLost))
      report(warning('member-left-out', `${where} has members that the history has no place for: left out`));
    const calls = role === 'assistant' ? callsOf(message, where) : [];
    const id = role === 'tool' ? closeCall(stringValue(message.bytes, 'tool_call_id')) : undefined;
    const listed = calls.map(({ name, source }) =>
      concat([encode(`{"name":${quote(name)},"arguments":`), source, encode('}')]),
    );
    const members = [
      encode(`{"role":${quote(role)},"content":${quote(text)}`),
      ...(listed.length > 0
        ? [encode(',"tool_calls":['), ...withCommas(listed.map((bytes) => ({ bytes }))), encode(']')]
        : []),
      encode(id === undefined ? '}' : `,"tool_call_id":${quote(id)}}`),
    ];
    const shown: string[] = [];
    writeIndented(concat(members), 0, '  ', shown);
    return { role, text, thought: reasoningOf(message), calls, shown: shown.join('') };
  };
}
