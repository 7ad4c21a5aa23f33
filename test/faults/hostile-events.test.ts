/** Malformed event logs through the built command: each is read as far as possible, and every line has its fate. */
import { describe, expect, it } from 'vitest';
import { buildEvents as build } from '../support/build-events.ts';

const claude = (uuid: string, parentUuid: string | null, message: object, more: object = {}) => ({
  type: (message as { role: string }).role,
  ...{ uuid, parentUuid, sessionId: 'S', isSidechain: false, message, ...more },
});
const question = (content: string) => ({ role: 'user', content });
const reply = (id: string, ...content: readonly object[]) => ({ role: 'assistant', id, content });
const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
const result = (id: string, content: string) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: id, content }],
});

describe('claude-code', () => {
  it('repeated call ids: each result answers the nearest open call', async () => {
    const { status, records, findings } = await build([
      claude('1', null, question('One?')),
      claude('2', '1', reply('m1', call('c'))),
      claude('3', '2', result('c', 'first')),
      claude('4', '3', reply('m2', call('c'))),
      claude('5', '4', reply('m3', call('c'))),
      claude('6', '5', result('c', 'nearest')),
      claude('7', '6', result('c', 'other')),
      claude('8', '7', reply('m4', text('Done.'))),
    ]);
    expect([status, findings['tool-result-orphan']]).toEqual([0, undefined]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c', 'tool c: first', 'assistant call c', 'tool c: other'],
        ...['assistant call c', 'tool c: nearest', 'assistant: Done.'],
      ],
    ]);
  });

  it('repeated line ids: the second line is a copy', async () => {
    const { records, fates } = await build([
      claude('1', null, question('One?')),
      claude('2', '1', reply('m1', text('1.'))),
      claude('2', '1', reply('m1', text('1.'))),
      claude('1', null, question('One?')),
    ]);
    expect(records).toEqual([['user: One?', 'assistant: 1.']]);
    expect(fates).toEqual({ snapshot: 1, folded: 1, 'dropped:copied-line': 2 });
  });

  it('results before their calls, and a result without a call', async () => {
    const { records, findings } = await build([
      claude('1', null, question('One?')),
      claude('3', '2', result('c', 'early')),
      claude('4', '2', result('never', 'lost')),
      claude('2', '1', reply('m1', call('c'))),
      claude('5', '2', reply('m2', text('Done.'))),
    ]);
    expect(records).toEqual([
      ['user: One?', 'tool never: lost', 'assistant call c', 'tool c: early', 'assistant: Done.'],
    ]);
    expect(findings['tool-result-orphan']).toBe(1);
  });

  it('missing parents: the order is that of the file', async () => {
    const { status, records, findings } = await build([
      claude('1', 'gone', question('One?')),
      claude('2', '1', reply('m1', text('1.'))),
      claude('3', 'gone too', question('Two?')),
      claude('4', '3', reply('m2', text('2.'))),
    ]);
    expect([status, findings['parent-missing']]).toEqual([0, 1]);
    expect(records).toEqual([['user: One?', 'assistant: 1.', 'user: Two?', 'assistant: 2.']]);
  });

  it('circular parents, and a line that is its own parent', async () => {
    const { status, records } = await build([
      claude('1', '4', question('One?')),
      claude('2', '1', reply('m1', text('1.'))),
      claude('3', '3', question('Two?')),
      claude('4', '3', reply('m2', text('2.'))),
    ]);
    expect(status).toBe(0);
    expect(records.flat().sort()).toEqual(['assistant: 1.', 'assistant: 2.', 'user: One?', 'user: Two?']);
  });

  it('two sessions in one file are one session, or two with --session-by id', async () => {
    const log = [
      claude('1', null, question('One?')),
      claude('2', '1', reply('m1', text('1.'))),
      claude('3', '2', question('Two?'), { sessionId: 'T' }),
      claude('4', '3', reply('m2', text('2.')), { sessionId: 'T' }),
    ];
    const one = await build(log);
    expect(one.records).toEqual([['user: One?', 'assistant: 1.', 'user: Two?', 'assistant: 2.']]);
    expect(one.findings['two-session-ids']).toBe(1);
    const two = await build(log, ['--session-by', 'id']);
    expect(two.records).toEqual([
      ['user: One?', 'assistant: 1.'],
      ['user: Two?', 'assistant: 2.'],
    ]);
  });

  it('clocks that go back', async () => {
    const at = (second: number) => ({ timestamp: `2026-01-14T08:00:${second}.000Z` });
    const { status, records } = await build([
      claude('1', null, question('One?'), at(50)),
      claude('2', '1', reply('m1', text('1.')), at(40)),
      claude('3', '2', question('Two?'), { timestamp: 'never' }),
      claude('4', '3', reply('m2', text('2.')), at(10)),
    ]);
    expect([status, records]).toEqual([0, [['user: One?', 'assistant: 1.', 'user: Two?', 'assistant: 2.']]]);
  });
});

describe('codex', () => {
  const item = (payload: object, timestamp?: string) => ({ timestamp, type: 'response_item', payload });
  const message = (role: string, words: string, timestamp?: string) =>
    item({ type: 'message', role, content: [{ type: 'output_text', text: words }] }, timestamp);
  const called = (call_id: string) => item({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
  const output = (call_id: string, words: string) =>
    item({ type: 'function_call_output', call_id, output: words });
  const meta = (id: string) => ({ type: 'session_meta', payload: { id } });

  it('repeated ids, results before their calls, and a result without a call', async () => {
    const { records, findings } = await build([
      meta('C'),
      message('user', 'One?'),
      called('c'),
      output('c', 'first'),
      output('d', 'early'),
      output('never', 'lost'),
      called('c'),
      called('d'),
      output('c', 'second'),
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

  it('clocks that go back, and two sessions in one file', async () => {
    const log = [
      meta('C'),
      message('user', 'One?', '2026-02-03T10:00:09Z'),
      message('assistant', '1.', '2026-02-03T10:00:01Z'),
      meta('D'),
      message('user', 'Two?', '2026-02-03T09:00:00Z'),
      message('assistant', '2.', 'soon'),
    ];
    for (const options of [[], ['--session-by', 'id']]) {
      const { records, findings } = await build(log, options);
      expect(records).toEqual([
        ['user: One?', 'assistant: 1.'],
        ['user: Two?', 'assistant: 2.'],
      ]);
      expect(findings['two-session-ids']).toBeUndefined();
    }
  });
});
