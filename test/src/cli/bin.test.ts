import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COMMAND, type Ended, ended, turnmill } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

/** Runs the command after some code has run in its process; standard input is a pipe that stays open. */
function sabotaged(code: string, args: readonly string[]): Promise<Ended> {
  const first = `data:text/javascript,${encodeURIComponent(code)}`;
  return ended(spawn(process.execPath, ['--import', first, COMMAND, ...args], { stdio: 'pipe' }));
}

/** Runs code half a second after the command has begun, however slow the machine is. */
const onceWatched = (code: string): string =>
  `const watching = setInterval(() => {
    if (process.listenerCount('uncaughtException') === 0) return;
    clearInterval(watching);
    setTimeout(() => { ${code}; }, 500);
  }, 5);`;

describe('a bug shows its stack and ends with 70', () => {
  test.each([
    ['an uncaught exception', onceWatched("throw new Error('boom')")],
    ['an unhandled rejection', onceWatched("Promise.reject(new Error('boom'))")],
    ['an error in the run', "performance.now = () => { throw new Error('boom'); };"],
  ])('%s', async (_name, code) => {
    const out = join(temporaryFolder(), 'out');
    const { status, stderr } = await sabotaged(code, ['build', '-', '--out', out]);
    expect(status).toBe(70);
    expect(stderr).toContain('internal error, please report it:\nError: boom\n    at ');
    expect(stderr).not.toContain('unfinished');
    expect(existsSync(out)).toBe(false);
  });
});

test('a run whose event loop runs empty ends with 70, never with 0 or 13 (F008)', async () => {
  const folder = temporaryFolder();
  const deaf = "import { Server } from 'node:net'; Server.prototype.listen = function () { return this; };";
  const { status, stderr } = await sabotaged(deaf, ['build', '-', '--out', join(folder, 'out')]);
  expect([status, stderr.includes('unfinished')]).toEqual([70, true]);
  expect(readdirSync(folder)).not.toContain('out');
});

test('F167 an unsupported Node is reported with status 78', async () => {
  const old =
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.1' } });";
  const { status, stderr } = await sabotaged(old, ['--help']);
  expect([status, stderr]).toEqual([
    78,
    expect.stringMatching(/^turnmill: Node 18\.20\.1 is not supported: use 20\.19 /),
  ]);
});

test("the compile cache is in the program's folder, if Node has one", async () => {
  const code =
    "import module from 'node:module'; module.enableCompileCache = (folder) => process.stderr.write(folder);";
  const { status, stderr } = await sabotaged(code, ['--version']);
  expect([status, stderr]).toEqual([0, join(realpathSync(dirname(COMMAND)), 'compile-cache')]);
});

test('a deleted current folder is reported with status 66', () => {
  const gone = join(temporaryFolder(), 'gone');
  const { status, stderr } = spawnSync(
    'bash',
    ['-c', 'mkdir "$1" && cd "$1" && rmdir "$1" && exec "$0" "$2" --help', process.execPath, gone, COMMAND],
    { encoding: 'utf8' },
  );
  const message =
    'turnmill: the current folder was deleted or cannot be reached (ENOENT): change to another one\n';
  expect([status, stderr]).toEqual([66, message]);
});

const SCRIPT = '/usr/bin/script';

describe.skipIf(!existsSync(SCRIPT))('on a terminal', () => {
  const onTerminal = (args: string): { status: number | null; stdout: string } =>
    spawnSync(SCRIPT, ['-qec', `${process.execPath} ${COMMAND} ${args}`, '/dev/null'], {
      encoding: 'utf8',
      input: '',
    });

  test('a progress line appears and is gone before the summary', async () => {
    const folder = temporaryFolder();
    const log = writeLog(folder, 'a.jsonl', [entry()]);
    const { status, stdout } = onTerminal(`build ${log} --out ${join(folder, 'out')} --color never`);
    expect(status).toBe(0);
    const [first, progress, summary] = stdout.split('\r\u001b[K');
    expect([first, progress]).toEqual(['', expect.stringContaining('/1 sources  ')]);
    expect(summary).toMatch(/^turnmill: 1 conversation from 1 log\.\r?\n/);
    expect((await turnmill(['check', log])).stdout.toString()).not.toContain('\u001b');
  });

  test('an error is reported, and standard input does not cause one', () => {
    expect(onTerminal('build /no/such --out -').stdout).toBe('turnmill: /no/such not found\r\n');
    const { status, stdout } = onTerminal('build - --out -');
    expect([status, stdout.split('\r\n')[0]]).toEqual([
      64,
      expect.stringContaining('standard input is a terminal'),
    ]);
  });
});
