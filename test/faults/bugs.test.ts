/**
 * F008, F012: a run that drains early exits with 70 and commits nothing; a bug in any stage costs the source that was being read, and the
 * others are published. The faults come from a preloaded module: test/support/throwing-stage.mjs, or one that patches Node.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createChain } from '../../src/engine/chain.ts';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { verifyDataset } from '../../src/verify/verify-dataset.ts';
import { COMMAND, type Ended, ended } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';

const STAGES = createChain({ ...DEFAULT_SETTINGS, profile: false }, 'file').map(({ name }) => name);

/** Stages after snapshot-select, which also see sessions that took the shortcut. */
const AFTER_FOLD = STAGES.slice(STAGES.indexOf('snapshot-select') + 1);

/** One stage before sessions are assembled, the one that assembles them, and the last one. */
const ALWAYS = ['parse', 'snapshot-select', 'format'];

const THROWING_STAGE = new URL('../support/throwing-stage.mjs', import.meta.url).href;

interface FaultyRun {
  /** Which stage throws, and at which element: see throwing-stage.mjs. */
  readonly throwing?: string;
  /** Loaded first, in every thread. */
  readonly first?: string;
  readonly workers?: number;
  readonly input?: string;
  /** `off` sends every session through the stages; otherwise they take the shortcut. */
  readonly shortcut?: string;
}

async function run({
  throwing,
  first,
  workers = 1,
  input,
  shortcut = 'off',
}: FaultyRun): Promise<Ended & { parent: string }> {
  const parent = temporaryFolder();
  const [logs, system] = [join(parent, 'logs'), join(temporaryFolder(), 'system.txt')];
  const bulk = workers === 1 ? { sessions: 6, entries: 3 } : { sessions: 40, entries: 12 };
  writePlainLogs(logs, { ...bulk, messageChars: workers === 1 ? 400 : 4000, seed: 1 });
  const loaded = first === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(first)}`];
  const args = ['build', input ?? logs, '--out', join(parent, 'out'), '--workers', String(workers)];
  args.push('--reasoning', 'drop', '--system-text', system); // otherwise these stages have nothing to do
  writeFileSync(system, 'Be brief.');
  const faultEnvironment = {
    TURNMILL_SHORTCUT: shortcut,
    THROWING_STAGE: throwing,
    NODE_OPTIONS: `--import=${THROWING_STAGE}`,
    NODE_DISABLE_COMPILE_CACHE: '1',
  };
  const env = throwing === undefined ? process.env : { ...process.env, ...faultEnvironment };
  const child = spawn(process.execPath, [...loaded, COMMAND, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return { ...(await ended(child)), parent };
}

describe('a bug in a stage is reported with its place and costs one source', () => {
  for (const stage of STAGES) {
    const long = !ALWAYS.includes(stage);
    faultTest('F012', `a throw in ${stage}`, { long }, async () => {
      for (const [at, workers] of [
        [1, 1],
        [2, 1],
        [2, 2],
      ] as const) {
        const { status, stderr, parent } = await run({ throwing: `${stage}:${at}`, workers });
        expect(status, stderr).toBe(3);
        await expectLost(parent, workers === 1 ? 6 : 40, workers);
      }
    });
  }
});

describe('a bug in a stage that also sees sessions that took the shortcut', () => {
  for (const stage of AFTER_FOLD) {
    const long = !ALWAYS.includes(stage);
    faultTest('F012', `a throw in ${stage}`, { long }, async () => {
      const { status, stderr, parent } = await run({ throwing: `${stage}:2`, shortcut: 'on' });
      expect(status, stderr).toBe(3);
      await expectLost(parent, 6, 1);
    });
  }
});

/** Expects all sources but one of each thread in the dataset, and their rejections to name the place and quote nothing. */
async function expectLost(parent: string, sources: number, threads: number): Promise<void> {
  const out = join(parent, 'out');
  const lines = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').trimEnd().split('\n');
  const lost = lines.map((line) => JSON.parse(line)).filter(({ status }) => status !== 'read');
  expect(lines.length).toBe(sources);
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThanOrEqual(threads);
  for (const source of lost) expectNamed(source);
  expect((await verifyDataset(out)).problems).toEqual([]);
}

interface LostSource {
  readonly detail: string;
  readonly framed: number;
  readonly fates: Readonly<Record<string, number>>;
}

function expectNamed(source: LostSource): void {
  expect(source).toMatchObject({ status: 'rejected', reason: 'internal-error' });
  expect(source.detail).toMatch(
    /^an error in turnmill at line \d+, byte \d+: Error at .*\([0-9a-f]{12}\); please report it with this line$/,
  );
  expect(source.detail).not.toContain('a bug from outside');
  expect(Object.entries(source.fates)).toEqual([['rejected:internal-error', source.framed]]);
}

/** Imports of the modules below. */
const CHANGE = `import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import timers from 'node:timers/promises';
import { Socket } from 'node:net';
`;

describe('a run whose event loop drains early', () => {
  faultTest('F008', 'a promise that never settles', {}, async () => {
    const first = `${CHANGE}timers.setImmediate = () => new Promise(() => {});
syncBuiltinESMExports();`;
    const { status, stderr, parent } = await run({ first });
    expect([status, stderr.includes('unfinished')]).toEqual([70, true]);
    expect(existsSync(join(parent, 'out'))).toBe(false);
  });

  faultTest('F008', 'a source that never pushes', {}, async () => {
    const first = `${CHANGE}Socket.prototype.read = Socket.prototype.resume = function () { this.unref(); return this; };`;
    const { status, stderr, parent } = await run({ first, input: '-' });
    expect([status, stderr.includes('unfinished')]).toEqual([70, true]);
    expect(existsSync(join(parent, 'out'))).toBe(false);
  });

  faultTest('F008', 'worker threads that silently exit with 0', {}, async () => {
    const { status, stderr, parent } = await run({
      first: `${CHANGE}if (!isMainThread) process.exit(0);`,
      workers: 4,
    });
    expect(status, stderr).toBe(70);
    expect(stderr).toContain('worker-lost');
    expect(readdirSync(parent)).toEqual(['logs']);
  });
});
