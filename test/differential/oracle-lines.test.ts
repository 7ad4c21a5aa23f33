/** The oracle's lines: JSON, framing, timestamps and the reasons to reject a line, one small case each. */
import { describe, expect, test } from 'vitest';
import { JsonFault, parseJson, parseLine } from '../support/oracle/parse-json.ts';
import { entryText, fatesOf } from '../support/oracle/run-case.ts';
import { timestampNs, utcDate } from '../support/oracle/timestamp.ts';

const GOOD = entryText(1, '[{"role":"user"}]');
const LATER = entryText(2, '[{"role":"user"}]');

describe('JSON', () => {
  test.each([
    '{"b":1,"2":2,"1":3,"b":4}',
    ' [1.0,-0,1E+2,1e400,12345678901234567890] ',
    '"\\ud800\\/\\u0041"',
    '{"__proto__":{}}',
    'null',
    '[]',
    '{}',
    '"\u2028\u007f"',
    '-0.0e-0',
  ])('%s is JSON', (text) => {
    expect(parseJson(text).raw).toBe(text.trim());
  });

  test.each([
    '',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    "'a'",
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '-',
    'NaN',
    'tru',
    'True',
    '"\t"',
    '"\u0000"',
    '"\\x"',
    '"\\u12g4"',
    '"a',
    '[1 2]',
    '{"a" 1}',
    '\ufeff{}',
    '\u00a01',
    '{} {}',
    '[]]',
  ])('%j is not JSON', (text) => {
    expect(() => parseJson(text)).toThrow(JsonFault);
  });

  test('members keep their order, duplicates and number text', () => {
    expect(parseJson('{"b":1.0,"2":[],"b":"\\u0041"}')).toMatchObject({
      members: [
        { key: 'b', value: { text: '1.0' } },
        { key: '2', value: { items: [] } },
        { key: 'b', value: { value: 'A' } },
      ],
    });
  });

  test('512 levels are read, 513 are too deep', () => {
    expect(parseJson('['.repeat(512) + ']'.repeat(512)).kind).toBe('array');
    expect(() => parseJson('['.repeat(513))).toThrow('too-deep');
    expect(() => parseJson('['.repeat(512))).toThrow('invalid-json');
  });

  test('a line holds one value or several objects', () => {
    expect(parseLine('{}{} {}\t{}')).toHaveLength(4);
    expect(parseLine(' 5 ')).toHaveLength(1);
    for (const text of ['{},{}', '{} 5', '5 {}', '[] []', '{}{']) {
      expect(() => parseLine(text)).toThrow('invalid-json');
    }
  });
});

describe('framing', () => {
  test.each<[string, string | Buffer, string[]]>([
    ['an empty file', '', []],
    ['only a BOM', '\ufeff', []],
    ['one newline', '\n', ['blank']],
    ['blanks', ' \n\t\r\n\r', ['blank', 'blank', 'blank']],
    ['no final newline', GOOD, ['snapshot']],
    ['CRLF and a BOM', `\ufeff${GOOD}\r\n`, ['snapshot']],
    ['a BOM on line 2', `${GOOD}\n\ufeff${LATER}\n`, ['superseded', 'snapshot']],
    ['two BOMs', `\ufeff\ufeff${GOOD}`, ['snapshot']],
    ['two objects', `${GOOD}${LATER}\n`, ['superseded', 'snapshot']],
    ['two objects, one bad', `${GOOD}{"timestamp":0}\n`, ['snapshot', 'rejected:bad-session-id']],
    ['an object, then a torn one', `${GOOD}${LATER.slice(0, -1)}\n`, ['snapshot', 'rejected:invalid-json']],
    [
      'two objects, then a torn one',
      `${GOOD}${LATER}{"ti\0`,
      ['superseded', 'snapshot', 'rejected:invalid-json'],
    ],
    ['an object, then a damaged one', `${GOOD}{"ti":x}`, ['rejected:invalid-json']],
    ['a torn object, then one', `${GOOD.slice(0, 30)}${LATER}`, ['rejected:invalid-json', 'snapshot']],
    ['torn text, then an object', `{"a":"x${LATER}`, ['rejected:invalid-json', 'snapshot']],
    ['a torn object, then one of another form', `{"a":${LATER}`, ['rejected:invalid-json']],
    [
      'torn text after an object',
      `${GOOD}\n{"a":"x${LATER}`,
      ['superseded', 'rejected:invalid-json', 'snapshot'],
    ],
    ['NULs, then an object', `\0\0${GOOD}`, ['snapshot']],
    ['a lone CR between objects', `${GOOD}\r${LATER}`, ['superseded', 'snapshot']],
    ['no-break space', '\u00a0', ['rejected:invalid-json']],
    ['bad UTF-8 after bad JSON', Buffer.from('{]\xff', 'latin1'), ['rejected:invalid-utf8']],
    ['NULs', Buffer.alloc(3), ['rejected:invalid-json']],
    ['deep, then torn', `{"a":${'['.repeat(600)}`, ['rejected:too-deep']],
    ['torn, then deep', `{"a":,${'['.repeat(600)}`, ['rejected:invalid-json']],
  ])('%s', (_name, bytes, fates) => {
    expect(fatesOf(bytes)).toEqual(fates);
  });
});

describe('reasons', () => {
  const request = '"request":{"messages":[]}';
  test.each([
    ['[]', 'not-an-object'],
    ['{}', 'bad-timestamp'],
    ['{"timestamp":0,"timestamp":"x"}', 'duplicate-key'],
    ['{"timestamp":"x","request":{"tools":1,"tool\\u0073":2}}', 'duplicate-key'],
    ['{"request":{"messages":[],"messages":[]}}', 'duplicate-key'],
    ['{"timestamp":0,"session_id":""}', 'bad-session-id'],
    ['{"timestamp":0,"session_id":"s"}', 'bad-messages'],
    ['{"timestamp":0,"session_id":"s","request":[]}', 'bad-messages'],
    ['{"timestamp":0,"session_id":"s","request":{"messages":[{"role":1}]}}', 'bad-messages'],
    ['{"timestamp":0,"session_id":"s","request":{"messages":[],"tools":[1]}}', 'bad-tools'],
    [`{"timestamp":0,"session_id":"s",${request},"response":[]}`, 'bad-response'],
  ])('%s is %s', (line, reason) => {
    expect(fatesOf(line)).toEqual([`rejected:${reason}`]);
  });

  test.each([
    `{"timestamp":0,"session_id":" ",${request},"response":null,"model":1,"model":2}`,
    `{"x":{"timestamp":1,"timestamp":2},"timestamp":0,"session_id":"s",${request}}`,
    '{"timestamp":0,"session_id":"s","request":{"messages":[{"role":""}],"tools":null}}',
    '{"timestamp":0,"session_id":"s","request":{"messages":[{"role":1,"role":"user"}]}}',
  ])('%s is an entry', (line) => {
    expect(fatesOf(line)).toEqual(['snapshot']);
  });
});

describe('timestamps', () => {
  const ns = (text: string): string => String(timestampNs(parseJson(text)));
  test.each([
    ['"1970-01-01T00:00:01Z"', '1000000000'],
    ['"1970-01-01 00:00:01"', '1000000000'],
    ['"1970-01-01t01:00:01.000000001999+01:00"', '1000000001'],
    ['"1969-12-31T23:59:59.5z"', '-500000000'],
    ['"2026-01-13T22:14:03.120394+00:00"', '1768342443120394000'],
    ['"2016-12-31T23:59:60Z"', '1483228800000000000'],
    ['"2024-02-29T00:00:00-00:00"', '1709164800000000000'],
    ['"2026-01-13T22:14:03,5+0030"', '1768340643500000000'],
    ['"2026-01-13T00:00:00+00"', '1768262400000000000'],
    ['"2026-01-13 00:00:00 UTC"', '1768262400000000000'],
    ['"2026-01-13 01:30:00 +0130 UTC"', '1768262400000000000'],
    ['"2026-01-13"', '1768262400000000000'],
    ['"1768342443"', '1768342443000000000'],
    ['"1768342443120.5"', '1768342443120500000'],
    ['1768342443.120394001', '1768342443120394001'],
    ['1768342443120', '1768342443120000000'],
    ['1.768342443e9', '1768342443000000000'],
    ['99999999999', '99999999999000000000'],
    ['100000000000', '100000000000000000'],
    ['-0', '0'],
    ['1e-400', '0'],
  ])('%s', (text, expected) => {
    expect(ns(text)).toBe(expected);
  });

  test.each([
    '"2026-02-30"',
    '"20260113"',
    '"2025-02-29T00:00:00Z"',
    '"2026-01-13T24:00:00Z"',
    '"2026-01-13T00:00:61Z"',
    '-1',
    '1e400',
    '"2026-01-13T00:00:00+0"',
    '"2026-01-13T00:00:00 CET"',
    '"2026-01-13T00:00Z"',
    '"2026-01-13T00:00:00.Z"',
    'null',
    'true',
    '"0"',
    '"2026-01-13T00:00:00 Z"',
    '"2026-1-13T00:00:00Z"',
    '"0000-01-01T00:00:00Z"',
    '"2026-01-13T00:00:00,Z"',
    '"176834244"',
    '"1768342443e0"',
  ])('%s is not a timestamp', (text) => {
    expect(ns(text)).toBe('undefined');
  });

  test('the date is the UTC date', () => {
    expect(utcDate(timestampNs(parseJson('"2026-01-13T00:30:00+01:00"')) ?? 0n)).toBe('2026-01-12');
    expect(utcDate(-1n)).toBe('1969-12-31');
  });
});
