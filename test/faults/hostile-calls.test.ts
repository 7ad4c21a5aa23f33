/**
 * Malformed chains of the Responses API and spans, through the built command: repeated ids, results before their calls, parents that are
 * missing or circular, two sessions in one file, clocks that go back. Every line has its fate.
 */
import { describe, expect, it } from 'vitest';
import { buildEvents as build } from '../support/build-events.ts';

const at = (second: number): string => `2026-02-03T10:00:${second}.000Z`;

describe('responses', () => {
  const message = (words: string) => ({ type: 'message', role: 'assistant', content: words });
  const call = (call_id: string) => ({ type: 'function_call', call_id, name: 'f', arguments: '{}' });
  const result = (call_id: string, output: string) => ({ type: 'function_call_output', call_id, output });
  const pair = (
    id: string,
    previous: string | undefined,
    input: unknown,
    output: readonly object[],
    more: object = {},
  ) => ({
    request: { model: 'm', input, ...(previous !== undefined && { previous_response_id: previous }) },
    response: { id, object: 'response', output },
    ...more,
  });

  it('repeated call ids, results before their calls, and a result without a call', async () => {
    const input = [
      { role: 'user', content: 'One?' },
      call('c'),
      result('c', 'first'),
      result('d', 'early'),
      result('never', 'lost'),
      call('c'),
      call('d'),
      result('c', 'second'),
    ];
    const { records, findings } = await build([pair('1', undefined, input, [message('Done.')])]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c', 'tool c: first', 'tool d: early', 'tool never: lost'],
        ...['assistant call c call d', 'tool c: second', 'assistant: Done.'],
      ],
    ]);
    expect(findings).toMatchObject({ 'tool-result-orphan': 2, 'tool-result-missing': 1 });
  });

  it('repeated response ids: no chain continues from either', async () => {
    const { records, fates } = await build([
      pair('1', undefined, 'One?', [message('1.')]),
      pair('1', undefined, 'Two?', [message('2.')]),
      pair('2', '1', 'Three?', [message('3.')]),
    ]);
    expect(records).toEqual([
      ['user: One?', 'assistant: 1.'],
      ['user: Two?', 'assistant: 2.'],
    ]);
    expect(fates).toEqual({ snapshot: 2, 'rejected:context-missing': 1 });
  });

  it('parents that are missing, late or circular', async () => {
    const { status, records, fates } = await build([
      pair('1', 'never', 'One?', [message('1.')]),
      pair('2', '3', 'Two?', [message('2.')]),
      pair('3', '2', 'Three?', [message('3.')]),
      pair('4', '4', 'Four?', [message('4.')]),
      pair('5', undefined, 'Five?', [message('5.')]),
    ]);
    expect([status, records]).toEqual([3, [['user: Five?', 'assistant: 5.']]]);
    expect(fates).toEqual({ 'rejected:context-missing': 4, snapshot: 1 });
  });

  it('two chains interleaved in one file, and clocks that go back', async () => {
    const { records } = await build([
      pair('a1', undefined, 'One?', [message('1.')], { timestamp: at(50) }),
      pair('b1', undefined, 'Two?', [message('2.')], { timestamp: at(40) }),
      pair('a2', 'a1', 'Three?', [message('3.')], { timestamp: at(30) }),
      pair('b2', 'b1', 'Four?', [message('4.')], { timestamp: at(20) }),
    ]);
    expect(records).toEqual([
      ['user: One?', 'assistant: 1.', 'user: Three?', 'assistant: 3.'],
      ['user: Two?', 'assistant: 2.', 'user: Four?', 'assistant: 4.'],
    ]);
  });
});

describe('spans', () => {
  const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const called = (...ids: readonly string[]) => ({
    role: 'assistant',
    parts: ids.map((id) => ({ type: 'tool_call', id, name: 'f', arguments: {} })),
  });
  const result = (id: string, response: string) => ({
    role: 'tool',
    parts: [{ type: 'tool_call_response', id, response }],
  });
  const span = (
    spanId: string,
    parentSpanId: string,
    start: number | string,
    input: readonly object[],
    output: object,
    traceId = 'T',
  ) => ({
    ...{
      traceId,
      spanId,
      parentSpanId,
      name: 'chat m',
      start_time: typeof start === 'number' ? at(start) : start,
    },
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify(input),
      'gen_ai.output.messages': JSON.stringify([output]),
    },
  });
  const one = [text('user', 'One?')];

  it('repeated call ids, results before their calls, and a result without a call', async () => {
    const input = [
      ...one,
      called('c'),
      result('c', 'first'),
      result('d', 'early'),
      result('never', 'lost'),
      called('c', 'd'),
      result('c', 'second'),
    ];
    const { records, findings } = await build([span('1', 'r', 10, input, text('assistant', 'Done.'))]);
    expect(records).toEqual([
      [
        ...['user: One?', 'assistant call c', 'tool c: first', 'tool d: early', 'tool never: lost'],
        ...['assistant call c call d', 'tool c: second', 'assistant: Done.'],
      ],
    ]);
    expect(findings).toMatchObject({ 'tool-result-orphan': 2, 'tool-result-missing': 1 });
  });

  it('repeated span ids, missing parents and circular parents', async () => {
    const long = [...one, text('assistant', '1.'), text('user', 'Two?')];
    const { status, records, fates } = await build([
      span('1', '2', 10, one, text('assistant', '1.')),
      span('1', '2', 10, one, text('assistant', '1.')),
      span('2', '1', 20, long, text('assistant', '2.')),
      span('3', '3', 30, [text('user', 'Three?')], text('assistant', '3.')),
      span('4', 'never', 40, [text('user', 'Four?')], text('assistant', '4.')),
    ]);
    expect(status).toBe(0);
    expect(records).toEqual([
      ['user: One?', 'assistant: 1.', 'user: Two?', 'assistant: 2.'],
      ['user: Three?', 'assistant: 3.'],
      ['user: Four?', 'assistant: 4.'],
    ]);
    expect(fates).toEqual({ snapshot: 3, superseded: 2 });
  });

  it('two traces interleaved in one file, and clocks that go back', async () => {
    const more = [...one, text('assistant', '1.'), text('user', 'Three?')];
    const { records } = await build([
      span('1', '', 50, one, text('assistant', '1.'), 'A'),
      span('2', '', 40, [text('user', 'Two?')], text('assistant', '2.'), 'B'),
      span('3', '', 30, more, text('assistant', '3.'), 'A'),
      span(
        '4',
        '',
        'never',
        [text('user', 'Two?'), text('assistant', '2.'), text('user', 'Four?')],
        text('assistant', '4.'),
        'B',
      ),
    ]);
    expect(records).toEqual([
      ['user: One?', 'assistant: 1.', 'user: Three?', 'assistant: 3.'],
      ['user: Two?', 'assistant: 2.', 'user: Four?', 'assistant: 4.'],
    ]);
  });
});
