import { describe, expect, it } from 'vitest';
import { type KeyedPart, SessionKeys } from '../../../src/engine/session-keys.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import type { Line } from '../../../transforms/model/element.ts';
import { entryLine, USER } from '../../support/build-logs.ts';

const keys = new SessionKeys(resolveSettings({ inputs: ['logs'] }), 'exchange');
const partsOf = (text: string): readonly KeyedPart[] => {
  const bytes = Buffer.from(text);
  const origin = { source: 's', line: 3, offset: 500, length: bytes.length };
  return keys.partsOf({ kind: 'line', bytes, origin } satisfies Line);
};
const idsOf = (text: string): readonly (string | undefined)[] =>
  partsOf(text).map(({ key }) => key?.sessionId);

const a = entryLine({ id: 'a' });
const b = entryLine({ id: 'b', at: 2 });

describe('the session of a line', () => {
  it('comes with its time', () => {
    expect(partsOf(a)).toEqual([
      { start: 0, key: { sessionId: 'a', timestamp: 1_768_291_201_000_000_000n } },
    ]);
  });

  it.each([
    [
      'after the messages',
      a.replace(/^\{("timestamp":"[^"]*"),("session_id":"a"),(.*)\}$/, '{$3,$2,$1}'),
      'a',
    ],
    ['with an escaped key', a.replace('session_id', 'session\\u005fid'), 'a'],
    ['with escapes in the id', entryLine({ id: 'a"\u00e9\n' }), 'a"\u00e9\n'],
    ['of more than 1 kB', entryLine({ id: 'x'.repeat(3000) }), 'x'.repeat(3000)],
    ['beside one in another object', a.replace('"request":{', '"request":{"session_id":"b",'), 'a'],
    [
      'beside its name in a text',
      entryLine({ id: 'a', messages: [{ ...USER, content: '"session_id":"b"' }] }),
      'a',
    ],
    ['after a time', `2026-01-13T08:00:00Z ${a}`, 'a'],
    ['with NaN beside it', a.replace('{"timestamp"', '{"x":NaN,"timestamp"'), 'a'],
    ['after half of another entry', `${b.slice(0, 90)}${a}`, 'a'],
  ])('is found %s', (_where, text, id) => {
    expect(text).not.toBe(a);
    expect(idsOf(text)).toEqual([id]);
  });

  it.each([
    ['a blank line', '  '],
    ['text', 'started'],
    ['a line without an id', a.replace('session_id', 'session')],
    ['a duplicate id', a.replace('"session_id":"a"', '"session_id":"a","session_id":"b"')],
    ['an empty id', entryLine({ id: '' })],
    ['an id that is a number', entryLine({ id: 5 })],
    ['a bad time', entryLine({ at: 'today' })],
  ])('is unknown for %s', (_what, text) => {
    expect(idsOf(text)).toEqual([undefined]);
  });

  it('is found in a torn line, which the stages reject within its session', () => {
    expect(idsOf(a.slice(0, -30))).toEqual(['a']);
  });

  it('is that of each of its objects', () => {
    expect(idsOf(`${a}${a}`)).toEqual(['a']);
    const text = `${a}${b} ${a}`;
    expect(partsOf(text).map(({ start, key }) => [text.slice(start, start + 40), key?.sessionId])).toEqual([
      [a.slice(0, 40), 'a'],
      [b.slice(0, 40), 'b'],
      [a.slice(0, 40), 'a'],
    ]);
  });
});
