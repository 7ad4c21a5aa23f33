/** Calls that continue each other by id: what is written of them, and what that costs. */
import { afterEach, describe, expect, it, test, vi } from 'vitest';

import type { ReadElement, ReadingOptions } from '../../../transforms/dialects/dialect.ts';
import { dialects } from '../../../transforms/dialects/index.ts';
import { isPairDialect, PairReader } from '../../../transforms/dialects/pairs/pair-reader.ts';
import responses from '../../../transforms/dialects/responses.ts';
import { History } from '../../../transforms/dialects/shared/history.ts';
import { WaitingParts } from '../../../transforms/dialects/shared/waiting-parts.ts';
import spans from '../../../transforms/dialects/spans.ts';
import type { Entry, Message, Origin } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { extendPath, NO_END, pathHashes } from '../../../transforms/model/path-hashes.ts';
import { randomFrom } from '../../support/plain-logs.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const output = (words: string) => [
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: words }] },
];
/** The numbers below `count` in another order, always the same. */
const shuffled = (count: number): readonly number[] => {
  const random = randomFrom(7);
  const drawn = Array.from({ length: count }, (_, i) => [random(), i] as const);
  return drawn.sort(([a], [b]) => a - b).map(([, i]) => i);
};
/** A call that continues the one with the number `after`. */
const call = (i: number, after: number | undefined, more: object = {}) => ({
  request: {
    input: `q${i}`,
    ...(after !== undefined && { previous_response_id: `resp_${after}` }),
    ...more,
  },
  response: { id: `resp_${i}`, object: 'response', status: 'completed', output: output(`a${i}`) },
});
const asSpan = ({ request, response }: ReturnType<typeof call>) => ({
  ...{ traceId: 't', spanId: response.id },
  attributes: {
    'openinference.span.kind': 'LLM',
    'input.value': JSON.stringify(request),
    'output.value': JSON.stringify(response),
  },
});
const chain = (count: number, more?: object) =>
  Array.from({ length: count }, (_, i) => call(i, i === 0 ? undefined : i - 1, more));
const questions = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => [`q${i}`, `a${i}`]).flat();

const said = ({ bytes }: Message): string => /[qa]\d+/.exec(text(bytes))?.[0] ?? text(bytes);
const wordsOf = ({ messages, reply }: Entry): readonly string[] =>
  [...messages, ...(reply === undefined ? [] : [reply])].map(said);
const isEntry = (element: ReadElement): element is Entry => element.kind === 'entry';

afterEach(() => vi.restoreAllMocks());

const logs = [
  ['responses', responses, (one: ReturnType<typeof call>): object => one],
  ['spans', spans, asSpan],
] as const;

it.each(logs)(
  'that end early have a warning that stays when another one continues them: %s',
  (_name, dialect, logged) => {
    const first = call(0, undefined);
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
    const calls = [{ ...first, response: { ...first.response, ...cut } }, call(1, 0)];
    const entries = readLog(
      dialect.create(),
      calls.map((one) => JSON.stringify(logged(one as ReturnType<typeof call>))),
    ).filter(isEntry);
    const rules = ({ messages }: Entry) => messages.map(({ notes = [] }) => notes.map(({ rule }) => rule));
    expect(entries.map(wordsOf)).toEqual([['q0', 'a0', 'q1', 'a1']]);
    expect(entries.map(rules)).toEqual([[expect.anything(), ['reply-cut'], []]]);
  },
);

/** Expects that four times as many calls list messages about four times as often. */
function expectFewLists(read: (count: number) => unknown): void {
  const listed = vi.spyOn(History.prototype, 'addedMessages', 'get');
  read(100);
  const short = listed.mock.calls.length;
  listed.mockClear();
  read(400);
  expect(listed.mock.calls.length).toBeLessThan(4.2 * short);
}

describe.each(logs)('a chain in %s', (_name, dialect, asLine) => {
  const read = (calls: readonly ReturnType<typeof call>[], options: ReadingOptions = {}): readonly Entry[] =>
    readLog(
      dialect.create(undefined, options),
      calls.map((one) => JSON.stringify(asLine(one))),
    ).filter(isEntry);

  it('is one conversation in the order of the log, backwards and in any other order', () => {
    const calls = chain(60);
    const mixed = shuffled(60).map((i) => calls[i] as ReturnType<typeof call>);
    for (const order of [calls, calls.toReversed(), mixed])
      expect(read(order).map(wordsOf)).toEqual([questions(60)]);
  });

  it('lists the messages of each call a few times only, however long it is', () =>
    expectFewLists((count) => read(chain(count))));

  it('that is continued in more ways than --max-branches is rejected beyond them', () => {
    const calls = [...chain(3), ...[3, 4, 5, 6].map((i) => call(i, 1)), call(7, 6)];
    const entries = read(calls, { maxBranches: 3 });
    const written = entries.filter(({ refused }) => refused === undefined);
    expect(written.map((entry) => wordsOf(entry).at(-1))).toEqual(['a2', 'a3', 'a4']);
    expect(entries.flatMap(({ refused }) => refused?.reason ?? [])).toEqual(
      new Array(3).fill('too-many-branches'),
    );
  });
});

describe('a chain in a source that begins with a pair of the Messages API', () => {
  const pair = {
    ...{ session_id: 's', request: { messages: [{ role: 'user', content: 'q' }] } },
    response: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a' }] },
  };
  const read = (count: number): readonly Entry[] => {
    const readers = new Map(dialects.filter(isPairDialect).map((one) => [one.name, one.create()]));
    const lines = [pair, ...chain(count).map((one) => ({ session_id: 't', ...one }))];
    return readLog(
      new PairReader('anthropic', readers),
      lines.map((one) => JSON.stringify(one)),
    ).filter(isEntry);
  };

  it('is one conversation', () => {
    expect(read(60).map((entry) => [entry.sessionId, ...wordsOf(entry)])).toEqual([
      ['s', ...read(0).flatMap(wordsOf)],
      ['t', ...questions(60)],
    ]);
  });

  it('lists the messages of each call a few times only, however long it is', () => expectFewLists(read));
});

describe('a chain in a source that begins with a pair of chat completions', () => {
  const pair = {
    ...{
      session_id: 's',
      timestamp: '2026-02-03T10:00:00Z',
      request: { messages: [{ role: 'user', content: 'q' }] },
    },
    response: { choices: [{ message: { role: 'assistant', content: 'a' } }] },
  };
  const timeOf = (i: number) => new Date(1_780_000_000_000 + 1000 * i).toISOString();
  const readAll = (calls: readonly object[], options: ReadingOptions = {}): readonly ReadElement[] => {
    const readers = new Map(
      dialects.filter(isPairDialect).map((one) => [one.name, one.create(undefined, options)]),
    );
    const lines = [pair, ...calls.map((one, i) => ({ session_id: 's', timestamp: timeOf(i), ...one }))];
    return readLog(
      new PairReader('exchange', readers, options),
      lines.map((one) => JSON.stringify(one)),
    );
  };
  const read = (count: number, options: ReadingOptions = {}): readonly Entry[] =>
    readAll(chain(count), options).filter(isEntry);
  /** Chains whose lines alternate; the numbers of each begin at another thousand. */
  const alternating = (chains: number, count: number, more: (chain: number) => object = () => ({})) =>
    Array.from({ length: count }, (_, i) =>
      Array.from({ length: chains }, (_, c) => ({
        ...call(1000 * c + i, i === 0 ? undefined : 1000 * c + i - 1),
        ...more(c),
      })),
    ).flat();
  const linesOf = (entry: Entry | undefined): readonly number[] =>
    entry?.lines === undefined ? [] : [...placesOf(entry.lines)].map(({ line }) => line);

  it('is its first call, and its last one with the places of all others', () => {
    const [, first, all, ...more] = read(60);
    expect([first, all].map((entry) => wordsOf(entry as Entry))).toEqual([questions(1), questions(60)]);
    expect([all?.lines?.count, all?.origin.line, more]).toEqual([59, 61, []]);
  });

  it('lists the messages of each call a few times only, however long it is', () => {
    expectFewLists(read);
    expectFewLists((count) => read(count, { maxMessages: 10_000 }));
    expectFewLists((count) => readAll(alternating(2, count / 2)));
    expectFewLists((count) => readAll(alternating(2, count / 2), { maxMessages: 20 }));
  });

  it('may alternate with another one: each is its last call, with the places since the one before it', () => {
    const [, first, one, other, ...more] = readAll(alternating(2, 5)).filter(isEntry);
    expect([first, one, other].map((entry) => wordsOf(entry as Entry).at(-1))).toEqual(['a0', 'a4', 'a1004']);
    expect([one, other].map((entry) => wordsOf(entry as Entry).length)).toEqual([10, 10]);
    expect([linesOf(one), linesOf(other), more]).toEqual([[3, 4, 5, 6, 7, 8, 9, 10], [], []]);
    expect(other?.origin.line).toBe(11);
  });

  it('alternates with one of another session only where a file is a session', () => {
    const calls = alternating(2, 3, (c) => ({ session_id: `s${c}` }));
    const wordsBy = (sessionBy: 'file' | 'run') =>
      readAll(calls, { sessionBy })
        .filter(isEntry)
        .map((entry) => wordsOf(entry).at(-1));
    expect(wordsBy('file').slice(1)).toEqual(['a0', 'a2', 'a1002']);
    expect(wordsBy('run').slice(1)).toEqual(['a0', 'a1000', 'a1', 'a1001', 'a2', 'a1002']);
  });

  it('is not joined over a call that is not later, nor over an entry of no chain', () => {
    const late = alternating(2, 3).map((one, i) => ({
      ...one,
      timestamp: timeOf([0, 1, 2, 3, 2, 4][i] as number),
    }));
    const wordsIn = (calls: readonly object[]) =>
      readAll(calls)
        .filter(isEntry)
        .map((entry) => wordsOf(entry).at(-1));
    expect(wordsIn(late).slice(1)).toEqual(['a0', 'a1', 'a1001', 'a2', 'a1002']);
    const [a, b, c, d] = chain(4) as readonly object[];
    const found = wordsIn([a, b, { ...pair, timestamp: timeOf(2) }, c, d] as readonly object[]);
    expect([found.slice(1, 3), found.slice(4)]).toEqual([
      ['a0', 'a1'],
      ['a2', 'a3'],
    ]);
  });

  it('has the tools of all its calls', () => {
    const tool = (name: string) => ({ tools: [{ type: 'function', name, parameters: {} }] });
    const calls = [0, 1].flatMap((i) =>
      [0, 1000].map((c) => call(c + i, i === 0 ? undefined : c, tool(`f${c + i}`))),
    );
    const entries = readAll(calls).filter(isEntry);
    expect(entries.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ...[[], ['f0'], ['f1'], ['f1000', 'f1001']],
    ]);
  });

  it('says how long a call is that has more messages than --max-messages, without listing it', () => {
    const entries = readAll(alternating(2, 4), { maxMessages: 5 }).filter(isEntry);
    const isListed = ({ length }: Entry): boolean => length === undefined;
    expect(entries.flatMap(({ length }) => length ?? [])).toEqual([6, 6, 8, 8]);
    const listed = entries.filter(isListed).map((entry) => wordsOf(entry).at(-1));
    expect(listed.slice(1)).toEqual(['a0', 'a1', 'a1001']);
  });

  it('is written when more than 1,000 others are open', () => {
    const starts = Array.from({ length: 1100 }, (_, i) => call(i, undefined));
    const words = readAll([...starts, call(5000, 1050), call(5001, 3)])
      .filter(isEntry)
      .map((entry) => wordsOf(entry).join());
    expect(words).toHaveLength(1 + 1100 - 1 + 2);
    expect(words.slice(-2)).toEqual(['q1050,a1050,q5000,a5000', 'q3,a3,q5001,a5001']);
  });
});

describe('a chain with a message that may not be written', () => {
  const read = (count: number, at: number) => {
    const calls = chain(count);
    const { output: items } = (calls[at] as ReturnType<typeof call>).response;
    Object.assign(items[0]?.content[0] as object, { type: 'mystery' });
    return readLog(
      responses.create(),
      calls.map((one) => JSON.stringify({ ...one, request: { instructions: 's', ...one.request } })),
    );
  };

  it('is rejected from there on, with the position in the whole conversation', () => {
    const detailOf = (one: ReadElement) =>
      one.kind === 'rejection' ? one.detail : wordsOf(one as Entry).at(-1);
    const details = read(5, 2).map(detailOf);
    const found = ': content[0] is not a part of a known type (assistant)';
    expect(details).toEqual([`the answer${found}`, `messages[6]${found}`, `messages[6]${found}`, 'a1']);
  });

  it('lists the messages of each call a few times only, however long it is', () => {
    const listed = vi.spyOn(History.prototype, 'addedMessages', 'get');
    read(100, 0);
    const short = listed.mock.calls.length;
    listed.mockClear();
    read(400, 0);
    expect(listed.mock.calls.length).toBeLessThan(4.2 * short);
  });
});

test('calls that share nothing are written in any number', () => {
  const calls = Array.from({ length: 20 }, (_, i) => ({ ...call(i, undefined), session_id: 's' }));
  const lines = calls.map((one) => JSON.stringify(one));
  const entries = readLog(responses.create(undefined, { maxBranches: 2 }), lines).filter(isEntry);
  expect(entries.filter(({ refused }) => refused === undefined)).toHaveLength(20);
});

test('a chain whose system text changes is one conversation for each text', () => {
  const calls = Array.from({ length: 8 }, (_, i) =>
    call(i, i === 0 ? undefined : i - 1, { instructions: `S${i % 2}` }),
  );
  const lines = calls.map((one) => JSON.stringify(one));
  const entries = readLog(responses.create(), lines).filter(isEntry);
  expect(entries.map((entry) => wordsOf(entry).length)).toEqual([15, 17]);
});

test('waiting calls are read again only when the response that they await was read', () => {
  const known = new Set<number>();
  let reads = 0;
  const parts = new WaitingParts(1e9);
  for (const [at, i] of shuffled(300).entries()) {
    const later = () => {
      reads++;
      if (i > 0 && !known.has(i - 1)) return undefined;
      known.add(i);
      return { messages: [], responseId: `${i}` };
    };
    const origin: Origin = { source: 's', line: at, offset: at * 10, length: 10 };
    parts.hold({ messages: [], later, awaits: `${i - 1}` }, origin, 0);
  }
  for (const _ of parts.end(() => undefined));
  expect([known.size, reads < 700]).toEqual([300, true]);
});

test('a path that is continued has the hashes of the whole path, also where the calls before it are shared', () => {
  const message = (json: object): Message => ({ bytes: asBuffer(JSON.stringify(json)), role: 'x' });
  const calling = (id: string) =>
    message({ role: 'assistant', tool_calls: [{ id, function: { name: 'f' } }] });
  const result = (id: string) => message({ role: 'tool', tool_call_id: id, content: id });
  const start = [calling('a'), result('a'), calling('b')];
  const one = [calling('a'), result('b'), result('a')];
  const other = [result('a'), calling('c'), result('c'), result('b')];
  const { end } = extendPath(NO_END, start);
  for (const more of [one, other, one])
    expect(extendPath(end, more).hashes).toEqual(pathHashes([...start, ...more]).slice(start.length));
});
