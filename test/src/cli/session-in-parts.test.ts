/** The finding `session-in-parts`: one session id in several sources. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildLogs, entryLine, readDataset } from '../../support/build-logs.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';

const RULE = 'session-in-parts';
const partsIn = (findings: readonly { rule: string }[]) => findings.filter(({ rule }) => rule === RULE);
const three = {
  'a.jsonl.1': entryLine({ id: 'p' }),
  'b.jsonl': entryLine({ id: 'q' }),
  'c/a.jsonl': entryLine({ id: 'p' }),
};

test('the finding belongs to the later source, names the first one and does not change the status', async () => {
  const files = { ...three, 'd.jsonl': `\n${entryLine({ id: 'p' })}` };
  const { status, findings, sums } = await buildLogs({ files });
  expect([status, sums.findings[RULE]]).toEqual([0, 2]);
  const message = 'the session has entries in an earlier source too: a.jsonl.1';
  const about = { severity: 'WARNING', rule: RULE, session: 'p', message };
  expect(partsIn(findings)).toEqual([
    { ...about, source: 'c/a.jsonl', entry: 1 },
    { ...about, source: 'd.jsonl', entry: 2 },
  ]);
  const off = await buildLogs({ files }, ['--no-integrity']);
  expect(off.findings).toEqual([]);
});

test('the findings are the same with any number of workers', async () => {
  const logs = temporaryFolder();
  for (let i = 0; i < 60; i++)
    writeFileSync(
      join(logs, `${i}.jsonl`),
      entryLine({ id: `s${i % 7}`, messages: [{ role: 'user', content: 'x'.repeat(40_000) }] }),
    );
  const hashes = [];
  for (const workers of ['1', '4']) {
    const out = join(temporaryFolder(), 'out');
    expect((await turnmill(['build', logs, '--out', out, '--workers', workers])).status).toBe(0);
    expect(partsIn(readDataset(out).findings)).toHaveLength(53);
    hashes.push(hashesOf(out));
  }
  expect(hashes[0]).toEqual(hashes[1]);
});

test('after a thousand findings in a source, one more counts the rest', async () => {
  const log = Array.from({ length: 1005 }, (_, i) => entryLine({ id: `s${i}` })).join('\n');
  const { findings } = await buildLogs({ files: { 'a.jsonl': log, 'b.jsonl': log } }, ['--session-by', 'id']);
  const found = partsIn(findings);
  expect(found).toHaveLength(1001);
  expect(found.at(-1)).toMatchObject({
    ...{ source: 'b.jsonl', session: null, entry: 1001 },
    message: '5 more sessions of the source have entries in earlier sources too',
  });
});

test('ids that are file names are ignored', async () => {
  const chat = '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}';
  const folder = temporaryFolder();
  const logs = ['one', 'two'].map((name) => join(folder, name));
  for (const log of logs) {
    mkdirSync(log);
    writeFileSync(join(log, 's.jsonl'), chat);
  }
  const out = join(folder, 'out');
  expect((await turnmill(['build', ...logs, '--out', out])).status).toBe(0);
  expect(readDataset(out).records).toHaveLength(2);
  expect(partsIn(readDataset(out).findings)).toEqual([]);
});

test('an update reports the same, in reused sources too', async () => {
  const folder = temporaryFolder();
  const [logs, out, again] = ['logs', 'out', 'again'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(join(logs, 'c'), { recursive: true });
  for (const [name, text] of Object.entries(three)) writeFileSync(join(logs, name), text);
  const same = async (count: number): Promise<void> => {
    await turnmill(['build', logs, '--out', out, '--update']);
    await turnmill(['build', logs, '--out', again, '--replace']);
    expect(hashesOf(out)).toEqual(hashesOf(again));
    expect(partsIn(readDataset(out).findings)).toHaveLength(count);
    expect((await turnmill(['verify', out])).status).toBe(0);
  };
  await same(1);
  writeFileSync(join(logs, 'a'.concat('.jsonl')), entryLine({ id: 'p' }));
  await same(2);
  rmSync(join(logs, 'a.jsonl'));
  rmSync(join(logs, 'a.jsonl.1'));
  await same(0);
});
