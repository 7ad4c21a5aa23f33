/** Damage to the lines of a dataset whose manifest fits the damage, so that only the recount finds it. */
import { describe, expect, test } from 'vitest';
import { type Copy, problemsAfterReseal, replaced, smallDataset } from './small-dataset.ts';

const SOURCES = 'ledger/sources.jsonl';
const SESSIONS = 'ledger/sessions.jsonl';
const QUARANTINE = 'quarantine/rejected.jsonl';
const INTEGRITY = 'reports/integrity.jsonl';
const [JAN13, JAN14] = ['data/2026-01-13-00000.jsonl', 'data/2026-01-14-00000.jsonl'] as const;

const dataset = smallDataset({ quarantineContent: 'raw' });

const problemsAfter = (change: (copy: Copy) => void): Promise<string[]> =>
  problemsAfterReseal(dataset.copy(), change);
const without = (index: number) => (lines: string[]) => lines.toSpliced(index, 1);

test('an unchanged dataset with a new seal has no problems', async () => {
  expect(await problemsAfter(() => undefined)).toEqual([]);
});

describe.each([
  [SESSIONS, 5],
  [QUARANTINE, 5],
  [INTEGRITY, 2],
])('%s without one of its lines has problems', (file, count) => {
  test.each(Array.from({ length: count }, (_, i) => i))('line %i', async (i) => {
    const problems = await problemsAfter((copy) => copy.lines(file, without(i)));
    expect(problems.length).toBeGreaterThan(0);
  });
});

describe.each([
  // F168, the identities I1 to I8, and the places of lines
  [
    'a missing session line',
    SESSIONS,
    without(0),
    `${SESSIONS}: line 1: the line of ${JAN13}: expected 1, found 2`,
  ],
  [
    'a repeated session line',
    SESSIONS,
    (l: string[]) => [l[0] as string, ...l],
    `the line of ${JAN13}: expected 2, found 1`,
  ],
  ['another shard', SESSIONS, replaced(JAN13, JAN14), 'the folder of its source'],
  ['a shard that does not exist', SESSIONS, replaced(JAN13, 'data/x.jsonl'), 'found "data/x.jsonl"'],
  ['a line beyond the end', SESSIONS, replaced('"line":1,', '"line":9,'), 'which has 2, found 9'],
  [
    'one superseded entry too many',
    SESSIONS,
    replaced('"superseded":1', '"superseded":2'),
    'by 1 + superseded + truncated',
  ],
  ['one tool too many', SESSIONS, replaced('"seen":2,"kept":2', '"seen":3,"kept":3'), 'tools of all records'],
  [
    'one message too many',
    SESSIONS,
    replaced('"user":1', '"user":2'),
    `${JAN13}: messages of all records, by their sessions`,
  ],
  [
    'numbers of messages in another order',
    SESSIONS,
    (l: string[]) => {
      const [own = '', next = ''] = l.map((line) => /"messages":\{.*?\}/.exec(line)?.[0] ?? '');
      return l.map((line) => line.replace(own, '@').replace(next, own).replace('@', next));
    },
    'expected the numbers of messages in the order of the sessions, found another order',
  ],
  [
    'a call that no record has',
    SESSIONS,
    replaced('"calls":{}', '"calls":{"read":1}'),
    'calls of all records, by their sessions',
  ],
  ['a lost tool', SESSIONS, replaced('"seen":2', '"seen":3'), 'tools seen, by kept + duplicates'],
  [
    'a missing rejected entry',
    SESSIONS,
    replaced('"entries":2,"superseded":0', '"entries":1,"superseded":0'),
    "fate 'rejected:timestamp-not-increasing': expected 1, found 2",
  ],
  [
    'an unknown fate',
    SESSIONS,
    replaced('"fate":"written"', '"fate":"lost"'),
    'expected "written, empty or rejected"',
  ],
  [
    'a count that is not a number',
    SESSIONS,
    replaced('"truncated":1', '"truncated":-1'),
    'truncated: expected "a count"',
  ],
  [
    'no source',
    SESSIONS,
    replaced('"source":', '"sauce":'),
    `${SESSIONS}: line 1: expected the name of a source`,
  ],
  [
    'a missing source line',
    SOURCES,
    without(1),
    "expected a source of ledger/sources.jsonl, in the same order, found '2026-01-13/a-plan.jsonl'",
  ],
  [
    'a repeated source line',
    SOURCES,
    (l: string[]) => [...l, l.at(-1) as string],
    `${SOURCES}: line 9: expected a source after`,
  ],
  [
    'swapped source lines',
    SOURCES,
    (l: string[]) => [...l.slice(0, 2), l[3] as string, l[2] as string, ...l.slice(4)],
    `${SOURCES}: line 4: expected a source after`,
  ],
  [
    'a skipped source at the end',
    SOURCES,
    (l: string[]) => [...l.slice(1), l[0] as string],
    'found one that was skipped',
  ],
  [
    'one line too many',
    SOURCES,
    replaced('"lines":5', '"lines":6'),
    'lines, by the sum of the fates: expected 5, found 6',
  ],
  [
    'a fate in place of another',
    SOURCES,
    replaced('"blank":1', '"dropped:goose-title":1'),
    "ledger.fates 'blank': expected 0, found 1",
  ],
  [
    'a superseded line in place of a snapshot',
    SOURCES,
    replaced('"snapshot":1,"superseded":1,', '"snapshot":2,'),
    `${SOURCES}: line 2: fate 'snapshot': expected 1, found 2`,
  ],
  [
    'I1 a byte of no line',
    SOURCES,
    replaced(/"bom":0,"lines":(\d+)/, '"bom":0,"lines":1'),
    'bytes, by the sum of the parts',
  ],
  [
    'I1 another number of bytes than the file has',
    SOURCES,
    replaced(/"size":\d+/, '"size":7'),
    'bytes, by the size: expected 7',
  ],
  [
    'I1 a line feed in place of a byte of a line',
    SOURCES,
    (l: string[]) =>
      l.map((line) =>
        line.replace(
          /"lines":(\d{3,}),"terminators":(\d+)/,
          (_, a, b) => `"lines":${a - 1},"terminators":${+b + 1}`,
        ),
      ),
    "parts 'terminators', by lines and repairs: expected 5, found 6",
  ],
  [
    'I1 unread bytes in a source that was read',
    SOURCES,
    replaced(/"bytes":(\d+),"parts":\{"bom":0,([^}]*)"rest":0/, '"bytes":$1,"parts":{"bom":0,$2"rest":1'),
    "parts 'rest' of a source that was read: expected 0, found 1",
  ],
  ['I1 an unknown part', SOURCES, replaced('"rest":', '"tail":'), 'line 2: parts: expected'],
  [
    'I2 a line that was not framed',
    SOURCES,
    replaced('"framed":5', '"framed":4'),
    'lines, by framed + split-objects: expected 4, found 5',
  ],
  [
    'I2 an unknown repair',
    SOURCES,
    replaced('"repairs":{}', '"repairs":{"crlf":1}'),
    "ledger.repairs 'crlf': expected 1, found 0",
  ],
  [
    'a snapshot after the end of its source',
    SESSIONS,
    replaced(/"offset":\d+/, '"offset":99999'),
    'line 1: origin: expected "an end up to byte',
  ],
  [
    'a snapshot in a missing line',
    SESSIONS,
    replaced(/"origin":\{"line":\d+/, '"origin":{"line":99'),
    'line 1: origin: expected "a line up to 5"',
  ],
  [
    'a rejected line after the end of its source',
    QUARANTINE,
    replaced(/"byte_end":\d+/, '"byte_end":99999'),
    'to be an end up to byte',
  ],
  [
    'an entry rejected twice',
    QUARANTINE,
    (l: string[]) => {
      const [at = -1] = l.flatMap((line, i) => (line.includes('"timestamp-not-increasing"') ? [i] : []));
      return l.with(at + 1, l[at] as string);
    },
    'to be a start from byte',
  ],
  [
    'a finding in a missing line',
    INTEGRITY,
    replaced(/"entry":\d+/, '"entry":99'),
    'entry: expected "a line up to',
  ],
  [
    'a root that is not a text',
    SESSIONS,
    replaced('"changes":', '"root":1,"changes":'),
    `${SESSIONS}: line 1: root: expected "a text", found 1`,
  ],
  [
    'a root without a record',
    SESSIONS,
    replaced(/("fate":"rejected:[^"]+",)/, '$1"root":"u1",'),
    'root without a record',
  ],
  [
    'a finding that says it is not across sources',
    INTEGRITY,
    replaced(/"entry":/, '"across_sources":false,"entry":'),
    'across_sources: expected true, found false',
  ],
  ['another status', SOURCES, replaced('"status":"empty"', '"status":"odd"'), 'found "odd"'],
  [
    'a missing rejected line',
    QUARANTINE,
    replaced(/\{[^\n]*"invalid-json"[^\n]*\n/, ''),
    "records of 'line:invalid-json': expected 1, found 0",
  ],
  [
    'a missing rejected source',
    QUARANTINE,
    replaced(/\n\{[^\n]*"corrupt-gzip"[^\n]*/, ''),
    "records of 'source:corrupt-gzip': expected 1, found 0",
  ],
  [
    'a missing entry of a rejected session',
    QUARANTINE,
    replaced(/\{[^\n]*"timestamp-not-increasing"[^\n]*\n/, ''),
    "records of 'session:timestamp-not-increasing': expected 2, found 1",
  ],
  [
    'another reason',
    QUARANTINE,
    replaced('"invalid-json"', '"too-deep"'),
    "'line:too-deep': expected 0, found 1",
  ],
  [
    'a missing hash',
    QUARANTINE,
    replaced(/"raw_sha256":"[0-9a-f]+"/, '"raw_sha256":null'),
    'line 1: raw_sha256: expected "a hash", found null',
  ],
  [
    'an error without a code',
    QUARANTINE,
    replaced('"code":', '"kode":'),
    'line 1: error.code: expected "a string"',
  ],
  [
    'another size of a source',
    QUARANTINE,
    replaced(/"size":\d+/, '"size":1'),
    'line 1: source.size: expected',
  ],
  [
    'a member in a source that is not gzip',
    QUARANTINE,
    replaced(/("byte_end":\d+)/, '$1,"member":1'),
    'line 1: member',
  ],
  ['other bytes', QUARANTINE, replaced(/"raw_b64":"Z/, '"raw_b64":"Y'), 'line 1: raw_sha256'],
  [
    'another place',
    QUARANTINE,
    replaced(/"byte_end":\d+/, '"byte_end":0'),
    'expected line, byte_start and byte_end to be',
  ],
  [
    'a finding of another rule',
    INTEGRITY,
    replaced(/"rule":"[^"]+"/, '"rule":"odd"'),
    "ledger.findings 'odd': expected 1, found 0",
  ],
  [
    'another severity',
    INTEGRITY,
    replaced(/"severity":"[A-Z]+"/, '"severity":"odd"'),
    'expected "ERROR or WARNING"',
  ],
  ['a missing record', JAN13, without(1), `${JAN13}: records: expected 2, found 1`],
  [
    'a repeated record',
    JAN13,
    (l: string[]) => [...l, l[0] as string],
    `${JAN13}: records: expected 2, found 3`,
  ],
  [
    'swapped records',
    JAN13,
    (l: string[]) => l.toReversed(),
    `${JAN13}: expected the numbers of tools in the order`,
  ],
  ['a record without tools', JAN13, replaced('"tools"', '"fools"'), 'line 1: expected an array `tools`'],
  [
    'a message without a role',
    JAN13,
    replaced('"role":"user"', '"rule":"user"'),
    'line 1: expected messages[0] to be an object',
  ],
  ['an additional member', JAN13, replaced('"tools":', '"x":1,"tools":'), 'found 1 more members'],
  ['a blank line', JAN13, (l: string[]) => ['', ...l], 'line 1: expected a JSON object, found a blank line'],
  ['a list', JAN13, replaced(/^.*/, '[]'), 'line 1: expected a JSON object, found another value'],
  ['half a record', JAN13, replaced(/^.{20}/, ''), 'line 1: expected a JSON object, found no JSON'],
] as const)('%s', (_name, file, change, expected) => {
  test(`is reported: ${expected}`, async () => {
    const problems = await problemsAfter((copy) => copy.lines(file, change as (lines: string[]) => string[]));
    expect(problems.join('\n')).toContain(expected);
  });
});
