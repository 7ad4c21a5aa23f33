/**
 * Checks the shape of a record, independently of the writers: for each family of formats, the members and their types.
 * Tools and arguments may be JSON strings in formats whose loader requires that.
 */
import { asObject, asText, type JsonObject, parsedJson } from './untrusted.ts';

/** The problem of a record, if any, and how many tools it has. */
export interface RecordFacts {
  readonly problem?: string | undefined;
  readonly tools?: number | undefined;
}

export type RecordCheck = (record: JsonObject) => RecordFacts;

const SPEAKERS: ReadonlySet<unknown> = new Set(['human', 'gpt', 'function_call', 'observation', 'system']);
/** Known roles that the format writes under another name. */
const UNMAPPED: ReadonlySet<unknown> = new Set(['developer', 'user', 'assistant', 'tool', 'function']);
const SOURCES: ReadonlySet<unknown> = new Set(['system', 'user', 'agent']);

const NO_METADATA = 'expected `metadata` to be an object, or a string with one, found another value';

const CHECKS: ReadonlyMap<unknown, RecordCheck> = new Map<string, RecordCheck>([
  ['atif', trajectory],
  ['chat', chat()],
  ['chat-inline', chat()],
  ['openai', chat('parallel_tool_calls')],
  ['trl', trl],
  ['axolotl', chat()],
  ['sharegpt', sharegpt],
  ['functiongemma', texts],
  ['functiongemma-teaching', texts],
  ['prompt', texts],
  ['samples', samples],
  ['sts', traceLine],
]);

/**
 * Returns the check of a format. A record in an unknown format only has to be a JSON object.
 * @param marks whether the dataset marks answers that are context
 */
export function recordCheckOf(format: unknown, marks: boolean = false): RecordCheck {
  if (marks && format === 'trl') return split;
  return CHECKS.get(format) ?? (() => ({}));
}

/**
 * Checks for `prompt` and `completion`, two lists of messages of which one record has all. A completion begins with an
 * answer, or is the last message.
 */
function split({ prompt, completion, messages, ...others }: JsonObject): RecordFacts {
  if (!Array.isArray(prompt) || !Array.isArray(completion) || messages !== undefined)
    return { problem: 'expected arrays `prompt` and `completion`, found something else' };
  const facts = trl({ messages: [...prompt, ...completion], ...others });
  if (completion.length < 2 || asObject(completion[0])?.role === 'assistant') return facts;
  return { ...facts, problem: 'expected a `completion` that begins with an answer, found another message' };
}

/** Checks for `messages` and `tools`, and no other members than those in `optional`. */
function chat(...optional: readonly string[]): RecordCheck {
  return ({ messages, tools: definitions, metadata, ...others }) => {
    const tools = toolsIn(definitions);
    if (!Array.isArray(messages)) return { problem: 'expected an array `messages`, found none', tools };
    if (tools === undefined) return { problem: 'expected an array `tools`, found none' };
    if (!isMetadata(metadata)) return { problem: NO_METADATA, tools };
    const more = Object.keys(others).filter((name) => !optional.includes(name)).length;
    if (more > 0) return { problem: `expected only messages and tools, found ${more} more members`, tools };
    const bad = messages.findIndex((message) => asText(asObject(message)?.role) === undefined);
    const what = `expected messages[${bad}] to be an object with a string \`role\`, found another value`;
    return { problem: bad < 0 ? undefined : what, tools };
  };
}

/** As in `chat`, but without tools `tools` is null. */
function trl({ tools, ...others }: JsonObject): RecordFacts {
  return chat()({ tools: tools === null ? [] : tools, ...others });
}

/** Returns whether the member that `--meta` adds is valid; it may be absent. */
function isMetadata(metadata: unknown): boolean {
  const value = typeof metadata === 'string' ? parsedJson(metadata) : metadata;
  return metadata === undefined || asObject(value) !== undefined;
}

/** Returns the number of definitions in a list, or in a JSON string with one; undefined if one is not an object. */
function toolsIn(definitions: unknown): number | undefined {
  const list = typeof definitions === 'string' ? parsedJson(definitions) : definitions;
  if (!Array.isArray(list) || list.some((tool) => asObject(tool) === undefined)) return undefined;
  return list.length;
}

function sharegpt({
  conversations,
  system,
  tools: definitions,
  metadata,
  ...others
}: JsonObject): RecordFacts {
  const tools = typeof definitions === 'string' ? toolsIn(definitions) : undefined;
  if (!Array.isArray(conversations)) return { problem: 'expected an array `conversations`, found none' };
  if (asText(system) === undefined || tools === undefined)
    return { problem: 'expected texts `system` and `tools`, found something else' };
  if (!isMetadata(metadata)) return { problem: NO_METADATA, tools };
  if (Object.keys(others).length > 0) return { problem: 'expected no other member, found one', tools };
  const bad = conversations.findIndex((turn) => !isTurn(asObject(turn) ?? {}));
  const what = `expected conversations[${bad}] to be a turn with \`from\` and \`value\`, found another value`;
  return { problem: bad < 0 ? undefined : what, tools };
}

function isTurn({ from, value, ...others }: JsonObject): boolean {
  // other names are roles kept with --on-finding unknown-role=keep
  const isNamed = SPEAKERS.has(from) || (typeof from === 'string' && from !== '' && !UNMAPPED.has(from));
  return isNamed && asText(value) !== undefined && Object.keys(others).length === 0;
}

/** Checks for `text`, or `prompt` and `completion`. */
function texts({ text, prompt, completion, metadata, ...others }: JsonObject): RecordFacts {
  const values = text === undefined ? [prompt, completion] : [text];
  const left = text === undefined ? [] : [prompt, completion].filter((value) => value !== undefined);
  const good = values.every((value) => asText(value) !== undefined) && left.length === 0;
  if (!isMetadata(metadata)) return { problem: NO_METADATA };
  if (good && Object.keys(others).length === 0) return {};
  return { problem: 'expected a text `text`, or `prompt` and `completion`, and nothing else' };
}

/** Checks for `schema_version`, an `agent` and `steps`, which count from 1; `--meta` adds `extra`. */
function trajectory({ schema_version: version, agent, steps, extra, ...others }: JsonObject): RecordFacts {
  const definitions = asObject(agent)?.tool_definitions ?? [];
  const tools = toolsIn(definitions);
  if (asText(version) === undefined || asText(asObject(agent)?.name) === undefined)
    return { problem: 'expected a text `schema_version` and an `agent` with a name, found something else' };
  if (tools === undefined) return { problem: 'expected an array `tool_definitions`, found something else' };
  if (!Array.isArray(steps)) return { problem: 'expected an array `steps`, found none', tools };
  if (extra !== undefined && asObject(extra) === undefined)
    return { problem: 'expected `extra` to be an object, found another value', tools };
  if (Object.keys(others).length > 0) return { problem: 'expected no other member, found one', tools };
  const bad = steps.findIndex((step, i) => !isStep(asObject(step) ?? {}, i + 1));
  const what = `expected steps[${bad}] to be step ${bad + 1} with \`source\` and \`message\`, found another value`;
  return { problem: bad < 0 ? undefined : what, tools };
}

const isStep = ({ step_id: id, source, message }: JsonObject, number: number): boolean =>
  id === number && SOURCES.has(source) && message !== undefined;

const TRACE_ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

/** Checks a line of a session trace: its header, or an envelope around a message. */
function traceLine({ type, harness, id, metadata, message, ...others }: JsonObject): RecordFacts {
  if (Object.keys(others).length > 0) return { problem: 'expected no other member, found one' };
  if (type === 'session') {
    const good = asText(harness) !== undefined && asText(id) !== undefined && message === undefined;
    if (!good) return { problem: 'expected texts `harness` and `id` in a header, found something else' };
    return isMetadata(metadata) ? {} : { problem: NO_METADATA };
  }
  if (type !== 'message' || harness !== undefined || id !== undefined || metadata !== undefined)
    return { problem: 'expected `type` to be session or message, with the members of either' };
  const { role, content } = asObject(message) ?? {};
  if (TRACE_ROLES.has(role) && asText(content) !== undefined) return {};
  return { problem: 'expected `message` to have a known `role` and a text `content`, found something else' };
}

/** Checks for `messages` or `fullConversation`; any other members of the log are allowed. */
function samples({ messages, fullConversation }: JsonObject): RecordFacts {
  const turns = messages ?? fullConversation;
  if (!Array.isArray(turns))
    return { problem: 'expected an array `messages` or `fullConversation`, found none' };
  const bad = turns.findIndex((turn) => asObject(turn) === undefined);
  return { problem: bad < 0 ? undefined : `expected message ${bad} to be an object, found another value` };
}
