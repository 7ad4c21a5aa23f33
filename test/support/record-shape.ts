/**
 * The rules of each format's consumer for a record, written from formats.md without any code of the writers. A problem is a sentence, or
 * undefined.
 */
type Value = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const keysOf = (value: Value): string => Object.keys(value).sort().join(' ');
const parsed = (text: unknown): unknown => {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
};

function messagesProblem(messages: unknown, argumentsAre: (value: unknown) => boolean): string | undefined {
  if (!Array.isArray(messages)) return 'messages is not a list';
  for (const message of messages) {
    if (!isObject(message) || typeof message.role !== 'string') return 'a message without a role';
    const calls = message.tool_calls ?? [];
    if (!Array.isArray(calls)) return 'tool_calls is not a list';
    const bad = calls.find((call) => !argumentsAre((call as { function: Value }).function.arguments));
    if (bad !== undefined) return `arguments ${JSON.stringify(bad)}`;
  }
  return undefined;
}

function toolsProblem(tools: unknown, wrapped: boolean): string | undefined {
  if (!Array.isArray(tools)) return 'tools is not a list';
  const good = (tool: unknown): boolean =>
    isObject(tool) && (!wrapped || (tool.type === 'function' && isObject(tool.function)));
  return tools.every(good) ? undefined : 'an invalid tool';
}

function turnsProblem(turns: unknown): string | undefined {
  if (!Array.isArray(turns) || turns.length === 0 || turns.length % 2 === 1) return 'no pairs of turns';
  for (const [i, turn] of turns.entries()) {
    const may = i % 2 === 0 ? ['human', 'observation'] : ['gpt', 'function_call'];
    if (!isObject(turn) || !may.includes(String(turn.from)) || typeof turn.value !== 'string')
      return `turn ${i}`;
  }
  return undefined;
}

/** Turns that open and close, with only line feeds in between. */
function gemmaProblem(text: unknown): string | undefined {
  if (typeof text !== 'string') return 'no text';
  const turn =
    /<start_of_turn>(?:developer|user|model)\n(?:(?!<start_of_turn>)[\s\S])*?(?:<end_of_turn>\n|<(?:start|end)_function_response>$)/g;
  return text.replaceAll(turn, '') === '' ? undefined : 'text outside of turns';
}

const STEP_KEYS = new Set(['step_id', 'source', 'message', 'reasoning_content', 'tool_calls', 'observation']);
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** A text, or a list of texts and images: content of a message or a result. */
function contentProblem(content: unknown): string | undefined {
  if (isText(content)) return undefined;
  if (!Array.isArray(content)) return 'a content that is neither text nor parts';
  for (const part of content as Value[]) {
    const isTextPart = keysOf(part) === 'text type' && part.type === 'text' && isText(part.text);
    const source = part.source as Value;
    const isImage =
      keysOf(part) === 'source type' &&
      keysOf(source) === 'media_type path' &&
      IMAGE_TYPES.has(String(source.media_type));
    if (!isTextPart && !isImage) return 'a part that is neither text nor image';
  }
  return undefined;
}

/** The rules of ATIF 1.7: numbered steps, calls only by agents, results that name a call of the same step. */
function stepProblem(step: Value, number: number): string | undefined {
  if (step.step_id !== number) return `step ${number} has another number`;
  if (!['system', 'user', 'agent'].includes(String(step.source))) return 'an unknown source';
  if (Object.keys(step).some((key) => !STEP_KEYS.has(key))) return 'a member unknown in steps';
  const isAgent = step.source === 'agent';
  if (!isAgent && (step.tool_calls !== undefined || step.reasoning_content !== undefined))
    return 'not an agent';
  const calls = (step.tool_calls ?? []) as Value[];
  const isCall = (call: Value): boolean =>
    keysOf(call) === 'arguments function_name tool_call_id' &&
    isText(call.tool_call_id) &&
    isText(call.function_name) &&
    isObject(call.arguments);
  if (!calls.every(isCall)) return 'an invalid call';
  const results = ((step.observation as Value | undefined)?.results ?? []) as Value[];
  const ids = new Set(calls.map((call) => call.tool_call_id));
  if (!results.every(({ source_call_id: id }) => ids.has(id))) return 'a result without its call';
  return contentProblem(step.message) ?? results.map(({ content }) => contentProblem(content)).find(Boolean);
}

function trajectoryProblem(record: Value): string | undefined {
  if (keysOf(record) !== 'agent schema_version steps') return 'other members';
  const { agent, steps } = record as { agent: Value; steps: Value[] };
  if (record.schema_version !== 'ATIF-v1.7' || !isText(agent.name) || !isText(agent.version))
    return 'no head';
  if (!Array.isArray(steps) || steps.length === 0) return 'no steps';
  const tools = agent.tool_definitions ?? [];
  if (!Array.isArray(tools) || !tools.every(isObject)) return 'an invalid tool';
  return steps.map((step, i) => stepProblem(step, i + 1)).find(Boolean);
}

const TRACE_ROLES = new Set(['system', 'user', 'assistant', 'tool']);

/** A header, then envelopes, as in the Hub's documentation of session traces. */
function traceProblem({ lines }: Value): string | undefined {
  const [head, ...others] = lines as Value[];
  if (keysOf(head ?? {}) !== 'harness id type' || head?.type !== 'session') return 'no header';
  if (others.length === 0) return 'no message';
  for (const line of others) {
    const { role, content, toolCalls = [], ...more } = line.message as Value;
    if (keysOf(line) !== 'message type' || line.type !== 'message') return 'no envelope';
    if (!TRACE_ROLES.has(String(role)) || !isText(content)) return 'no role and text';
    if (Object.keys(more).some((key) => key !== 'reasoningContent' && key !== 'toolCallId'))
      return 'a member unknown in messages';
    const isCall = ({ function: fn, id = '' }: Value): boolean =>
      keysOf(fn as Value) === 'arguments name' && isText((fn as Value).arguments) && isText(id);
    if (!(toolCalls as Value[]).every(isCall)) return 'an invalid call';
  }
  return undefined;
}

const any = (): boolean => true;
const isText = (value: unknown): boolean => typeof value === 'string';
const holdsObject = (value: unknown): boolean => isObject(parsed(value));

const shapes: Readonly<Record<string, (record: Value) => string | undefined>> = {
  chat: (record) =>
    keysOf(record) === 'messages tools'
      ? (messagesProblem(record.messages, any) ?? toolsProblem(record.tools, false))
      : 'other members',
  'chat-inline': (record) =>
    JSON.stringify(
      (record.messages as Value[]).map(({ role, tool_calls }) => role === 'assistant' && tool_calls),
    ).includes('[{')
      ? 'calls are left'
      : (messagesProblem(record.messages, any) ?? toolsProblem(record.tools, false)),
  atif: trajectoryProblem,
  sts: traceProblem,
  openai: (record) => messagesProblem(record.messages, isText) ?? toolsProblem(record.tools, true),
  trl: ({ messages, tools }) =>
    messagesProblem(messages, isObject) ?? (tools === null ? undefined : toolsProblem(tools, true)),
  axolotl: (record) =>
    messagesProblem(record.messages, holdsObject) ?? toolsProblem(parsed(record.tools), true),
  sharegpt: (record) =>
    keysOf(record) === 'conversations system tools' && isText(record.system)
      ? (turnsProblem(record.conversations) ?? toolsProblem(parsed(record.tools), false))
      : 'other members',
  functiongemma: (record) => (keysOf(record) === 'text' ? gemmaProblem(record.text) : 'other members'),
  'functiongemma-teaching': (record) =>
    /^<start_of_turn>developer\n[\s\S]*\n<start_of_turn>user\n[\s\S]*\n<start_of_turn>model\n[\s\S]*<end_of_turn>\n$/.test(
      String(record.text),
    )
      ? gemmaProblem(record.text)
      : 'no three turns',
  prompt: (record) => {
    if (keysOf(record) !== 'completion prompt') return 'other members';
    const order = ['RESPONSE FORMAT\n', 'Conversation History:\n[', 'User Request:\n'];
    const places = order.map((part) => String(record.prompt).indexOf(part));
    const inOrder = places.every((place, i) => place >= 0 && place >= (places[i - 1] ?? 0));
    return inOrder && isText(record.completion) ? undefined : 'parts are missing';
  },
  samples: (record) => {
    const { messages } = record;
    if (!Array.isArray(messages) || messages.length === 0) return 'no messages';
    const good = ({ role, content }: Value): boolean => isText(role) && isText(content) && content !== '';
    return messages.every(good) ? undefined : 'a message without role and text';
  },
};

/** Finds the problem of a record of this format; for formats without rules here only whether it is an object. */
export function shapeProblem(format: string, record: unknown): string | undefined {
  return isObject(record) ? shapes[format]?.(record) : 'not an object';
}
