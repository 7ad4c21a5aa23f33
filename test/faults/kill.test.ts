/**
 * F002: SIGKILL at random moments. Whatever the moment, the destination is absent, the old dataset or the new one,
 * whole, and `verify` agrees; a rerun gives the same bytes and leaves nothing behind.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { ended, start, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { randomFrom, writePlainLogs } from '../support/plain-logs.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const KILLS = 30;

interface Killed {
  /** Did the signal end it, and not its own end? */
  readonly fired: boolean;
  /** Was there a half-written dataset in the parent? */
  readonly staged: boolean;
}

async function killAfter(args: readonly string[], parent: string, delayMs: number): Promise<Killed> {
  const child = start(args);
  const end = ended(child);
  await sleep(delayMs);
  child.kill('SIGKILL');
  const { signal } = await end;
  return { fired: signal === 'SIGKILL', staged: leftovers(parent).length > 0 };
}

const leftovers = (parent: string): string[] =>
  readdirSync(parent).filter(
    (name) => name.includes('.staging-') || name.includes('.link-') || name.includes('.old-'),
  );

async function timed(args: readonly string[]): Promise<number> {
  const started = performance.now();
  expect(await turnmill(args)).toMatchObject({ status: 0 });
  return performance.now() - started;
}

faultTest('F002', `${KILLS} kills of a first build: absent or complete (seed ${SEED})`, {}, async () => {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 60, entries: 12, messageChars: 4000, seed: SEED });
  const tookMs = await timed(['build', logs, '--out', out, '--workers', '1']);
  const whole = hashesOf(out);
  rmSync(out, { recursive: true });

  const random = randomFrom(SEED);
  const killed: Killed[] = [];
  for (let n = 0; n < KILLS; n++) {
    const args = ['build', logs, '--out', out, '--workers', n % 2 === 0 ? '1' : '2'];
    killed.push(await killAfter(args, folder, random() * tookMs * 1.1));
    if (existsSync(out)) {
      expect(hashesOf(out)).toEqual(whole);
      expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
      rmSync(out, { recursive: true });
    }
  }
  expect(killed.filter(({ fired }) => fired).length).toBeGreaterThan(KILLS / 3);
  expect(killed.filter(({ staged }) => staged).length).toBeGreaterThan(0);

  expect(await turnmill(['build', logs, '--out', out])).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(whole);
  expect(leftovers(folder)).toEqual([]);
});

faultTest(
  'F002',
  `${KILLS} kills of a replacement: the old dataset or the new one (seed ${SEED})`,
  {},
  async () => {
    const folder = temporaryFolder();
    const [old, fresh, out] = [join(folder, 'old'), join(folder, 'fresh'), join(folder, 'out')];
    writePlainLogs(old, { sessions: 10, entries: 6, messageChars: 2000, seed: SEED });
    writePlainLogs(fresh, { sessions: 40, entries: 12, messageChars: 4000, seed: SEED + 1 });
    const replace = (logs: string): string[] => ['build', logs, '--out', out, '--replace', '--workers', '1'];
    const tookMs = await timed(replace(fresh));
    const newHashes = hashesOf(out);
    await timed(replace(old));
    const oldHashes = hashesOf(out);

    const random = randomFrom(SEED + 7);
    const killed: Killed[] = [];
    for (let n = 0; n < KILLS; n++) {
      killed.push(await killAfter(replace(fresh), folder, random() * tookMs * 1.1));
      const found = hashesOf(out);
      const isNew = JSON.stringify(found) === JSON.stringify(newHashes);
      expect(isNew ? newHashes : oldHashes).toEqual(found);
      expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
      if (isNew) await timed(replace(old));
    }
    expect(killed.filter(({ fired }) => fired).length).toBeGreaterThan(KILLS / 3);
    expect(killed.filter(({ staged }) => staged).length).toBeGreaterThan(0);

    await timed(replace(fresh));
    expect(hashesOf(out)).toEqual(newHashes);
    expect(leftovers(folder)).toEqual([]);
  },
);
