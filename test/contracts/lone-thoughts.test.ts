/** A log that ends in the model's reasoning has no answer there, in each dialect that joins several events or blocks to a message. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const time = '2026-02-03T10:00:00.000Z';
const question = { role: 'user', content: 'q' };
const lines = (...objects: readonly object[]): string => objects.map((one) => JSON.stringify(one)).join('\n');
const events = (...objects: readonly Readonly<Record<string, unknown>>[]): string =>
  objects
    .map(
      (one) =>
        `${typeof one.type === 'string' ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`,
    )
    .join('');

const codex = (type: string, payload: object) => ({ timestamp: time, type, payload });
const rollout = { timestamp: time, type: 'session_meta', payload: { id: 's' } };
const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'x' };
const reasoning = { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] };
const response = { id: 'r', object: 'response', status: 'completed', model: 'm', output: [reasoning] };
const chunk = (delta: object, finish_reason: string | null) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason }],
});
const converse = {
  ...{ schemaType: 'ModelInvocationLog', schemaVersion: '1.0', timestamp: time, requestId: 'r' },
  ...{ operation: 'Converse', modelId: 'm' },
  input: { inputBodyJson: { messages: [{ role: 'user', content: [{ text: 'q' }] }] } },
  output: {
    outputBodyJson: {
      output: {
        message: { role: 'assistant', content: [{ reasoningContent: { reasoningText: { text: 'Hm.' } } }] },
      },
      stopReason: 'end_turn',
    },
  },
};

const LOGS: readonly (readonly [name: string, file: string, log: string])[] = [
  [
    'claude-code',
    'a.jsonl',
    lines(
      { type: 'user', uuid: '1', parentUuid: null, sessionId: 's', message: question },
      {
        ...{ type: 'assistant', uuid: '2', parentUuid: '1', sessionId: 's' },
        message: { id: 'm', role: 'assistant', content: [thinking] },
      },
    ),
  ],
  [
    'codex',
    'a.jsonl',
    lines(
      rollout,
      codex('response_item', {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: 'q' }],
      }),
      codex('response_item', reasoning),
    ),
  ],
  [
    'codex, whose events alone say something',
    'a.jsonl',
    lines(
      rollout,
      codex('event_msg', { type: 'user_message', message: 'q' }),
      codex('event_msg', { type: 'agent_reasoning', text: 'Hm.' }),
    ),
  ],
  [
    'gemini-cli',
    'a.jsonl',
    lines(
      { sessionId: 's', projectHash: 'h', startTime: time },
      { id: '1', timestamp: time, type: 'user', content: 'q' },
      { id: '2', timestamp: time, type: 'gemini', content: '', thoughts: [{ subject: 'Hm.' }] },
    ),
  ],
  [
    'Qwen Code',
    'a.jsonl',
    lines(
      { uuid: '1', sessionId: 's', type: 'user', message: { role: 'user', parts: [{ text: 'q' }] } },
      {
        ...{ uuid: '2', parentUuid: '1', sessionId: 's', type: 'assistant' },
        message: { role: 'model', parts: [{ text: 'Hm.', thought: true }] },
      },
    ),
  ],
  [
    'opencode',
    'a.json',
    lines({
      info: { id: 's', projectID: 'p' },
      messages: [
        { info: { role: 'user' }, parts: [{ type: 'text', text: 'q' }] },
        { info: { role: 'assistant' }, parts: [{ type: 'step-start' }, { type: 'reasoning', text: 'Hm.' }] },
      ],
    }),
  ],
  [
    'openhands',
    'a.jsonl',
    lines(
      {
        kind: 'MessageEvent',
        id: '1',
        source: 'user',
        llm_message: { role: 'user', content: [{ type: 'text', text: 'q' }] },
      },
      {
        ...{ kind: 'MessageEvent', id: '2', source: 'agent' },
        llm_message: { role: 'assistant', content: [], reasoning_content: 'Hm.' },
      },
    ),
  ],
  [
    'pi',
    'a.jsonl',
    lines(
      { type: 'session', version: 3, id: 's', cwd: '/' },
      { type: 'message', id: '1', parentId: null, message: question },
      { type: 'message', id: '2', parentId: '1', message: { role: 'assistant', content: [thinking] } },
    ),
  ],
  [
    'sts',
    'a.jsonl',
    lines(
      { type: 'session', harness: 'h', id: 's' },
      { type: 'message', message: question },
      { type: 'message', message: { role: 'assistant', content: '', reasoningContent: 'Hm.' } },
    ),
  ],
  [
    'goose',
    'a.jsonl',
    lines(
      { working_dir: '/', description: 'd' },
      { role: 'user', created: 1, content: [{ type: 'text', text: 'q' }] },
      { role: 'assistant', created: 2, content: [thinking] },
    ),
  ],
  [
    'cline',
    'a.json',
    JSON.stringify([
      { role: 'user', content: [{ type: 'text', text: 'q' }], ts: 1 },
      { role: 'assistant', content: [thinking], ts: 2 },
    ]),
  ],
  ['the Responses API', 'a.jsonl', lines({ request: { model: 'm', input: 'q' }, response })],
  ['Converse', 'a.jsonl', lines(converse)],
  [
    'the Messages API',
    'a.jsonl',
    lines({
      request: { model: 'm', max_tokens: 9, messages: [question] },
      response: { id: 'm', type: 'message', role: 'assistant', content: [thinking], stop_reason: 'end_turn' },
    }),
  ],
  [
    'a stream of the chat completions API',
    'a.sse',
    events(chunk({ role: 'assistant', reasoning_content: 'Hm.' }, null), chunk({}, 'stop')),
  ],
  [
    'a stream of the Messages API',
    'a.sse',
    events(
      {
        type: 'message_start',
        message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm' },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ),
  ],
  [
    'a stream of Gemini',
    'a.sse',
    events({
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Hm.', thought: true }] }, finishReason: 'STOP' },
      ],
    }),
  ],
  [
    'a stream of the Responses API',
    'a.sse',
    events(
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item: reasoning },
      { type: 'response.completed', response },
    ),
  ],
];

it.each(LOGS)('a thought alone is no answer: %s', async (_, file, log) => {
  const path = join(temporaryFolder(), file);
  writeFileSync(path, log);
  const { stdout, status } = await turnmill(['build', path, '--out', '-']);
  const [record = ''] = `${stdout}`.split('\n');
  const { messages } = JSON.parse(record) as { readonly messages: readonly { readonly role: string }[] };
  expect({ status, roles: messages.map(({ role }) => role) }).toEqual({
    status: 0,
    roles: file.endsWith('.sse') ? [] : ['user'],
  });
  const trained = await turnmill(['build', path, '--out', '-', '--format', 'trl']);
  expect({ status: trained.status, stdout: `${trained.stdout}` }).toEqual({ status: 3, stdout: '' });
  expect(`${trained.stderr}`).toContain('no-answer');
});
