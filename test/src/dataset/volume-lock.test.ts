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
/** Makes a folder that looks like the lock of a killed run. */
function left(runId: string, boot?: string): string {
  const path = folder.in(`.out.lock-${runId}`);
  mkdirSync(path);
  writeFileSync(join(path, 'held'), '');
  if (boot !== undefined) writeFileSync(join(path, 'boot'), `${boot}\n`);
  return path;
}
const OTHER_BOOT = '00000000-0000-4000-8000-000000000000';

/** Makes the lock of a live run that is still waiting for it. */
async function listening(runId: string): Promise<{ readonly connected: Promise<unknown>; close(): void }> {
  const path = left(runId);
  rmSync(join(path, 'held'));
  const server = createServer((socket) => socket.destroy());
  const connected = once(server, 'connection');
  server.listen(join(path, 'socket'));
  await once(server, 'listening');
  return { connected, close: () => void server.close() };
}

/** Starts processes that try to take the lock at the same time; the holder keeps it until all have printed their result. */
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
  const nextOutputs = (): Promise<string[]> =>
    Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
  expect(await nextOutputs()).toEqual(children.map(() => 'ready'));
  const pending = nextOutputs();
  for (const { stdin } of children) stdin.write('go');
  const results = await pending;
  const gone = Promise.all(children.map((child) => once(child, 'exit')));
  for (const { stdin } of children) stdin.write('go');
  await gone;
  return results.sort();
}

describe('VolumeLock', () => {
  test('is taken by exactly one of several processes', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      expect(await race(4)).toEqual(['held', 'locked', 'locked', 'locked']);
      expect(folder.names()).toEqual([]);
    }
  });

  test('works with a path longer than the name of a socket may be', async () => {
    const deep = folder.in('d'.repeat(100), 'e'.repeat(100));
    mkdirSync(deep, { recursive: true });
    const place = locate(join(deep, 'out'));
    const lock = await VolumeLock.acquire(place);
    await expect(VolumeLock.acquire(place)).rejects.toMatchObject({ code: 'locked', subject: place.path });
    await lock.release();
    expect(readdirSync(deep)).toEqual([]);
  });

  test('counts a holder with a busy main thread as alive', async () => {
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

  test('removes the locks of killed runs', async () => {
    left('0000000000000000');
    left('ffffffffffffffff');
    const lock = await VolumeLock.acquire(out());
    expect(folder.names()).toHaveLength(1);
    await lock.release();
    expect(folder.names()).toEqual([]);
  });

  test('keeps the lock of an earlier boot until it is a day old', async () => {
    const path = left('0000000000000000', OTHER_BOOT);
    await (await VolumeLock.acquire(out())).release();
    expect(folder.names()).toEqual(['.out.lock-0000000000000000']);
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of ['held', 'boot', '']) utimesSync(join(path, name), longAgo, longAgo);
    await (await VolumeLock.acquire(out())).release();
    expect(folder.names()).toEqual([]);
  });

  test('gives up at once when a run with a lower id is waiting', async () => {
    const other = await listening('0000000000000000');
    await expect(VolumeLock.acquire(out())).rejects.toMatchObject({ code: 'locked' });
    other.close();
  });

  test('waits for a run with a higher id, and gives up when that run holds the lock', async () => {
    const other = await listening('ffffffffffffffff');
    const waiting = VolumeLock.acquire(out()).catch((error) => error.code);
    await other.connected;
    writeFileSync(folder.in('.out.lock-ffffffffffffffff', 'held'), '');
    expect(await waiting).toBe('locked');
    other.close();
  });

  test('waits for a run with a higher id, and takes the lock when that run gives up', async () => {
    const other = await listening('ffffffffffffffff');
    const waiting = VolumeLock.acquire(out());
    await other.connected;
    other.close();
    await (await waiting).release();
    expect(folder.names()).toEqual([]);
  });

  test('does nothing on a file system without sockets', async () => {
    const lock = await VolumeLock.acquire(locate('/proc/out')).catch((error) => error);
    expect(lock).toBeInstanceOf(VolumeLock);
    await (lock as VolumeLock).release();
  });
});
