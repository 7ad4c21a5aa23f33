import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acquireLock } from '../../../src/dataset/lock.ts';
import { locate } from '../../../src/dataset/place.ts';
import { VolumeLock } from '../../../src/dataset/volume-lock.ts';
import { compiledSink } from './compiled.ts';
import { temporaryFolder } from './temporary.ts';

const folder = temporaryFolder();
const build = mkdtempSync(join(tmpdir(), 'turnmill-compiled-'));
let module: string;
beforeAll(() => {
  module = compiledSink(build, 'lock');
});
afterAll(() => rmSync(build, { recursive: true, force: true }));

/** Starts a process that prints `held` and stays, or prints the fault's code and ends. */
async function hold(path: string): Promise<{ child: ChildProcess; output: string }> {
  const script = `import { acquireLock } from ${JSON.stringify(module)};
    try { await acquireLock(process.argv[1]); console.log('held'); setInterval(() => {}, 1000); }
    catch (error) { console.log(error.code); }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  return { child, output: String(output).trim() };
}

describe('acquireLock', () => {
  test('F035 refuses a second process until the first is killed', async () => {
    const first = await hold(folder.in('out'));
    expect(first.output).toBe('held');
    expect((await hold(folder.in('out'))).output).toBe('locked');
    await expect(acquireLock(folder.in('out'))).rejects.toMatchObject({
      code: 'locked',
      subject: folder.in('out'),
    });
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const release = await acquireLock(folder.in('out'));
    await release();
  });

  test('can take the lock again after release, which may be called twice', async () => {
    const release = await acquireLock(folder.in('out'));
    await Promise.all([release(), release()]);
    await (await acquireLock(folder.in('out')))();
  });

  test('identifies a destination by its real path', async () => {
    mkdirSync(folder.in('real/sub'), { recursive: true });
    symlinkSync('real', folder.in('link'));
    symlinkSync('real/out', folder.in('out-link'));
    const release = await acquireLock(folder.in('real/out'));
    for (const name of ['link/out', 'real/sub/../out', 'real/out/', 'out-link', 'link/../real/out']) {
      await expect(acquireLock(folder.in(name)), name).rejects.toMatchObject({ code: 'locked' });
    }
    await (await acquireLock(folder.in('real/other')))();
    await release();
  });

  test('does not keep the process alive', async () => {
    const script = `import { acquireLock } from ${JSON.stringify(module)}; await acquireLock(process.argv[1]);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder.in('out')]);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('leaves nothing in the file system after release or refusal', async () => {
    const release = await acquireLock(folder.in('out'));
    expect(folder.names()).toEqual([expect.stringMatching(/^\.out\.lock-[0-9a-f]{16}$/)]);
    await expect(acquireLock(folder.in('out'))).rejects.toMatchObject({ code: 'locked' });
    await expect(VolumeLock.acquire(locate(folder.in('out')))).rejects.toMatchObject({ code: 'locked' });
    expect(folder.names()).toHaveLength(1);
    await release();
    expect(folder.names()).toEqual([]);
  });

  test('reports a missing parent folder', async () => {
    await expect(acquireLock(folder.in('no/out'))).rejects.toMatchObject({ code: 'cannot-create' });
  });
});
