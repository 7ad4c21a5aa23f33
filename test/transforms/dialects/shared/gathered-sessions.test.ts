/** Calls of interleaved sessions in one source, gathered by a test dialect. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { defineDialect } from '../../../../transforms/dialects/define-dialect.ts';
import type { ReadingOptions } from '../../../../transforms/dialects/dialect.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import type { Entry, Fate, Message, StreamElement } from '../../../../transforms/model/element.ts';
import { placesOf } from '../../../../transforms/model/entry-log.ts';
import { pathHashes } from '../../../../transforms/model/path-hashes.ts';
import { asBuffer, text } from '../../bytes.ts';
import { lineOf } from '../../log-lines.ts';

interface Call {
  readonly s?: string;
  readonly t?: number;
  /** Alternating messages, first the user's; with an even number the last one is the reply. */
  readonly texts: readonly string[];
  readonly tools?: readonly string[];
  /** May it continue a conversation of another session? */
  readonly joins?: boolean;
  readonly id?: string;
}

const talk: Parameters<typeof defineDialect>[0] = {
  name: 'talk',
  summary: 'For the test.',
  detect: () => true,
  gathers: true,
  read(json, context) {
    const entries = (json.get('calls')?.elements() ?? [json]).map((call) => {
      const messages = (call.get('texts')?.elements() ?? []).map((content, i) =>
        context.makeMessage(i % 2 === 0 ? 'user' : 'assistant', { content }),
      );
      const tools = call
        .get('tools')
        ?.elements()
        .map((name) => ({ bytes: name.copy(), name: name.text() }));
      return {
        sessionId: call.get('s')?.text(),
        timestamp: context.time(call.get('t')),
        tools,
        callId: call.get('id')?.text(),
        ...(call.get('joins') !== undefined && { joins: true }),
        ...context.replyLast(messages),
      };
    });
    return json.get('calls') === undefined ? entries[0] : entries;
  },
};
const dialect = defineDialect(talk);
const packing = defineDialect({ ...talk, packs: true });

function read(
  calls: readonly (Call | { readonly calls: readonly Call[] })[],
  options: ReadingOptions = {},
  reads = dialect,
) {
  const reader = reads.create(undefined, options);
  let offset = 0;
  const elements = calls.flatMap((call, i): StreamElement[] => {
    const line = lineOf(JSON.stringify(call), asBuffer, i + 1, offset);
    offset += line.bytes.length + 1;
    return [...reader.read(line)];
  });
  return [...elements, ...(reader.end?.() ?? [])];
}

const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const joinedTexts = ({ messages, reply }: Entry): string =>
  [...messages, ...(reply === undefined ? [] : [reply])]
    .map(({ bytes }) => JSON.parse(text(bytes)).content)
    .join(' ');
const linesOf = ({ lines }: Entry): readonly number[] =>
  [...placesOf(lines as NonNullable<Entry['lines']>)].map(({ line }) => line);
const records = (calls: Parameters<typeof read>[0], options: ReadingOptions = {}) =>
  entriesOf(read(calls, options)).map((entry) => [entry.sessionId, joinedTexts(entry), linesOf(entry)]);

const TEXTS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('gathered sessions', () => {
  it('consist of the calls that no other call includes, in any order', () => {
    const calls = [2, 4, 6].map((n) => ({ s: 'x', texts: TEXTS.slice(0, n) }));
    const whole = [['x', 'a b c d e f', [1, 2, 3]]];
    expect(records(calls)).toEqual(whole);
    expect(records(calls.toReversed())).toEqual(whole);
    expect(records([1, 2, 0].map((i) => calls[i] as Call))).toEqual(whole);
  });

  it('are compared as cleanup leaves their messages', () => {
    const cleaned: ReadingOptions['cleaned'] = (messages, from) => {
      const isOdd = ({ bytes }: Message): boolean => text(bytes).includes('clock');
      return messages.slice(from).some(isOdd) ? messages.filter((one) => !isOdd(one)) : messages;
    };
    const calls = [
      { s: 'x', texts: ['a', 'b', 'clock 1', 'c'] },
      { s: 'x', texts: ['a', 'b', 'clock 2', 'c', 'd', 'e'] },
      { s: 'x', texts: ['a', 'b', 'f', 'g', 'clock 3'] },
      { s: 'x', texts: ['a', 'b', 'f', 'g', 'clock 4'] },
    ];
    expect(records(calls)).toHaveLength(4);
    expect(records(calls, { cleaned })).toEqual([
      ['x', 'a b clock 2 c d e', [1, 2]],
      ['x#2', 'a b f g clock 4', [3, 4]],
    ]);
  });

  it('may interleave, and an unrelated call is a separate conversation', () => {
    const calls = [
      { s: 'x', texts: ['a', 'b'] },
      { s: 'y', texts: ['a', 'b'] },
      { s: 'x', texts: ['title?', 'T'] },
      { s: 'x', texts: ['a', 'b', 'c', 'd'] },
      { s: 'y', texts: ['a', 'b', 'q', 'r'] },
    ];
    expect(records(calls)).toEqual([
      ['x', 'title? T', [3]],
      ['x#2', 'a b c d', [1, 4]],
      ['y', 'a b q r', [2, 5]],
    ]);
  });

  it('are ordered by time when all calls have one', () => {
    const late = { s: 'x', t: 1700000009, texts: ['c', 'd'] };
    const early = { s: 'x', t: 1700000001, texts: ['a', 'b'] };
    expect(records([late, early]).map(([, joined]) => joined)).toEqual(['a b', 'c d']);
    expect(records([late, { s: 'x', texts: ['a', 'b'] }]).map(([, texts]) => texts)).toEqual(['c d', 'a b']);
  });

  it('keep the longest conversation with --select last and give the other lines their fate', () => {
    const calls = [
      { s: 'x', texts: ['a', 'b'] },
      { s: 'x', texts: ['t', 'T'] },
      { s: 'x', texts: ['a', 'b', 'c', 'd'] },
    ];
    expect(records(calls, { select: 'last' })).toEqual([['x', 'a b c d', [1, 3]]]);
    const fates = read(calls, { select: 'last' }).filter((one): one is Fate => one.kind === 'fate');
    expect(fates.map(({ fate, origin }) => [fate, origin.line])).toEqual([['dropped:abandoned-branch', 2]]);
  });

  it('have the tools of all their calls and the time of the first', () => {
    const calls = [
      { s: 'x', t: 1700000001, texts: ['a', 'b'], tools: ['f', 'g'] },
      { s: 'x', t: 1700000002, texts: ['a', 'b', 'c', 'd'], tools: ['g', 'h'] },
    ];
    const [entry] = entriesOf(read(calls));
    expect(entry?.tools.map(({ name }) => name)).toEqual(['f', 'g', 'h']);
    expect(entry?.timestamp).toBe(1700000001n * 1_000_000_000n);
  });

  it('do not join a call without a session', () => {
    expect(read([{ texts: ['a', 'b'] }])).toMatchObject([
      { kind: 'entry', alone: true, sessionId: 'a.jsonl:1' },
    ]);
  });

  it('join a call with the failed one before it, which it repeats or continues', () => {
    expect(records([{ texts: ['a'] }, { texts: ['a', 'b'] }])).toEqual([['a.jsonl:1', 'a b', [1, 2]]]);
    const named = { s: 'y', joins: true, texts: ['a', 'b'] };
    expect(records([{ texts: ['a'] }, named])).toEqual([['a.jsonl:1', 'a b', [1, 2]]]);
    expect(records([{ texts: ['a'] }, { texts: ['c'] }, { texts: ['a', 'b'] }])).toHaveLength(3);
  });

  describe('with a call that is logged again under its id', () => {
    const call = (id: string, ...texts: string[]): Call => ({ s: 'x', id, texts });

    it('have its last version', () => {
      const versions = [call('1', 'a', 'b'), call('2', 't', 'T'), call('1', 'a', 'B'), call('1', 'a', 'B')];
      expect(records(versions)).toEqual([
        ['x', 't T', [2]],
        ['x#2', 'a B', [1, 3, 4]],
      ]);
      expect(records([call('1', 'a', 'b'), call('1', 'x'), call('1', 'y', 'z')])).toEqual([
        ['x', 'y z', [1, 2, 3]],
      ]);
      expect(records([call('1', 'a', 'b', 'c', 'd'), call('1', 'a', 'b', 'c', 'e')])).toHaveLength(1);
    });

    it('keep the former one if another call continues or repeats it', () => {
      const continued = [call('1', 'a', 'b'), call('2', 'a', 'b', 'c', 'd'), call('1', 'a', 'B')];
      expect(records(continued).map(([, texts]) => texts)).toEqual(['a b c d', 'a B']);
      const repeated = [call('1', 'a', 'b'), call('2', 'a', 'b'), call('1', 'a', 'B')];
      expect(records(repeated).map(([, texts]) => texts)).toEqual(['a b', 'a B']);
    });

    it('keep the former one if it alone continues another call', () => {
      const first = call('1', 'a', 'b');
      const calls = [first, call('2', 'a', 'b', 'c', 'd'), call('2', 'q', 'r')];
      expect(records(calls).map(([, texts]) => texts)).toEqual(['a b c d', 'q r']);
      const edited = [first, call('2', 'a', 'b', 'c', 'd'), call('2', 'a', 'b', 'c', 'D')];
      expect(records(edited)).toEqual([['x', 'a b c D', [1, 2, 3]]]);
    });

    it('have no trace of the former one for a later call', () => {
      const calls = [call('1', 'a', 'b'), call('1', 'q', 'r'), call('2', 'a', 'b')];
      expect(records(calls).map(([, texts]) => texts)).toEqual(['q r', 'a b']);
    });
  });

  it('count an object of several calls as several lines', () => {
    const elements = read([{ calls: [1, 2, 3].map((n) => ({ s: 'x', texts: TEXTS.slice(0, 2 * n) })) }]);
    expect(elements[0]).toMatchObject({ kind: 'repair', repair: 'split-objects', count: 2 });
    expect(entriesOf(elements).map(linesOf)).toEqual([[1, 1, 1]]);
  });

  it('end, the longest idle first, when memory is short, and later calls are refused', () => {
    const call = (s: string, ...texts: string[]) => ({ s, texts: [`${texts[0]}${'x'.repeat(3000)}`, 'b'] });
    const elements = entriesOf(
      read([call('x', 'a'), call('y', 'b'), call('x', 'c')], { maxConversation: 5000 }),
    );
    expect(elements.map(({ sessionId, refused }) => [sessionId, refused?.reason])).toEqual([
      ['x', undefined],
      ['x', 'session-reopened'],
      ['y', undefined],
    ]);
  });

  it('hold every turn of random calls exactly once', () => {
    const paths = fc.array(
      fc.tuple(
        fc.constantFrom('x', 'y'),
        fc.array(fc.constantFrom('p', 'q', 'r'), { minLength: 1, maxLength: 5 }),
      ),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(paths, (calls) => {
        const built = records(calls.map(([s, texts]) => ({ s, texts })));
        for (const s of ['x', 'y']) {
          const all = [...new Set(calls.filter(([id]) => id === s).map(([, texts]) => texts.join(' ')))];
          const leaves = all.filter((one) => !all.some((other) => other.startsWith(`${one} `)));
          const actual = built.filter(([id]) => `${id}`.startsWith(s)).map(([, texts]) => texts);
          expect(actual.toSorted()).toEqual(leaves.toSorted());
        }
        const lines = built.flatMap(([, , numbers]) => numbers as readonly number[]);
        expect(lines.toSorted((a, b) => a - b)).toEqual(calls.map((_, i) => i + 1));
      }),
    );
  });
});

it('calls that are held as bytes are gathered like others', () => {
  const tools = fc.option(fc.subarray(['f', 'g']), { nil: undefined });
  const call = fc.record({
    s: fc.constantFrom('x', 'y', 'z'),
    t: fc.constantFrom(1700000001, 1700000002),
    id: fc.integer({ min: 0, max: 60 }).map(String),
    texts: fc.array(fc.constantFrom('p', 'q', 'r', 's'), { minLength: 1, maxLength: 6 }),
    tools,
    joins: fc.constantFrom(true, undefined),
  });
  const calls = fc.array(call, { minLength: 40, maxLength: 120 });
  fc.assert(
    fc.property(calls, fc.constantFrom('leaves' as const, 'last' as const), (list, select) => {
      const [plain, packed] = [dialect, packing].map((one) => read(list as Call[], { select }, one));
      expect(packed).toEqual(plain);
    }),
    { numRuns: 60 },
  );
});

describe('the hash of a path', () => {
  const text = { role: 'user', content: 'aé\n😀'.repeat(50_000) };
  const hashes = (...messages: readonly object[]) =>
    pathHashes(messages.map((one) => ({ bytes: encode(JSON.stringify(one)), role: 'user' })));
  const call = (id: string, args: string, more: object = {}) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: args } }],
    ...more,
  });

  it.each([
    ['reasoning', call('1', '{}'), call('1', '{}', { reasoning_content: 'hm' })],
    ['the id of a call', call('1', '{"a":1,"b":2}'), call('2', '{ "b": 2, "a": 1 }')],
    ['how an empty content is written', call('1', '{}'), call('1', '{}', { content: '' })],
    [
      'the list around a text',
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
    ],
    ['how a long text is written', text, { ...text, content: [{ type: 'text', text: text.content }] }],
    ['the name of the system role', { role: 'developer', content: 'a' }, { role: 'system', content: 'a' }],
  ])('does not depend on %s', (_what, a, b) => {
    expect(hashes(a)).toEqual(hashes(b));
  });

  it.each([
    ['role', { role: 'user', content: 'a' }, { role: 'assistant', content: 'a' }],
    ['text', { role: 'user', content: 'a' }, { role: 'user', content: 'b' }],
    ['end of a long text', text, { ...text, content: `${text.content.slice(0, -1)}b` }],
    ['arguments', call('1', '{"a":1}'), call('1', '{"a":2}')],
    [
      'image',
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'a' } }] },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'b' } }] },
    ],
  ])('depends on the %s', (_what, a, b) => {
    expect(hashes(a)).not.toEqual(hashes(b));
  });

  it('tells which of two calls a result answers', () => {
    const two = {
      ...call('1', '{}'),
      tool_calls: [...call('1', '{}').tool_calls, ...call('2', '{}').tool_calls],
    };
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });
    expect(hashes(two, result('1'))).not.toEqual(hashes(two, result('2')));
  });
});

it('equal calls in separate sessions: the work grows as their number', () => {
  const calls = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ s: `s${i}`, texts: ['a', 'b'], joins: true }));
  const stepsOf = (n: number): number => {
    const set = vi.spyOn(Map.prototype, 'set');
    try {
      expect(records(calls(n))).toEqual([['s0', 'a b', Array.from({ length: n }, (_, i) => i + 1)]]);
      return set.mock.calls.length;
    } finally {
      set.mockRestore();
    }
  };
  expect(stepsOf(800)).toBeLessThan(3 * stepsOf(400));
});
