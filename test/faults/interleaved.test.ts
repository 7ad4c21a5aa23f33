/**
 * F213: sessions interleaved in one source, as when several agents write into one pipe. The part before the interruption looks complete,
 * and is taken back when its session returns.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { buildLogs, entryLine, readDataset, type Sums } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';

const BY_RUN = ['--session-by', 'run'];
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };
const entry = (id: string, at: number, texts: readonly string[]): string =>
  entryLine({ id, at, messages: texts.map((content) => ({ role: 'user', content })), tools: [tool] });

/** a1 b1 a2 b2, and c, which is not interrupted. */
const LOG = [
  entry('a', 1, ['a1']),
  entry('b', 2, ['b1']),
  entry('a', 3, ['a1', 'a2']),
  entry('b', 4, ['b1', 'b2']),
  entry('c', 5, ['c1']),
].join('\n');
const FATES = { 'rejected:session-reopened': 4, snapshot: 1 };

const inputs = {
  'standard input': { stdin: LOG },
  'standard input, packed': { stdin: gzipSync(LOG) },
  'a file': { files: { 's.jsonl': LOG } },
};

describe('F213 interleaved sessions', () => {
  for (const [kind, input] of Object.entries(inputs)) {
    faultTest('F213', `in ${kind}: none of them are written, and every line says why`, {}, async () => {
      const { status, sums, records, quarantine, findings, out } = await buildLogs(input, BY_RUN);
      expect([status, sums.fates]).toEqual([3, FATES]);
      expect(records).toHaveLength(1);
      expect(records[0]).toContain('c1');
      const places = quarantine.map(({ line, reason, error }) => [line, reason, error?.message]);
      expect(places).toEqual([
        [1, 'session-reopened', 'the id came back after the session had ended (line 3)'],
        [2, 'session-reopened', 'the id came back after the session had ended (line 4)'],
        [3, 'session-reopened', 'the session with this id had already ended (line 3)'],
        [4, 'session-reopened', 'the session with this id had already ended (line 4)'],
      ]);
      expect(findings.filter(({ session }) => session !== 'c')).toEqual([]);
      expect(sums.tools).toEqual({ kept: 1, seen: 1 });
      const usage = readFileSync(join(out, 'reports/tool-usage.csv'), 'utf8').trimEnd().split('\n');
      expect(usage.slice(1).map((row) => row.split(',')[2])).toEqual(['1']);
    });
  }

  faultTest('F213', 'in several formats: the records of all formats are taken back', {}, async () => {
    const out = join(temporaryFolder(), 'out');
    const formats = ['--format', 'chat', '--format', 'openai'];
    const { status } = await turnmill(['build', '-', '--out', out, ...formats], LOG);
    const sums = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')) as Sums;
    expect([status, sums.fates, sums.records]).toEqual([3, FATES, 2]);
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  faultTest(
    'F213',
    'more than fits in memory: the first of 4,000 sessions comes back at the end',
    {},
    async () => {
      const text = 'x'.repeat(3000);
      const ids = Array.from({ length: 4000 }, (_, i) => `s${i}`);
      const lines = ids.map((id, i) => entry(id, i, [text]));
      const stdin = [...lines, entry('s0', 5000, [text, 'more'])].join('\n');
      const { status, sums, records } = await buildLogs({ stdin });
      expect([status, sums.fates, records.length]).toEqual([
        3,
        { 'rejected:session-reopened': 2, snapshot: 3999 },
        3999,
      ]);
      const { stdout } = await turnmill(['check', '-', '--group-by', 'none'], stdin);
      expect(`${stdout}`).toContain('3,999 made a record');
      expect(`${stdout}`).toContain('rejected: 2 session came back after its end (session-reopened)');
    },
  );

  faultTest('F213', 'a first part that was rejected or dropped keeps its own fate', {}, async () => {
    const stdin = [entry('a', 2, ['a1']), entry('a', 1, ['a2']), entry('b', 1, ['b']), entry('a', 3, ['a3'])];
    const { sums } = await buildLogs({ stdin: stdin.join('\n') });
    expect(sums.fates).toEqual({
      'rejected:session-reopened': 1,
      'rejected:timestamp-not-increasing': 2,
      snapshot: 1,
    });
  });

  faultTest('F213', 'check reports the same counts', {}, async () => {
    const { status, stdout } = await turnmill(['check', '-'], LOG);
    expect([status, `${stdout}`]).toEqual([3, expect.stringMatching(/1 written, 4 rejected/)]);
  });

  faultTest(
    'F213',
    'to standard output: status 3, and standard error says what is incomplete',
    {},
    async () => {
      const { status, stdout, stderr } = await turnmill(['build', '-', '--out', '-'], LOG);
      const sums = JSON.parse(stderr.trimEnd().split('\n').at(-1) as string) as { ledger: Sums };
      expect([status, stdout.toString().trimEnd().split('\n').length]).toEqual([3, 3]);
      expect(sums.ledger.fates).toEqual({ 'rejected:session-reopened': 2, snapshot: 3 });
      expect(stderr).toMatch(/2 sessions came back after the end \(-:3\).*only the first part/);
      const whole = await turnmill(['build', '-', '--out', '-'], entry('c', 5, ['c1']));
      expect(whole.stderr).not.toContain('came back');
    },
  );

  faultTest('F213', 'with --on-reject fail a pipe ends at the line that comes back', {}, async () => {
    const out = join(temporaryFolder(), 'out');
    const { status, stderr } = await turnmill(['build', '-', '--out', out, '--on-reject', 'fail'], LOG);
    expect([status, stderr]).toEqual([65, expect.stringContaining('-:3')]);
  });

  faultTest('F213', 'sessions reused by an update have the same bytes as in a new build', {}, async () => {
    const folder = temporaryFolder();
    const [logs, out, again] = ['logs', 'out', 'again'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(logs);
    writeFileSync(join(logs, 'm.jsonl'), LOG);
    const args = ['--group-by', 'none', ...BY_RUN];
    expect((await turnmill(['build', logs, '--out', out, ...args])).status).toBe(3);
    writeFileSync(join(logs, 'a.jsonl'), entry('x', 1, ['x1']));
    expect((await turnmill(['build', logs, '--out', out, '--update', ...args])).status).toBe(3);
    expect((await turnmill(['build', logs, '--out', again, ...args])).status).toBe(3);
    expect(hashesOf(out)).toEqual(hashesOf(again));
    expect(readDataset(out).sums.fates).toEqual({ ...FATES, snapshot: 2 });
    expect((await turnmill(['verify', out])).status).toBe(0);
  });
});
