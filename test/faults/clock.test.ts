/**
 * F130 to F132: a clock in another year, or one that steps back, changes only run.json. Timestamps of entries are compared exactly, in
 * every notation.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect } from 'vitest';
import { buildHashes } from '../support/build-hashes.ts';
import { buildLogs, entryLine } from '../support/build-logs.ts';
import { COMMAND } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/logs');

const CLOCKS = [
  '1970-01-02 00:00:00',
  '1999-12-31 23:59:59',
  '2016-12-31 23:59:59',
  '2038-01-19 03:14:06',
  '2100-02-28 23:59:59',
];

describe('F130, F131 the system clock', () => {
  faultTest('F131', 'a clock in another year gives the same bytes', { needs: ['faketime'] }, () => {
    const first = buildHashes(EXAMPLES, {});
    for (const clock of CLOCKS) {
      const before = ['faketime', clock];
      const env = { FAKETIME_DONT_FAKE_MONOTONIC: '1' };
      const seen = spawnSync(before[0] as string, [clock, 'date', '+%Y'], { encoding: 'utf8' }).stdout.slice(
        0,
        4,
      );
      expect(seen).toBe(clock.slice(0, 4)); // the fault fired
      expect([clock, buildHashes(EXAMPLES, { before, env, args: ['--workers', '2'] })]).toEqual([
        clock,
        first,
      ]);
    }
  });

  faultTest(
    'F130',
    'a clock that steps back an hour during the run gives the same bytes, and no negative duration',
    { needs: ['faketime'] },
    () => {
      const folder = temporaryFolder();
      const clock = join(folder, 'clock');
      writeFileSync(clock, '+0');
      const log = readdirSync(join(EXAMPLES, '2026-01-13')).map((name) => join(EXAMPLES, '2026-01-13', name));
      const [one = '', ...others] = log;
      const begun = `compgen -G '${folder}/.stepped.staging-*'`;
      const step = `cat '${one}'; until ${begun}; do sleep 0.05; done >&2; echo '-3600' > '${clock}.new'; mv '${clock}.new' '${clock}'; cat ${others.map((path) => `'${path}'`).join(' ')}`;
      const lib = spawnSync(
        'bash',
        ['-c', 'faketime 2001-01-01 bash -c "echo $LD_PRELOAD"; faketime 2001-01-01 printenv LD_PRELOAD'],
        { encoding: 'utf8' },
      )
        .stdout.trim()
        .split('\n')
        .at(-1) as string;
      const run = (out: string, feed: string, env: object): ReturnType<typeof spawnSync> =>
        spawnSync(
          'bash',
          [
            '-c',
            `(${feed}) | env ${Object.entries(env)
              .map(([k, v]) => `${k}='${v}'`)
              .join(' ')} '${process.execPath}' '${COMMAND}' build - --out '${out}'`,
          ],
          { encoding: 'utf8' },
        );
      const env = {
        LD_PRELOAD: lib,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: 1,
        FAKETIME_DONT_FAKE_MONOTONIC: 1,
      };
      const straight = run(join(folder, 'straight'), `cat ${log.map((path) => `'${path}'`).join(' ')}`, {});
      const stepped = run(join(folder, 'stepped'), step, env);
      expect([straight.status, stepped.status], String(stepped.stderr)).toEqual([
        straight.status,
        straight.status,
      ]);
      expect(hashesOf(join(folder, 'stepped'))).toEqual(hashesOf(join(folder, 'straight')));
      const facts = JSON.parse(readFileSync(join(folder, 'stepped/run.json'), 'utf8')) as {
        started: string;
        elapsed_ms: number;
      };
      const anHour = 3600 * 1000;
      expect(Math.abs(Date.parse(facts.started) - Date.now())).toBeLessThan(anHour / 2); // started before the step
      expect(facts.elapsed_ms).toBeGreaterThan(0);
      expect(facts.elapsed_ms).toBeLessThan(anHour / 2);
      expect(String(stepped.stderr)).not.toMatch(/-\d+(?:\.\d+)? ?(?:s|ms|MiB)/);
    },
  );

  const stamps: Readonly<Record<string, readonly [first: unknown, second: unknown, fate: string]>> = {
    'a leap second': ['2016-12-31T23:59:59Z', '2016-12-31T23:59:60Z', 'snapshot'],
    'the hour that a time zone repeats': [
      '2026-10-25T02:30:00+02:00',
      '2026-10-25T02:30:00+01:00',
      'snapshot',
    ],
    'seconds after the 2038 limit': ['2038-01-19T03:14:07Z', '2038-01-19T03:14:08Z', 'snapshot'],
    'before 1970': ['1969-12-31T23:59:59.999999999Z', '1970-01-01T00:00:00Z', 'snapshot'],
    nanoseconds: ['2026-01-01T00:00:00.000000001Z', '2026-01-01T00:00:00.000000002Z', 'snapshot'],
    offsets: ['2026-01-01T00:00:00+14:00', '2026-01-01T00:00:00-12:00', 'snapshot'],
    'no zone means UTC': ['2026-01-01T00:00:00', '2026-01-01T00:00:00.5Z', 'snapshot'],
    'epoch seconds and milliseconds': [1768302000, 1768302000500, 'snapshot'],
    'a zone without a colon': ['2026-01-01T02:00:00+0200', '2026-01-01T00:00:00.001Z', 'snapshot'],
    'a comma before the fraction': ['2026-01-01 00:00:00,123', '2026-01-01 00:00:00,124', 'snapshot'],
    'a date alone': ['2026-01-01', '2026-01-01T00:00:00.001Z', 'snapshot'],
    'seconds and milliseconds as text': ['1767225600', '1767225600001', 'snapshot'],
    'a fraction of a second as text': ['1767225600.123', '1767225600.124', 'snapshot'],
    'the same time in other notations': ['1767225600', '2026-01-01', 'snapshot'],
    equal: ['2026-01-01T00:00:00Z', '2026-01-01T01:00:00+01:00', 'snapshot'],
    decreasing: ['2026-01-01T00:00:00.2Z', '2026-01-01T00:00:00.1Z', 'timestamp-not-increasing'],
  };
  const wrong = [
    null,
    true,
    '',
    'yesterday',
    '2024-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '+275760-09-13T00:00:00Z',
    '2026-01-32',
    '20260101',
    '2026-01-01T24:00:01Z',
    {},
  ];

  faultTest('F132', 'timestamps of entries are exact to the nanosecond in every notation', {}, async () => {
    const files = Object.fromEntries(
      Object.values(stamps).map(([first, second], i) => [
        `s${i}.jsonl`,
        `${entryLine({ at: first === undefined ? null : stampOf(first) })}\n${entryLine({ at: stampOf(second) })}`,
      ]),
    );
    const texts = Object.fromEntries(
      Object.entries(files).map(([name, text]) => [name, text.replaceAll(/"#(\d+)"/g, '$1')]),
    );
    const { quarantine } = await buildLogs({ files: texts });
    for (const [i, [kind, [, , fate]]] of Object.entries(stamps).entries()) {
      const reasons = quarantine
        .filter(({ source }) => source.uri === `s${i}.jsonl`)
        .map(({ reason }) => reason);
      expect([kind, reasons]).toEqual([kind, fate === 'snapshot' ? [] : [fate, fate]]);
    }
  });

  faultTest('F132', 'a value that is not a timestamp rejects its line', {}, async () => {
    const log = wrong.map((at) => entryLine({ at: at === null ? undefined : at })).join('\n');
    const missing = entryLine().replace(/"timestamp":"[^"]*",/, '');
    const nothing = log.replaceAll('"2026-01-13T08:00:01.000Z"', 'null');
    const { sums } = await buildLogs({ files: { 's.jsonl': `${nothing}\n${missing}` } });
    expect(sums.fates).toEqual({ 'rejected:bad-timestamp': wrong.length + 1 });
  });
});

/** Tags numbers, so that they are written unquoted. */
const stampOf = (stamp: unknown): unknown => (typeof stamp === 'number' ? `#${stamp}` : stamp);
