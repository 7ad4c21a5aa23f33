/**
 * Compares the first object of a source that no dialect recognises with those of known programs, so that its rejection
 * says what the log is and what to do instead.
 */
import type { ObjectMembers } from '../dialects/dialect.ts';
import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, membersOf, valuesOf } from '../json/members.ts';
import { textOfValue } from '../model/message.ts';

interface UnreadLog {
  /** Completes "this is ...". */
  readonly what: string;
  /** Names another log of the program that can be read, or says how to convert this one. */
  readonly advice: string;
  /** Its first object has one of these. */
  readonly forms: readonly Form[];
}

interface Form {
  /** Members that the object must have. */
  readonly keys: readonly string[];
  /** Pattern that the object's `type` must match. */
  readonly type?: RegExp;
  /** A further test, if other logs have the same keys. */
  readonly test?: (first: ObjectMembers) => boolean;
}

/** Lines of Claude Code have a uuid, or the servers of its tools. */
const isOfDroid = (first: ObjectMembers): boolean =>
  ['session_id', 'sessionId'].some((key) => first.has(key)) &&
  !['uuid', 'mcp_servers', 'apiKeySource'].some((key) => first.has(key));
/** Values of `type` in messages of LangChain. */
const LANGCHAIN_TYPES = /^(?:human|ai|system|tool)$/;
const HISTORY = 'it has prompts, but no answers';

const UNREAD_LOGS: readonly UnreadLog[] = [
  {
    what: 'the output of goose run --output-format stream-json, which has messages in pieces',
    advice: 'export the session with goose session export --format json',
    forms: [{ keys: ['type', 'message'], test: (first) => isObjectWith(first.get('message'), 'created') }],
  },
  {
    what: 'the list of messages that Cline shows on the screen',
    advice: 'read api_conversation_history.json beside it',
    forms: [{ keys: ['ts', 'type', 'say'] }, { keys: ['ts', 'type', 'ask'] }],
  },
  {
    what: 'the output of an old codex exec --json',
    advice: 'read the rollout of the same session in ~/.codex/sessions',
    forms: [{ keys: ['id', 'msg'] }],
  },
  {
    what: 'the prompt history of Codex',
    advice: `${HISTORY}: read ~/.codex/sessions`,
    forms: [{ keys: ['session_id', 'ts', 'text'] }],
  },
  {
    what: 'the prompt history of Claude Code',
    advice: `${HISTORY}: read ~/.claude/projects`,
    forms: [{ keys: ['display', 'pastedContents', 'timestamp'] }],
  },
  {
    what: 'the prompt history of Gemini CLI',
    advice: `${HISTORY}: read the chats folder beside it`,
    forms: [{ keys: ['sessionId', 'messageId', 'type', 'message'] }],
  },
  {
    what: 'a transcript of Antigravity',
    advice:
      'write the steps of transcript_full.jsonl as {"messages": [...]}; transcript.jsonl beside it cuts long texts',
    forms: [{ keys: ['step_index', 'source', 'type', 'status', 'created_at'] }],
  },
  {
    what: 'a session of iFlow, which repeats calls and has results of another form',
    advice: 'write its messages as {"messages": [...]}, each call once',
    forms: [{ keys: ['uuid', 'sessionId', 'userType', 'message'], type: /^(?:user|assistant)$/ }],
  },
  {
    what: 'the stream-json output of the Cursor agent',
    advice: 'write its lines as {"messages": [...]}',
    forms: [{ keys: ['type', 'subtype', 'session_id', 'apiKeySource'], type: /^system$/ }],
  },
  {
    what: 'a transcript of Cursor, which has no results of tools',
    advice: 'write its lines as {"messages": [...]}',
    forms: [{ keys: ['role', 'message'] }],
  },
  {
    what: 'the events of a session of the Copilot CLI or of Copilot in VS Code',
    advice: 'write them as {"messages": [...]}, or as session traces',
    forms: [{ keys: ['type', 'data', 'timestamp'], type: /^(?:session|user|assistant|system|tool)\.\w+$/ }],
  },
  {
    what: 'a chat with Copilot in VS Code, exported or from its storage',
    advice: 'write its requests as {"messages": [...]}',
    forms: [{ keys: ['responderUsername', 'requests'] }],
  },
  {
    what: 'a chat with Copilot in VS Code, as its storage logs the changes of it',
    advice: 'write its requests as {"messages": [...]}',
    forms: [{ keys: ['kind', 'v'], test: (first) => isObjectWith(first.get('v'), 'requests') }],
  },
  {
    what: 'the conversation log of Grok Build',
    advice: 'write its lines as {"messages": [...]}, with the type as role and calls in OpenAI\'s format',
    forms: [
      {
        keys: ['type', 'content'],
        type: /^(?:system|user|assistant|tool_result)$/,
        test: (first) => !first.has('role'),
      },
    ],
  },
  {
    what: 'a log of updates of the Agent Client Protocol, as Grok Build writes it',
    advice: 'join the chunks of each message and write them as {"messages": [...]}',
    forms: [{ keys: ['timestamp', 'params'], test: (first) => isObjectWith(first.get('params'), 'update') }],
  },
  {
    what: 'a session of DeepSeek',
    advice: 'write the message of each line as {"messages": [...]}',
    forms: [{ keys: ['type', 'seq', 'time', 'data'], type: /^\w+\/\w+$/ }],
  },
  {
    what: 'a list of messages of Letta',
    advice: 'write them as {"messages": [...]}, the oldest first',
    forms: [{ keys: ['message_type'] }],
  },
  {
    what: 'a transcript of Letta Code',
    advice: 'write its lines as {"messages": [...]}',
    forms: [{ keys: ['kind', 'captured_at'] }],
  },
  {
    what: 'the wire log of Kimi',
    advice: 'write its turns as {"messages": [...]}',
    forms: [
      { keys: ['type', 'protocol_version'], type: /^metadata$/ },
      { keys: ['timestamp', 'message'], test: (first) => isObjectWith(first.get('message'), 'payload') },
      { keys: ['type', 'time'], type: /^(?:turn|context|agent|usage)\.[\w.]+$/ },
    ],
  },
  {
    what: 'a thread of Zed',
    advice: 'write its messages as {"messages": [...]}',
    forms: [
      {
        keys: ['messages', 'updated_at', 'version'],
        test: (first) => ['User', 'Agent'].some((key) => isObjectWith(firstOf(first.get('messages')), key)),
      },
    ],
  },
  {
    what: 'a chat of Kiro',
    advice: 'write its messages as {"messages": [...]}',
    forms: [{ keys: ['executionId', 'chat'] }],
  },
  {
    what: 'the log of an execution of Kiro',
    advice: 'write its messagesFromExecutionId as {"messages": [...]}',
    forms: [{ keys: ['executionId', 'messagesFromExecutionId'] }],
  },
  {
    what: 'a log of the messages of a session of Kiro',
    advice: 'write them as {"messages": [...]}',
    forms: [
      {
        keys: ['timestamp', 'payload'],
        test: (first) => !first.has('type') && isObjectWith(first.get('payload'), 'type'),
      },
      { keys: ['version', 'kind', 'data'], test: (first) => isObjectWith(first.get('data'), 'message_id') },
    ],
  },
  {
    what: 'a conversation that Kiro or Amazon Q Developer saved',
    advice: 'write the turns of its history as {"messages": [...]}',
    forms: [{ keys: ['conversation_id', 'history', 'transcript'] }],
  },
  {
    what: 'the output of opencode run --format json',
    advice: 'export the session with opencode export, which includes the prompt',
    forms: [{ keys: ['type', 'timestamp', 'sessionID'] }],
  },
  {
    what: 'a part of the storage of OpenCode',
    advice: 'export whole sessions with opencode export',
    forms: [{ keys: ['id', 'sessionID'] }],
  },
  {
    what: 'the header of a session in the storage of OpenCode',
    advice: 'export whole sessions with opencode export',
    forms: [{ keys: ['id', 'projectID', 'directory', 'time'] }],
  },
  {
    what: 'a conversation that ChatGPT exported',
    advice: 'write the messages from the root to current_node as {"messages": [...]}',
    forms: [{ keys: ['mapping', 'current_node'] }],
  },
  {
    what: 'a conversation that Claude.ai exported',
    advice: 'write its chat_messages as {"messages": [...]}',
    forms: [{ keys: ['uuid', 'chat_messages'] }],
  },
  {
    what: 'a chat that Open WebUI exported',
    advice: 'write its chat.messages as {"messages": [...]}',
    forms: [{ keys: ['chat', 'user_id', 'title'] }],
  },
  {
    what: 'a conversation that LibreChat exported',
    advice: 'write its messages as {"messages": [...]}',
    forms: [{ keys: ['conversationId', 'endpoint', 'messages'] }],
  },
  {
    what: 'a thread of Amp',
    advice: 'write its messages as {"messages": [...]}, with tool_use_id and content in their results',
    forms: [{ keys: ['v', 'id', 'created', 'messages'] }],
  },
  {
    what: 'a session of Factory Droid',
    advice: 'write the message of each line as {"messages": [...]}',
    forms: [{ keys: ['type', 'id', 'cwd'], type: /^session_start$/ }],
  },
  {
    what: 'the stream-json output of Factory Droid',
    advice: 'read the session of the same id in ~/.factory/sessions',
    forms: [
      { keys: ['type', 'cwd', 'model'], type: /^system$/, test: isOfDroid },
      { keys: ['type', 'role', 'text'], type: /^message$/, test: isOfDroid },
    ],
  },
  {
    what: 'a session of Continue or Kiro',
    advice: 'write the messages of its history as {"messages": [...]}',
    forms: [{ keys: ['sessionId', 'workspaceDirectory', 'history'] }],
  },
  {
    what: 'a list of messages of LangChain',
    advice: 'write them with convert_to_openai_messages',
    forms: [
      { keys: ['lc', 'type', 'kwargs'] },
      { keys: ['messages'], test: (first) => isOfLangChain(firstOf(first.get('messages'))) },
      { keys: ['type', 'data'], type: LANGCHAIN_TYPES },
    ],
  },
  {
    what: 'a list of UI messages of the AI SDK',
    advice: 'write them as {"messages": [...]}, with convertToModelMessages',
    forms: [{ keys: ['role', 'parts'] }],
  },
  {
    what: 'an invocation of Amazon Bedrock without messages (a bare prompt, or embeddings)',
    advice:
      'write its prompt and its answer in the format of the chat API, as {"messages": [...], "response": {...}}',
    forms: [{ keys: ['schemaType', 'modelId', 'input'] }],
  },
  {
    what: "Cloudflare's Logpush of its AI Gateway",
    advice:
      'write RequestBody as "request" and ResponseBody as "response" (encrypted ones must be decrypted first)',
    forms: [{ keys: ['RequestBody', 'ResponseBody', 'Gateway'] }],
  },
  {
    what: 'an export of PostHog',
    advice:
      'write $ai_input as "messages", $ai_output_choices as "response" and $ai_tools as "tools" of each $ai_generation',
    forms: [
      {
        keys: ['event', 'properties'],
        test: (first) => /^\$ai_/.test(textOfValue(first.get('event')) ?? ''),
      },
    ],
  },
  {
    what: 'a trace of LangWatch',
    advice: 'write the input of each span of the type llm as "messages" and its output as "response"',
    forms: [{ keys: ['trace_id', 'timestamps'] }, { keys: ['project_id', 'timestamps', 'metrics'] }],
  },
  {
    what: 'a log of Lunary',
    advice: 'write the input of each run of the type llm as "messages" and its output as "response"',
    forms: [
      { keys: ['runId', 'event', 'type'], type: /^(?:llm|chat|agent|tool|chain|thread)$/ },
      {
        keys: ['type', 'createdAt', 'input', 'output'],
        type: /^(?:llm|chat|agent|tool|chain|thread|trace|embed)$/,
        test: (first) => ['siblingRunId', 'projectId', 'templateVersionId'].some((key) => first.has(key)),
      },
    ],
  },
  {
    what: 'an export of Opik without the spans of its traces',
    advice: 'export the traces with opik export, which writes their spans, or write the spans, one a line',
    forms: [
      {
        keys: ['trace', 'spans', 'project_name'],
        test: (first) => firstOf(first.get('spans')) === undefined,
      },
      {
        keys: ['project_id', 'start_time', 'input', 'output', 'last_updated_at'],
        test: (first) => !first.has('trace_id'),
      },
    ],
  },
  {
    what: 'a page of the REST API of Opik',
    advice: 'write the spans in its content, one a line',
    forms: [{ keys: ['page', 'size', 'total', 'content'] }],
  },
  {
    what: 'an experiment that Opik exported',
    advice: 'export the traces that its items name',
    forms: [{ keys: ['experiment', 'items'] }],
  },
  {
    what: 'an event of the memory of Amazon Bedrock AgentCore',
    advice: 'write the conversational members of its payload as {"messages": [...]}, the oldest event first',
    forms: [{ keys: ['memoryId', 'actorId', 'payload'] }],
  },
  {
    what: 'an application log of Amazon Bedrock AgentCore, which has what went into the agent and what came out',
    advice: 'read the spans and the log records of its traces',
    forms: [
      { keys: ['operation', 'body'], test: (first) => isObjectWith(first.get('body'), 'request_payload') },
    ],
  },
  {
    what: 'an answer of Ollama without its request',
    advice: 'log the request too, as {"messages": [...], "response": {...}}',
    forms: [{ keys: ['model', 'created_at', 'done'] }],
  },
  {
    what: 'a request or a tuning example of the Gemini API',
    advice: 'write its contents as a list of {role, parts}, which is read as a checkpoint of Gemini CLI',
    forms: [{ keys: ['contents'] }],
  },
  {
    what: 'a trajectory of the Agent Data Protocol',
    advice: 'convert it with its own tools to {"messages": [...]}',
    forms: [{ keys: ['content'], test: (first) => isObjectWith(firstOf(first.get('content')), 'class_') }],
  },
];

/** Members of an answer of an API, or of a body that is sent to one, that hold a page of objects. */
const PAGES = ['data', 'results', 'traces', 'events', 'spans'] as const;

/** Says what an unrecognised source is and what to do; undefined if its first object is not that of a known log. */
export function unreadLogAdvice(first: ObjectMembers): string | undefined {
  const rows = PAGES.flatMap((key) => firstOf(first.get(key)) ?? []);
  const found = [first, ...rows.map(objectIn)].map(unreadLog).find((one) => one !== undefined);
  return found && `this is ${found.what}: ${found.advice}`;
}

function unreadLog(first: ObjectMembers): UnreadLog | undefined {
  const type = textOfValue(first.get('type'));
  return UNREAD_LOGS.find(({ forms }) =>
    forms.some(
      ({ keys, type: pattern, test }) =>
        keys.every((key) => first.has(key)) &&
        (pattern === undefined || (type !== undefined && pattern.test(type))) &&
        (test === undefined || test(first)),
    ),
  );
}

/** The members of an object; none for any other value. */
const objectIn = (value: Uint8Array): ObjectMembers =>
  new Map(
    value[0] === OPEN_OBJECT
      ? membersOf(value).map(({ key, valueStart, end }) => [key, value.subarray(valueStart, end)])
      : [],
  );

const firstOf = (list: Uint8Array | undefined): Uint8Array | undefined =>
  list?.[0] === OPEN_ARRAY ? elementsOf(list)[0] : undefined;

/** Is it a message of LangChain: a serialised object (`lc`), or only its members? */
function isOfLangChain(message: Uint8Array | undefined): boolean {
  if (message?.[0] !== OPEN_OBJECT) return false;
  const [lc, type, role] = valuesOf(message, ['lc', 'type', 'role']);
  return lc !== undefined || (role === undefined && LANGCHAIN_TYPES.test(textOfValue(type) ?? ''));
}

const isObjectWith = (value: Uint8Array | undefined, key: string): boolean =>
  value?.[0] === OPEN_OBJECT && valuesOf(value, [key])[0] !== undefined;
