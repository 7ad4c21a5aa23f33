import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { explainLine } from '../../../src/job/explain.ts';
import type { Explanation } from '../../../src/job/line-trail.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { writeOddLogs } from '../../support/odd-logs/write-odd-logs.ts';
import { entry, talk, writeLog } from '../cli/small-logs.ts';

function explain(path: string, line: number, settings: object = {}): Promise<readonly Explanation[]> {
  const ref = { name: 'a.jsonl', input: 0, path, sizeBytes: 0 };
  return explainLine({ ref, line, settings: resolveSettings({ inputs: [path], ...settings }) });
}

test('lists findings of the entry apart from those of the rest of its session', async () => {
  const path = writeLog(temporaryFolder(), 'a.jsonl', [
    entry({ reply: null }),
    entry({ second: 1, messages: talk(3) }),
  ]);
  const [found] = await explain(path, 1);
  expect(found?.findings).toEqual([expect.objectContaining({ rule: 'no-reply', line: 1 })]);
  expect(found?.sessionFindings).toEqual([expect.objectContaining({ rule: 'no-tools', line: 2 })]);
});

test('keeps at most a hundred findings of other lines', async () => {
  const lines = Array.from({ length: 150 }, (_, i) => entry({ second: i, reply: null }));
  const [found] = await explain(writeLog(temporaryFolder(), 'a.jsonl', lines), 150);
  expect(found?.sessionFindings).toHaveLength(100);
  expect(found?.findings.map(({ rule }) => rule)).toEqual([
    'no-reply',
    'protocol-open',
    'no-tools',
    'no-answer',
  ]);
});

test('reports that an empty source has no line', async () => {
  const path = writeLog(temporaryFolder(), 'a.jsonl', []);
  await expect(explain(path, 1)).rejects.toMatchObject({
    code: 'usage',
    message: 'a.jsonl is an empty log, so it has no line 1',
  });
});

test('the fates of all lines are those in the ledger', async () => {
  const logs = join(temporaryFolder(), 'logs');
  writeOddLogs(logs, 7, { manySessions: 0.2, tally: new Map() });
  const out = join(temporaryFolder(), 'out');
  await build({ inputs: [logs], out, workers: 1 });
  const sources = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const settings = resolveSettings({ inputs: [logs] });
  expect(readdirSync(logs).length).toBeGreaterThan(0);
  for (const { source: name, status, fates, lines } of sources) {
    if (status === 'skipped' || name.includes('\ufffd')) continue;
    const ref = { name, input: 0, path: Buffer.from(join(logs, name)).toString('latin1'), sizeBytes: 0 };
    const counted: Record<string, number> = {};
    for (let line = 1, seen = 0; seen < lines; line++) {
      const answers = await explainLine({ ref, line, settings });
      for (const { fate } of answers) counted[fate] = (counted[fate] ?? 0) + 1;
      seen += answers.length;
    }
    expect(counted, name).toEqual(fates);
  }
});
