/**
 * Malformed logs of opencode, of `codex exec` and in the STS format, through the built command: repeated ids, results before their calls,
 * calls without a result, two sessions in one file, clocks that go back. Every line has its fate.
 */
import { describe, expect, it } from 'vitest';
import { buildEvents as build } from '../support/build-events.ts';

const TALK = ['user: One?', 'assistant: 1.', 'user: Two?', 'assistant: 2.'];

describe('opencode', () => {
  const text = (words: string) => ({ type: 'text', text: words });
  const message = (role: string, id: string, parts: readonly object[], created?: unknown) => ({
    info: { id, role, time: { created } },
    parts,
  });
  const user = (id: string, words: string, created?: unknown) => message('user', id, [text(words)], created);
  const tool = (callID: string, status: string, output?: string) => ({
    ...{ type: 'tool', callID, tool: 'f' },
    state: { status, input: {}, output },
  });
  const session = (id: string, ...messages: readonly object[]) => ({
    info: { id, projectID: 'p' },
    messages,
  });

  it('repeated ids of messages and calls, and a call that did not end', async () => {
    const step = { type: 'step-start' };
    const { records, findings } = await build([
      session(
        'S',
        user('1', 'One?'),
        message('assistant', '2', [tool('c', 'completed', 'first'), step, tool('c', 'completed', 'second')]),
        message('assistant', '2', [tool('c', 'running'), tool('d', 'completed', 'third')]),
        user('1', 'Two?'),
        message('assistant', '2', [text('Done.')]),
      ),
    ]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c', 'tool c: first', 'assistant call c', 'tool c: second'],
        ...['assistant call c call d', 'tool d: third', 'user: Two?', 'assistant: Done.'],
      ],
    ]);
    expect(findings).toMatchObject({ 'call-unanswered': 1, 'tool-result-missing': 1 });
  });

  it('two sessions in one file, also of one id, and clocks that go back', async () => {
    const one = session('S', user('1', 'One?', 50), message('assistant', '2', [text('1.')], 40));
    const two = session('S', user('1', 'Two?', 'never'), message('assistant', '2', [text('2.')], 10));
    const { status, records, fates } = await build([one, two]);
    expect([status, records, fates]).toEqual([0, [TALK.slice(0, 2), TALK.slice(2)], { snapshot: 2 }]);
  });
});

describe('codex exec', () => {
  const thread = (thread_id: string) => ({ type: 'thread.started', thread_id });
  const done = (item: object) => ({ type: 'item.completed', item });
  const ran = (id: string, command: string, aggregated_output: string) =>
    done({ id, type: 'command_execution', command, aggregated_output, status: 'completed' });
  const said = (id: string, words: string) => done({ id, type: 'agent_message', text: words });

  it('repeated ids: each result stays with its call', async () => {
    const { records } = await build([
      thread('X'),
      ran('a', 'ls', 'one'),
      ran('a', 'pwd', 'two'),
      said('a', '1.'),
    ]);
    expect(records).toEqual([
      ['assistant call a', 'tool a: one', 'assistant call a', 'tool a: two', 'assistant: 1.'],
    ]);
  });

  it('two threads in one file', async () => {
    const { records } = await build([thread('X'), said('a', '1.'), thread('Y'), said('a', '2.')]);
    expect(records).toEqual([['assistant: 1.'], ['assistant: 2.']]);
  });
});

describe('sts', () => {
  const head = (id: string) => ({ type: 'session', harness: 'h', id });
  const message = (role: string, content: string, more: object = {}) => ({
    type: 'message',
    message: { role, content, ...more },
  });
  const called = (...ids: readonly string[]) =>
    message('assistant', '', {
      toolCalls: ids.map((id) => ({ id, function: { name: 'f', arguments: '{}' } })),
    });
  const result = (toolCallId: string, words: string) => message('tool', words, { toolCallId });

  it('repeated ids, results before their calls, and a result without a call', async () => {
    const { records, findings } = await build([
      head('S'),
      message('user', 'One?'),
      called('c'),
      result('c', 'first'),
      result('d', 'early'),
      result('never', 'lost'),
      called('c', 'd'),
      result('c', 'second'),
      message('assistant', 'Done.'),
    ]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c', 'tool c: first', 'tool never: lost', 'assistant call c call d'],
        ...['tool c: second', 'tool d: early', 'assistant: Done.'],
      ],
    ]);
    expect(findings['tool-result-orphan']).toBe(1);
  });

  it('two sessions in one file, and clocks that go back', async () => {
    const { records } = await build([
      head('S'),
      message('user', 'One?', { timestamp: 1_770_112_850_000 }),
      message('assistant', '1.', { timestamp: 1_770_112_840_000 }),
      head('T'),
      message('user', 'Two?', { timestamp: 'never' }),
      message('assistant', '2.', { timestamp: 10 }),
    ]);
    expect(records).toEqual([TALK.slice(0, 2), TALK.slice(2)]);
  });
});
