/** Chunks of the chat API: which call a piece belongs to, and how members grow. */
import { describe, expect, test } from 'vitest';
import { text } from '../../bytes.ts';
import { paired, rulesOf } from '../read-streams.ts';

describe('chat chunks', () => {
  const chunk = (choice: object, more: object = {}): object => ({
    choices: [{ index: 0, ...choice }],
    ...more,
  });
  const reply = (...events: readonly object[]) => {
    const entry = paired(events);
    return { entry, message: entry?.reply && JSON.parse(text(entry.reply.bytes)) };
  };

  test.each(['reasoning_text', 'tool_plan'])('join the pieces of %s', (name) => {
    const { message } = reply(
      chunk({ delta: { [name]: 'a ' } }),
      chunk({ delta: { [name]: 'b', content: 'c' } }),
    );
    expect(message[name]).toBe('a b');
  });

  test('have a text once that a choice has beside its delta, too', () => {
    const both = (piece: string) => chunk({ text: piece, delta: { content: piece } });
    expect(reply(both('a '), both('b'), chunk({ text: 'c' })).message.content).toBe('a bc');
  });

  test('may have objects without anything in them beside a piece that is null', () => {
    const piece = (content: string | null) =>
      chunk({ delta: { content, graph_data: { sources: null, status: null } } });
    const { entry, message } = reply(piece(null), piece('a'), piece(null));
    expect(message.content).toBe('a');
    expect(rulesOf(entry)).not.toContain('unread-text');
  });

  test('have the channel of the text, not those of each piece', () => {
    const piece = (channel: string, delta: object) => chunk({ delta: { channel, ...delta } });
    const thoughts = ['a ', 'b'].map((reasoning) => piece('analysis', { reasoning }));
    const texts = ['c ', 'd'].map((content) => piece('final', { content }));
    expect(reply(...thoughts, ...texts).message).toMatchObject({
      ...{ content: 'c d', channel: 'final', reasoning_content: 'a b' },
    });
  });

  test('separate calls without an index by id, then by position', () => {
    const call = (id: string | undefined, args: string) => ({
      ...(id && { id }),
      function: { name: 'f', arguments: args },
    });
    const delta = (...tool_calls: readonly object[]) => chunk({ delta: { tool_calls } });
    const { message } = reply(
      delta(call('a', '{')),
      delta(call('b', '[')),
      delta(call('a', '}'), call('b', ']')),
    );
    expect(
      message.tool_calls.map((one: { function: { arguments: string } }) => one.function.arguments),
    ).toEqual(['{}', '[]']);
    const plain = reply(delta(call(undefined, '1'), call(undefined, '2')), delta(call(undefined, '3')));
    expect(
      plain.message.tool_calls.map((one: { function: { arguments: string } }) => one.function.arguments),
    ).toEqual(['13', '2']);
  });

  test('hold two calls under one index if the second has another id and a name, and the first is complete', () => {
    const call = (id: string) =>
      chunk({ delta: { tool_calls: [{ index: 0, id, function: { name: 'f', arguments: '{}' } }] } });
    expect(reply(call('a'), call('b')).message.tool_calls).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  });

  const calling = (...tool_calls: readonly object[]) => chunk({ delta: { tool_calls } });
  const fn = (name: string | undefined, args: string) => ({
    function: { ...(name !== undefined && { name }), arguments: args },
  });
  const callsIn = (...events: readonly object[]) =>
    reply(...events).message.tool_calls.map(
      ({ id, function: { name, arguments: args } }: { id?: string; function: Record<string, string> }) =>
        `${id ?? ''} ${name} ${args}`,
    );

  test.each([
    [
      'the last call at their place, if they have neither an index nor an id',
      [
        calling({ id: 'a', ...fn('f', '') }),
        calling(fn(undefined, '{}')),
        calling({ id: 'b', ...fn('g', '') }),
      ],
      calling(fn(undefined, '{"x":1}')),
      ['a f {}', 'b g {"x":1}'],
    ],
    [
      'each call at its place in a list',
      [calling({ id: 'a', ...fn('f', '{') }, { id: 'b', ...fn('g', '[') })],
      calling(fn(undefined, '}'), fn(undefined, ']')),
      ['a f {}', 'b g []'],
    ],
    [
      'the next call after one without an id that is complete',
      [calling(fn('f', '{"x":1}'))],
      calling(fn('f', '{"x":2}')),
      ['call_1 f {"x":1}', 'call_2 f {"x":2}'],
    ],
    [
      'the next call under the same index, if the name is another one',
      [calling({ index: 0, ...fn('f', '{}') })],
      calling({ index: 0, ...fn('g', '{}') }),
      ['call_1 f {}', 'call_2 g {}'],
    ],
    [
      'a call of another id and name, if the one before has no arguments',
      [calling({ index: 0, id: 'a', ...fn('f', '') })],
      calling({ index: 0, id: 'b', ...fn('g', '{}') }),
      ['a f ', 'b g {}'],
    ],
    [
      'the same call, if every piece has a new id',
      [calling({ id: 'a', ...fn('f', '{') })],
      calling({ id: 'z', ...fn(undefined, '}') }),
      ['a f {}'],
    ],
    [
      'the same call, if every piece repeats its name',
      [calling({ index: 0, id: 'a', ...fn('f', '{}') })],
      calling({ index: 0, ...fn('f', '') }),
      ['a f {}'],
    ],
  ])('belong to %s', (_name, events, last, expected) => {
    expect(callsIn(...events, last)).toEqual(expected);
  });

  test('join contents in lists and texts, thoughts and sound', () => {
    const thinking = (part: string) => [{ type: 'thinking', thinking: [{ type: 'text', text: part }] }];
    const deltas = [
      { content: thinking('a') },
      { content: thinking('b') },
      { content: 'c' },
      { content: [{ type: 'text', text: 'd' }] },
      { thinking_blocks: [{ type: 'thinking', thinking: 't', signature: null }] },
      { thinking_blocks: [{ type: 'thinking', thinking: 'u', signature: 's' }] },
      { thinking_blocks: [{ type: 'thinking', thinking: 'v' }] },
      { audio: { id: 'i', transcript: 'x' } },
      { audio: { transcript: 'y', data: 'AA' } },
      { audio: { data: 'BB', expires_at: 5 } },
    ];
    expect(reply(...deltas.map((delta) => chunk({ delta }))).message).toEqual({
      role: 'assistant',
      content: 'cd',
      reasoning_content: 'ab',
      audio: { id: 'i', transcript: 'xy', data: 'AABB', expires_at: 5 },
      thinking_blocks: [
        { type: 'thinking', thinking: 'tu', signature: 's' },
        { type: 'thinking', thinking: 'v' },
      ],
    });
  });

  test('keep a summary and its encrypted form apart although they have the same index', () => {
    const details = [
      { index: 0, type: 'reasoning.summary', summary: 'a' },
      { index: 0, type: 'reasoning.summary', summary: 'b' },
      { index: 0, type: 'reasoning.encrypted', data: 'x' },
    ];
    const thoughts = details.map((one) => chunk({ delta: { reasoning_details: [one] } }));
    const events = [...thoughts, chunk({ delta: { content: 'c' } })];
    expect(reply(...events).message.reasoning_details).toEqual([
      { index: 0, type: 'reasoning.summary', summary: 'ab' },
      { index: 0, type: 'reasoning.encrypted', data: 'x' },
    ]);
  });

  test('count reasoning under two names once, and its details by index', () => {
    const delta = (reasoning: string) =>
      chunk({
        delta: {
          reasoning,
          reasoning_content: reasoning,
          reasoning_details: [{ index: 0, type: 'reasoning.text', text: reasoning }],
        },
      });
    const { message } = reply(
      delta('a'),
      delta('b'),
      chunk({ delta: { content: 'c' }, finish_reason: 'stop' }),
    );
    expect(message).toEqual({
      ...{ role: 'assistant', content: 'c', reasoning_content: 'ab' },
      reasoning_details: [{ index: 0, type: 'reasoning.text', text: 'ab' }],
    });
  });

  test.each([
    ['length', 'reply-cut'],
    ['content_filter', 'reply-filtered'],
    ['error', 'response-error'],
  ])('read finish_reason %s as %s', (finish_reason, rule) => {
    expect(rulesOf(reply(chunk({ delta: { content: 'a' }, finish_reason })).entry)).toEqual([rule]);
  });

  test('may hold an error instead of an answer or after half of one', () => {
    const error = { error: { message: 'overloaded' } };
    expect(paired([chunk({ delta: { role: 'assistant' } }), error])?.reply).toBeUndefined();
    const { entry, message } = reply(chunk({ delta: { content: 'half' } }), error);
    expect(message.content).toBe('half');
    expect(rulesOf(entry)).toEqual(['response-error', 'stream-cut', 'response-error'].slice(1));
  });

  test('have other choices left out and reported', () => {
    const other = { choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] };
    const { entry, message } = reply(chunk({ delta: { content: 'a' }, finish_reason: 'stop' }), other);
    expect(message.content).toBe('a');
    expect(rulesOf(entry)).toEqual(['other-choices']);
  });
});

describe('an event with the whole answer after its pieces', () => {
  const choice = (more: object) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, ...more }],
  });
  const calls = (args: string) => [
    { index: 0, id: 'f1', type: 'function', function: { name: 'f', arguments: args } },
  ];
  const pieces = [
    choice({ delta: { role: 'assistant', content: 'He' } }),
    choice({ delta: { content: 'llo', tool_calls: calls('{"a":1') } }),
    choice({ delta: { tool_calls: [{ index: 0, function: { arguments: '.0}' } }] } }),
  ];
  const whole = (content: string) =>
    choice({
      message: { role: 'assistant', content, tool_calls: calls('{"a":1.0}') },
      finish_reason: 'tool_calls',
    });

  test('is read once', () => {
    const entry = paired([...pieces, whole('Hello')]);
    const said = JSON.parse(text(entry?.reply?.bytes as Uint8Array));
    expect(said.content).toBe('Hello');
    expect(said.tool_calls).toHaveLength(1);
    expect(said.tool_calls[0].function.arguments).toBe('{"a":1.0}');
    expect(entry && rulesOf(entry)).toEqual([]);
  });

  test('rejects the answer if it says something else', () => {
    expect(paired([...pieces, whole('Other')])).toBeUndefined();
  });
});
