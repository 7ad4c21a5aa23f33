/** Damage to manifest, reports and whole files whose hashes fit the damage, so that only the recount finds it. */
import { describe, expect, test } from 'vitest';
import { type Copy, problemsAfterReseal, replaced, smallDataset } from './small-dataset.ts';

const [JAN13, JAN14] = ['data/2026-01-13-00000.jsonl', 'data/2026-01-14-00000.jsonl'] as const;

const dataset = smallDataset({ quarantineContent: 'raw' });
const problemsAfter = (change: (copy: Copy) => void): Promise<string[]> =>
  problemsAfterReseal(dataset.copy(), change);

// biome-ignore lint/suspicious/noExplicitAny: tests change any of the counts
type Changed = any;

describe('in the manifest and the reports, verify finds', () => {
  test('two shards swapped with their hashes', async () => {
    const problems = await problemsAfter((copy) => {
      const [a, b] = [copy.read(JAN13), copy.read(JAN14)];
      copy.write(JAN13, b);
      copy.write(JAN14, a);
    });
    expect(problems).toContain(`${JAN13}: records: expected 2, found 1`);
    expect(problems).toContain(`${JAN14}: records: expected 1, found 2`);
  });

  test('a shard missing from manifest and folder', async () => {
    const problems = await problemsAfter((copy) => {
      copy.manifest((manifest) => manifest.shards.pop());
      copy.lines(JAN14, () => []);
    });
    expect(problems).toContain(`${JAN14}: not listed in the manifest`);
    expect(problems.join('\n')).toContain(`expected "one of the manifest", found "${JAN14}"`);
  });

  test('a changed setting', async () => {
    const problems = await problemsAfter((copy) =>
      copy.manifest((m) => Object.assign(m.settings, { integrity: false })),
    );
    expect(problems.join('\n')).toContain('manifest.json: settings_sha256');
  });

  test('a path that leads out of the folder, and does not read it', async () => {
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

  test('a ledger changed in manifest and summary alike', async () => {
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
      'repeated',
      (records: Changed) => {
        records.repeated = 1;
      },
    ],
    [
      'messages',
      (records: Changed) => {
        records.messages += 1;
      },
    ],
  ])('a wrong number of %s in the counts of the report', async (name, change) => {
    const problems = await problemsAfter((copy) => {
      const summary = JSON.parse(copy.read('reports/summary.json').toString());
      change(summary.profile.records);
      copy.write('reports/summary.json', `${JSON.stringify(summary, null, 2)}\n`);
    });
    expect(problems).toEqual([expect.stringContaining(`profile.records.${name}`)]);
  });

  test.each(['rejections', 'findings'])('a wrong count of %s in the report', async (list) => {
    const problems = await problemsAfter((copy) => {
      const summary = JSON.parse(copy.read('reports/summary.json').toString());
      summary.profile[list][0].count += 1;
      copy.write('reports/summary.json', `${JSON.stringify(summary, null, 2)}\n`);
    });
    expect(problems).toEqual([expect.stringContaining(`profile.${list}`)]);
  });

  test('a wrong count of a dialect in the report', async () => {
    const problems = await problemsAfter((copy) => {
      const summary = JSON.parse(copy.read('reports/summary.json').toString());
      summary.profile.dialects.codex = 1;
      copy.write('reports/summary.json', `${JSON.stringify(summary, null, 2)}\n`);
    });
    expect(problems).toEqual([expect.stringContaining('profile.dialects')]);
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
  ] as const)('a wrong %s in the tool usage', async (_name, from, to) => {
    const problems = await problemsAfter((copy) =>
      copy.lines('reports/tool-usage.csv', replaced(from as unknown as string, to)),
    );
    expect(problems).toEqual([expect.stringContaining('its other counts: expected')]);
  });

  test('a wrong row of the tool usage', async () => {
    const problems = await problemsAfter((copy) =>
      copy.lines('reports/tool-usage.csv', replaced('2026-01-13,,2', '2026-01-13,,3')),
    );
    expect(problems).toEqual(['reports/tool-usage.csv: line 2: session_count: expected 2, found 3']);
  });
});
