/** A call that failed has no answer: its error is not one, and formats for trainers reject a conversation without any. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const messages = [{ role: 'user', content: 'q' }];
const request = { model: 'm', messages };
const error = { message: 'Rate limit reached', type: 'rate_limit_error', code: 'rate_limit_exceeded' };
const time = '2026-02-03T10:00:00Z';
const PAIR = { request, response: { error } };

const CALLS: readonly (readonly [name: string, call: object])[] = [
  ['a pair', PAIR],
  ['an answer with a status', { request, response: { status_code: 429, body: { error } } }],
  ['a pair in a log of sessions', { timestamp: time, session_id: 's', ...PAIR }],
  ['the Messages API', { request: { ...request, max_tokens: 5 }, response: { type: 'error', error } }],
  [
    'the Responses API',
    {
      request: { model: 'm', input: 'q' },
      response: { object: 'response', status: 'failed', error, output: [] },
    },
  ],
  [
    'Gemini',
    {
      request: { contents: [{ role: 'user', parts: [{ text: 'q' }] }] },
      response: { error: { ...error, code: 429 } },
    },
  ],
  [
    'LiteLLM',
    {
      id: '1',
      call_type: 'acompletion',
      status: 'failure',
      model: 'm',
      messages,
      response: {},
      error_str: 'x',
      metadata: {},
      startTime: 1,
      endTime: 2,
    },
  ],
  [
    'a spend log of LiteLLM',
    {
      ...{ request_id: '1', call_type: 'acompletion', spend: 0, startTime: time, endTime: time, model: 'm' },
      ...{ messages, response: {}, status: 'failure', metadata: { status: 'failure' } },
    },
  ],
  [
    'Langfuse',
    {
      id: 'o',
      traceId: 't',
      type: 'GENERATION',
      level: 'ERROR',
      statusMessage: '429',
      input: messages,
      output: null,
    },
  ],
  [
    'OpenTelemetry',
    {
      ...{ traceId: 't', spanId: '1', status: { code: 2 } },
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'q' }] }],
      },
    },
  ],
];

async function built(call: object, format: string) {
  const path = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(path, `${JSON.stringify(call)}\n`);
  const { status, stdout, stderr } = await turnmill(['build', path, '--out', '-', '--format', format]);
  return { status, text: `${stdout}`, report: `${stderr}` };
}

it.each(CALLS)('has no answer: %s', async (_, call) => {
  const kept = await built(call, 'chat');
  expect(kept).toMatchObject({ status: 0, text: `${JSON.stringify({ messages, tools: [] })}\n` });
  expect(kept.report).toContain('response-error');
  expect(kept.report).toContain('no-answer');
  const rejected = await built(call, 'trl');
  expect(rejected).toMatchObject({ status: 3, text: '' });
  expect(rejected.report).toContain('rejected:no-answer');
});

it.each(['openai', 'axolotl', 'sharegpt'])('is rejected in %s', async (format) => {
  const { status, text, report } = await built(PAIR, format);
  expect({ status, text }).toEqual({ status: 3, text: '' });
  expect(report).toContain('rejected:no-answer');
});

it('is kept in chat-inline, with the finding', async () => {
  const { status, text, report } = await built(PAIR, 'chat-inline');
  expect({ status, isRecord: text.length > 2 }).toEqual({ status: 0, isRecord: true });
  expect(text).not.toContain('Rate limit');
  expect(report).toContain('no-answer');
});

it('has nothing to learn in prompt', async () => {
  const { status, text, report } = await built(PAIR, 'prompt');
  expect({ status, text }).toEqual({ status: 3, text: '' });
  expect(report).toContain('rejected:unanswered-end');
});
