/** Entries come back from their bytes as they were. */
import { expect, it } from 'vitest';
import {
  type HeldEntry,
  headOf,
  packEntry,
  unpackEntry,
} from '../../../../transforms/dialects/shared/packed-entry.ts';
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
    held({}, { places: [place(3), place(7)], metas: [meta, meta], late: [new Map()] }),
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
