/**
 * F204 and F205: memory that grows by the element and not by the byte. A line with too many tiny elements is one rejection that names the
 * array; findings and quarantine records of a line are bounded; ids and names do not pile up in memory. The good logs beside it are written
 * as usual.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { buildLogs, entryLine, readDataset } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { crowdedLogs, exchangeLine } from '../support/crowded-logs.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runMeasured } from '../support/peak.ts';

const MB = 1024 * 1024;
const MILLION = 1_000_000;
const LIMIT = 100_000;
/** These once crashed a run or took minutes, so they always run. */
const ALWAYS = ['exchange: empty tools', 'a deck: tables of a name'];

/** A deck can hold this many times fewer of them. */
const IN_A_DECK: Readonly<Record<string, number>> = { tables: 4, 'a table': 2 };

/**
 * The memory promised in the README, in MB: from the bytes of the line (or of its record, if longer) and the number of elements of its
 * arrays and objects at all levels.
 */
function promised(line: string, record = ''): number {
  let elements = 0;
  for (const character of line) if ('[{,\n'.includes(character)) elements++;
  return 135 + (3 * Math.max(line.length, record.length)) / MB + (200 * elements) / MB;
}

const updateOf = (logs: string, out: string): ReturnType<typeof turnmill> =>
  turnmill(['build', logs, '--out', out, '--group-by', 'none', '--update', '--workers', '1']);

interface Poisoned {
  readonly out: string;
  readonly status: number | null;
  readonly stderr: string;
  readonly peakMb: number;
}

/** Builds the log next to a good one. */
async function buildBeside(
  name: string,
  log: string,
  args: readonly string[] = [],
): Promise<Poisoned & ReturnType<typeof readDataset>> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  writeFileSync(join(logs, 'good.jsonl'), `${entryLine({ id: 'good' })}\n`);
  writeFileSync(join(logs, name), `${log}\n`);
  const command = ['build', logs, '--out', out, '--workers', '1', '--group-by', 'none', ...args];
  const { status, stderr, peakMb } = await runMeasured(command);
  expect([0, 3], stderr).toContain(status);
  const verified = await turnmill(['verify', out]);
  expect(verified.status, verified.stdout + verified.stderr).toBe(0);
  return { status, stderr, peakMb, ...readDataset(out) };
}

describe('F204 a million tiny elements', () => {
  for (const [kind, { type, make, names }] of Object.entries(crowdedLogs)) {
    faultTest(
      'F204',
      `${kind}: one rejection, the good log is written, memory stays bounded`,
      { long: !ALWAYS.includes(kind) },
      async () => {
        const log = make(MILLION);
        const run = await buildBeside(`poisoned.${type}`, log);
        expect(run.status).toBe(3);
        expect(run.sums.fates).toEqual({ 'rejected:too-many-elements': 1, snapshot: 1 });
        expect(run.records).toHaveLength(1);
        expect(run.quarantine).toMatchObject([{ scope: 'line', reason: 'too-many-elements', line: 1 }]);
        expect(run.quarantine[0]?.error?.message).toContain(names);
        expect(run.peakMb).toBeLessThan(promised(log));
      },
    );
    faultTest(
      'F204',
      `${kind}: as many as the limit allows, memory stays bounded`,
      { long: true },
      async () => {
        const log = make((LIMIT - 40) / (IN_A_DECK[names] ?? 1));
        const { out, peakMb, sums, records } = await buildBeside(`crowded.${type}`, log);
        const [longest] = records.toSorted((a, b) => b.length - a.length);
        expect(sums.fates['rejected:too-many-elements']).toBeUndefined();
        expect(statSync(join(out, 'reports/integrity.jsonl')).size).toBeLessThan(MB);
        expect(peakMb).toBeLessThan(promised(log, longest));
      },
    );
  }

  faultTest('F204', 'many arrays of one entry, each within the limit', {}, async () => {
    const parts = `[${'{},'.repeat(89_999)}{}]`;
    const message = `{"role":"user","content":${parts}}`;
    const log = exchangeLine({ messages: `[${Array.from({ length: 30 }, () => message).join(',')}]` });
    const { sums, quarantine, peakMb } = await buildBeside('poisoned.jsonl', log);
    expect(sums.fates).toEqual({ 'rejected:too-many-elements': 1, snapshot: 1 });
    expect(quarantine[0]?.error?.message).toContain('in all');
    expect(peakMb).toBeLessThan(promised(log));
  });
});

describe('F204 --max-elements', () => {
  const tools = (count: number): string =>
    exchangeLine({ tools: `[${Array.from({ length: count }, (_, i) => `{"name":"f${i}"}`).join(',')}]` });

  for (const shortcut of ['on', 'off']) {
    faultTest(
      'F204',
      `exactly at the limit, and one more, with TURNMILL_SHORTCUT=${shortcut}`,
      {},
      async () => {
        const folder = temporaryFolder();
        const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
        mkdirSync(logs);
        writeFileSync(join(logs, 'a.jsonl'), `${tools(10)}\n`);
        writeFileSync(join(logs, 'b.jsonl'), `${tools(11)}\n`);
        const line = entryLine();
        writeFileSync(join(logs, 'c.jsonl'), `${line.repeat(11)}\n`);
        const env = { ...process.env, TURNMILL_SHORTCUT: shortcut };
        const args = ['build', logs, '--out', out, '--max-elements', '10'];
        const { status } = await turnmill(args, undefined, env);
        const { sums, quarantine } = readDataset(out);
        expect([status, sums.fates]).toEqual([3, { 'rejected:too-many-elements': 2, snapshot: 1 }]);
        expect(quarantine.map(({ error }) => error?.message)).toEqual([
          expect.stringMatching(/^request\.tools has more than 10 elements at byte \d+ of the line/),
          '11 objects on one line, over the limit of 10',
        ]);
      },
    );
  }
});

describe('F204 rejections of one line', () => {
  faultTest('F204', 'a session lists a thousand findings, then a count for each rule', {}, async () => {
    const log = exchangeLine({ tools: `[${'{},'.repeat(1499)}{}]` });
    const { findings, sums } = await buildLogs({ files: { 's.jsonl': `${log}\n` } });
    const rest = findings.at(-1) as unknown as { readonly count: number; readonly message: string };
    expect(findings).toHaveLength(1001);
    expect(rest).toMatchObject({ rule: 'tool-parameters', severity: 'ERROR', count: 500 });
    expect(rest.message).toBe('500 more findings of this rule in the session');
    expect(sums.findings['tool-parameters']).toBe(1500);
  });

  faultTest(
    'F204',
    'a line lists a hundred rejected objects, and the last one counts the rest',
    {},
    async () => {
      const line = `${'{}'.repeat(5000)}${entryLine({ messages: 1 })}`;
      const { out, quarantine, sums } = await buildLogs({
        files: { 's.jsonl': `${line}\n${entryLine()}\n` },
      });
      expect(sums.fates).toEqual({ 'rejected:bad-timestamp': 5000, 'rejected:bad-messages': 1, snapshot: 1 });
      expect(quarantine).toHaveLength(100);
      expect(quarantine.filter((record) => 'count' in record)).toEqual([quarantine[99]]);
      const rest = { 'bad-messages': 1, 'bad-timestamp': 4900 };
      expect(quarantine[99]).toMatchObject({ line: 1, byte_start: 198, count: 4902, rest });

      const listed = await turnmill(['quarantine', 'list', out]);
      expect(String(listed.stdout)).toContain('and 4,901 more of this line');
      const logs = join(out, '..', 'logs');
      const into = join(out, '..', 'again');
      const replayed = await turnmill(['quarantine', 'replay', out, '--into', into, '--logs', logs]);
      expect(replayed.status, replayed.stdout + replayed.stderr).toBe(3);
      expect(String(replayed.stdout)).toMatch(/4,901 not replayed: the quarantine only counts it/);
      writeFileSync(join(logs, 'z.jsonl'), `${entryLine({ id: 'z' })}\n`);
      const update = await updateOf(logs, out);
      expect(update.status, update.stderr).toBe(3);
      expect(readDataset(out).quarantine).toEqual(quarantine);
    },
  );

  faultTest('F204', 'a rejected session lists a hundred entries of one line', {}, async () => {
    const line = Array.from({ length: 300 }, (_, i) => entryLine({ at: 400 - i })).join('');
    const files = { 'a.jsonl': `${line}\n`, 'b.jsonl': `${entryLine({ id: 'b' })}\n` };
    const { out, quarantine, sums } = await buildLogs({ files });
    expect(sums.fates).toEqual({ 'rejected:timestamp-not-increasing': 300, snapshot: 1 });
    expect(quarantine).toHaveLength(100);
    const rest = { 'timestamp-not-increasing': 200 };
    expect(quarantine[99]).toMatchObject({ scope: 'session', line: 1, count: 201, rest });
    // an update reuses the ledger lines of the unchanged source
    const logs = join(out, '..', 'logs');
    writeFileSync(join(logs, 'c.jsonl'), `${entryLine({ id: 'c' })}\n`);
    const update = await updateOf(logs, out);
    expect(update.status, update.stderr).toBe(3);
    expect(readDataset(out).quarantine).toEqual(quarantine);
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  faultTest('F204', 'verify detects a wrong count', {}, async () => {
    const { out } = await buildLogs({ files: { 's.jsonl': `${'{}'.repeat(150)}\n${entryLine()}\n` } });
    const file = join(out, 'quarantine/rejected.jsonl');
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('"count":51,"rest":{"bad-timestamp":50}');
    writeFileSync(file, text.replace('"count":51', '"count":52'));
    const { status, stdout } = await turnmill(['verify', out]);
    expect(status).toBe(65);
    expect(String(stdout)).toMatch(/count, by the sum of rest/);
  });
});

describe('F205 long ids and names', () => {
  /** Enough sessions to break the promise if 20 kB of each stayed in memory. */
  const SESSIONS = ALL_FAULTS ? 10_000 : 4000;
  const endless = (i: number): string => `${i}-${'x'.repeat(20_000)}`;
  const lineOf = {
    'ids of sessions': (i: number) => exchangeLine().replace('"s"', () => `"${endless(i)}"`),
    'names of tools': (i: number) =>
      exchangeLine({ tools: `[{"name":"${endless(i)}"}]` }).replace('"s"', () => `"${i}"`),
  };

  for (const [kind, make] of Object.entries(lineOf)) {
    const long = kind !== 'ids of sessions';
    faultTest('F205', `${kind}: ${SESSIONS} of 20,000 characters`, { long }, async () => {
      const out = join(temporaryFolder(), 'out');
      function* lines(): Generator<string> {
        for (let i = 0; i < SESSIONS; i++) yield `${make(i)}\n`;
      }
      const args = ['build', '-', '--out', out, '--workers', '1', '--group-by', 'none'];
      const { status, peakMb, stderr } = await runMeasured(args, lines());
      expect(status, stderr).toBe(0);
      expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).totals.sessions).toBe(SESSIONS);
      expect(peakMb).toBeLessThan(promised(make(0)));
    });
  }

  faultTest('F205', 'a returning id is recognised by its hash, however long and odd it is', {}, async () => {
    const ids = ['\\ud800', '\\ud801', endless(1)];
    const lines = [...ids, ...ids].map((id, i) =>
      exchangeLine()
        .replace('"s"', () => `"${id}"`)
        .replace('00:01Z', `00:${10 + i}Z`),
    );
    const { sums } = await buildLogs({ stdin: `${lines.join('\n')}\n` });
    expect(sums.fates).toEqual({ 'rejected:session-reopened': 6 });
  });
});
