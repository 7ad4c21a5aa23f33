/** Counts the records that the usual consumer of their format refuses, independently of transforms/consumers. */
import { asObject, asObjects, asText, type JsonObject, parsedJson } from './untrusted.ts';

type Test = (message: JsonObject) => boolean;

const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);
const BY_ROLE: ReadonlySet<unknown> = new Set(['chat', 'chat-inline', 'trl', 'axolotl', 'openai']);
const REASONING = ['reasoning_content', 'thinking'];
const MEMBERS: ReadonlySet<string> = new Set([
  ...'role content name tool_calls tool_call_id function_call weight refusal audio'.split(' '),
  ...REASONING,
]);
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Levels of arguments: the line, messages, message, calls, call and function are around them. */
const MAX_DEPTH = 512 - 6;

const isAnswer = ({ role }: JsonObject): boolean => role === 'assistant';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const callsOf = (message: JsonObject): readonly JsonObject[] =>
  isAnswer(message) ? asObjects(message.tool_calls) : [];

/** Finds results without a call, and calls without a result before the next message that is none. */
function unmatched(messages: readonly JsonObject[]): readonly string[] {
  const broken = new Set<string>();
  let open: unknown[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      const at = open.indexOf(asText(message.tool_call_id));
      if (at >= 0) open.splice(at, 1);
      else broken.add('reader-orphan-result');
    } else {
      if (open.length > 0) broken.add('reader-unanswered-call');
      open = callsOf(message).map(({ id }) => asText(id));
    }
  }
  return [...broken];
}

function isCall(call: unknown): boolean {
  const { id, type, function: fn } = asObject(call) ?? {};
  return asText(id) !== undefined && type === 'function' && NAME.test(asText(asObject(fn)?.name) ?? '');
}

/** Whether arguments are an object: nested no deeper than a line may be, and without half a character. */
function isObjectText(text: unknown): boolean {
  if (typeof text !== 'string') return asObject(text) !== undefined;
  return asObject(parsedJson(text)) !== undefined && text.isWellFormed() && depthOf(text) <= MAX_DEPTH;
}

/** Returns the greatest number of brackets that are open at once outside of strings. */
function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  for (const [bracket] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{\]}]/gs)) {
    if (bracket === '{' || bracket === '[') most = Math.max(most, ++depth);
    else if (bracket === '}' || bracket === ']') depth--;
  }
  return most;
}

const PARTS: ReadonlyMap<unknown, readonly unknown[]> = new Map([
  ['user', ['text', 'image_url', 'input_audio', 'file']],
  ['assistant', ['text', 'refusal']],
]);

const TESTS: Readonly<Record<string, Test>> = {
  'reader-no-reasoning': (message) => REASONING.some((key) => key in message),
  'reader-members': (message) => Object.keys(message).some((key) => !MEMBERS.has(key)),
  'reader-content': ({ role, content, tool_calls: calls, function_call: legacy }) =>
    typeof content !== 'string' &&
    !Array.isArray(content) &&
    (role !== 'assistant' || (!Array.isArray(calls) && asObject(legacy) === undefined)),
  'reader-part-types': ({ role, content }) =>
    !listOf(content).every((part) => {
      const type = asText(asObject(part)?.type) ?? '';
      return (PARTS.get(role) ?? ['text']).includes(type) && type in (part as object);
    }),
  'reader-weight': (message) =>
    'weight' in message && !(isAnswer(message) && (message.weight === 0 || message.weight === 1)),
  'reader-calls': (message) =>
    (message.tool_calls ?? null) !== null &&
    (!isAnswer(message) ||
      listOf(message.tool_calls).length === 0 ||
      !listOf(message.tool_calls).every(isCall)),
  'reader-arguments': (message) =>
    callsOf(message).some(({ function: fn }) => !isObjectText(asObject(fn)?.arguments)),
};

function isTool(tool: JsonObject): boolean {
  const { type, function: fn, ...others } = tool;
  const { name, parameters = {} } = asObject(fn) ?? {};
  const isNamed = type === 'function' && NAME.test(asText(name) ?? '');
  return isNamed && asObject(parameters) !== undefined && Object.keys(others).length === 0;
}

/** Returns the names of the rules by which a record is refused. */
export function refusalsOf(
  format: string,
  { messages, prompt, completion, tools }: JsonObject,
): readonly string[] {
  if (!BY_ROLE.has(format)) return [];
  const all = asObjects(messages ?? [...listOf(prompt), ...listOf(completion)]);
  const byRole = all.every(({ role }) => ROLES.has(role)) ? [] : ['reader-role'];
  if (format !== 'openai') return byRole;
  const last = all.at(-1) ?? {};
  return [
    ...byRole,
    ...unmatched(all),
    ...(all.some(isAnswer) && !isAnswer(last) ? ['reader-end'] : []),
    ...(asObjects(tools).every(isTool) && listOf(tools).length <= 128 ? [] : ['reader-tool']),
    ...Object.keys(TESTS).filter((name) => all.some(TESTS[name] as Test)),
  ];
}
