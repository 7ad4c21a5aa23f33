import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ItemLists } from '../../../../transforms/dialects/pairs/item-lists.ts';
import type { CallIds } from '../../../../transforms/dialects/pairs/item-messages.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { decode, encode } from '../../../../transforms/json/utf8.ts';

const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' });
const result = (id: string) => ({ type: 'function_call_output', call_id: id, output: `of ${id}` });
const question = { role: 'user', content: 'Count the beds.' };
const itemCall = { ...call('call_1'), id: 'fc_1' };
const ITEMS: readonly object[] = [
  question,
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nine.' }] },
  { type: 'reasoning', summary: [], encrypted_content: 'c2VhbGVk' },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Count first.' }] },
  ...[call('a'), call('b'), result('b'), result('a'), result('z')],
  ...[itemCall, call('fc_2'), result('fc_1'), result('call_2')],
  { type: 'compaction', encrypted_content: 'c2VhbGVk' },
  { type: 'odd', value: 1 },
];
const OPEN: readonly CallIds[] = [
  { id: 'b', item: 'fc_1' },
  { id: 'a', item: undefined },
];
const items = fc.array(fc.constantFrom(...ITEMS), { maxLength: 8 });

const read = (
  lists: ItemLists,
  list: readonly object[],
  open: readonly CallIds[],
  space: string,
): unknown => {
  const read = lists.read(new JsonView(encode(JSON.stringify(list, null, space))), open);
  if ('item' in read) return read.detail;
  return read.messages.map(({ message, ...facts }) => ({
    ...facts,
    ...message,
    bytes: message && decode(message.bytes),
  }));
};

it('reads a list that repeats the last one and adds to it like any other list', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ added: items, isFresh: fc.boolean(), hasOpen: fc.boolean() }), { maxLength: 6 }),
      fc.constantFrom('', ' '),
      (requests, space) => {
        const lists = new ItemLists(false);
        let list: readonly object[] = [];
        for (const { added, isFresh, hasOpen } of requests) {
          list = isFresh ? added : [...list, ...added];
          const open = hasOpen ? [...OPEN] : [];
          expect(read(lists, list, open, space)).toEqual(read(new ItemLists(false), list, open, space));
        }
      },
    ),
  );
});

it('gives the same bytes for the messages that are repeated', () => {
  const lists = new ItemLists(false);
  const first = [question, call('a'), result('a')];
  const [before, after] = [first, [...first, { role: 'user', content: 'Again.' }]].map((list) => {
    const read = lists.read(new JsonView(encode(JSON.stringify(list))), []);
    return 'item' in read ? [] : read.messages.map(({ message }) => message?.bytes);
  });
  expect(before).toHaveLength(3);
  expect(after).toHaveLength(4);
  for (const [i, bytes] of (before ?? []).entries()) expect(after?.[i]).toBe(bytes);
});

it.each([
  ['the item of the call', [itemCall, result('fc_1')], ['call_1']],
  [
    'items, in any order',
    [itemCall, { ...call('call_2'), id: 'fc_2' }, result('fc_2'), result('fc_1')],
    ['call_1', 'call_2'],
  ],
  ['a call that has only the id of its item', [call('fc_1'), result('call_1')], ['fc_1']],
  [
    'such calls, in their order',
    [call('fc_1'), call('fc_2'), result('x'), result('fc_1'), result('y')],
    ['fc_1', 'fc_2', 'y'],
  ],
  [
    'an item of an earlier answer',
    [itemCall, result('call_1'), call('b'), result('fc_1')],
    ['call_1', 'fc_1'],
  ],
  ['an item that no call has', [itemCall, result('fc_2')], ['fc_2']],
  ['another id', [itemCall, result('call_2')], ['call_2']],
])('a result names %s', (_name, list, ids) => {
  const read = new ItemLists(false).read(new JsonView(encode(JSON.stringify(list))), []);
  const all = 'item' in read ? [] : read.messages.flatMap(({ message }) => message ?? []);
  const results = all.filter(({ role }) => role === 'tool').map(({ bytes }) => JSON.parse(decode(bytes)));
  expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(ids);
});

it('reports findings about the last items with the last message', () => {
  const compaction = { type: 'compaction', encrypted_content: 'c2VhbGVk' };
  const lists = new ItemLists(false);
  const rules = (list: readonly object[]): (string[] | undefined)[] => {
    const read = lists.read(new JsonView(encode(JSON.stringify(list))), []);
    if ('item' in read) throw new Error(read.detail);
    return [...read.messages.map(({ message }) => message?.notes ?? []), read.notes].map((notes) =>
      notes.map(({ rule }) => rule),
    );
  };
  expect(rules([question, compaction])).toEqual([['sealed-context'], []]);
  expect(rules([question, compaction, question])).toEqual([[], ['sealed-context'], []]);
  expect(rules([compaction])).toEqual([['sealed-context']]);
});
