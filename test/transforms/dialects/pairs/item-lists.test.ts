import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ItemLists } from '../../../../transforms/dialects/pairs/item-lists.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { decode, encode } from '../../../../transforms/json/utf8.ts';

const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'read', arguments: '{}' });
const result = (id: string) => ({ type: 'function_call_output', call_id: id, output: `of ${id}` });
const question = { role: 'user', content: 'Count the beds.' };
const ITEMS: readonly object[] = [
  question,
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nine.' }] },
  { type: 'reasoning', summary: [], encrypted_content: 'c2VhbGVk' },
  { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Count first.' }] },
  ...[call('a'), call('b'), result('b'), result('a'), result('z')],
  { type: 'compaction', encrypted_content: 'c2VhbGVk' },
  { type: 'odd', value: 1 },
];
const items = fc.array(fc.constantFrom(...ITEMS), { maxLength: 8 });

const read = (lists: ItemLists, list: readonly object[], open: readonly string[], space: string): unknown => {
  const messages = lists.read(new JsonView(encode(JSON.stringify(list, null, space))), open);
  if ('item' in messages) return messages.detail;
  return messages.map(({ message, ...facts }) => ({
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
          const open = hasOpen ? ['b', 'a'] : [];
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
    const messages = lists.read(new JsonView(encode(JSON.stringify(list))), []);
    return 'item' in messages ? [] : messages.map(({ message }) => message?.bytes);
  });
  expect(before).toHaveLength(3);
  expect(after).toHaveLength(4);
  for (const [i, bytes] of (before ?? []).entries()) expect(after?.[i]).toBe(bytes);
});
