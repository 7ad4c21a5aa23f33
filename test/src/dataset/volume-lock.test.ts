import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { locate } from '../../../src/dataset/place.ts';
import { VolumeLock } from '../../../src/dataset/volume-lock.ts';
import { LONG } from '../../support/long.ts';
import { compiledSink } from './compiled.ts';
import { temporaryFolder } from './temporary.ts';

const folder = temporaryFolder();
const build = mkdtempSync(join(tmpdir(), 'turnmill-compiled-'));
let modules: Record<'volume-lock' | 'place', string>;
beforeAll(() => {
  modules = { 'volume-lock': compiledSink(build, 'volume-lock'), place: compiledSink(build, 'place') };
});
afterAll(() => rmSync(build, { recursive: true, force: true }));

const ROUNDS = LONG ? 20 : 2;

const out = (): ReturnType<typeof locate> => locate(folder.in('out'));
/** A folder that looks like the lock of a run that was killed. */
function left(runId: string, boot?: string): string {
  const path = folder.in(`.out.lock-${runId}`);
  mkdirSync(path);
  writeFileSync(join(path, 'held'), '');
  if (boot !== undefined) writeFileSync(join(path, 'boot'), `${boot}\n`);
  return path;
}
const OTHER_BOOT = '00000000-0000-4000-8000-000000000000';

/** The lock of a run that is alive and has not won yet. */
async function listening(runId: string): Promise<{ readonly asked: Promise<unknown>; close(): void }> {
  const path = left(runId);
  rmSync(join(path, 'held'));
  const server = createServer((socket) => socket.destroy());
  const asked = once(server, 'connection');
  server.listen(join(path, 'socket'));
  await once(server, 'listening');
  return { asked, close: () => void server.close() };
}

/** Processes that take the lock at once and say what came of it; the holder keeps it until all have said. */
async function race(count: number): Promise<string[]> {
  const script = `import { VolumeLock } from ${JSON.stringify(modules['volume-lock'])};
    import { locate } from ${JSON.stringify(modules.place)};
    process.stdin.once('data', async () => {
      const lock = await VolumeLock.acquire(locate(process.argv[1])).catch((error) => error.code);
      console.log(typeof lock === 'string' ? lock : 'held');
      process.stdin.once('data', async () => {
        if (typeof lock !== 'string') await lock.release();
        process.exit();
      });
    });
    console.log('ready');`;
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script, folder.in('out')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const heard = (): Promise<string[]> =>
    Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
  expect(await heard()).toEqual(children.map(() => 'ready'));
  const said = heard();
  for (const { stdin } of children) stdin.write('go');
  const results = await said;
  const gone = Promise.all(children.map((child) => once(child, 'exit')));
  for (const { stdin } of children) stdin.write('go');
  await gone;
  return results.sort();
}

describe('VolumeLock', () => {
  test('of processes that come at once exactly one gets it', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      expect(await race(4)).toEqual(['held', 'locked', 'locked', 'locked']);
      expect(folder.names()).toEqual([]);
    }
  });

  test('works where the path is longer than the name of a socket may be', async () => {
    const deep = folder.in('d'.repeat(100), 'e'.repeat(100));
    mkdirSync(deep, { recursive: true });
    const place = locate(join(deep, 'out'));
    const lock = await VolumeLock.acquire(place);
    await expect(VolumeLock.acquire(place)).rejects.toMatchObject({ code: 'locked', subject: place.path });
    await lock.release();
    expect(readdirSync(deep)).toEqual([]);
  });

  test('a holder whose main thread is busy is alive', async () => {
    const script = `import { VolumeLock } from ${JSON.stringify(modules['volume-lock'])};
      import { locate } from ${JSON.stringify(modules.place)};
      import { writeSync } from 'node:fs';
      await VolumeLock.acquire(locate(process.argv[1]));
      writeSync(1, 'held');
      for (;;) ;`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder.in('out')]);
    await once(child.stdout, 'data');
    for (let more = 0; more < 5; more++)
      await expect(VolumeLock.acquire(out())).rejects.toMatchObject({ code: 'locked' });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await VolumeLock.acquire(out())).release();
    expect(folder.names()).toEqual([]);
  });

  test('removes what killed runs left', async () => {
    left('0000000000000000');
    left('ffffffffffffffff');
    const lock = await VolumeLock.acquire(out());
    expect(folder.names()).toHaveLength(1);
    await lock.release();
    expect(folder.names()).toEqual([]);
  });

  test('leaves the lock of another boot alone until it is a day old', async () => {
    const path = left('0000000000000000', OTHER_BOOT);
    await (await VolumeLock.acquire(out())).release();
    expect(folder.names()).toEqual(['.out.lock-0000000000000000']);
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of ['held', 'boot', '']) utimesSync(join(path, name), longAgo, longAgo);
    await (await VolumeLock.acquire(out())).release();
    expect(folder.names()).toEqual([]);
  });

  test('gives up at once when one with a lower id is still waiting', async () => {
    const other = await listening('0000000000000000');
    await expect(VolumeLock.acquire(out())).rejects.toMatchObject({ code: 'locked' });
    other.close();
  });

  test('waits for one with a higher id, and gives up when that one turns out to be the holder', async () => {
    const other = await listening('ffffffffffffffff');
    const waiting = VolumeLock.acquire(out()).catch((error) => error.code);
    await other.asked;
    writeFileSync(folder.in('.out.lock-ffffffffffffffff', 'held'), '');
    expect(await waiting).toBe('locked');
    other.close();
  });

  test('waits for one with a higher id, and takes the lock when that one gives up', async () => {
    const other = await listening('ffffffffffffffff');
    const waiting = VolumeLock.acquire(out());
    await other.asked;
    other.close();
    await (await waiting).release();
    expect(folder.names()).toEqual([]);
  });

  test('takes nothing, and fails nothing, where the file system has no sockets', async () => {
    const lock = await VolumeLock.acquire(locate('/proc/out')).catch((error) => error);
    expect(lock).toBeInstanceOf(VolumeLock);
    await (lock as VolumeLock).release();
  });
});
