/**
 * The loop against a real model: `MODEL_ENDPOINT=http://127.0.0.1:8000/v1 MODEL_NAME=... npm run test:e2e`. Off by default, one file at
 * a time. The model must read the file once and answer.
 */
import { expect, test } from 'vitest';
import { endpoint } from '../../src/loop/endpoint.ts';
import { runLoop } from '../../src/loop/run-loop.ts';

const { MODEL_ENDPOINT: base, MODEL_NAME: model = '', MODEL_KEY: key } = process.env;
if (base === undefined) process.stdout.write('skipped: MODEL_ENDPOINT names no endpoint of a model\n');

const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"test.md"}' } };
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const record = {
  messages: [
    { role: 'system', content: 'You read files with the tool read, and then answer. Do not repeat calls.' },
    { role: 'user', content: 'Read test.md and say what is in it.' },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: '# Hello World' },
    { role: 'assistant', content: 'It greets.' },
  ],
  tools: [{ name: 'read', description: 'Reads a file', parameters }],
};

test.skipIf(base === undefined).each(['messages', 'astracodex'] as const)(
  'reads test.md exactly once, with one tool message (%s)',
  async (prompt) => {
    const report = await runLoop(record, endpoint({ base: base as string, model, key, prompt }));
    expect(report).toMatchObject({ end: 'done', same: 1, repeated: 0 });
    expect(report.messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
  },
);
