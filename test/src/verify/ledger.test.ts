/**
 * The same damage, with the manifest's bytes and hashes mended too: only the recount finds it. Each
 * test names the file and the words that lead to it.
 */
import { describe, expect, test } from 'vitest';
import { type Copy, smallDataset } from './small-dataset.ts';

const SOURCES = 'ledger/sources.jsonl';
const SESSIONS = 'ledger/sessions.jsonl';
const QUARANTINE = 'quarantine/rejected.jsonl';
const INTEGRITY = 'reports/integrity.jsonl';
const [JAN13, JAN14] = ['data/2026-01-13-00000.jsonl', 'data/2026-01-14-00000.jsonl'] as const;

const dataset = smallDataset({ quarantineContent: 'raw' });

async function problemsAfter(change: (copy: Copy) => void): Promise<string[]> {
  const copy = dataset.copy();
  change(copy);
  copy.reseal();
  return (await copy.verify()).problems.map(({ file, message }) => `${file}: ${message}`);
}

const without = (index: number) => (lines: string[]) => lines.toSpliced(index, 1);
const replaced = (from: string | RegExp, to: string) => (lines: string[]) => {
  expect(lines.join('\n')).toMatch(from);
  return lines.join('\n').replace(from, to).split('\n');
};

test('a new seal alone is not a problem', async () => {
  expect(await problemsAfter(() => undefined)).toEqual([]);
});

describe.each([
  [SESSIONS, 5],
  [QUARANTINE, 5],
  [INTEGRITY, 2],
])('%s, of which a line is gone', (file, count) => {
  test.each(Array.from({ length: count }, (_, i) => i))('line %i', async (i) => {
    const problems = await problemsAfter((copy) => copy.lines(file, without(i)));
    expect(problems.length).toBeGreaterThan(0);
  });
});

describe.each([
  // F168, the identities I1 to I8 and the places
  [
    'a session line less',
    SESSIONS,
    without(0),
    `${SESSIONS}: line 1: the line of ${JAN13}: expected 1, found 2`,
  ],
  [
    'a session line twice',
    SESSIONS,
    (l: string[]) => [l[0] as string, ...l],
    `the line of ${JAN13}: expected 2, found 1`,
  ],
  ['another shard', SESSIONS, replaced(JAN13, JAN14), 'the folder of its source'],
  ['a shard that is none', SESSIONS, replaced(JAN13, 'data/x.jsonl'), 'found "data/x.jsonl"'],
  ['a line beyond the end', SESSIONS, replaced('"line":1,', '"line":9,'), 'which has 2, found 9'],
  [
    'a superseded entry more',
    SESSIONS,
    replaced('"superseded":1', '"superseded":2'),
    'by 1 + superseded + truncated',
  ],
  ['a tool more', SESSIONS, replaced('"seen":2,"kept":2', '"seen":3,"kept":3'), 'tools of all records'],
  ['a tool that is lost', SESSIONS, replaced('"seen":2', '"seen":3'), 'tools seen, by kept + duplicates'],
  [
    'an entry less that is rejected',
    SESSIONS,
    replaced('"entries":2,"superseded":0', '"entries":1,"superseded":0'),
    "fate 'rejected:timestamp-not-increasing': expected 1, found 2",
  ],
  [
    'a fate that is none',
    SESSIONS,
    replaced('"fate":"written"', '"fate":"lost"'),
    'expected "written, empty or rejected"',
  ],
  [
    'a count that is none',
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
    'a source line less',
    SOURCES,
    without(1),
    "expected a source of ledger/sources.jsonl, in the same order, found '2026-01-13/a-plan.jsonl'",
  ],
  [
    'a source line twice',
    SOURCES,
    (l: string[]) => [...l, l.at(-1) as string],
    `${SOURCES}: line 9: expected a source after`,
  ],
  [
    'source lines that are swapped',
    SOURCES,
    (l: string[]) => [...l.slice(0, 2), l[3] as string, l[2] as string, ...l.slice(4)],
    `${SOURCES}: line 4: expected a source after`,
  ],
  [
    'a skipped source at the end',
    SOURCES,
    (l: string[]) => [...l.slice(1), l[0] as string],
    'found one that was passed over',
  ],
  [
    'a line more',
    SOURCES,
    replaced('"lines":5', '"lines":6'),
    'lines, by the sum of the fates: expected 5, found 6',
  ],
  [
    'a fate for another',
    SOURCES,
    replaced('"blank":1', '"dropped:goose-title":1'),
    "ledger.fates 'blank': expected 0, found 1",
  ],
  [
    'a superseded line for a snapshot',
    SOURCES,
    replaced('"snapshot":1,"superseded":1,', '"snapshot":2,'),
    `${SOURCES}: line 2: fate 'snapshot': expected 1, found 2`,
  ],
  [
    'I1 a byte that no line has',
    SOURCES,
    replaced(/"bom":0,"lines":(\d+)/, '"bom":0,"lines":1'),
    'bytes, by the sum of the parts',
  ],
  [
    'I1 bytes that are not those of the file',
    SOURCES,
    replaced(/"size":\d+/, '"size":7'),
    'bytes, by the size: expected 7',
  ],
  [
    'I1 a line feed for a byte of a line',
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
    'I1 bytes that were not read of a source that was',
    SOURCES,
    replaced(/"bytes":(\d+),"parts":\{"bom":0,([^}]*)"rest":0/, '"bytes":$1,"parts":{"bom":0,$2"rest":1'),
    "parts 'rest' of a source that was read: expected 0, found 1",
  ],
  ['I1 a part that is none', SOURCES, replaced('"rest":', '"tail":'), 'line 2: parts: expected'],
  [
    'I2 a line that was not cut',
    SOURCES,
    replaced('"framed":5', '"framed":4'),
    'lines, by framed + split-objects: expected 4, found 5',
  ],
  [
    'I2 a mend that is none',
    SOURCES,
    replaced('"repairs":{}', '"repairs":{"crlf":1}'),
    "ledger.repairs 'crlf': expected 1, found 0",
  ],
  [
    'a snapshot behind the end of its source',
    SESSIONS,
    replaced(/"offset":\d+/, '"offset":99999'),
    'line 1: origin: expected "an end up to byte',
  ],
  [
    'a snapshot in a line that is not there',
    SESSIONS,
    replaced(/"origin":\{"line":\d+/, '"origin":{"line":99'),
    'line 1: origin: expected "a line up to 5"',
  ],
  [
    'a rejected line behind the end of its source',
    QUARANTINE,
    replaced(/"byte_end":\d+/, '"byte_end":99999'),
    'to be an end up to byte',
  ],
  [
    'an entry that is rejected twice',
    QUARANTINE,
    (l: string[]) => {
      const [at = -1] = l.flatMap((line, i) => (line.includes('"timestamp-not-increasing"') ? [i] : []));
      return l.with(at + 1, l[at] as string);
    },
    'to be a start from byte',
  ],
  [
    'a finding in a line that is not there',
    INTEGRITY,
    replaced(/"entry":\d+/, '"entry":99'),
    'entry: expected "a line up to',
  ],
  ['another status', SOURCES, replaced('"status":"empty"', '"status":"odd"'), 'found "odd"'],
  [
    'a rejected line less',
    QUARANTINE,
    replaced(/\{[^\n]*"invalid-json"[^\n]*\n/, ''),
    "records of 'line:invalid-json': expected 1, found 0",
  ],
  [
    'a rejected source less',
    QUARANTINE,
    replaced(/\n\{[^\n]*"corrupt-gzip"[^\n]*/, ''),
    "records of 'source:corrupt-gzip': expected 1, found 0",
  ],
  [
    'an entry of a rejected session less',
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
    'a hash that is none',
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
    'a member of what is no gzip',
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
  ['a record less', JAN13, without(1), `${JAN13}: records: expected 2, found 1`],
  [
    'a record twice',
    JAN13,
    (l: string[]) => [...l, l[0] as string],
    `${JAN13}: records: expected 2, found 3`,
  ],
  [
    'records that are swapped',
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
  ['a member more', JAN13, replaced('"tools":', '"x":1,"tools":'), 'found 1 more members'],
  ['a blank line', JAN13, (l: string[]) => ['', ...l], 'line 1: expected a JSON object, found a blank line'],
  ['a list', JAN13, replaced(/^.*/, '[]'), 'line 1: expected a JSON object, found another value'],
  ['half a record', JAN13, replaced(/^.{20}/, ''), 'line 1: expected a JSON object, found no JSON'],
] as const)('%s', (_name, file, change, expected) => {
  test(`is found: ${expected}`, async () => {
    const problems = await problemsAfter((copy) => copy.lines(file, change as (lines: string[]) => string[]));
    expect(problems.join('\n')).toContain(expected);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: counts that a test changes at will
type Changed = any;

describe('the manifest and the reports', () => {
  test('two shards that are swapped with their hashes', async () => {
    const problems = await problemsAfter((copy) => {
      const [a, b] = [copy.read(JAN13), copy.read(JAN14)];
      copy.write(JAN13, b);
      copy.write(JAN14, a);
    });
    expect(problems).toContain(`${JAN13}: records: expected 2, found 1`);
    expect(problems).toContain(`${JAN14}: records: expected 1, found 2`);
  });

  test('a shard that is out of both manifest and folder', async () => {
    const problems = await problemsAfter((copy) => {
      copy.manifest((manifest) => manifest.shards.pop());
      copy.lines(JAN14, () => []);
    });
    expect(problems).toContain(`${JAN14}: not listed in the manifest`);
    expect(problems.join('\n')).toContain(`expected "one of the manifest", found "${JAN14}"`);
  });

  test('a setting that is changed', async () => {
    const problems = await problemsAfter((copy) =>
      copy.manifest((m) => Object.assign(m.settings, { integrity: false })),
    );
    expect(problems.join('\n')).toContain('manifest.json: settings_sha256');
  });

  test('a path that leads out of the folder is not read', async () => {
    const copy = dataset.copy();
    copy.manifest((m) => Object.assign(m.files[0], { path: '../../../etc/passwd' }));
    await expect(copy.verify()).rejects.toMatchObject({
      code: 'invalid-dataset',
      message: expect.stringContaining('names "../../../etc/passwd", which is not a file inside a dataset'),
    });
  });

  test('a file without a count', async () => {
    const copy = dataset.copy();
    copy.manifest((m) => Object.assign(m.files[0], { bytes: -1 }));
    const { problems } = await copy.verify();
    expect(problems).toContainEqual({
      file: 'manifest.json',
      message: 'files[0] lacks a safe path, a count or a hash',
    });
  });

  test('a ledger that is changed in manifest and summary alike', async () => {
    const problems = await problemsAfter((copy) => {
      copy.manifest((m) => {
        m.ledger.rewrites.odd = 1;
        const { profile } = JSON.parse(copy.read('reports/summary.json').toString());
        copy.write('reports/summary.json', `${JSON.stringify({ ...m.ledger, profile }, null, 2)}\n`);
      });
    });
    expect(problems).toEqual(["manifest.json: ledger.rewrites 'odd': expected 0, found 1"]);
  });

  test.each([
    [
      'by_messages',
      (records: Changed) => {
        records.by_messages['2'] += 1;
      },
    ],
    [
      'by_bytes',
      (records: Changed) => {
        records.by_bytes['9999'] = 1;
      },
    ],
    [
      'by_calls',
      (records: Changed) => {
        records.by_calls['7'] = 1;
      },
    ],
    [
      'roles',
      (records: Changed) => {
        records.roles.user += 1;
      },
    ],
    [
      'tools',
      (records: Changed) => {
        records.tools.odd = 1;
      },
    ],
    [
      'messages',
      (records: Changed) => {
        records.messages += 1;
      },
    ],
  ])('another number of %s in the counts of the report', async (name, change) => {
    const problems = await problemsAfter((copy) => {
      const summary = JSON.parse(copy.read('reports/summary.json').toString());
      change(summary.profile.records);
      copy.write('reports/summary.json', `${JSON.stringify(summary, null, 2)}\n`);
    });
    expect(problems).toEqual([expect.stringContaining(`profile.records.${name}`)]);
  });

  test.each(['rejections', 'findings'])('another count of %s in the report', async (list) => {
    const problems = await problemsAfter((copy) => {
      const summary = JSON.parse(copy.read('reports/summary.json').toString());
      summary.profile[list][0].count += 1;
      copy.write('reports/summary.json', `${JSON.stringify(summary, null, 2)}\n`);
    });
    expect(problems).toEqual([expect.stringContaining(`profile.${list}`)]);
  });

  test('a summary without the counts of the report', async () => {
    const problems = await problemsAfter((copy) => {
      const { profile: _profile, ...sums } = JSON.parse(copy.read('reports/summary.json').toString());
      copy.write('reports/summary.json', `${JSON.stringify(sums, null, 2)}\n`);
    });
    expect(problems).toEqual([expect.stringContaining('expected an object `profile`')]);
  });

  test.each([
    ['tool_call_count', /(2026-01-13,,2,)0/, '$11'],
    ['client_turns', /(2026-01-14,,1,\d+,\d+,)\d+/, '$17'],
    ['assistant_turns_with_tools', /(2026-01-14,.*,)0/, '$11'],
  ] as const)('another %s in the tool usage', async (_name, from, to) => {
    const problems = await problemsAfter((copy) =>
      copy.lines('reports/tool-usage.csv', replaced(from as unknown as string, to)),
    );
    expect(problems).toEqual([expect.stringContaining('its other counts: expected')]);
  });

  test('a row of the tool usage', async () => {
    const problems = await problemsAfter((copy) =>
      copy.lines('reports/tool-usage.csv', replaced('2026-01-13,,2', '2026-01-13,,3')),
    );
    expect(problems).toEqual(['reports/tool-usage.csv: line 2: session_count: expected 2, found 3']);
  });
});
