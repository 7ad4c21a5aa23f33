/**
 * Whether an object of a form that its dialect does not know carries a part of a conversation. An event of an unknown
 * type that does is rejected: only types that are known to be about the client may be dropped. A source of which
 * nothing else was read is rejected as a whole.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Fate, Origin, Rejection } from '../../model/element.ts';
import { roleNamed } from '../../model/known-roles.ts';
import type { LineReason } from '../../model/reasons.ts';
import { wordSet } from '../../model/words.ts';
import { structured } from './logged-values.ts';
import { shownType } from './reading-notes.ts';
import { holdsWords } from './unread-text.ts';

/** Members whose value may be an object of any names, because they hold the arguments of a call. */
const ARGUMENTS: ReadonlySet<string> = new Set(['arguments', 'args', 'input', 'tool_input', 'toolInput']);
/** Members that programs use for a message, its content or a call; the last part of a name with dots. */
const CARRIERS: ReadonlySet<string> = new Set([
  ...[
    'message',
    'messages',
    'content',
    'contents',
    'parts',
    'text',
    'delta',
    'prompt',
    'completion',
    'partial_json',
  ],
  ...['choices', 'tool_calls', 'toolCalls', 'tool_call', 'toolCall', 'function_call', 'functionCall'],
  'functionResponse',
  ...ARGUMENTS,
  ...['tool_result', 'toolResult', 'output'],
  ...['aggregated_output', 'stdout', 'reasoning', 'reasoning_content', 'thinking', 'thought', 'llm_message'],
  ...['observation', 'base64_string'],
]);
/** Members that hold content if they are a text with white space, or a list. */
const OFTEN: ReadonlySet<string> = wordSet('summary result command query changes thoughts encrypted_content');
/** Members that name a call. */
const CALLS: ReadonlySet<string> = wordSet(
  'tool_call_id toolCallId tool_use_id toolUseId call_id callId callID',
);
const WHITE_SPACE = /\s/;
/** Members about errors and states, which have messages too. */
const OTHERS = /^(?:status|error|exception)(?:\.|$)/;
const MAX_DEPTH = 4;
const MAX_WORDS_DEPTH = 8;
/** Types of calls, in the words of any API. */
const CALL_TYPE = /(?:^|[._-])call$/;
/** Members whose words are a name, a place, a time or a state. */
const ABOUT_CLIENT =
  /(?:^|[._-])(?:type|kind|role|id|uuid|names?|title|label|tags?|version|model|level|state|status|mode|cwd|branch|path|dir|directory|folder|file|url|uri|host|hostname|os|platform|shell|terminal|user_agent|originator|locale|timezone|time|timestamp|date|at|error|error_message|exception)$|[a-z](?:Id|Name|Title|Label|Version|Model|State|Status|Mode|Path|Dir|Directory|File|Url|Uri|Agent|Time|Timestamp|Date|At|Error|ErrorMessage)$/;
/** The beginning of a path. Its folders may have blanks. */
const PATH = /^(?:(?:~|\.{0,2})\/|[A-Za-z]:\\)/;
const LETTER = /\p{L}/u;
/** The end of a sentence, which may be a single word. */
const SENTENCE_END = /\p{L}[.?!…。！？]["')\]]*\s*$/u;

/** Why an object of an unknown type is rejected; undefined if it carries no content, so that it may be dropped. */
export function contentOfUnknown(type: string | undefined, json: JsonView): string | undefined {
  const isCall = type !== undefined && CALL_TYPE.test(type);
  if (!isCall && !mayHoldContent(json)) return undefined;
  return `an object of type ${shownType(type)}, which turnmill does not know, carries content`;
}

/** Whether a value holds content under a name of it, or words under a name that is not about the client. */
export const mayHoldContent = (value: JsonView): boolean => carriesContent(value) || holdsProse(value, false);

/** Whether a member has this name if it is a name, a place, a time or a state. */
export const isAboutClient = (name: string): boolean => ABOUT_CLIENT.test(name);

/** Rejects a line of an unknown type that carries content, and drops any other: its texts do not count as read. */
export function leaveUnknown(type: string | undefined, json: JsonView, context: Leaving): Fate | Rejection {
  const lost = contentOfUnknown(type, json);
  if (lost !== undefined) return context.reject('bad-event', lost, json);
  return { ...context.drop('client-event'), unread: [] };
}

/** The part of a dialect's context that leaves out lines. */
interface Leaving {
  reject(reason: LineReason, detail: string, at?: JsonView): Rejection;
  drop(name: string): Fate;
}

/**
 * Whether there are words in an object that are not about the client: a line of an unknown type may have what was said under
 * any name. @param isSaid whether the object names a speaker, so that a single word may be what was said
 */
function holdsProse(value: JsonView, isSaid: boolean, depth = 0): boolean {
  if (value.type === 'string') {
    const text = value.text() ?? '';
    if (isPath(text)) return false;
    return holdsWords(value) || SENTENCE_END.test(text) || (isSaid && LETTER.test(text));
  }
  if (depth > MAX_WORDS_DEPTH) return false;
  const named = value.textOf('role');
  const speaks = isSaid || (named !== undefined && roleNamed(named) !== undefined);
  const within = value.type === 'array' ? value.elements() : membersAside(value);
  return within.some((one) => holdsProse(structured(one) ?? one, speaks, depth + 1));
}

/** Whether a text is a path whose last name has no blanks. */
const isPath = (text: string): boolean =>
  PATH.test(text) && !WHITE_SPACE.test(text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\'))));

/** The values of members that are not about the client. */
const membersAside = (value: JsonView): readonly JsonView[] =>
  value.members().flatMap(([name, member]) => (isAboutClient(name) ? [] : [member]));

/** The fate of a dropped object. @param form the object, if it counts as not read when it carries content */
export function dropped(name: string, origin: Origin, form: JsonView | undefined): Fate {
  const unread = form !== undefined && carriesContent(form) ? { unread: form.keys() } : {};
  return { kind: 'fate', fate: `dropped:${name}`, origin, ...unread };
}

/**
 * Whether a member of the object, or of an object within it, holds content under a name of one. Searches objects in
 * strings of JSON too, and pairs of `key` and `value`.
 */
export function carriesContent(json: JsonView, depth = 0): boolean {
  if (json.type === 'array') return json.elements().some((one) => isWithin(one, depth));
  const key = json.textOf('key');
  if (key !== undefined && isCarried(key, json.get('value'), depth)) return true;
  return json.members().some(([name, value]) => isCarried(name, value, depth));
}

/** Whether a message has a member besides its content, and the id of the call that it answers, that holds content, or a call. */
export const carriesAside = (message: JsonView): boolean =>
  message
    .others(BESIDE)
    .some(([name, value]) => isCarrier(name, value) || (CARRIERS.has(name) && value.members().length > 0));
const BESIDE: ReadonlySet<string> = new Set(['content', ...CALLS]);

function isCarried(key: string, logged: JsonView | undefined, depth: number): boolean {
  if (logged === undefined || OTHERS.test(key)) return false;
  const name = key.slice(key.lastIndexOf('.') + 1);
  if (isCarrier(name, logged)) return true;
  const value = structured(logged);
  return value !== undefined && isWithin(value, depth);
}

const isWithin = (value: JsonView, depth: number): boolean =>
  depth < MAX_DEPTH &&
  (value.type === 'object' || value.type === 'array') &&
  carriesContent(value, depth + 1);

/** Whether a member holds content, or names a call. */
function isCarrier(name: string, value: JsonView): boolean {
  if (CARRIERS.has(name)) return isContent(name, value);
  if (CALLS.has(name)) return value.type === 'string' && !value.isEmptyText;
  if (!OFTEN.has(name)) return false;
  return value.type === 'string' ? WHITE_SPACE.test(value.text() ?? '') : isContent(name, value);
}

/** A text, or a list of anything; an object if it holds arguments, or only texts of OpenTelemetry. */
function isContent(name: string, value: JsonView): boolean {
  if (value.type === 'string') return !value.isEmptyText;
  if (value.type === 'array') return value.elements().length > 0;
  if (value.textOf('stringValue')) return true;
  return ARGUMENTS.has(name) && value.members().length > 0;
}
