/** The oracle's sessions: validation, truncation, the snapshot, tools, fates, and both definitions of a session. */
import { describe, expect, test } from 'vitest';
import { entryText, fatesOf, messagesOf, recordsOf, runCase } from '../support/oracle/run-case.ts';

const U = '{"role":"user","content":"u"}';
const A = '{"role":"assistant","content":"a"}';
const ASK = '{"role":"system","content":"Reply with only a description in four words or less"}';
const SHOW = '{"role":"user","content":"Here are the first few user messages:"}';

function list(...messages: string[]): string {
  return `[${messages.join(',')}]`;
}

function title(second: number, id = 's'): string {
  return entryText(second, list(ASK, SHOW), { id, reply: '{"role":"assistant","content":"T"}' });
}

describe('the reply', () => {
  const recordWith = (reply: string): string | undefined =>
    recordsOf(runCase({ 'a.jsonl': entryText(1, list(U), { reply }) }))[0];

  test.each([
    ['{"n":1.0,"content":"a"}', '{"role":"assistant","n":1.0,"content":"a"}'],
    ['{"content":"a","role":null}', '{"content":"a","role":"assistant"}'],
    ['{"content":5.0,"role":""}', '{"content":5.0,"role":"assistant"}'],
    ['{"role":"model","refusal":"no"}', '{"role":"model","refusal":"no"}'],
  ])('%s', (reply, written) => {
    expect(recordWith(reply)).toBe(`{"messages":[${U},${written}],"tools":[]}`);
  });

  test.each([
    '{}',
    '{"role":"assistant","content":" \\n","tool_calls":[]}',
    '{"content":[{"type":"text","text":" "}],"function_call":null}',
    '{"role":"assistant","reasoning":"r"}',
    '{"role":"assistant","content":" <think>r</think>"}',
  ])('%s is an empty reply', (reply) => {
    expect(recordWith(reply)).toBe(`{"messages":[${U}],"tools":[]}`);
  });
});

describe('fates', () => {
  test('the last entry of maximal length becomes the record', () => {
    const log = [
      entryText(1, list(U)),
      entryText(2, list(U, A, U)),
      entryText(3, list(A, A, U), { reply: '{"role":"assistant","content":"b","n":1.0,"x":null}' }),
      entryText(4, list(U, A)),
    ].join('\n');
    expect(fatesOf(log)).toEqual(['superseded', 'superseded', 'snapshot', 'truncated']);
    expect(recordsOf(runCase({ 'a.jsonl': log }))).toEqual([
      `{"messages":[${A},${A},${U},{"role":"assistant","content":"b","n":1.0}],"tools":[]}`,
    ]);
  });

  test('lengths are counted after cleanup', () => {
    const info = '{"role":"user","content":"<info-msg></info-msg>"}';
    const log = [entryText(1, list(U)), entryText(2, list(info, info))].join('\n');
    expect(fatesOf(log)).toEqual(['snapshot', 'truncated']);
    expect(fatesOf(log, { cleanup: false })).toEqual(['superseded', 'snapshot']);
  });

  test('a violation rejects the session, but not its bad and blank lines or its titles', () => {
    const log = [entryText(5, list(U)), '', 'oops', title(1, 'other'), entryText(5, list(U))].join('\n');
    const reason = 'rejected:timestamp-not-increasing';
    expect(fatesOf(log)).toEqual([reason, 'blank', 'rejected:invalid-json', 'dropped:goose-title', reason]);
    expect(recordsOf(runCase({ 'a.jsonl': log }))).toEqual([]);
  });

  test('a dropped title is not validated', () => {
    expect(fatesOf([entryText(5, list(U)), title(1, 'x'), entryText(6, list(U))].join('\n'))).toEqual([
      'superseded',
      'dropped:goose-title',
      'snapshot',
    ]);
  });

  test('the first violation is the reason; the id is checked before the time', () => {
    const [first, back] = [entryText(5, list(U)), entryText(4, list(U))];
    const other = entryText(4, list(U), { id: 'x' });
    expect(fatesOf([first, other].join('\n'))).toEqual(Array(2).fill('rejected:session-id-mismatch'));
    expect(fatesOf([first, back, other].join('\n'))).toEqual(
      Array(3).fill('rejected:timestamp-not-increasing'),
    );
  });

  test('timestamps that differ below a nanosecond are equal', () => {
    const at = (text: string): string =>
      entryText(0, list(U)).replace('"timestamp":0', `"timestamp":"${text}"`);
    const log = (a: string, b: string): string[] => fatesOf(`${at(a)}\n${at(b)}`);
    const [a, b] = ['2026-01-13T10:00:00.0000000001Z', '2026-01-13T12:00:00.0000000009+02:00'];
    expect(log(a, b)).toEqual(Array(2).fill('rejected:timestamp-not-increasing'));
    expect(log(a, '2026-01-13T09:00:00.000000001-01:00')).toEqual(['superseded', 'snapshot']);
  });

  test('a session that contains only titles gives no record and rejects nothing', () => {
    const result = runCase({ 'a.jsonl': `${title(1)}\n${title(1)}` });
    expect(recordsOf(result)).toEqual([]);
    expect(result.exitCode).toBe(0);
    expect(result.findings.map((f) => f.rule)).toEqual(['no-record']);
  });
});

describe('session by id', () => {
  const [a, b] = [entryText(2, list(U), { id: 'a' }), entryText(1, list(U), { id: 'b' })];
  const later = entryText(3, list(U), { id: 'a' });

  test('a session ends where the id changes', () => {
    expect(fatesOf([a, later, b].join('\n'), { sessionBy: 'id' })).toEqual([
      'superseded',
      'snapshot',
      'snapshot',
    ]);
    expect(fatesOf(`${a}${b}`, { sessionBy: 'id' })).toEqual(['snapshot', 'snapshot']);
  });

  test('an id that comes back rejects the whole session', () => {
    expect(fatesOf([a, b, later, later].join('\n'), { sessionBy: 'id' })).toEqual([
      'rejected:session-reopened',
      'snapshot',
      'rejected:session-reopened',
      'rejected:session-reopened',
    ]);
  });

  test('bad lines do not end a session, and other sources do not reopen it', () => {
    const log = [a, 'oops', '', later].join('\n');
    const result = runCase({ 'a.jsonl': log, 'b.jsonl': a }, { sessionBy: 'id' });
    expect(recordsOf(result)).toHaveLength(2);
  });
});

describe('messages', () => {
  test('keep the bytes of the source where no rule acts', () => {
    const odd = '{ "role":"user","content":"\\u00e9\\/","a":{"b":1.0,"2":1e400,"1":-0,"b":null} }';
    expect(messagesOf(list(odd))).toBe(list(odd));
    expect(messagesOf(list(odd.replace(' "role":', '\r"role":\r')))).toBe(
      list(odd.replace('"role":', '"role": ')),
    );
  });

  test('developer becomes system and null members are dropped, but not inside values', () => {
    const m = '{"name":null,"role":"developer","content":"\\u00e9","x":[null],"y":{"z":null}}';
    expect(messagesOf(list(m))).toBe(list('{"role":"system","content":"\\u00e9","x":[null],"y":{"z":null}}'));
  });

  test.each([
    '{}',
    '{"choices":[]}',
    '{"choices":{}}',
    '{"choices":[{"message":null}]}',
    '{"choices":["x"]}',
    'null',
  ])('response %s is not a reply', (response) => {
    const entry = entryText(1, list(U)).replace(/\}$/, `,"response":${response}}`);
    expect(recordsOf(runCase({ 'a.jsonl': entry }))).toEqual([`{"messages":[${U}],"tools":[]}`]);
  });
});

describe('tools', () => {
  const fn = (name: string, n: string): string => `{"name":"${name}","n":${n}}`;
  const wrap = (inner: string): string => `{"type":"function","function":${inner}}`;
  function toolsOf(...perEntry: readonly string[]): string {
    const log = perEntry.map((tools, i) => entryText(i + 1, list(U), { tools })).join('\n');
    return recordsOf(runCase({ 'a.jsonl': log }))[0]?.replace(/^.*"tools":(.*)\}$/, '$1') ?? '';
  }

  test('the first definition of a name wins, and functions are flattened', () => {
    expect(toolsOf(list(wrap(fn('f', '1.0'))), list(fn('g', '2'), wrap(fn('f', '3')), fn('f', '4')))).toBe(
      list(fn('f', '1.0'), fn('g', '2')),
    );
    expect(toolsOf(list(wrap(fn('__proto__', '1')), wrap(fn('constructor', '2'))))).toBe(
      list(fn('__proto__', '1'), fn('constructor', '2')),
    );
  });

  test('a nameless tool is kept each time', () => {
    expect(toolsOf('[{}]', 'null', list('{"name":""}', '{"function":{"name":1}}', '{}'))).toBe(
      list('{}', '{"name":""}', '{"name":1}', '{}'),
    );
  });

  test('the name is that of the function, or else the outer one', () => {
    const outer = '{"name":"f","function":{"d":1}}';
    expect(toolsOf(list(outer, fn('f', '2'), '{"name":"f","function":{"name":"g"}}'))).toBe(
      list('{"d":1}', '{"name":"g"}'),
    );
    expect(toolsOf(list('{"name":"f","function":null}'))).toBe(list('{"name":"f","function":null}'));
  });

  test('tools after the snapshot and in dropped entries do not count', () => {
    const log = [
      entryText(1, list(U, U), { tools: list(fn('a', '1')) }),
      entryText(2, list(ASK, SHOW), { tools: list(fn('b', '1')), reply: A }),
      entryText(3, list(U), { tools: list(fn('c', '1')) }),
    ].join('\n');
    expect(recordsOf(runCase({ 'a.jsonl': log }))[0]).toContain(`"tools":${list(fn('a', '1'))}`);
  });
});
