/**
 * F008, F012: a run that ends before its time, and a bug in any stage, end with 70 and commit nothing. Faults are put in from
 * outside, by a module that is loaded first: test/support/throwing-stage.mjs, or one that changes what Node offers.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { createChain } from '../../src/engine/chain.ts';
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts';
import { COMMAND, type Ended, ended } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';

const STAGES = createChain({ ...DEFAULT_SETTINGS, profile: false }, 'file').map(({ name }) => name);

/** Stages after snapshot-select, which see folded sessions too. */
const BEHIND_FOLD = STAGES.slice(STAGES.indexOf('snapshot-select') + 1);

/** One before the sessions are put together, the one that does it, and the last one. */
const ALWAYS = ['parse', 'snapshot-select', 'format'];

const THROWING_STAGE = new URL('../support/throwing-stage.mjs', import.meta.url).href;

interface Given {
  /** Which stage throws, and at which element: see throwing-stage.mjs. */
  readonly throwing?: string;
  /** Loaded first, in every thread. */
  readonly first?: string;
  readonly workers?: number;
  readonly input?: string;
  /** Do the stages read every session, instead of the fold? */
  readonly scanner?: string;
}

async function run({
  throwing,
  first,
  workers = 1,
  input,
  scanner = 'plain',
}: Given): Promise<Ended & { parent: string }> {
  const parent = temporaryFolder();
  const [logs, system] = [join(parent, 'logs'), join(temporaryFolder(), 'system.txt')];
  const bulk = workers === 1 ? { sessions: 6, entries: 3 } : { sessions: 40, entries: 12 };
  writePlainLogs(logs, { ...bulk, messageChars: workers === 1 ? 400 : 4000, seed: 1 });
  const loaded = first === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(first)}`];
  const args = ['build', input ?? logs, '--out', join(parent, 'out'), '--workers', String(workers)];
  args.push('--reasoning', 'drop', '--system-text', system); // else these stages have nothing to do
  writeFileSync(system, 'Be brief.');
  const given = {
    TURNMILL_SCANNER: scanner,
    THROWING_STAGE: throwing,
    NODE_OPTIONS: `--import=${THROWING_STAGE}`,
  };
  const env = throwing === undefined ? process.env : { ...process.env, ...given };
  const child = spawn(process.execPath, [...loaded, COMMAND, ...args], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return { ...(await ended(child)), parent };
}

describe('a bug in a stage is reported with its place, and nothing is committed', () => {
  for (const stage of STAGES) {
    const long = !ALWAYS.includes(stage);
    faultTest('F012', `a throw in ${stage}`, { long }, async () => {
      for (const [at, workers] of [
        [1, 1],
        [2, 1],
        [2, 2],
      ] as const) {
        const { status, stderr, parent } = await run({ throwing: `${stage}:${at}`, workers });
        expect(status, stderr).toBe(70);
        expect(stderr).toContain(`a bug from outside in ${stage}`);
        expect(stderr).toMatch(/while 2026-01-1[34]\/job-0\d\d\.jsonl was read, line \d+, byte \d+/);
        expect(readdirSync(parent)).toEqual(['logs']);
      }
    });
  }
});

describe('a bug in a stage that looks at a folded session too', () => {
  for (const stage of BEHIND_FOLD) {
    const long = !ALWAYS.includes(stage);
    faultTest('F012', `a throw in ${stage}`, { long }, async () => {
      const { status, stderr, parent } = await run({ throwing: `${stage}:2`, scanner: 'auto' });
      expect(status, stderr).toBe(70);
      expect(stderr).toContain(`a bug from outside in ${stage}`);
      expect(stderr).toMatch(/while 2026-01-1[34]\/job-0\d\d\.jsonl was read, line \d+, byte \d+/);
      expect(readdirSync(parent)).toEqual(['logs']);
    });
  }
});

/** Imports of the modules below. */
const CHANGE = `import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import promises from 'node:fs/promises';
import { Socket } from 'node:net';
`;

describe('a run that ends before its time', () => {
  faultTest('F008', 'a promise that never settles', {}, async () => {
    const first = `${CHANGE}const { open } = promises;
promises.open = (path, ...rest) => (path.includes('.staging-') ? new Promise(() => {}) : open(path, ...rest));
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

  faultTest('F008', 'worker threads that end with 0 without a word', {}, async () => {
    const { status, stderr, parent } = await run({
      first: `${CHANGE}if (!isMainThread) process.exit(0);`,
      workers: 4,
    });
    expect(status, stderr).toBe(70);
    expect(stderr).toContain('worker-lost');
    expect(readdirSync(parent)).toEqual(['logs']);
  });
});
