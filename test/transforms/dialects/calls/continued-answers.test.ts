/** Findings about the answers of calls that a later call continues. */
import { expect, it } from 'vitest';
import { entriesOf, question, read, reply } from '../call-logs.ts';

it('keeps what is wrong with the answer of a call that another one continues', () => {
  const called = (messages: readonly object[], content: string, finish_reason = 'stop') => ({
    messages,
    response: { choices: [{ message: { role: 'assistant', content }, finish_reason }] },
    metadata: {},
    ...{ call_type: 'completion', startTime: 1_767_225_600 + messages.length, trace_id: 't' },
  });
  const next = { role: 'user', content: 'c' };
  const first = called([question], 'b', 'length');
  const second = called([question, reply, next], 'd', 'content_filter');
  const third = called([question, reply, next, { role: 'assistant', content: 'd' }, next], 'e');
  for (const lines of [
    [first, second, third],
    [third, first, second],
  ]) {
    const entries = entriesOf(read(lines));
    const rules = entries[0]?.messages.map(({ notes }) => notes?.map(({ rule }) => rule));
    expect(entries).toHaveLength(1);
    expect(rules).toEqual([undefined, ['reply-cut'], undefined, ['reply-filtered'], undefined]);
  }
});

it('says that the call which continues an answer repeats it without its reasoning', () => {
  const rules = (first: object, repeated: object) => {
    const messages = [question, repeated, { role: 'user', content: 'c' }];
    const [whole] = entriesOf(
      read([
        { messages: [question], response: { choices: [{ message: first }] } },
        { messages, response: { choices: [{ message: reply }] } },
      ]),
    );
    return (whole?.messages ?? []).map(({ notes }) => notes?.map(({ rule }) => rule));
  };
  const thought = { ...reply, reasoning_content: 'x' };
  const leftOut = [undefined, ['reasoning-left-out'], undefined];
  const none = [undefined, undefined, undefined];
  expect(rules(thought, reply)).toEqual(leftOut);
  expect(rules({ ...reply, reasoning_details: [{ type: 'reasoning.text', text: 'x' }] }, reply)).toEqual(
    leftOut,
  );
  const sealed = [{ type: 'reasoning.encrypted', data: 'x' }];
  expect(rules({ ...reply, reasoning_details: sealed }, reply)).toEqual(none);
  expect(rules({ ...reply, reasoning: '' }, reply)).toEqual(none);
  expect(rules(thought, { ...reply, reasoning: 'x' })[1] ?? []).toEqual([]);
});

it('says that an earlier call has the same answer with other reasoning', () => {
  const rules = (...reasonings: readonly (string | undefined)[]) => {
    const lines = reasonings.map((reasoning_content) => ({
      messages: [question],
      response: { choices: [{ message: { ...reply, reasoning_content } }] },
    }));
    const entries = entriesOf(read(lines));
    expect(entries).toHaveLength(1);
    return entries[0]?.reply?.notes?.map(({ rule }) => rule);
  };
  expect(rules('x', 'y')).toEqual(['reasoning-left-out']);
  expect(rules('x', 'y', 'z')).toEqual(['reasoning-left-out']);
  expect(rules('x', 'y', 'y')).toEqual(['reasoning-left-out']);
  expect(rules('x', undefined)).toEqual(['reasoning-left-out']);
  expect(rules(undefined, 'y')).toBeUndefined();
  expect(rules('x', 'x')).toBeUndefined();
});
