import { describe, expect, it } from 'vitest';
import { ReadShare } from '../../../src/engine/read-share.ts';
import type { Entry, Line } from '../../../transforms/model/element.ts';

const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const originOf = (line: number) => ({ source: 's', line, offset: 0, length: 1 });
const lineOf = (value: unknown, line = 1): Line => ({
  kind: 'line',
  bytes: bytesOf(value),
  origin: originOf(line),
});
const entryOf = (...contents: readonly unknown[]) =>
  ({
    kind: 'entry',
    messages: contents.map((content) => ({ role: 'user', bytes: bytesOf({ role: 'user', content }) })),
    tools: [],
  }) as unknown as Entry;

function measured(lines: readonly unknown[], ...contents: readonly unknown[]) {
  const share = new ReadShare();
  for (const [i, line] of lines.entries()) share.addLine(lineOf(line, i + 1));
  share.addEntry(entryOf(...contents));
  return share.take();
}

const [TALK, REST] = ['Where is the key?', 'It hangs by the old door.'];

describe('the read share', () => {
  it('is whole if an entry has all texts, in any order and more than once', () => {
    expect(measured([{ a: TALK, b: [{ c: REST }], again: TALK }], REST, TALK)).toEqual({
      bytes: 59,
      read: 59,
      unread: [],
    });
  });

  it('names the members that were not read, if they are more than half', () => {
    const line = { body: [{ text: REST }, { text: REST }], note: TALK };
    expect(measured([line], TALK)).toEqual({ bytes: 67, read: 17, unread: [['body[].text', 50]] });
  });

  it('counts a text that was joined, cut or escaped in another way', () => {
    const logged = [{ a: `${TALK}\n${REST} \u00e9\t`, args: { where: 'the old door' } }];
    const { bytes, read } = measured(
      logged,
      `see: ${TALK}`,
      `${REST} \u00e9\t.`,
      '{"where": "the old door"}',
    );
    expect(read / bytes).toBeGreaterThan(0.7);
    expect(measured(['{"a":"the \\u006fld door"}'], 'the old door')).toMatchObject({ bytes: 12, read: 12 });
  });

  it('searches strings of JSON', () => {
    expect(measured([{ body: JSON.stringify({ said: TALK }) }], REST).unread).toEqual([['body.said', 17]]);
  });

  it('leaves out names, ids and short strings', () => {
    const line = { id: 'a1b2c3d4-e5f6', type: 'assistant_message', path: '/w/a/b.txt', short: 'a b' };
    expect(measured([line])).toEqual({ bytes: 0, read: 0, unread: [] });
  });

  it('joins the pieces of a stream', () => {
    const lines = [
      'event: x',
      'data: {"d":"Where "}',
      'data: {"d":"is the "}',
      'data: {"d":"key?"}',
      'data: [DONE]',
    ];
    const { bytes, read } = measured(lines, TALK);
    expect(bytes).toBeGreaterThan(0);
    expect(read).toBe(bytes);
    const body = lines.join('\n\n');
    expect(measured([{ body }], TALK).read).toBe(measured([{ body }], TALK).bytes);
  });

  it('counts what is not JSON as one text', () => {
    expect(measured(['{"a":"the old']).unread).toEqual([['lines that are not JSON', 13]]);
    expect(measured(['{"n":1}{"a":"the old door"} and so on']).unread).toEqual([
      ['a', 12],
      ['lines that are not JSON', 9],
    ]);
  });

  it('reads the whole objects of a line after NULs, a time or a torn object', () => {
    const whole = JSON.stringify({ a: TALK });
    const nuls = '\0'.repeat(40);
    expect(measured([`${nuls}${whole}${nuls}`], TALK)).toEqual({ bytes: 17, read: 17, unread: [] });
    expect(measured([`${nuls}${whole} ${nuls}${whole}`], TALK)).toMatchObject({ bytes: 34, read: 34 });
    for (const torn of ['{"a":"the old', '{"b":{"a":"the old', '{"a":[1,', '2026-02-03T10:00:00Z '])
      expect(measured([`${torn}${whole}`], TALK).read).toBe(17);
    expect(measured([`{"a":"the old${whole}`], TALK).bytes).toBe(17 + 13);
  });

  it('names pairs of key and value by their key, and hides names that may be content', () => {
    const pair = { key: 'x.prompt', value: { stringValue: TALK } };
    expect(measured([{ attributes: [pair] }]).unread).toEqual([['attributes[].x.prompt.stringValue', 17]]);
    expect(measured([{ [TALK]: REST }]).unread).toEqual([['*', 25]]);
  });

  it('counts the text of a line whose objects were all dropped', () => {
    const share = new ReadShare();
    share.addLine(lineOf([{ a: TALK }], 1));
    share.split(originOf(1), 1);
    share.drop(originOf(1), false);
    share.addLine(lineOf({ a: TALK }, 2));
    share.drop(originOf(2), false);
    share.addLine(lineOf({ a: TALK }, 3));
    share.split(originOf(3), 5);
    share.drop(originOf(3), true);
    expect(share.take()).toMatchObject({ bytes: 51, read: 34 });
  });

  it('starts over with each source', () => {
    const share = new ReadShare();
    share.addEntry(entryOf(TALK));
    share.take();
    share.addLine(lineOf({ a: TALK }));
    expect(share.take()).toMatchObject({ read: 0 });
  });

  it('samples a large source', () => {
    const share = new ReadShare();
    const textOf = (n: number) => `the ${(n * 7919) % 100_003} th text of ${n} is about ${n * n}`;
    for (let n = 0; n < 20_000; n++) {
      share.addLine(lineOf({ a: textOf(n) }, n + 1));
      if (n % 4 > 0) share.addEntry(entryOf(textOf(n)));
    }
    const { bytes, read } = share.take();
    expect(bytes).toBeGreaterThan(700_000);
    expect(read / bytes).toBeGreaterThan(0.75);
    expect(read / bytes).toBeLessThan(0.95);
  });
});
