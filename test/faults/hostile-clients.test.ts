/**
 * Malformed logs of OpenHands, Gemini CLI, pi, goose and Cline, through the built command: repeated ids, results before their calls,
 * parents that are missing or circular, two sessions in one file, clocks that go back. Every line has its fate.
 */
import { describe, expect, it } from 'vitest';
import { buildEvents as build } from '../support/build-events.ts';

const TALK = ['user: One?', 'assistant: 1.', 'user: Two?', 'assistant: 2.'];
const at = (second: number): string => `2026-02-03T10:00:${second}.000Z`;

describe('openhands', () => {
  const text = (words: string) => [{ type: 'text', text: words }];
  const event = (kind: string, id: string, more: object) => ({ kind, id, source: 'agent', ...more });
  const message = (id: string, role: string, words: string, more: object = {}) =>
    event('MessageEvent', id, {
      source: role === 'user' ? 'user' : 'agent',
      llm_message: { role, content: text(words) },
      ...more,
    });
  const called = (id: string, call: string, response = id) =>
    event('ActionEvent', id, {
      thought: [],
      tool_call: { id: call, name: 'f', arguments: '{}' },
      llm_response_id: response,
    });
  const saw = (id: string, tool_call_id: string, words: string) =>
    event('ObservationEvent', id, {
      source: 'environment',
      tool_call_id,
      observation: { content: text(words) },
    });

  it('repeated ids, results before their calls, and a result without a call', async () => {
    const { records, findings } = await build([
      message('1', 'user', 'One?'),
      called('2', 'c'),
      saw('3', 'c', 'first'),
      saw('4', 'd', 'early'),
      saw('5', 'never', 'lost'),
      called('6', 'c', 'r'),
      called('7', 'd', 'r'),
      saw('3', 'c', 'second'),
      message('9', 'assistant', 'Done.'),
    ]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c', 'tool c: first', 'tool never: lost', 'assistant call c call d'],
        ...['tool c: second', 'tool d: early', 'assistant: Done.'],
      ],
    ]);
    expect(findings['tool-result-orphan']).toBe(1);
  });

  it('older events: missing causes and a repeated id', async () => {
    const old = (id: number, more: object) => ({ id, source: 'agent', ...more });
    const { records, findings } = await build([
      old(0, { source: 'user', action: 'message', args: { content: 'One?' } }),
      old(1, { cause: 7, observation: 'run', content: 'of nothing', extras: {} }),
      old(2, { action: 'run', args: { command: 'ls' } }),
      old(3, { cause: 2, observation: 'run', content: 'a', extras: {} }),
      old(2, { action: 'run', args: { command: 'pwd' } }),
      old(4, { cause: 2, observation: 'run', content: 'b', extras: {} }),
      old(5, { cause: 5, observation: 'run', content: 'of itself', extras: {} }),
      old(6, { action: 'message', args: { content: 'Done.' } }),
    ]);
    expect(records).toEqual([
      [
        ...['user: One?', 'user: of nothing', 'assistant call call_2', 'tool call_2: a'],
        ...['assistant call call_2', 'tool call_2: b', 'user: of itself', 'assistant: Done.'],
      ],
    ]);
    expect(findings).not.toHaveProperty(['tool-result-orphan']);
  });

  it('clocks that go back', async () => {
    const { status, records } = await build([
      message('1', 'user', 'One?', { timestamp: at(50) }),
      message('2', 'assistant', '1.', { timestamp: at(40) }),
      message('3', 'user', 'Two?', { timestamp: 'never' }),
      message('4', 'assistant', '2.', { timestamp: at(10) }),
    ]);
    expect([status, records]).toEqual([0, [TALK]]);
  });
});

describe('gemini-cli', () => {
  const head = (sessionId: string, startTime = at(10)) => ({ sessionId, projectHash: 'h', startTime });
  const user = (id: string, words: string, more: object = {}) => ({
    id,
    type: 'user',
    content: words,
    ...more,
  });
  const reply = (id: string, words: string, more: object = {}) => ({
    id,
    type: 'gemini',
    content: words,
    ...more,
  });
  const call = (id: string, output?: string) => ({
    ...{ id, name: 'f', args: {} },
    ...(output !== undefined && { result: [{ functionResponse: { id, response: { output } } }] }),
  });

  it('repeated ids of messages and calls', async () => {
    const { records, fates } = await build([
      head('S'),
      user('1', 'One?'),
      reply('2', '', { toolCalls: [call('c', 'a'), call('c', 'b')] }),
      reply('3', '', { toolCalls: [call('c', 'd')] }),
      reply('2', '', { toolCalls: [call('c', 'e'), call('c', 'f')] }),
      reply('4', 'Done.'),
    ]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c call c', 'tool c: e', 'tool c: f'],
        ...['assistant call c', 'tool c: d', 'assistant: Done.'],
      ],
    ]);
    expect(fates).toEqual({ snapshot: 1, folded: 5 });
  });

  it('going back to an unknown message, and repeatedly to the same one', async () => {
    const { records, fates } = await build([
      head('S'),
      user('1', 'One?'),
      reply('2', '1.'),
      user('3', 'Two?'),
      reply('4', '2.'),
      { $rewindTo: '3' },
      { $rewindTo: '3' },
      { $rewindTo: 'never' },
      user('5', 'Three?'),
      reply('6', '3.'),
    ]);
    expect(records).toEqual([['user: Three?', 'assistant: 3.'], TALK]);
    expect(fates).toEqual({ snapshot: 2, folded: 8 });
  });

  it('two sessions in one file, and clocks that go back', async () => {
    const { records } = await build([
      head('S', at(50)),
      user('1', 'One?', { timestamp: at(40) }),
      reply('2', '1.', { timestamp: at(30) }),
      head('T', at(20)),
      user('1', 'Two?', { timestamp: 'never' }),
      reply('2', '2.', { timestamp: at(10) }),
    ]);
    expect(records).toEqual([TALK.slice(0, 2), TALK.slice(2)]);
  });
});

describe('pi', () => {
  const head = (id: string) => ({ type: 'session', version: 3, id, cwd: '/' });
  const entry = (id: string, parentId: string | null, message: object, more: object = {}) => ({
    ...{ type: 'message', id, parentId, message },
    ...more,
  });
  const user = (content: string) => ({ role: 'user', content });
  const reply = (words: string) => ({
    role: 'assistant',
    content: [{ type: 'text', text: words }],
    stopReason: 'stop',
  });
  const called = (...ids: readonly string[]) => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'toolCall', id, name: 'f', arguments: {} })),
    stopReason: 'toolUse',
  });
  const result = (toolCallId: string, words: string) => ({
    ...{ role: 'toolResult', toolCallId, content: [{ type: 'text', text: words }] },
  });

  it('repeated call ids, results before their calls, and a result without a call', async () => {
    const { records, findings } = await build([
      head('S'),
      entry('1', null, user('One?')),
      entry('2', '1', called('c')),
      entry('3', '2', result('c', 'first')),
      entry('4', '3', result('d', 'early')),
      entry('5', '4', result('never', 'lost')),
      entry('6', '5', called('c', 'd')),
      entry('7', '6', result('c', 'second')),
      entry('8', '7', reply('Done.')),
    ]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c', 'tool c: first', 'tool never: lost', 'assistant call c call d'],
        ...['tool c: second', 'tool d: early', 'assistant: Done.'],
      ],
    ]);
    expect(findings['tool-result-orphan']).toBe(1);
  });

  it('repeated entry ids', async () => {
    const { records, fates } = await build([
      head('S'),
      entry('1', null, user('One?')),
      entry('2', '1', reply('1.')),
      entry('2', '1', reply('1.')),
      entry('1', null, user('One?')),
      entry('3', '2', user('Two?')),
      entry('4', '3', reply('2.')),
    ]);
    expect(records).toEqual([TALK]);
    expect(fates).toEqual({ snapshot: 1, folded: 4, 'dropped:copied-line': 2 });
  });

  it('parents that are missing or circular, and an entry that is its own parent', async () => {
    const { status, records, fates, findings } = await build([
      head('S'),
      entry('1', 'gone', user('One?')),
      entry('2', '4', reply('1.')),
      entry('3', '3', user('Two?')),
      entry('4', '2', reply('2.')),
    ]);
    expect([status, findings['parent-missing']]).toEqual([0, 1]);
    expect(records).toEqual([['user: One?', 'assistant: 1.', 'assistant: 2.']]);
    expect(fates).toEqual({ snapshot: 1, folded: 3, 'dropped:abandoned-branch': 1 });
  });

  it('two sessions in one file, and clocks that go back', async () => {
    const { records } = await build([
      head('S'),
      entry('1', null, user('One?'), { timestamp: at(50) }),
      entry('2', '1', reply('1.'), { timestamp: at(40) }),
      head('T'),
      entry('1', null, user('Two?'), { timestamp: 'never' }),
      entry('2', '1', reply('2.'), { timestamp: at(10) }),
    ]);
    expect(records).toEqual([TALK.slice(0, 2), TALK.slice(2)]);
  });
});

describe('goose', () => {
  const head = { working_dir: '/', description: 'd' };
  const message = (role: string, content: readonly object[], created: unknown = 1) => ({
    role,
    created,
    content,
  });
  const text = (words: string) => [{ type: 'text', text: words }];
  const request = (id: string) => ({
    type: 'toolRequest',
    id,
    toolCall: { status: 'success', value: { name: 'f', arguments: {} } },
  });
  const response = (id: string, words: string) => ({
    type: 'toolResponse',
    id,
    toolResult: { status: 'success', value: text(words) },
  });

  it('repeated ids, results before their calls, and a result without a call', async () => {
    const { records, findings } = await build([
      head,
      message('user', text('One?')),
      message('assistant', [request('c')]),
      message('user', [response('c', 'first')]),
      message('user', [response('d', 'early'), response('never', 'lost')]),
      message('assistant', [request('c'), request('d')]),
      message('user', [response('c', 'second')]),
      message('assistant', text('Done.')),
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
      head,
      message('user', text('One?'), 1_770_112_850),
      message('assistant', text('1.'), 1_770_112_840),
      head,
      message('user', text('Two?'), 'never'),
      message('assistant', text('2.'), 1_770_112_810),
    ]);
    expect(records).toEqual([TALK.slice(0, 2), TALK.slice(2)]);
  });
});

describe('cline', () => {
  const message = (role: string, content: unknown, ts: unknown = 1_770_112_800_000) => ({
    role,
    content,
    ts,
  });
  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
  const result = (id: string, content: string) => ({ type: 'tool_result', tool_use_id: id, content });

  it('repeated ids, results before their calls, and a result without a call', async () => {
    const { records, findings } = await build([
      message('user', 'One?'),
      message('assistant', [use('c')]),
      message('user', [result('c', 'first')]),
      message('user', [result('d', 'early'), result('never', 'lost')]),
      message('assistant', [use('c'), use('d')]),
      message('user', [result('c', 'second')]),
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

  it('clocks that go back', async () => {
    const { records } = await build([
      message('user', 'One?', 1_770_112_850_000),
      message('assistant', '1.', 1_770_112_840_000),
      message('user', 'Two?', 'never'),
      message('assistant', '2.', 1),
    ]);
    expect(records).toEqual([TALK]);
  });
});
