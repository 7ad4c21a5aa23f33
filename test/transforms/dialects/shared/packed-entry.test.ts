/** Entries come back from their bytes as they were. */
import { expect, it } from 'vitest';
import {
  type HeldEntry,
  headOf,
  metaList,
  packEntry,
  placeList,
  unpackEntry,
} from '../../../../transforms/dialects/shared/packed-entry.ts';
import { PackedBytes, PackedList } from '../../../../transforms/dialects/shared/packed-list.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import type { Entry, Message } from '../../../../transforms/model/element.ts';

const message = (role: string, text: string, more: Partial<Message> = {}): Message => ({
  bytes: encode(`{"role":"${role}","content":"${text}"}`),
  role,
  ...more,
});
const place = (line: number) => ({ offset: 2 ** 40 + line, line, length: 2 ** 33 });
const note = { rule: 'no-answer', severity: 'WARNING', message: 'm' } as const;
const meta = new Map([
  ['model', encode('"m"')],
  ['usage', encode('{"input":1.0}')],
] as const);

function held(over: Partial<Entry> = {}, more: Partial<HeldEntry> = {}): HeldEntry {
  const entry: Entry = {
    kind: 'entry',
    origin: { source: 'a.jsonl', ...place(7) },
    sessionId: '', // not packed: it is known when the entry is written
    timestamp: 1_700_000_000_123_456_789n,
    messages: [message('system', 'é'.repeat(3000)), message('user', 'b')],
    tools: [],
    reply: message('assistant', 'c'),
    changes: new Map(),
    meta,
    ...over,
  };
  return { entry, places: undefined, metas: undefined, late: undefined, ...more };
}

function listed<T>(list: PackedList<T>, values: readonly T[]): PackedList<T> {
  for (const value of values) list.add(value);
  return list;
}

const cases: readonly (readonly [string, HeldEntry])[] = [
  ['an entry with an answer and metadata', held()],
  ['an entry without an answer and a time', held({ reply: undefined, timestamp: undefined })],
  ['the time 0', held({ timestamp: 0n })],
  ['an entry without messages', held({ messages: [], reply: undefined })],
  [
    'an unusual role, notes and sealed reasoning',
    held({
      messages: [message('user', 'a', { notes: [note] })],
      reply: message('warden', 'b', { sealed: 'kept' }),
    }),
  ],
  [
    'tools and changes',
    held({ tools: [{ bytes: encode('{"name":"f"}'), name: 'f' }], changes: new Map([['r', 2]]) }),
  ],
  [
    'calls that it continues',
    held(
      {},
      {
        places: listed(placeList(), [place(3), place(7)]),
        metas: listed(metaList(), [meta, meta]),
        late: listed(metaList(), [new Map()]),
      },
    ),
  ],
];

it.each(cases)('%s', (_, one) => {
  const packed = packEntry(one, undefined);
  expect(packed && unpackEntry(packed)).toEqual(one);
  const { origin, timestamp } = one.entry;
  expect(packed && headOf(packed)).toEqual({ offset: origin.offset, timestamp });
});

it('equal tools and changes are held once', () => {
  const tools = () => [{ bytes: encode('{"name":"f"}'), name: 'f' }];
  const first = packEntry(held({ tools: tools() }), undefined);
  const same = packEntry(held({ tools: tools(), messages: [] }), first);
  const other = packEntry(held({ tools: [] }), same);
  expect(same?.common).toBe(first?.common);
  expect(other?.common).not.toBe(first?.common);
  expect(packEntry(held({ tools: tools(), lacks: ['tools'] }), first)?.common).not.toBe(first?.common);
});

it('a time before 1970 is not packed', () => {
  expect(packEntry(held({ timestamp: -1n }), undefined)).toBeUndefined();
});

it('a list gives its values as they were added, whatever is added later', () => {
  const list = new PackedList<Uint8Array>(
    (to, value) => to.piece(value),
    (from) => from.bytes(from.number()),
  );
  const words = Array.from({ length: 300 }, (_, i) => 'w'.repeat(i));
  const [first] = listed(list, [encode('first')]);
  const all = listed(list, words.map(encode));
  expect([...all].map((bytes) => Buffer.from(bytes).toString())).toEqual(['first', ...words]);
  expect([all.length, Buffer.from(first as Uint8Array).toString()]).toEqual([301, 'first']);
  const copy = new PackedList<Uint8Array>(
    (to, value) => to.piece(value),
    (from) => from.bytes(from.number()),
  );
  copy.addPacked(list.bytes, list.length);
  expect([...copy]).toEqual([...list]);
});

it('bytes that were cleared are written again', () => {
  const bytes = new PackedBytes();
  bytes.piece(encode('long one'));
  bytes.clear();
  bytes.number(7);
  expect([...bytes.bytes]).toEqual([7]);
});
