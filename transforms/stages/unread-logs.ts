/**
 * Compares the first object of a source that no dialect recognises with those of known programs, so that its rejection
 * says what the log is and what to do instead.
 */
import type { ObjectMembers } from '../dialects/dialect.ts';
import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, membersOf, valuesOf } from '../json/members.ts';
import { textOfValue } from '../model/message.ts';

/** The first object of a log. */
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

/** The forms of each log, by the text that says what it is, and what to read instead of it or how to convert it. */
const UNREAD_LOGS: Readonly<Record<string, readonly Form[]>> = {
  'the output of goose run --output-format stream-json, which has messages in pieces: export the session with goose session export --format json':
    [{ keys: ['type', 'message'], test: (first) => isObjectWith(first.get('message'), 'created') }],
  'the list of messages that Cline shows on the screen: read api_conversation_history.json beside it': [
    { keys: ['ts', 'type', 'say'] },
    { keys: ['ts', 'type', 'ask'] },
  ],
  'the output of an old codex exec --json: read the rollout of the same session in ~/.codex/sessions': [
    { keys: ['id', 'msg'] },
  ],
  [`the prompt history of Codex: ${HISTORY}: read ~/.codex/sessions`]: [
    { keys: ['session_id', 'ts', 'text'] },
  ],
  [`the prompt history of Claude Code: ${HISTORY}: read ~/.claude/projects`]: [
    { keys: ['display', 'pastedContents', 'timestamp'] },
  ],
  [`the prompt history of Gemini CLI: ${HISTORY}: read the chats folder beside it`]: [
    { keys: ['sessionId', 'messageId', 'type', 'message'] },
  ],
  'a transcript of Antigravity: write the steps of transcript_full.jsonl as {"messages": [...]}; transcript.jsonl beside it cuts long texts':
    [{ keys: ['step_index', 'source', 'type', 'status', 'created_at'] }],
  'a session of iFlow, which repeats calls and has results of another form: write its messages as {"messages": [...]}, each call once':
    [{ keys: ['uuid', 'sessionId', 'userType', 'message'], type: /^(?:user|assistant)$/ }],
  'the stream-json output of the Cursor agent: write its lines as {"messages": [...]}': [
    { keys: ['type', 'subtype', 'session_id', 'apiKeySource'], type: /^system$/ },
  ],
  'a transcript of Cursor, which has no results of tools: write its lines as {"messages": [...]}': [
    { keys: ['role', 'message'] },
  ],
  'the events of a session of the Copilot CLI or of Copilot in VS Code: write them as {"messages": [...]}, or as session traces':
    [{ keys: ['type', 'data', 'timestamp'], type: /^(?:session|user|assistant|system|tool)\.\w+$/ }],
  'a chat with Copilot in VS Code, exported or from its storage: write its requests as {"messages": [...]}': [
    { keys: ['responderUsername', 'requests'] },
  ],
  'a chat with Copilot in VS Code, as its storage logs the changes of it: write its requests as {"messages": [...]}':
    [{ keys: ['kind', 'v'], test: (first) => isObjectWith(first.get('v'), 'requests') }],
  'the conversation log of Grok Build: write its lines as {"messages": [...]}, with the type as role and calls in OpenAI\'s format':
    [
      {
        keys: ['type', 'content'],
        type: /^(?:system|user|assistant|tool_result)$/,
        test: (first) => !first.has('role'),
      },
    ],
  'a log of updates of the Agent Client Protocol, as Grok Build writes it: join the chunks of each message and write them as {"messages": [...]}':
    [{ keys: ['timestamp', 'params'], test: (first) => isObjectWith(first.get('params'), 'update') }],
  'a session of DeepSeek: write the message of each line as {"messages": [...]}': [
    { keys: ['type', 'seq', 'time', 'data'], type: /^\w+\/\w+$/ },
  ],
  'a list of messages of Letta: write them as {"messages": [...]}, the oldest first': [
    {
      keys: ['message_type'],
      test: (first) => textOfValue(first.get('message_type'))?.endsWith('_message') === true,
    },
  ],
  'a transcript of Letta Code: write its lines as {"messages": [...]}': [{ keys: ['kind', 'captured_at'] }],
  'the wire log of Kimi: write its turns as {"messages": [...]}': [
    { keys: ['type', 'protocol_version'], type: /^metadata$/ },
    { keys: ['timestamp', 'message'], test: (first) => isObjectWith(first.get('message'), 'payload') },
    { keys: ['type', 'time'], type: /^(?:turn|context|agent|usage)\.[\w.]+$/ },
  ],
  'a thread of Zed: write its messages as {"messages": [...]}': [
    {
      keys: ['messages', 'updated_at', 'version'],
      test: (first) => ['User', 'Agent'].some((key) => isObjectWith(firstOf(first.get('messages')), key)),
    },
  ],
  'a chat of Kiro: write its messages as {"messages": [...]}': [{ keys: ['executionId', 'chat'] }],
  'the log of an execution of Kiro: write its messagesFromExecutionId as {"messages": [...]}': [
    { keys: ['executionId', 'messagesFromExecutionId'] },
  ],
  'a log of the messages of a session of Kiro: write them as {"messages": [...]}': [
    {
      keys: ['timestamp', 'payload'],
      test: (first) => !first.has('type') && isObjectWith(first.get('payload'), 'type'),
    },
    { keys: ['version', 'kind', 'data'], test: (first) => isObjectWith(first.get('data'), 'message_id') },
  ],
  'a conversation that Kiro or Amazon Q Developer saved: write the turns of its history as {"messages": [...]}':
    [{ keys: ['conversation_id', 'history', 'transcript'] }],
  'the output of opencode run --format json: export the session with opencode export, which includes the prompt':
    [{ keys: ['type', 'timestamp', 'sessionID'] }],
  'a part of the storage of OpenCode: export whole sessions with opencode export': [
    { keys: ['id', 'sessionID'] },
  ],
  'the header of a session in the storage of OpenCode: export whole sessions with opencode export': [
    { keys: ['id', 'projectID', 'directory', 'time'] },
  ],
  'a conversation that ChatGPT exported: write the messages from the root to current_node as {"messages": [...]}':
    [{ keys: ['mapping', 'current_node'] }],
  'a conversation that Claude.ai exported: write its chat_messages as {"messages": [...]}': [
    { keys: ['uuid', 'chat_messages'] },
  ],
  'a chat that Open WebUI exported: write its chat.messages as {"messages": [...]}': [
    { keys: ['chat', 'user_id', 'title'] },
  ],
  'a conversation that LibreChat exported: write its messages as {"messages": [...]}': [
    { keys: ['conversationId', 'endpoint', 'messages'] },
  ],
  'a thread of Amp: write its messages as {"messages": [...]}, with tool_use_id and content in their results':
    [{ keys: ['v', 'id', 'created', 'messages'] }],
  'a session of Factory Droid: write the message of each line as {"messages": [...]}': [
    { keys: ['type', 'id', 'cwd'], type: /^session_start$/ },
  ],
  'the stream-json output of Factory Droid: read the session of the same id in ~/.factory/sessions': [
    { keys: ['type', 'cwd', 'model'], type: /^system$/, test: isOfDroid },
    { keys: ['type', 'role', 'text'], type: /^message$/, test: isOfDroid },
  ],
  'a session of Continue or Kiro: write the messages of its history as {"messages": [...]}': [
    { keys: ['sessionId', 'workspaceDirectory', 'history'] },
  ],
  'a list of messages of LangChain: write them with convert_to_openai_messages': [
    { keys: ['lc', 'type', 'kwargs'] },
    { keys: ['messages'], test: (first) => isOfLangChain(firstOf(first.get('messages'))) },
    { keys: ['type', 'data'], type: LANGCHAIN_TYPES },
  ],
  'a list of UI messages of the AI SDK: write them as {"messages": [...]}, with convertToModelMessages': [
    { keys: ['role', 'parts'] },
  ],
  'an invocation of Amazon Bedrock without messages (a bare prompt, or embeddings): write its prompt and its answer in the format of the chat API, as {"messages": [...], "response": {...}}':
    [{ keys: ['schemaType', 'modelId', 'input'] }],
  'Cloudflare\'s Logpush of its AI Gateway: write RequestBody as "request" and ResponseBody as "response" (encrypted ones must be decrypted first)':
    [{ keys: ['RequestBody', 'ResponseBody', 'Gateway'] }],
  'an export of PostHog: write $ai_input as "messages", $ai_output_choices as "response" and $ai_tools as "tools" of each $ai_generation':
    [
      {
        keys: ['event', 'properties'],
        test: (first) => /^\$ai_/.test(textOfValue(first.get('event')) ?? ''),
      },
    ],
  'a trace of LangWatch: write the input of each span of the type llm as "messages" and its output as "response"':
    [{ keys: ['trace_id', 'timestamps'] }, { keys: ['project_id', 'timestamps', 'metrics'] }],
  'a log of Lunary: write the input of each run of the type llm as "messages" and its output as "response"': [
    { keys: ['runId', 'event', 'type'], type: /^(?:llm|chat|agent|tool|chain|thread)$/ },
    {
      keys: ['type', 'createdAt', 'input', 'output'],
      type: /^(?:llm|chat|agent|tool|chain|thread|trace|embed)$/,
      test: (first) => ['siblingRunId', 'projectId', 'templateVersionId'].some((key) => first.has(key)),
    },
  ],
  'an export of Opik without the spans of its traces: export the traces with opik export, which writes their spans, or write the spans, one a line':
    [
      {
        keys: ['trace', 'spans', 'project_name'],
        test: (first) => firstOf(first.get('spans')) === undefined,
      },
      {
        keys: ['project_id', 'start_time', 'input', 'output', 'last_updated_at'],
        test: (first) => !first.has('trace_id'),
      },
    ],
  'a page of the REST API of Opik: write the spans in its content, one a line': [
    { keys: ['page', 'size', 'total', 'content'] },
  ],
  'an experiment that Opik exported: export the traces that its items name': [
    { keys: ['experiment', 'items'] },
  ],
  'an event of the memory of Amazon Bedrock AgentCore: write the conversational members of its payload as {"messages": [...]}, the oldest event first':
    [{ keys: ['memoryId', 'actorId', 'payload'] }],
  'an application log of Amazon Bedrock AgentCore, which has what went into the agent and what came out: read the spans and the log records of its traces':
    [{ keys: ['operation', 'body'], test: (first) => isObjectWith(first.get('body'), 'request_payload') }],
  'an answer of Ollama without its request: log the request too, as {"messages": [...], "response": {...}}': [
    { keys: ['model', 'created_at', 'done'] },
  ],
  'a request or a tuning example of the Gemini API: write its contents as a list of {role, parts}, which is read as a checkpoint of Gemini CLI':
    [{ keys: ['contents'] }],
  'a trajectory of the Agent Data Protocol: convert it with its own tools to {"messages": [...]}': [
    { keys: ['content'], test: (first) => isObjectWith(firstOf(first.get('content')), 'class_') },
  ],
};

/** Members of an answer of an API, or of a body that is sent to one, that hold a page of objects. */
const PAGES = ['data', 'results', 'traces', 'events', 'spans'] as const;

/** Says what an unrecognised source is and what to do; undefined if its first object is not that of a known log. */
export function unreadLogAdvice(first: ObjectMembers): string | undefined {
  const rows = PAGES.flatMap((key) => firstOf(first.get(key)) ?? []);
  const found = [first, ...rows.map(objectIn)].map(unreadLog).find((one) => one !== undefined);
  return found && `this is ${found}`;
}

function unreadLog(first: ObjectMembers): string | undefined {
  const type = textOfValue(first.get('type'));
  const isOf = ({ keys, type: pattern, test }: Form): boolean =>
    keys.every((key) => first.has(key)) &&
    (pattern === undefined || (type !== undefined && pattern.test(type))) &&
    (test === undefined || test(first));
  return Object.entries(UNREAD_LOGS).find(([, forms]) => forms.some(isOf))?.[0];
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
