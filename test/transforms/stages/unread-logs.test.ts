import { expect, it } from 'vitest';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { unreadLogAdvice } from '../../../transforms/stages/unread-logs.ts';
import { asBuffer } from '../bytes.ts';

/** First objects of logs that no dialect reads, with a word of their rejection. */
const FIRST: readonly (readonly [word: string, first: object])[] = [
  ['Cline', { ts: 1, type: 'say', say: 'text', text: 'a' }],
  ['Cline', { ts: 1, type: 'ask', ask: 'tool', text: '{}' }],
  ...['user', 'assistant', 'tool', 'system'].map((role) => {
    const content = [{ type: 'text', text: 'a' }];
    const message = { id: 'm', role, created: 1, content, metadata: { userVisible: true } };
    return ['goose run', { type: 'message', message }] as const;
  }),
  ['old codex exec', { id: '0', msg: { type: 'task_started' } }],
  ['prompt history of Codex', { session_id: 's', ts: 1, text: 'a' }],
  ['prompt history of Claude Code', { display: 'a', pastedContents: {}, timestamp: 1, project: '/' }],
  [
    'prompt history of Gemini CLI',
    { sessionId: 's', messageId: 0, type: 'user', message: 'a', timestamp: 't' },
  ],
  [
    'opencode run --format json',
    { type: 'error', timestamp: 1, sessionID: 's', error: { name: 'APIError', data: { message: 'm' } } },
  ],
  ['opencode run --format json', { type: 'step_start', timestamp: 1, sessionID: 's', part: {} }],
  [
    'Cursor agent',
    { type: 'system', subtype: 'init', apiKeySource: 'login', cwd: '/', session_id: 's', model: 'm' },
  ],
  ['Cursor', { role: 'user', message: { content: [{ type: 'text', text: 'a' }] } }],
  ['Copilot CLI', { type: 'session.start', data: {}, id: 'e', timestamp: 't', parentId: null }],
  ['VS Code', { requesterUsername: 'a', responderUsername: 'b', initialLocation: 'panel', requests: [] }],
  ['OpenCode', { id: 'msg_1', sessionID: 's', role: 'user', time: {} }],
  ['OpenCode', { id: 's', version: '1', projectID: 'p', directory: '/', title: 't', time: {} }],
  ['ChatGPT', { title: 't', create_time: 1, mapping: {}, current_node: 'n' }],
  ['Claude.ai', { uuid: 'u', name: 'n', chat_messages: [] }],
  ['Open WebUI', { id: 'i', user_id: 'u', title: 't', chat: { messages: [] } }],
  ['LibreChat', { conversationId: 'c', endpoint: 'e', messages: [{ messageId: '1', text: 'a' }] }],
  ['Amp', { v: 5, id: 'T-1', created: 1, messages: [{ role: 'user', content: [], messageId: 0 }] }],
  [
    'Antigravity',
    {
      ...{ step_index: 0, source: 'USER_EXPLICIT', type: 'USER_INPUT', status: 'DONE' },
      ...{ created_at: '2026-06-10T16:58:16Z', content: 'a' },
    },
  ],
  ['Droid', { type: 'session_start', id: 'd', title: 't', cwd: '/' }],
  ...['session_id', 'sessionId'].flatMap((key) => {
    const first = { type: 'system', subtype: 'init', cwd: '/', tools: ['Read'], model: 'm', [key]: 's' };
    const message = { type: 'message', role: 'user', id: 'm', text: 'a', [key]: 's' };
    return [first, message].map((line) => ['stream-json output of Factory Droid', line] as const);
  }),
  ['Continue', { sessionId: 's', title: 't', workspaceDirectory: '/', history: [{ message: {} }] }],
  ['LangChain', { lc: 1, type: 'constructor', id: [], kwargs: {} }],
  ['LangChain', { type: 'human', data: { content: 'a' } }],
  ['Gemini API', { contents: [{ role: 'user', parts: [] }] }],
  ['Cloudflare', { Gateway: 'g', Provider: 'openai', RequestBody: '{}', ResponseBody: '{}' }],
  ['Lunary', { id: 'i', projectId: 'p', type: 'llm', name: 'm', createdAt: 't', input: [], output: {} }],
  ['PostHog', { uuid: 'u', event: '$ai_generation', properties: { $ai_trace_id: 't', $ai_input: [] } }],
  ['LangWatch', { type: 'llm', trace_id: 't', span_id: 's', input: {}, output: {}, timestamps: {} }],
  [
    'Copilot in VS Code',
    { version: 3, responderUsername: 'Copilot', requests: [], sessionId: 's', creationDate: 1 },
  ],
  ['Copilot in VS Code', { kind: 0, v: { version: 3, sessionId: 's', creationDate: 1, requests: [] } }],
  ['Copilot', { type: 'user.message', data: { content: 'a' }, timestamp: 't' }],
  [
    'Kiro or Amazon Q',
    {
      ...{ conversation_id: 'c', next_message: null, valid_history_range: [0, 1], transcript: [] },
      history: [
        { user: { content: { Prompt: { prompt: 'a' } } }, assistant: { Response: { content: 'b' } } },
      ],
    },
  ],
  ['Grok Build', { type: 'user', content: [{ type: 'text', text: 'a' }], prompt_index: 0 }],
  ['Grok Build', { type: 'system', content: 'a' }],
  [
    'iFlow',
    {
      ...{ type: 'user', uuid: 'u', parentUuid: null, isSidechain: false, userType: 'external' },
      sessionId: 'session-1b2c3d4e-0000-4000-8000-00000000000a',
      message: { role: 'user', content: 'a' },
    },
  ],
  ['Grok Build', { type: 'assistant', content: 'a', model_id: 'm' }],
  ['DeepSeek', { type: 'user/message', seq: 1, time: 1, data: { role: 'user', content: [] } }],
  ['Letta', { id: 'm', message_type: 'user_message', content: 'a', date: 't' }],
  ['Letta', { id: 'm', message_type: 'assistant_message', content: [{ type: 'text', text: 'a' }] }],
  ['Kimi', { type: 'metadata', protocol_version: '1.9' }],
  ['Kimi', { timestamp: 1.5, message: { type: 'TurnBegin', payload: { user_input: 'a' } } }],
  ['Kimi', { type: 'turn.prompt', time: 1, input: [{ type: 'text', text: 'a' }] }],
  [
    'Zed',
    {
      ...{ title: 't', updated_at: 't', version: '0.3.0', model: {} },
      messages: [{ User: { id: 'u', content: [{ Text: 'a' }] } }],
    },
  ],
  [
    'Kiro',
    {
      sessionId: 's',
      title: 't',
      workspaceDirectory: 'w',
      history: [{ message: { role: 'user', content: 'a' } }],
    },
  ],
  ['Kiro', { executionId: 'e', context: [], chat: [{ role: 'human', content: 'a' }] }],
  ['Kiro', { executionId: 'e', messagesFromExecutionId: [{ role: 'bot', entries: [] }] }],
  ['Kiro', { id: 'i', timestamp: 't', payload: { type: 'user', content: 'a' } }],
  ['Kiro', { version: 'v1', kind: 'Prompt', data: { message_id: 'm', content: [] } }],
  ['Grok Build', { timestamp: 1, params: { update: { sessionUpdate: 'user_message_chunk', content: {} } } }],
  ['DeepSeek', { type: 'request/header', seq: 0, time: 1, data: { header: { system: 'a' } } }],
  ['Letta Code', { kind: 'user', text: 'a', captured_at: 't', source_line_id: 'l' }],
  [
    'LangWatch',
    { id: 'i', project_id: 'p', timestamps: { started_at: 1 }, input: { value: 'a' }, metrics: {} },
  ],
  [
    'Lunary',
    { id: 'i', isPublic: false, type: 'llm', createdAt: 't', input: [], output: {}, siblingRunId: null },
  ],
  ['PostHog', { uuid: 'u', event: '$ai_trace', properties: '{}' }],
  ['PostHog', { results: [{ event: '$ai_generation', properties: {} }], next: null }],
  ['AgentCore', { events: [{ memoryId: 'm', actorId: 'a', payload: [] }] }],
  ['without the spans', { trace: { id: 't', input: {} }, spans: [], project_name: 'p' }],
  [
    'without the spans',
    { id: 't', project_id: 'p', start_time: 't', input: {}, output: {}, last_updated_at: 't' },
  ],
  ['REST API of Opik', { page: 1, size: 1, total: 1, content: [{ trace_id: 't', type: 'llm', input: {} }] }],
  ['experiment that Opik', { experiment: { id: 'e' }, items: [{ trace_id: 't', input: {} }] }],
  [
    'memory of Amazon Bedrock AgentCore',
    { memoryId: 'm', actorId: 'a', sessionId: 's', eventId: 'e', payload: [{ conversational: {} }] },
  ],
  [
    'application log of Amazon Bedrock AgentCore',
    {
      operation: 'InvokeAgentRuntime',
      session_id: 's',
      body: { request_payload: {}, response_payload: 'a' },
    },
  ],
  [
    'LangWatch',
    { trace_id: 't', timestamps: { started_at: 1 }, spans: [{ type: 'llm', input: {}, output: {} }] },
  ],
  [
    'LangWatch',
    {
      trace_id: 't',
      spans: [{ type: 'llm', span_id: 's', trace_id: 't', input: {}, timestamps: { started_at: 1 } }],
    },
  ],
  ['Lunary', { event: 'start', type: 'llm', runId: 'r', timestamp: 't', input: [] }],
  ['AI SDK', { id: '1', role: 'user', parts: [{ type: 'text', text: 'a' }] }],
  [
    'Amazon Bedrock',
    {
      ...{ schemaType: 'ModelInvocationLog', timestamp: 't', operation: 'InvokeModel', modelId: 'm' },
      input: { inputBodyJson: { inputText: 'a' } },
      output: { outputBodyJson: {} },
    },
  ],
  ['Ollama', { model: 'm', created_at: 't', message: { role: 'assistant', content: 'a' }, done: true }],
  ['LangChain', { messages: [{ lc: 1, type: 'constructor', id: [], kwargs: { content: 'a' } }] }],
  ['LangChain', { messages: [{ type: 'human', content: 'a' }] }],
  ['Agent Data Protocol', { id: '1', content: [{ class_: 'text_observation', content: 'a' }], details: {} }],
];

it.each(FIRST)('%s: is named in its rejection, and no dialect detects it', (word, first) => {
  const members = new Map(
    Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))]),
  );
  expect(unreadLogAdvice(members)).toMatch(/^this is .*: /);
  expect(unreadLogAdvice(members)).toContain(word);
  expect(detectDialect(asBuffer(JSON.stringify(first)))?.name).toBeUndefined();
});

it.each([
  ['nothing', {}],
  ['a call', { id: '1', content: [{ type: 'text', text: 'a' }] }],
  ['another type', { type: 'thread.started.x' }],
  ['a content that is empty', { content: [] }],
  ['a pair without contents', { request: { text: 'a' }, response: {} }],
  ['a page without rows', { data: [], results: ['a'], next: null }],
  ['an empty list of messages', { messages: [] }],
  ['a kind of message that Letta does not have', { id: 'm', message_type: 'question', message: 'a' }],
  ['a type that is not text', { type: 7, data: {} }],
])('%s is not named in its rejection', (_what, first) => {
  const members = new Map(
    Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))]),
  );
  expect(unreadLogAdvice(members)).toBeUndefined();
});

it.each([
  [
    'its first line has the servers of its tools',
    { type: 'system', subtype: 'init', session_id: 's', tools: ['Read'], mcp_servers: [] },
  ],
  [
    'its lines name the call of their agent',
    { type: 'user', message: {}, session_id: 's', parent_tool_use_id: null },
  ],
  ['its lines have a uuid', { type: 'user', message: {}, session_id: 's', uuid: 'u' }],
])('the output of Claude Code is recognised if %s', (_what, first) => {
  expect(detectDialect(asBuffer(JSON.stringify(first)))?.name).toBe('claude-code');
});
