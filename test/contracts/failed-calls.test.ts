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

/** The text that each logger writes as the answer of a call that failed, beside the error. */
const TEXT = 'The rate limit is reached';
const asJson = JSON.stringify(messages);
const body = JSON.stringify({ messages });
const span = (attributes: object, more: object): object => ({
  traceId: 't',
  spanId: '1',
  attributes,
  ...more,
});
const status = { code: 2, message: TEXT };
const generation = { id: 'o', traceId: 't', type: 'GENERATION', level: 'ERROR', input: messages };
const litellm = {
  ...{ id: '1', call_type: 'acompletion', status: 'failure', model: 'm', messages, metadata: {} },
  ...{ startTime: 1, endTime: 2 },
};

const ERRORS_AS_ANSWERS: readonly (readonly [name: string, call: object])[] = [
  ['a pair', { messages, response: TEXT, error: TEXT }],
  ['a pair of a gateway', { request, response: TEXT, error: { message: TEXT } }],
  ['an answer with a status', { request, response: { status: 429, body: { content: TEXT } } }],
  [
    'a pair of the Responses API in a log of sessions',
    { timestamp: time, session_id: 's', request: { model: 'm', input: 'q' }, response: TEXT, error: TEXT },
  ],
  ['LiteLLM', { ...litellm, response: `litellm.RateLimitError: ${TEXT}`, error_str: TEXT }],
  [
    'a spend log of LiteLLM',
    { ...litellm, response: TEXT, metadata: { error_information: { error_message: TEXT } } },
  ],
  ['Langfuse', { ...generation, statusMessage: TEXT, output: `Error: ${TEXT}` }],
  ['Langfuse without a message', { ...generation, output: `litellm.RateLimitError: ${TEXT}` }],
  [
    'an event of Langfuse',
    {
      batch: [
        { id: 'e', type: 'generation-create', body: { ...generation, statusMessage: TEXT, output: TEXT } },
      ],
    },
  ],
  [
    'attributes of Langfuse',
    span(
      {
        'langfuse.observation.type': 'generation',
        'langfuse.observation.level': 'ERROR',
        'langfuse.observation.status_message': TEXT,
        'langfuse.observation.input': asJson,
        'langfuse.observation.output': TEXT,
      },
      {},
    ),
  ],
  [
    'OpenTelemetry',
    span(
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'q' }] }],
        'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: TEXT }] }],
      },
      { status },
    ),
  ],
  [
    'OpenInference with an exception',
    span(
      { 'openinference.span.kind': 'LLM', 'input.value': body, 'output.value': TEXT },
      {
        status: { code: 'STATUS_CODE_ERROR' },
        events: [{ name: 'exception', attributes: { 'exception.message': TEXT } }],
      },
    ),
  ],
  [
    'OpenLLMetry',
    span(
      {
        ...{ 'llm.request.type': 'chat', 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': 'q' },
        ...{ 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': TEXT },
      },
      { status },
    ),
  ],
  [
    'MLflow',
    span(
      {
        'mlflow.spanType': '"CHAT_MODEL"',
        'mlflow.spanInputs': body,
        'mlflow.spanOutputs': JSON.stringify(TEXT),
      },
      { status },
    ),
  ],
  [
    'Braintrust',
    {
      ...{ id: '1', span_id: '1', root_span_id: '1', span_attributes: { type: 'llm' }, input: messages },
      ...{ output: TEXT, error: TEXT },
    },
  ],
  [
    'Opik',
    {
      ...{ id: '1', trace_id: 't', type: 'llm', input: { messages }, output: { output: TEXT } },
      error_info: { exception_type: 'RateLimitError', message: TEXT },
    },
  ],
  [
    'LangSmith',
    {
      ...{ id: '1', trace_id: 't', run_type: 'llm', inputs: { messages }, outputs: { output: TEXT } },
      ...{ start_time: time, end_time: time, error: `RateLimitError('${TEXT}')` },
    },
  ],
];

it.each(ERRORS_AS_ANSWERS)('has its error in place of an answer: %s', async (_, call) => {
  const kept = await built(call, 'chat');
  expect(kept).toMatchObject({ status: 0, text: `${JSON.stringify({ messages, tools: [] })}\n` });
  expect(kept.report).toContain('response-error');
});

it.each([
  ['a pair', { messages, response: 'The larch is gold.', error: false }],
  ['a guard of LiteLLM', { ...litellm, response: 'The larch is gold.', error_str: 'blocked by a guard' }],
  ['a cut stream', { ...generation, statusMessage: 'the stream was cancelled', output: 'The larch is' }],
  ['a parser', { ...generation, statusMessage: 'Could not parse: The larch', output: 'The larch' }],
])('keeps the answer beside an error: %s', async (_, call) => {
  const { text } = await built(call, 'chat');
  expect(JSON.parse(text).messages[1].content).toMatch(/^The larch/);
});

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
