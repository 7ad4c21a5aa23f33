/**
 * One message of an old agent chat, whatever the generation of its keys (formats.md §4): what it says, thinks, calls and answers.
 * JSON text stays as it is; only a text that holds blocks, thoughts or leaked lines is written anew.
 */
import { elementsOf, valuesOf } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { decode, encode, parseJson } from '../json/utf8.ts';
import { objectBytes, textOfValue } from '../message.ts';
import { cutLeakedHeaders, cutThoughts } from './said-text.ts';
import { cutToolBlocks, type ProtocolCall, readCallObject, tidy, type WrittenCall } from './tool-blocks.ts';

const QUOTE = 0x22;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const LETTER_N = 0x6e;
const EMPTY = encode('""');

export interface ChatMessage {
  readonly role: string;
  /** A JSON string. */
  readonly content: Uint8Array;
  /** What the model thought, `''` for nothing. */
  readonly thought: string;
  readonly calls: readonly WrittenCall[];
  /** The result that stands beside the content, as it was logged: JSON text. */
  readonly result: Uint8Array | undefined;
  /** The id of the call that it answers. */
  readonly answers: string | undefined;
  /** What was done to its text, by rule, each time it was. */
  readonly changes: readonly string[];
  /** How many calls of its text are left out: the last one counts. */
  readonly callsLeftOut: number;
}

/** A message in the form that is stored today. */
export interface StoredMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly ProtocolCall[];
  readonly tool_result?: unknown;
  readonly tool_call_id?: string;
  readonly think?: string;
}

/** @param json the JSON text of an object; undefined when it has no role */
export function readChatMessage(json: Uint8Array): ChatMessage | undefined {
  const values = valuesOf(json, KEYS).map((value) => (value?.[0] === LETTER_N ? undefined : value));
  const [role, content, text, rawText, think, toolCalls, oldCalls, result, oldResult, id, oldId] = values;
  const name = textOfValue(role);
  if (name === undefined) return undefined;
  const said = [content, text].find((value) => value?.[0] === QUOTE) ?? EMPTY;
  const given = callsIn(toolCalls ?? oldCalls);
  const shared = {
    role: name,
    result: result ?? oldResult,
    answers: textOfValue(id) ?? textOfValue(oldId),
  };
  const thought = textOfValue(think)?.trim() ?? '';
  if (name !== 'assistant') {
    return { ...shared, content: said, thought, calls: given, changes: [], callsLeftOut: 0 };
  }
  const { text: words, thoughts, calls, lines } = readSaid(textOfValue(said) as string);
  const raw = readSaid(textOfValue(rawText) ?? '');
  const written = given.length > 0 ? [] : ([calls, raw.calls].find(({ length }) => length > 0) ?? []);
  const spoken = [thought, ...thoughts].filter((one) => one !== '');
  const hasGap = words.includes('\n\n\n');
  const changes = [
    ...thoughts.map(() => 'think-block'),
    ...Array.from({ length: lines }, () => 'leaked-header'),
    ...written.slice(-1).map(() => 'recovered-call'),
    ...(hasGap ? ['extra-newlines'] : []),
  ];
  const isChanged = hasGap || thoughts.length + lines + calls.length > 0;
  return {
    ...shared,
    content: isChanged ? encode(quote(tidy(words))) : said,
    thought: (spoken.length > 0 ? spoken : raw.thoughts).join('\n'),
    calls: [...given, ...written.slice(-1)],
    changes,
    callsLeftOut: Math.max(0, written.length - 1),
  };
}

const KEYS = [
  ...['role', 'content', 'text', 'rawText', 'think', 'tool_calls', 'toolCalls'],
  ...['tool_result', 'toolResult', 'tool_call_id', 'toolCallId'],
];

function readSaid(said: string): {
  readonly text: string;
  readonly thoughts: readonly string[];
  readonly calls: readonly WrittenCall[];
  readonly lines: number;
} {
  const { text: spoken, thoughts } = cutThoughts(said);
  const { text: words, calls } = cutToolBlocks(spoken);
  return { ...cutLeakedHeaders(words), thoughts, calls };
}

/** The calls of a list; one that has no name is none. Calls in OpenAI's form are taken too. */
function callsIn(json: Uint8Array | undefined): readonly WrittenCall[] {
  if (json?.[0] !== OPEN_ARRAY) return [];
  return elementsOf(json)
    .filter((one) => one[0] === OPEN_OBJECT)
    .flatMap((one) => readCallObject(objectBytes(one, 'function') ?? one) ?? []);
}

/**
 * A message of any generation in the form that is stored today: `role`, `content` without blocks, thoughts and leaked lines, and
 * where there are any `tool_calls`, `tool_result`, `tool_call_id` and `think`. Everything else is dropped.
 * @throws TypeError when it is no object with a string role
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
