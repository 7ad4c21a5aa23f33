/**
 * Reads one message of a chat of the dialect `astracodex`, in any version of its keys: text, thoughts, calls and
 * results. Values keep their JSON text; only a text that contains calls, thoughts or leaked lines is rewritten.
 */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { elementsOf, valuesOf } from '../../json/members.ts';
import { quote, valueIn } from '../../json/respace.ts';
import { decode, encode, NO_TEXT, parseJson } from '../../json/utf8.ts';
import { objectBytes, textOfValue } from '../../model/message.ts';
import { cutLeakedHeaders, cutProtocol, cutThoughts } from './agent-text.ts';
import { type ProtocolCall, readCallObject, type WrittenCall } from './call-object.ts';
import { cutToolBlocks, tidy } from './tool-blocks.ts';

export interface ChatMessage {
  readonly role: string;
  /** A JSON string. */
  readonly content: Uint8Array;
  /** The model's thoughts, joined; `''` if there are none. */
  readonly thought: string;
  readonly calls: readonly WrittenCall[];
  /** Number of listed calls that do not say what was called. */
  readonly namelessCalls: number;
  /** JSON text of the result that was logged beside the content. */
  readonly result: Uint8Array | undefined;
  /** Id of the call that it answers. */
  readonly answers: string | undefined;
  /** Rules that changed its text, once per change. */
  readonly changes: readonly string[];
  /** Number of calls in the text that are left out, because only the last one counts. */
  readonly callsLeftOut: number;
  /** Describes remains of the protocol in the text or the thought. */
  readonly debris: readonly string[];
}

/** A message in the current version of the keys. */
export interface StoredMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly ProtocolCall[];
  readonly tool_result?: unknown;
  readonly tool_call_id?: string;
  readonly think?: string;
}

/** @param json the JSON text of an object; undefined if it has no role */
export function readChatMessage(json: Uint8Array): ChatMessage | undefined {
  const values = valuesOf(json, KEYS).map((value) => (value?.[0] === LETTER_N ? undefined : value));
  const [role, content, text, rawText, think, toolCalls, oldCalls, result, oldResult, id, oldId] = values;
  const name = textOfValue(role);
  if (name === undefined) return undefined;
  const body = [content, text].find((value) => value?.[0] === QUOTE) ?? NO_TEXT;
  const listed = callsIn(toolCalls ?? oldCalls);
  const shared = {
    role: name,
    namelessCalls: countIn(toolCalls ?? oldCalls) - listed.length,
    result: result ?? oldResult,
    answers: textOfValue(id) ?? textOfValue(oldId),
  };
  const thought = textOfValue(think)?.trim() ?? '';
  if (name !== 'assistant')
    return { ...shared, content: body, thought, calls: listed, changes: [], callsLeftOut: 0, debris: [] };
  const { text: rest, thoughts, calls, lines, stripped } = cutText(textOfValue(body) as string);
  const raw = cutText(textOfValue(rawText) ?? '');
  const written = listed.length > 0 ? [] : ([calls, raw.calls].find(({ length }) => length > 0) ?? []);
  const ownThoughts = [thought, ...thoughts].filter((one) => one !== '');
  const cut = (ownThoughts.length > 0 ? ownThoughts : raw.thoughts).map(cutProtocol);
  const leaked = cut.reduce((sum, one) => sum + one.lines, 0);
  const blocks = cut.reduce((sum, one) => sum + one.blocks, 0);
  const taken = [...listed, ...written.slice(-1)];
  const hasGap = rest.includes('\n\n\n');
  const repeated = listed.length > 0 ? calls.length : 0; // calls in the text that are also listed
  const times = (rule: string, count: number): readonly string[] => new Array<string>(count).fill(rule);
  const isChanged = hasGap || thoughts.length + lines + calls.length + stripped > 0;
  const clean = isChanged ? tidy(rest) : rest;
  const kept = cut.map((one) => one.text).filter((one) => one !== '');
  const joined = kept.join('\n');
  return {
    ...shared,
    content: isChanged ? encode(quote(clean)) : body,
    thought: joined,
    calls: taken,
    changes: [
      ...times('think-block', thoughts.length),
      ...times('leaked-header', lines + leaked),
      ...times('recovered-call', written.slice(-1).length),
      ...times('stripped-block', stripped + repeated + blocks),
      ...times('dropped-retrigger', taken.filter((call) => call.droppedRetrigger).length),
      ...times('extra-newlines', hasGap ? 1 : 0),
    ],
    callsLeftOut: Math.max(0, written.length - 1),
    debris: [
      ...debrisIn(clean).map((what) => `the text still contains ${what}`),
      ...debrisIn(joined).map((what) => `the reasoning still contains ${what}`),
    ],
  };
}

const KEYS = [
  ...['role', 'content', 'text', 'rawText', 'think', 'tool_calls', 'toolCalls'],
  ...['tool_result', 'toolResult', 'tool_call_id', 'toolCallId'],
];

/** A text, and what was cut out of it. */
interface CutText {
  readonly text: string;
  readonly thoughts: readonly string[];
  readonly calls: readonly WrittenCall[];
  readonly lines: number;
  readonly stripped: number;
}

/** Cutting one thing out can join the halves of another. Only a crafted text needs more rounds. */
const MAX_ROUNDS = 8;

function cutText(content: string): CutText {
  const thoughts: string[] = [];
  const calls: WrittenCall[] = [];
  let text = content;
  let lines = 0;
  let stripped = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const withoutThoughts = cutThoughts(text);
    const blocks = cutToolBlocks(withoutThoughts.text);
    const headers = cutLeakedHeaders(blocks.text);
    for (const thought of withoutThoughts.thoughts) thoughts.push(thought);
    for (const call of blocks.calls) calls.push(call);
    lines += headers.lines;
    stripped += blocks.stripped;
    if (headers.text === text) break;
    text = headers.text;
  }
  return { text, thoughts, calls, lines, stripped };
}

const countIn = (json: Uint8Array | undefined): number =>
  json?.[0] === OPEN_ARRAY ? elementsOf(json).length : 0;

/** The calls in a list, except those without a name. Calls in OpenAI's format are read too. */
function callsIn(json: Uint8Array | undefined): readonly WrittenCall[] {
  if (json?.[0] !== OPEN_ARRAY) return [];
  return elementsOf(json)
    .filter((one) => one[0] === OPEN_OBJECT)
    .flatMap((one) => readCallObject(objectBytes(one, 'function') ?? one) ?? []);
}

/**
 * Converts a message in any version of the keys to the current one: `role`; `content` without calls, thoughts and
 * leaked lines; and, if present, `tool_calls`, `tool_result`, `tool_call_id` and `think`. Drops everything else.
 * @throws TypeError if it is not an object with a string role
 */
export function migrateMessage(old: Readonly<Record<string, unknown>>): StoredMessage {
  const json = encode(JSON.stringify(old) ?? 'null');
  const message = json[0] === OPEN_OBJECT ? readChatMessage(json) : undefined;
  if (message === undefined) throw new TypeError('a message must be an object with a string role');
  const { role, content, calls, result, answers, thought } = message;
  const listed = calls.map(({ name, arguments: args }) => ({ name, arguments: parseJson(args) }));
  return {
    role,
    content: JSON.parse(decode(content)) as string,
    ...(listed.length > 0 && { tool_calls: listed }),
    ...(result !== undefined && { tool_result: parseJson(result) }),
    ...(answers !== undefined && { tool_call_id: answers }),
    ...(thought !== '' && { think: thought }),
  };
}

/** Remains of the protocol that no rule can remove reliably, so that they are reported: their names and patterns. */
const DEBRIS: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['a tag of a call', /<\/?(?:tool_call|tool_result|arg_key|arg_value)\b/i],
  ['a fence of a call', /^[ \t]*```[ \t]*tool(?:_call|_code)?[ \t]*(?:[\r\n{]|$)/im],
  ['a retrigger', /["'`]retrigger["'`]|^[ \t]*retrigger:/im],
  [
    'a state',
    /^[ \t]*state:[ \t]*(?:idle|thinking|reading|searching|writing|appending|editing|checking|awaiting_confirmation|error|acting|listening|proposing|completed)\b/im,
  ],
  ['a confirmation', /^[ \t]*needs_confirmation\b/im],
];

/** The names of the remains in a text. */
function debrisIn(text: string): readonly string[] {
  const kinds = DEBRIS.filter(([, pattern]) => pattern.test(text)).map(([what]) => what);
  return isBareCall(text) ? [...kinds, 'a call without its tags'] : kinds;
}

/** Whether the whole text is the object of a call. */
function isBareCall(text: string): boolean {
  const json = text.startsWith('{') && text.endsWith('}') ? valueIn(text) : undefined;
  if (json === undefined) return false;
  const [name, args, oldArgs] = valuesOf(json, ['name', 'arguments', 'args']);
  return Boolean(textOfValue(name)) && (args ?? oldArgs) !== undefined;
}
