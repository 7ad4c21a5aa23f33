import { describe, expect, it } from 'vitest';
import { createScanner } from '../../../transforms/json/wasm-scanner.ts';
import type { StreamElement } from '../../../transforms/model/element.ts';
import { apply, defaultsOf } from '../../../transforms/stage.ts';
import { parse } from '../../../transforms/stages/parse.ts';
import { unfinishedAt } from '../../../transforms/stages/unfinished-line.ts';
import { entryJson, lineOf } from '../log-lines.ts';

const WHOLE =
  '{"text":"naïve 😀 \\u00e9 \\\\ \\"","list":[true,false,null,-1.5e+3,{}],"odd":[NaN,-Infinity]}';

/** A dialect without events. */
const NO_EVENTS = {};
/** A dialect of events. */
const EVENTS = { detectLine: () => true };

describe('unfinishedAt', () => {
  const scanner = createScanner(64, 1000);
  const at = (text: string | Uint8Array, mayBeEvent = false): number =>
    unfinishedAt(lineOf(text), scanner, mayBeEvent ? undefined : NO_EVENTS);

  it('finds half of an object, wherever it is cut', () => {
    const bytes = Buffer.from(WHOLE);
    for (let length = 1; length < bytes.length; length++)
      expect([length, at(bytes.subarray(0, length))]).toEqual([length, 0]);
  });

  it('finds it after whole objects and blanks', () => {
    expect(at('  {"a":1} {"b":')).toBe(10);
    expect(at('  {"a"')).toBe(2);
  });

  it('finds half of an event', () => {
    const event = 'data: {"a":1}';
    for (let length = 1; length < event.length; length++)
      expect([length, at(event.slice(0, length), true)]).toEqual([length, 0]);
    expect(at('data: [DO', true)).toBe(0);
    expect(at('even', true)).toBe(0);
    expect(at('data: {"a"')).toBe(-1);
  });

  it.each<[string | Uint8Array, string]>([
    ['{"a":1}', 'an object'],
    ['{"a":1} {"b":2}', 'two objects'],
    ['{"a":1,}', 'an error in the middle'],
    ['{"a":tru}', 'a wrong word'],
    ['{"a":"\\x', 'a wrong escape'],
    [Buffer.from('{"a":"\xff', 'latin1'), 'a byte that no character begins with'],
    ['{"a":"x\0y', 'a NUL in a text'],
    ['{"a":\0\0"x', 'NULs before a text'],
    ['{"a":"x\ry', 'a carriage return in a text'],
    ['{"a":1}\0\0', 'NULs after an object'],
    ['["a",', 'half of a list'],
    ['words', 'a text'],
    ['data: [DONE]', 'an end mark'],
    ['data: {"a":1}', 'an event'],
    ['{"a":1} x', 'a text after an object'],
  ])('finds none in %s (%s)', (text) => {
    expect(at(text, true)).toBe(-1);
  });

  it.each(['\r', '\0', '\0\0\0', '\r\0\0', '\0'.repeat(4096)])('finds half before %j', (padding) => {
    const bytes = Buffer.from(WHOLE);
    for (let length = 1; length < bytes.length; length++)
      expect([length, at(Buffer.concat([bytes.subarray(0, length), Buffer.from(padding)]))]).toEqual([
        length,
        0,
      ]);
    expect(at(`  {"a":1} {"b":${padding}`)).toBe(10);
    expect(at(`data: {"a"${padding}`, true)).toBe(0);
  });

  it('finds none in NULs alone, but NULs after an event', () => {
    expect(at('\0\0')).toBe(-1);
    expect(at('\0\0', true)).toBe(-1);
    const inEvents = (text: string): number => unfinishedAt(lineOf(text), scanner, EVENTS);
    expect(inEvents('data: [DONE]\0\0')).toBe(12);
    expect(inEvents('data: {"a":1}\0\0')).toBe(13);
    expect(inEvents('data: {"a":1}')).toBe(-1);
    expect(inEvents('{"a":1}\0\0')).toBe(-1);
  });

  it('finds none in an object that is nested too deep', () => {
    expect(at('{"a":'.repeat(65))).toBe(-1);
  });
});

describe('the last line of a source', () => {
  function read(...lines: readonly (readonly [text: string, isOpen: boolean])[]): readonly string[] {
    const elements: StreamElement[] = lines.map(([text, isOpen], i) => ({
      ...lineOf(text, undefined, i + 1, i * 1000),
      ...(isOpen && { isOpen }),
    }));
    const { origin } = lineOf('', undefined, lines.length + 1);
    elements.push({ kind: 'session-end', origin, last: true });
    return [...apply(parse.create(defaultsOf(parse.options)), elements)].flatMap((element) => {
      if (element.kind === 'fate') return [`${element.fate} at ${element.origin.offset}`];
      if (element.kind === 'rejection') return [`${element.reason} at ${element.origin.offset}`];
      return element.kind === 'repair' ? [element.repair] : element.kind === 'entry' ? ['entry'] : [];
    });
  }
  const entry = entryJson();

  it('is dropped if it is half of a line and has no line feed', () => {
    expect(read([entry, false], ['{"a', true])).toEqual(['entry', 'dropped:unfinished-line at 1000']);
    expect(read(['{"a', true])).toEqual(['dropped:unfinished-line at 0']);
  });

  it('is rejected if it has a line feed, or is wrong', () => {
    expect(read([entry, false], ['{"a', false])).toEqual(['entry', 'invalid-json at 1000']);
    expect(read([entry, false], ['{"a" x', true])).toEqual(['entry', 'invalid-json at 1000']);
    expect(read([entry, false], ['{"a\0\0', false])).toEqual(['entry', 'invalid-json at 1000']);
    expect(read([entry, false], ['\0\0', false])).toEqual(['entry', 'invalid-json at 1000']);
    expect(read(['\0\0', true])).toEqual(['invalid-json at 0']);
  });

  it('is read up to its half', () => {
    const dropped = `dropped:unfinished-line at ${1000 + entry.length}`;
    expect(read([entry, false], [`${entry}{"a`, true])).toEqual(['entry', 'split-objects', 'entry', dropped]);
  });

  it('is dropped if NULs or a carriage return follow its half', () => {
    const dropped = 'dropped:unfinished-line at 1000';
    for (const tail of ['{"a\r', '{"a\0\0', '{"a\r\0'])
      expect([tail, ...read([entry, false], [tail, true])]).toEqual([tail, 'entry', dropped]);
    for (const tail of ['\0', '\r\0'])
      expect(read([entry, false], [tail, true])).toEqual(['entry', 'invalid-json at 1000']);
    const time = '2026-01-13T22:14:03.000Z ';
    const timed = read([`${time}${entry}`, false], [`${time.slice(0, 9)}\0\0`, true]);
    expect(timed).toEqual(['time-prefix', 'entry', dropped]);
  });

  it('is dropped if it is half of the time before an object', () => {
    const time = '2026-01-13T22:14:03.000Z ';
    expect(read([`${time}${entry}`, false], [time.slice(0, 9), true])).toEqual([
      'time-prefix',
      'entry',
      'dropped:unfinished-line at 1000',
    ]);
    expect(read([entry, false], [time.slice(0, 9), true])).toEqual(['entry', 'invalid-json at 1000']);
  });
});
