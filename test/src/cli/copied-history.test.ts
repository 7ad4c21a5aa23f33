/** The finding `copied-history` across sources: a conversation of Claude Code whose first message is in an earlier source. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { buildLogs, readDataset } from '../../support/build-logs.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { stopAfter } from '../../support/stopped-run.ts';

const RULE = 'copied-history';

afterEach(() => vi.unstubAllEnvs());

/** The lines of one turn. */
function turn(sessionId: string, name: string, parent: string | null, more: object = {}): string {
  const line = (type: string, uuid: string, parentUuid: string | null): string =>
    JSON.stringify({
      ...{ type, uuid, parentUuid, sessionId, timestamp: '2026-01-14T08:00:00.000Z', ...more },
      message: { id: `m-${uuid}`, role: type, content: [{ type: 'text', text: `text of ${uuid}` }] },
    });
  return `${line('user', `u${name}`, parent)}\n${line('assistant', `a${name}`, `u${name}`)}\n`;
}

/** A log, another one that copies its lines and adds a turn, and one that has nothing to do with them. */
const original = turn('A', '1', null) + turn('A', '2', 'a1');
const copy = turn('B', '1', null) + turn('B', '2', 'a1') + turn('B', '3', 'a2');
const other = turn('C', '9', null);
const three = { 'a.jsonl': original, 'b.jsonl': copy, 'c.jsonl': other };

const finding = (source: string, session: string, earlier: string) => ({
  ...{ severity: 'WARNING', rule: RULE, session, source, entry: 1 },
  message: `the first message of the conversation is in an earlier source too: ${earlier}`,
  across_sources: true,
});
const copiesIn = (findings: readonly { rule: string }[]) => findings.filter(({ rule }) => rule === RULE);
const sessionsIn = (out: string) =>
  readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as { readonly id: string; readonly root?: string });
const dataOf = (out: string) =>
  Object.fromEntries(readdirSync(join(out, 'data')).map((name) => [name, hashesOf(out)[`data/${name}`]]));

function write(logs: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  mkdirSync(logs, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(logs, name), bytes);
}

test('the later source has the finding, which names the earlier one; nothing else changes', async () => {
  const { status, findings, sums, out } = await buildLogs({ files: three });
  expect(status).toBe(0);
  expect(copiesIn(findings)).toEqual([finding('b.jsonl', 'B', 'a.jsonl')]);
  expect(sums.findings[RULE]).toBe(1);
  expect(sessionsIn(out)).toMatchObject([
    { id: 'A', root: 'u1' },
    { id: 'B', root: 'u1' },
    { id: 'C', root: 'u9' },
  ]);
  const off = await buildLogs({ files: three }, ['--no-integrity']);
  expect(off.findings).toEqual([]);
  expect(dataOf(off.out)).toEqual(dataOf(out));
});

test('the order of the sources decides which one is the copy', async () => {
  const { findings } = await buildLogs({ files: { 'a.jsonl': copy, 'b.jsonl': original } });
  expect(copiesIn(findings)).toEqual([finding('b.jsonl', 'A', 'a.jsonl')]);
});

test('a source whose first message no other one has is not reported, however often it goes back', async () => {
  const branches = original + turn('A', '4', 'a1') + turn('A', '5', 'a1');
  const { findings, records } = await buildLogs({ files: { 'a.jsonl': branches, 'c.jsonl': other } });
  expect(records).toHaveLength(4);
  expect(copiesIn(findings)).toEqual([]);
});

test('each branch of a copy is reported', async () => {
  const { findings } = await buildLogs({ files: { ...three, 'b.jsonl': copy + turn('B', '4', 'a1') } });
  expect(copiesIn(findings)).toMatchObject([{ session: 'B' }, { session: 'B#2' }]);
});

test('logs of other dialects have no roots', async () => {
  const log = ['user', 'assistant'].map((role) => `${JSON.stringify({ role, content: 'x', uuid: 'u' })}\n`);
  const files = { 'a.jsonl': log.join(''), 'b.jsonl': log.join('') };
  const { findings, out, records } = await buildLogs({ files });
  expect(records).toHaveLength(2);
  expect(copiesIn(findings)).toEqual([]);
  expect(sessionsIn(out).some((line) => 'root' in line)).toBe(false);
});

test('compressed files and streams count too, and check shows the finding', async () => {
  const packed = { 'a.jsonl.gz': gzipSync(original), 'b.jsonl': copy };
  expect(copiesIn((await buildLogs({ files: packed })).findings)).toEqual([
    finding('b.jsonl', 'B', 'a.jsonl.gz'),
  ]);
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const stream = (name: string, text: string) => ({
    name,
    stream: (async function* () {
      yield Buffer.from(text);
    })(),
  });
  await build({ inputs: [stream('b.jsonl', copy), stream('a.jsonl', original)], out });
  expect(copiesIn(readDataset(out).findings)).toEqual([{ ...finding('b.jsonl', 'B', 'a.jsonl'), input: 0 }]);
  write(join(folder, 'logs'), three);
  const { stdout } = await turnmill(['check', join(folder, 'logs')]);
  expect(stdout.toString()).toContain('1 warning history of an earlier log (copied-history)');
});

test('on standard input, sessions of one source are not compared', async () => {
  const { findings, records } = await buildLogs({ stdin: original + copy });
  expect(records).toHaveLength(2);
  expect(copiesIn(findings)).toEqual([]);
});

test('the dataset is the same with any number of workers', async () => {
  const logs = join(temporaryFolder(), 'logs');
  const many = Array.from({ length: 40 }, (_, i) => [
    `${String(i).padStart(2, '0')}.jsonl`,
    turn(`s${i}`, `${i % 7}`, null, { toolUseResult: 'x'.repeat(40_000) }),
  ]);
  write(logs, Object.fromEntries(many));
  const hashes = [];
  for (const workers of ['1', '2']) {
    const out = join(temporaryFolder(), 'out');
    expect((await turnmill(['build', logs, '--out', out, '--workers', workers])).status).toBe(0);
    expect(copiesIn(readDataset(out).findings)).toHaveLength(33);
    hashes.push(hashesOf(out));
  }
  expect(hashes[0]).toEqual(hashes[1]);
});

test('an update decides again, also in reused sources, and keeps findings within a source', async () => {
  const folder = temporaryFolder();
  const [logs, out, again] = ['logs', 'out', 'again'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const fork = turn('D', '7', null, { forkedFrom: { sessionId: 'before', messageUuid: 'x' } });
  write(logs, { ...three, 'd.jsonl': fork });
  const within = {
    ...{ severity: 'WARNING', rule: RULE, session: 'D', source: 'd.jsonl', entry: 1 },
    message: 'messages[0]: the log begins with the history of the session that it was forked from',
  };
  const same = async (...expected: readonly object[]): Promise<void> => {
    await turnmill(['build', logs, '--out', out, '--update']);
    await turnmill(['build', logs, '--out', again, '--replace']);
    expect(hashesOf(out)).toEqual(hashesOf(again));
    expect(copiesIn(readDataset(out).findings)).toEqual(expected);
    expect((await turnmill(['verify', out])).status).toBe(0);
  };
  await same(finding('b.jsonl', 'B', 'a.jsonl'), within);
  write(logs, { 'e.jsonl': turn('E', '8', null) });
  await same(finding('b.jsonl', 'B', 'a.jsonl'), within);
  rmSync(join(logs, 'a.jsonl'));
  await same(within);
  write(logs, { '0.jsonl': turn('F', '7', null), 'c.jsonl': `${other}\n` });
  await same(within, finding('d.jsonl', 'D', '0.jsonl'));
});

test('a run that was stopped and resumed reports the same', async () => {
  vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
  const folder = temporaryFolder();
  const [logs, out, straight] = ['logs', 'out', 'straight'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  write(logs, three);
  const settings = { inputs: [logs], workers: 1 };
  let results = 0;
  await build({ ...settings, out: straight }, { onResult: () => void results++ });
  expect(copiesIn(readDataset(straight).findings)).toHaveLength(1);
  let reused = 0;
  for (let at = 1; at <= results; at++) {
    if (await stopAfter({ ...settings, out }, at)) break;
    const { reusedSources = 0 } = await build({ ...settings, out, resume: true });
    reused = Math.max(reused, reusedSources);
    expect(hashesOf(out), `stopped at ${at}`).toEqual(hashesOf(straight));
    rmSync(out, { recursive: true });
  }
  expect(reused).toBe(2);
});
