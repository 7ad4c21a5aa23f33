/** Dumps of streams: frames, comments, lines that are not events, and several answers in one dump. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Entry, StreamElement } from '../../../../transforms/model/element.ts';
import { placesOf } from '../../../../transforms/model/entry-log.ts';
import { text } from '../../bytes.ts';
import { dumped, entriesOf, replyIn, rulesOf } from '../read-streams.ts';
import { anthropicStream, chatStream, type RandomAnswer, responsesStream } from '../streamed-answers.ts';

describe('dumps', () => {
  it.each([
    ['keepalive', ['no-question']],
    ['ping', ['no-question']],
    ['response.new_kind', ['unknown-event', 'no-question']],
    ['new_kind', ['unknown-event', 'no-question']],
  ])('may have events of the type %s', (type, rules) => {
    for (const make of [
      chatStream,
      anthropicStream,
      (one: RandomAnswer) => responsesStream(one, true, true),
    ]) {
      const { events } = make({ thinks: false, words: 1, calls: 0, cuts: [9] });
      const [first, ...others] = events;
      const elements = dumped(
        [first, { type }, ...others].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''),
      );
      expect(elements.map(({ kind }) => kind)).toEqual(['entry']);
      expect(rulesOf(entriesOf(elements)[0]).filter((rule) => rule !== 'stream-cut')).toEqual(rules);
    }
  });

  it('are refused if a part of the answer is of no known type', () => {
    const content = [{ type: 'spy', text: 'a' }];
    const output = [{ type: 'message', id: 'm', role: 'assistant', content }];
    const events = [
      { type: 'response.created', response: { id: 'r', object: 'response', output: [] } },
      { type: 'response.completed', response: { id: 'r', object: 'response', status: 'completed', output } },
    ];
    const [entry] = entriesOf(dumped(events.map((one) => JSON.stringify(one)).join('\n')));
    expect(entry).toMatchObject({ refused: { reason: 'unknown-content' }, messages: [] });
  });

  const chat = (id: string, content: string, finish: string | null = null, role?: string) =>
    JSON.stringify({
      id,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role, content }, finish_reason: finish }],
    });
  const texts = (dump: string, options = {}) =>
    entriesOf(dumped(dump, options)).map((entry) => (replyIn(entry) as { text: string } | undefined)?.text);

  test('hold several answers, separated by their end markers or ids', () => {
    const marked = `data: ${chat('', 'a', 'stop')}\n\ndata: [DONE]\n\n: again\n\ndata: ${chat('', 'b', 'stop')}\n\n`;
    expect(texts(marked)).toEqual(['a', 'b']);
    expect(
      texts(
        [chat('1', 'a', null, 'assistant'), chat('2', 'b', null, 'assistant'), chat('2', 'c')].join('\n'),
      ),
    ).toEqual(['a', 'bc']);
  });

  test('may have events with several data lines', () => {
    expect(texts(`data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n`)).toEqual(['a']);
  });

  test('have the model, the tokens and the reason of the end of each answer', () => {
    const head = { id: '1', object: 'chat.completion.chunk', model: 'm' };
    const chunks = [
      {
        ...head,
        choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: 'error' }],
      },
      { ...head, choices: [], usage: { total_tokens: 3 }, error: { message: 'x' } },
    ];
    const [entry] = entriesOf(dumped(chunks.map((one) => JSON.stringify(one)).join('\n')));
    const meta = [...(entry?.meta ?? [])].map(([name, json]) => [name, JSON.parse(text(json))]);
    expect(Object.fromEntries(meta)).toEqual({ model: 'm', usage: { total_tokens: 3 }, finish: 'error' });
    expect(rulesOf(entry)).toEqual(['response-error', 'no-question']);
  });

  test('have lines that are not events rejected one by one', () => {
    const elements = dumped(
      `data: ${chat('', 'a')}\nnonsense\ndata: {"x":1}\n\n{"y":2}\ndata: ${chat('', 'b')}`,
    );
    const reasons = elements.flatMap((one) => (one.kind === 'rejection' ? [one.reason] : []));
    expect(reasons).toEqual(['bad-stream', 'bad-stream', 'bad-stream']);
    expect(replyIn(entriesOf(elements)[0])).toMatchObject({ text: 'ab' });
  });

  test('have a fate for each line when they hold only comments', () => {
    expect(dumped(': a\n\n: b\n')).toMatchObject([
      { fate: 'dropped:client-event' },
      { fate: 'dropped:client-event' },
    ]);
  });

  test('may have any number of comments before an event', () => {
    const elements = dumped(`${': ping\n'.repeat(200_000)}data: ${chat('', 'a')}`);
    expect(texts(`data: ${chat('', 'a')}`)).toEqual(['a']);
    expect(entriesOf(elements)[0]?.lines?.count).toBe(200_001);
  });

  test('begin with the supplied user turn', () => {
    const [entry] = entriesOf(dumped(`data: ${chat('', 'a')}`, { userTurn: 'hi' }));
    expect(entry?.messages.map(({ bytes }) => text(bytes))).toEqual(['{"role":"user","content":"hi"}']);
    expect(rulesOf(entry)).not.toContain('no-question');
    expect(rulesOf(entriesOf(dumped(`data: ${chat('', 'a')}`))[0])).toContain('no-question');
  });

  test('have an answer that is too long rejected with all its lines', () => {
    const lines = Array.from({ length: 40 }, () => chat('', 'abc'));
    const [entry, ...others] = dumped(lines.join('\n'), { maxConversation: 1000 });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ refused: { reason: 'conversation-too-long' }, lines: { count: 40 } });
  });
});

describe('an answer that was not understood is refused, because no message can carry the finding', () => {
  const whole = (...events: readonly object[]) => dumped(events.map((one) => JSON.stringify(one)).join('\n'));

  it('if the deltas of chat chunks have their pieces under another name', () => {
    const delta = (words: object, reason: string | null) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: words, finish_reason: reason }],
    });
    const [entry] = entriesOf(
      whole(delta({ role: 'assistant', speech: 'Water the beans at noon.' }, null), delta({}, 'stop')),
    );
    expect(entry).toMatchObject({ messages: [], refused: { reason: 'unknown-content' } });
    expect(entry?.refused?.detail).toContain('speech');
  });

  it('if the deltas of the Responses API have', () => {
    const [entry] = entriesOf(
      whole(
        { type: 'response.created', response: { id: 'r', object: 'response', output: [] } },
        { type: 'response.output_text.delta', output_index: 0, speech: 'Water the beans at noon.' },
      ),
    );
    expect(entry).toMatchObject({ messages: [], refused: { reason: 'unknown-content' } });
  });

  it('but not if it is only empty', () => {
    const choices = [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }];
    const [entry] = entriesOf(whole({ id: 'c', object: 'chat.completion.chunk', choices }));
    expect(entry?.refused).toBeUndefined();
  });
});

describe('interleaved chunks of several streams', () => {
  const saying = (id: string, text: string): readonly string[] => [
    `{"id":"${id}","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
    ...[...text].map(
      (letter) =>
        `{"id":"${id}","choices":[{"index":0,"delta":{"content":"${letter}"},"finish_reason":null}]}`,
    ),
    `{"id":"${id}","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
  ];
  const textsAndLines = (
    elements: readonly StreamElement[],
  ): readonly (readonly [string | undefined, number])[] =>
    elements
      .filter((one): one is Entry => one.kind === 'entry')
      .map((one) => [
        one.reply && JSON.parse(text(one.reply.bytes)).content,
        [...placesOf(one.lines as never)].length,
      ]);

  test('are separated by their ids in any order', () => {
    const texts = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 6 });
    const order = fc.array(fc.nat({ max: 5 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(texts, order, fc.boolean(), (all, picks, isSse) => {
        const queues = all.map((letters, i) => [...saying(`id-${i}`, letters)]);
        const begun: number[] = [];
        const lines: string[] = [];
        const take = (i: number): void => {
          const line = queues[i]?.shift();
          if (line === undefined) return;
          if (!begun.includes(i)) begun.push(i);
          lines.push(isSse ? `data: ${line}` : line);
        };
        for (const pick of picks) take(pick % queues.length);
        for (const [i, queue] of queues.entries()) while (queue.length > 0) take(i);
        expect(textsAndLines(dumped(lines.join('\n')))).toEqual(
          begun.map((i) => [all[i], (all[i] as string).length + 2]),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('are held up to a limit, beyond which the oldest stream is cut', () => {
    const cut = saying('cut', 'ab').slice(0, 2);
    const others = Array.from({ length: 70 }, (_, i) => saying(`id-${i}`, 'x').slice(0, 2));
    const found = textsAndLines(dumped([...cut, ...others.flat(), ...saying('last', 'y')].join('\n')));
    expect([found.length, found[0], found.at(-1)]).toEqual([72, ['a', 2], ['y', 3]]);
  });
});
