/**
 * SIGKILL of a build with `--redact`, early, in the middle and late; resumed with the same key, it gives the bytes of an unbroken one. No
 * file that the killed run leaves has a secret that the rules find.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decodeCheckpoint } from '../../src/ledger/checkpoint.ts';
import { sessionLog } from '../support/build-logs.ts';
import { filesIn } from '../support/changed-logs.ts';
import { ended, start, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { catchAtWork, reached } from '../support/moments.ts';
import { checkpointIn, stagingIn } from '../support/stopped-run.ts';
import { mixed } from '../transforms/redaction/plant.ts';

const TOKEN = `gh${'p'}_${mixed(36)}`;
const PASSWORD = mixed(24);
const SOURCES = 40;
/** A checkpoint after every source. */
const ENV = { ...process.env, TURNMILL_CHECKPOINT_BYTES: '0' };
const VARIANTS: readonly (readonly string[])[] = [
  ['--workers', '1'],
  ['--workers', '2', '--compress', 'gzip', '--split', 'train=0.5,test=0.5'],
];
/** The share of the sources that are in the checkpoint at the kill. */
const MOMENTS = [0.03, 0.4, 0.9];

function writeLogs(logs: string, sources: number): void {
  mkdirSync(logs);
  for (let i = 0; i < sources; i++) {
    const text = `${i} ${'word '.repeat(2000)} token ${TOKEN}, postgres://app:${PASSWORD}${i}@db.internal/app`;
    writeFileSync(join(logs, `s${String(i).padStart(4, '0')}.jsonl`), sessionLog(`s${i}`, text));
  }
}

/** The number of sources in the checkpoint of the run in this folder. */
function sourcesDone(folder: string): number {
  try {
    const path = checkpointIn(folder);
    return path === undefined ? 0 : (decodeCheckpoint(readFileSync(path))?.sources ?? 0);
  } catch {
    return 0; // it was just being replaced
  }
}

/** Returns undefined if the build ended before the moment. */
async function killAndResume(
  sources: number,
  share: number,
  options: readonly string[],
): Promise<true | undefined> {
  const folder = temporaryFolder();
  const [logs, out, whole, key] = ['logs', 'out', 'whole', 'key'].map((name) => join(folder, name)) as [
    ...[string, string, string, string],
  ];
  writeLogs(logs, sources);
  writeFileSync(key, 'the key of the test', { mode: 0o600 });
  const args = (to: string) =>
    ['build', logs, '--out', to, '--redact', '--redact-key-file', key, ...options] as const;
  const child = start(args(out), 'ignore', ENV);
  const end = ended(child);
  const isThere = await reached(child, () => sourcesDone(folder) >= share * sources);
  child.kill('SIGKILL');
  const { signal } = await end;
  if (!isThere || signal !== 'SIGKILL' || existsSync(out)) return undefined;
  const done = sourcesDone(folder);
  expect(done).toBeGreaterThanOrEqual(Math.ceil(share * sources));
  expect(stagingIn(folder).length).toBeGreaterThan(0);
  for (const path of stagingIn(folder).flatMap((name) => filesIn(join(folder, name)))) {
    const bytes = readFileSync(path);
    expect([path, bytes.includes(TOKEN), bytes.includes(PASSWORD)]).toEqual([path, false, false]);
  }
  expect(await turnmill([...args(out), '--resume'])).toMatchObject({ status: 0 });
  expect(await turnmill(args(whole))).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(hashesOf(whole));
  expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))).toMatchObject({
    ...{ resumed: true, reused_sources: done },
  });
  expect(readdirSync(folder).sort()).toEqual(['key', 'logs', 'out', 'whole']);
  expect(await turnmill(['verify', out, '--redacted'])).toMatchObject({ status: 0 });
  return true;
}

for (const options of VARIANTS)
  for (const share of MOMENTS)
    faultTest(
      'F002',
      `a build with --redact ${options.join(' ')}, killed after ${100 * share} % of its sources and resumed with its key, has the bytes of an unbroken one`,
      { long: share !== 0.4 },
      async () => {
        expect(await catchAtWork((times) => killAndResume(SOURCES * times, share, options))).toBe(true);
      },
    );
