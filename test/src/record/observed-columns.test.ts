/** The types of columns that depend on the records. test/loaders/folder.py reads such cards with the real loader. */
import { describe, expect, it } from 'vitest';
import { ObservedColumns } from '../../../src/record/observed-columns.ts';
import type { Columns } from '../../../transforms/formats/columns.ts';

const TIME = '2026-01-20T15:00:00';

function typesOf(
  columns: Columns,
  records: readonly (object | string)[],
  isOpen = false,
): Record<string, readonly string[]> {
  const observed = new ObservedColumns(columns, isOpen);
  for (const record of records)
    observed.see(Buffer.from(typeof record === 'string' ? record : JSON.stringify(record)), 'a');
  return Object.fromEntries(observed.types());
}

describe('a free text', () => {
  const columns: Columns = { prompt: 'text', completion: 'free-text' };
  const typeOf = (...texts: readonly string[]): readonly string[] | undefined =>
    typesOf(
      columns,
      texts.map((completion) => ({ prompt: TIME, completion })),
    ).completion;

  it('is JSON if the loader would take all texts of a block for times', () => {
    expect(typeOf(TIME, '2026-01-20')).toEqual(['dtype: json']);
    expect(typeOf(TIME, 'done')).toEqual(['dtype: string']);
  });

  it.each(['42', ' 1e5', 'true', 'null', '"a"', '{}', '[1]', '-Infinity', 'NaN'])(
    'is a text if JSON would make another value of %j',
    (text) => {
      const observed = new ObservedColumns(columns, false);
      const see = (completion: string, shard: string): void =>
        observed.see(Buffer.from(JSON.stringify({ completion })), shard);
      see(TIME, 'a');
      see(text, 'b');
      expect(observed.types().get('completion')).toEqual(['dtype: string']);
    },
  );
});

describe('turns', () => {
  it('are JSON only if all values in a block look like times', () => {
    const turns = (...values: readonly string[]) => ({
      conversations: values.map((value) => ({ from: 'gpt', value })),
    });
    const typeOf = (...records: readonly object[]) =>
      typesOf({ conversations: 'turns' }, records).conversations;
    expect(typeOf(turns(TIME, TIME), turns(TIME))).toEqual(['list: json']);
    expect(typeOf(turns(TIME, 'q'), turns(TIME))?.[0]).toBe('list:');
  });
});

describe('a flag', () => {
  it('is a column if a record has it', () => {
    const columns: Columns = { messages: 'json-list', parallel: 'boolean' };
    expect(Object.keys(typesOf(columns, [{ messages: [] }]))).toEqual(['messages']);
    expect(typesOf(columns, [{ messages: [] }, { messages: [], parallel: true }]).parallel).toEqual([
      'dtype: bool',
    ]);
  });
});

describe('a list of plain objects', () => {
  const typeOf = (...messages: readonly (object | string)[]): readonly string[] | undefined =>
    typesOf(
      { messages: 'plain-list' },
      messages.map((message) =>
        typeof message === 'string' ? `{"messages":[${message}]}` : { messages: [message] },
      ),
    ).messages;
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

  it('has the members of all records, with calls', () => {
    expect(
      typeOf(
        { role: 'user', content: 'q' },
        { role: 'assistant', content: null, tool_calls: [call], weight: 0 },
      ),
    ).toEqual([
      'list:',
      ...['- name: role', '  dtype: string', '- name: content', '  dtype: string'],
      ...[
        '- name: tool_calls',
        '  list:',
        '  - name: id',
        '    dtype: string',
        '  - name: type',
        '    dtype: string',
      ],
      ...['  - name: function', '    struct:', '    - name: name', '      dtype: string'],
      ...['    - name: arguments', '      dtype: string', '- name: weight', '  dtype: int64'],
    ]);
  });

  it('has a list for a member that is only ever an empty one', () => {
    const empty = { role: 'assistant', annotations: [], tool_calls: [] };
    const lists = ['- name: annotations', '  list: string', '- name: tool_calls', '  list: string'];
    expect(typeOf(empty)).toEqual(['list:', '- name: role', '  dtype: string', ...lists]);
    expect(typeOf(empty, { tool_calls: [call] })?.slice(5, 8)).toEqual([
      ...lists.slice(2, 3),
      '  list:',
      '  - name: id',
    ]);
  });

  it.each<readonly [what: string, message: object | string]>([
    ['a content of parts', { role: 'user', content: [{ type: 'text', text: 'q' }] }],
    ['a content of another kind', { role: 'user', content: 7 }],
    [
      'arguments as an object',
      { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] },
    ],
    ['an object that is not a call', { role: 'assistant', audio: { id: 'a' } }],
    ['an empty function', { role: 'assistant', tool_calls: [{ ...call, function: {} }] }],
    ['a duplicate key', '{"role":"user","role":"user"}'],
    ['an element that is not an object', '1'],
    ['a long number', '{"role":"user","weight":12345678901234567890}'],
    ['an id that looks like a time', { role: 'tool', tool_call_id: TIME }],
  ])('is JSON with %s', (_, message) => {
    expect(typeOf({ role: 'user', content: 'q' }, message)).toEqual(['list: json']);
  });

  it('is JSON while it has no elements', () => {
    expect(typesOf({ messages: 'plain-list' }, [{ messages: [] }]).messages).toEqual(['list: json']);
  });
});

describe('other members', () => {
  const typeOf = (...values: readonly unknown[]): readonly string[] | undefined =>
    typesOf(
      { messages: 'json-list' },
      values.map((value) => ({ messages: [], value })),
      true,
    ).value;

  it.each([
    ['texts', ['a', null, '7'], 'dtype: string'],
    ['flags', [true, false], 'dtype: bool'],
    ['whole numbers', [1, -2], 'dtype: int64'],
    ['numbers', [1, 0.5], 'dtype: float64'],
    ['lists of texts', [['a'], []], 'list: string'],
    ['empty lists', [[], null], 'list: string'],
    ['empty lists and texts', [[], 'a'], 'dtype: json'],
    ['nothing', [null], 'dtype: string'],
    ['values of several kinds', ['a', 1], 'dtype: json'],
    ['objects', [{ a: 1 }], 'dtype: json'],
    ['times', [TIME, '2026-01-20'], 'dtype: json'],
    ['lists of times', [[TIME], [TIME]], 'dtype: json'],
    ['lists of two kinds', [['a', 1]], 'dtype: json'],
  ] as const)('that are %s have the type of their values', (_, values, type) => {
    expect(typeOf(...values)).toEqual([type]);
  });

  it.each([
    [TIME, '7', 'dtype: string'],
    [[TIME], ['7'], 'dtype: json'],
  ])('that are %j in one block and %j in another are %s', (one, other, type) => {
    const observed = new ObservedColumns({}, true);
    observed.see(Buffer.from(JSON.stringify({ value: one })), 'a');
    observed.see(Buffer.from(JSON.stringify({ value: other })), 'b');
    expect(observed.types().get('value')).toEqual([type]);
  });

  it('have names that YAML reads as names', () => {
    const observed = new ObservedColumns({}, true);
    observed.see(Buffer.from('{"no":"a","a: b":1,"tags":["x"]}'), 'a');
    expect([...observed.types().keys()]).toEqual(['no', 'a: b', 'tags']);
  });
});

describe('a record of several lines', () => {
  it('has the columns of its first line, and counts as a block', () => {
    const trace = `{"type":"session","id":"${TIME}"}\n{"type":"message","message":{"role":"user"}}`;
    const columns: Columns = { type: 'text', id: 'free-text', message: 'json' };
    expect(typesOf(columns, [trace, trace.replace(TIME, 'b')]).id).toEqual(['dtype: json']);
    expect(typesOf(columns, [trace.replace(TIME, 'a')]).id).toEqual(['dtype: string']);
  });
});
