/** Runs of LangSmith whose start and end are in different lines, with all their facts in both. */
import { describe, expect, it } from 'vitest';
import { entriesOf, messagesOf, read } from './span-samples.ts';

const question = { role: 'user', content: 'When do the beans need water?' };
const answer = { role: 'assistant', content: 'At noon.' };
const facts = { id: 'r', trace_id: 't', run_type: 'llm', name: 'Model' };
const start = { ...facts, start_time: '2026-02-03T10:00:00', inputs: { messages: [question] } };
const end = {
  ...facts,
  end_time: '2026-02-03T10:00:01',
  outputs: { choices: [{ index: 0, message: answer, finish_reason: 'stop' }] },
};
const elements = (...lines: readonly object[]) => read(lines.map((one) => JSON.stringify(one)));
const conversations = (...lines: readonly object[]) =>
  entriesOf(elements(...lines)).map((entry) => messagesOf(entry));

describe('the start and the end of a run are joined', () => {
  it.each<[string, object[]]>([
    ['if the start comes first', [start, end]],
    ['if the end comes first', [end, start]],
    [
      'if they are in batches',
      [
        { post: [start], patch: [] },
        { post: [], patch: [end] },
      ],
    ],
    [
      'if they are in batches, the end first',
      [
        { post: [], patch: [end] },
        { post: [start], patch: [] },
      ],
    ],
  ])('%s', (_name, lines) => {
    expect(conversations(...lines)).toEqual([[question, answer]]);
  });
});

it('an end without its start is refused', () => {
  expect(entriesOf(elements(end))[0]?.refused?.reason).toBe('context-missing');
  expect(entriesOf(elements({ post: [], patch: [end] }))[0]?.refused?.reason).toBe('context-missing');
});

it('a whole run needs no other line', () => {
  expect(conversations({ ...start, ...end })).toEqual([[question, answer]]);
});
