/** F213, F020, F001: sessions that interleave in one source are gathered (`--session-by id`), in bounded memory. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { sha256 } from '../../src/sha256.ts';
import { asEverySource, type Built, buildLogs, entryLine, REPLY, USER } from '../support/build-logs.ts';
import { start } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { bash } from '../support/shell.ts';

const BY_ID = ['--session-by', 'id'];
const SESSIONS = ['a', 'b', 'c'];
const TURNS = 4;

/** An entry of a conversation that grows with each turn. */
function turn(id: string, at: number, turns: number = at): string {
  const before = Array.from({ length: turns - 1 }, (_, i) => [
    { role: 'user', content: `${id}${i}` },
    { role: 'assistant', content: `answer ${i}` },
  ]).flat();
  return entryLine({ id, at, messages: [...before, USER] });
}

const each = Array.from({ length: TURNS }, (_, i) => i + 1);
const apart = SESSIONS.flatMap((id) => each.map((at) => turn(id, at)));
const mixed = each.flatMap((at) => SESSIONS.map((id) => turn(id, at)));

const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;
const recordsOf = ({ records }: Built): readonly string[] => [...records].map(String);

faultTest(
  'F213',
  'interleaved sessions give the records of sessions that follow each other',
  {},
  async () => {
    const expected = await buildLogs({ files: { 's.jsonl': textOf(apart) } }, ['--session-by', 'run']);
    expect(expected.sums.fates).toEqual({ snapshot: 3, superseded: 9 });
    for (const [kind, input] of asEverySource(textOf(mixed))) {
      const built = await buildLogs(input, BY_ID);
      expect([kind, built.status, built.sums.fates]).toEqual([kind, 0, expected.sums.fates]);
      expect(recordsOf(built)).toEqual(recordsOf(expected));
    }
    const { stdout, status } = await turnmill(['build', '-', ...BY_ID, '--out', '-'], textOf(mixed));
    expect([status, stdout.toString()]).toEqual([0, textOf(recordsOf(expected))]);
  },
);

faultTest('F213', 'entries are ordered by time, and those of the same time by position', {}, async () => {
  const [first, ...rest] = each.map((at) => turn('a', at));
  const late = [...rest, first as string, entryLine({ id: 'a', at: 2, messages: [USER] })];
  const { sums, records } = await buildLogs({ files: { 's.jsonl': textOf(late) } }, BY_ID);
  expect(sums.fates).toEqual({ snapshot: 1, superseded: 4 });
  const strict = await buildLogs({ files: { 's.jsonl': textOf(late) } }, [...BY_ID, '--strict-time']);
  expect(strict.sums.fates).toEqual({ 'rejected:timestamp-not-increasing': 5 });
  const ordered = await buildLogs({ files: { 's.jsonl': textOf([first as string, ...rest]) } });
  expect(records.map(String)).toEqual(recordsOf(ordered));
});

faultTest('F213', 'sessions come in the order of their first entries', {}, async () => {
  const lines = [turn('c', 9, 1), turn('a', 1), turn('b', 5, 1), turn('c', 1)];
  const { out } = await buildLogs({ files: { 's.jsonl': textOf(lines) } }, BY_ID);
  const sessions = readFileSync(join(out, 'ledger/sessions.jsonl'), 'utf8').trimEnd().split('\n');
  expect(sessions.map((line) => JSON.parse(line).id)).toEqual(['c', 'a', 'b']);
});

faultTest(
  'F213',
  'lines that are no entries keep their fates, and every line is counted once',
  {},
  async () => {
    const [a1, b1, a2] = [turn('a', 1), turn('b', 1), turn('a', 2)];
    const long = entryLine({ id: 'a', at: 3, messages: [{ role: 'user', content: 'x'.repeat(9000) }] });
    const lines = ['', 'noise', a1, `${b1}${a2}`, long, b1.slice(0, 60), entryLine({ id: '' })];
    const { status, sums } = await buildLogs({ files: { 's.jsonl': lines.join('\n') } }, [
      ...BY_ID,
      ...['--max-line', '8KiB'],
    ]);
    expect(status).toBe(3);
    expect(sums.fates).toEqual({
      ...{ blank: 1, snapshot: 2, superseded: 1 },
      ...{ 'rejected:bad-session-id': 1, 'rejected:invalid-json': 2, 'rejected:line-too-long': 1 },
    });
    expect(sums.repairs).toMatchObject({ 'split-objects': 1 });
  },
);

faultTest(
  'F213',
  'rejected sessions are listed with the hashes of their lines, from every source',
  {},
  async () => {
    const lines = each.flatMap((at) => SESSIONS.map((id) => turn(id, id === 'c' ? at : 1)));
    const expected = lines.filter((line) => !line.includes('"session_id":"c"'));
    for (const [kind, input] of asEverySource(textOf(lines))) {
      const { quarantine, sums } = await buildLogs(input, [...BY_ID, '--strict-time']);
      expect([kind, sums.fates]).toEqual([
        ...[kind, { 'rejected:timestamp-not-increasing': 8, snapshot: 1, superseded: 3 }],
      ]);
      const hashes = quarantine.map((record) => (record as { readonly raw_sha256?: string }).raw_sha256);
      if (kind === 'standard input') continue;
      expect(hashes.toSorted()).toEqual(expected.map((line) => sha256(line)).toSorted());
    }
  },
);

faultTest('F213', 'a limit of sessions, and ids longer than 1 kB', {}, async () => {
  const long = 'x'.repeat(5000);
  const lines = mixed.map((line) => line.replace('"session_id":"', `"session_id":"${long}`));
  const all = await buildLogs({ files: { 's.jsonl': textOf(lines) } }, BY_ID);
  expect(all.sums.fates).toEqual({ snapshot: 3, superseded: 9 });
  const two = await buildLogs({ files: { 's.jsonl': textOf(lines) } }, [...BY_ID, '--limit', '2']);
  expect([two.records, two.sums.sources]).toEqual([all.records.slice(0, 2), { limited: 1 }]);
});

faultTest('F213', 'explain and inspect follow the gathered lines', {}, async () => {
  const log = join(temporaryFolder(), 's.jsonl');
  writeFileSync(log, textOf(mixed));
  const explained = await turnmill(['explain', `${log}:2`, ...BY_ID, '--json']);
  expect(JSON.parse(explained.stdout.toString())).toMatchObject({
    ...{ line: 2, fate: 'superseded', session: 'b', sessionFate: 'written' },
  });
  const { stdout } = await turnmill(['inspect', log, ...BY_ID, '--after', 'parse']);
  expect(stdout.toString().match(/"session_?[iI]d":"."/g)?.length).toBe(mixed.length);
});

/** 100 MB of lines that pack well, more than is held in memory. */
const LARGE = `
  node -e '
    const text = "x".repeat(100000);
    for (let i = 0; i < 1000; i++) {
      const messages = [{ role: "user", content: text }];
      const response = { choices: [{ message: { role: "assistant", content: "hi" } }] };
      const session_id = "s" + i % 50;
      console.log(JSON.stringify({ timestamp: 1768291200 + i, session_id, request: { messages }, response }));
    }'`;

faultTest('F020', 'a disk that fills up while lines are gathered: 74, nothing published', {}, async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'disk'));
  const script = `
    mount -t tmpfs -o size=8m none disk || exit 99
    ${LARGE} | turnmill build - --session-by id --out disk/out; echo "$? $(ls -A disk)"
    ${LARGE} | TMPDIR=$PWD/disk turnmill build - --session-by id --out -; echo "$? $(ls -A disk)"
    mount -o remount,size=200m disk || exit 98
    ${LARGE} | turnmill build - --session-by id --out disk/out; echo "$? $(ls -A disk)"`;
  const { stdout, stderr } = await bash(script, { cwd: folder, unshare: true });
  expect(stdout.toString()).toBe('74 \n74 \n0 out\n');
  expect(stderr.match(/cannot write .*: no space left on device \(ENOSPC\)/g)).toHaveLength(2);
  expect(stderr).toContain('1,000: 50 made a record, 950 repeated later');
});

faultTest('F001', 'nothing is left of a run that is killed while it gathers', {}, async () => {
  const temporary = temporaryFolder();
  const child = start(['build', '-', ...BY_ID, '--out', '-'], 'pipe', { ...process.env, TMPDIR: temporary });
  onTestFinished(() => void child.kill('SIGKILL'));
  const content = 'x'.repeat(1_000_000);
  for (let i = 0; i < 100; i++) {
    const messages = [{ role: 'user', content }, REPLY, USER];
    const line = `${entryLine({ id: `s${i % 7}`, at: i, messages })}\n`;
    if (child.stdin?.write(line) === false) await new Promise((done) => child.stdin?.once('drain', done));
  }
  await sleep(100);
  child.kill('SIGKILL');
  await new Promise((done) => child.once('close', done));
  expect(readdirSync(temporary)).toEqual([]);
});
