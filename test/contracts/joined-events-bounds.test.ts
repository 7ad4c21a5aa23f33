/**
 * Events and calls of a trace that belong together are joined over lines, in a bounded memory. Each log is joined, and
 * where the memory ends its parts are rejected or reported, never written as if they were whole.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const LONG = 'x'.repeat(600);

/** A run of LangSmith, whose client sends its start and its end apart. */
const run = (id: string) => ({ id, trace_id: `t${id}`, dotted_order: `x${id}` });
const started = (id: string, content: string) => ({
  post: [
    {
      ...run(id),
      run_type: 'llm',
      name: 'c',
      inputs: { messages: [{ role: 'user', content }] },
      outputs: {},
    },
  ],
  patch: [],
});
const ended = (id: string, content: string) => ({
  post: [],
  patch: [
    {
      ...{ ...run(id), end_time: '2026-02-03T10:00:09.000000' },
      outputs: { choices: [{ message: { role: 'assistant', content } }] },
    },
  ],
});

/** A call whose response `r` and its number later calls may continue. */
const call = (number: number, question: string, answer: string, previous?: number) => ({
  ...{
    id: `${number}`,
    traceId: `t${number}`,
    type: 'GENERATION',
    startTime: `2026-01-01T00:00:0${number}Z`,
  },
  input: [{ role: 'user', content: question }],
  output: { id: `r${number}`, choices: [{ message: { role: 'assistant', content: answer } }] },
  ...(previous !== undefined && { modelParameters: { previous_response_id: `r${previous}` } }),
});

const said = (role: string, content: string) => [{ role, parts: [{ type: 'text', content }] }];
const span = (id: string, traceId: string, question: string, answer?: string) => ({
  ...{ traceId, spanId: id, startTimeUnixNano: `1${id}` },
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': said('user', question),
    ...(answer !== undefined && { 'gen_ai.output.messages': said('assistant', answer) }),
  },
});

const twins = [span('1', 't1', 'q'), span('2', 't2', LONG, 'b'), span('3', 't1', 'q', 'a')];
const strangers = [span('1', 't1', 'q'), span('2', 't2', LONG, 'b'), span('3', 't3', 'q', 'a')];

it.each([
  ['the start and the end of runs', 500, [started('1', 'q'), ended('1', LONG)], 'rejected:context-missing'],
  [
    'responses that a call continues',
    400,
    [call(1, 'q', 'a'), call(2, LONG, 'b', 1), call(3, 'c', 'd', 1)],
    'rejected:context-missing',
  ],
  [
    'calls before the one that they continue',
    100,
    [call(2, 'c', 'd', 1), call(1, 'q', 'a')],
    'rejected:context-missing',
  ],
  ['two spans of one call, in one trace', 900, twins, 'rejected:session-reopened'],
  ['two spans of one call, in two traces', 900, strangers, 'no-answer'],
])('the bound is met by %s', async (_, bound, log, finding) => {
  const path = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(path, log.map((line) => JSON.stringify(line)).join('\n'));
  const whole = await turnmill(['build', path, '--out', '-']);
  expect({ status: whole.status, isReported: `${whole.stderr}`.includes(finding) }).toEqual({
    status: 0,
    isReported: false,
  });
  const cut = await turnmill(['build', path, '--out', '-', '--max-conversation', `${bound}`]);
  expect(`${cut.stderr}`).toContain(finding);
  expect(cut.status).toBe(finding.startsWith('rejected') ? 3 : 0);
});
