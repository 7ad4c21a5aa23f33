/**
 * The built command against the oracle: for each seed a folder of odd logs, one `turnmill build`, and a comparison of records, fates and
 * tool usage. TURNMILL_SEEDS sets the number of seeds (default 24), TURNMILL_FIRST_SEED the first one, TURNMILL_BIN another command;
 * TURNMILL_KEEP=1 keeps the folders. Skipped if dist/ is not built.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { type OracleSettings, runOracle } from '../support/oracle/run-oracle.ts';
import { compareOutput } from './compare-output.ts';

const BIN = process.env.TURNMILL_BIN ?? fileURLToPath(new URL('../../dist/package/bin.js', import.meta.url));
const SEEDS = Number(process.env.TURNMILL_SEEDS ?? '24');
const FIRST = Number(process.env.TURNMILL_FIRST_SEED ?? '1');
const BATCH = 10;

/** Rotates the combinations of settings; 24 seeds cover all of them. */
function settingsFor(seed: number): OracleSettings {
  return {
    inline: seed % 2 === 1,
    sessionBy: Math.floor(seed / 2) % 2 === 1 ? 'id' : 'file',
    groupBy: (['date', 'scenario', 'none'] as const)[seed % 3] ?? 'none',
    cleanup: Math.floor(seed / 4) % 4 !== 3,
  };
}

/** Contents of an unknown form are written as they are. */
const KEEP = ['unread-text', 'content-not-text'].flatMap((rule) => ['--on-finding', `${rule}=keep`]);

function flagsFor(settings: OracleSettings): readonly string[] {
  return [
    ...KEEP,
    '--strict-time',
    ...(settings.inline ? ['--format', 'chat-inline'] : []),
    ...(settings.sessionBy === 'id' ? ['--session-by', 'run'] : []),
    ...(settings.groupBy === 'date' ? [] : ['--group-by', settings.groupBy]),
    ...(settings.cleanup ? [] : ['--no-cleanup']),
  ];
}

function problemsOf(seed: number): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'turnmill-diff-'));
  try {
    const [logs, out] = [join(root, 'logs'), join(root, 'out')];
    const settings = settingsFor(seed);
    const manySessions = settings.sessionBy === 'id' ? 0.5 : 0.05;
    writeOddLogs(logs, seed, { manySessions, tally: new Map() });
    const expected = runOracle(logs, settings);
    const flags = flagsFor(settings);
    const args = [BIN, 'build', logs, '--out', out, ...flags];
    const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const head = `seed ${seed} (build ${flags.join(' ')})`;
    if (run.status !== 0 && run.status !== 3) {
      return [`${head}: exit ${String(run.status)} ${run.signal ?? ''}\n${run.stderr.slice(-2000)}`];
    }
    const exit =
      run.status === expected.exitCode ? [] : [`exit ${run.status}, expected ${expected.exitCode}`];
    return [...exit, ...compareOutput(out, expected)].map((problem) => `${head}: ${problem}`);
  } finally {
    if (process.env.TURNMILL_KEEP === undefined) rmSync(root, { recursive: true });
  }
}

describe.skipIf(!existsSync(BIN))('the built command agrees with the oracle', () => {
  const batches = Array.from({ length: Math.ceil(SEEDS / BATCH) }, (_, i) => FIRST + i * BATCH);
  test.each(batches)('seeds from %i', (from) => {
    const to = Math.min(from + BATCH, FIRST + SEEDS);
    const problems: string[] = [];
    for (let seed = from; seed < to; seed++) problems.push(...problemsOf(seed));
    const shown = problems.slice(0, 12).join('\n\n');
    expect(problems.length, `${problems.length} problems\n${shown}`).toBe(0);
  });
});
