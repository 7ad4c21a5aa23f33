/** The compiled code that a run leaves for later runs, on Node 20. Later versions of Node have a compile cache. */
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMMAND, type Ended, ended } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

/** Prints for each chunk that is compiled from the cache whether V8 rejected the code. */
const TELL_REJECTED = `import { appendFileSync, readFileSync, writeSync } from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  import vm from 'node:vm';
  import threads from 'node:worker_threads';
  const { ofThread } = process.env;
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      super(code, options);
      const told = 'rejected: ' + this.cachedDataRejected + '\\n';
      if (ofThread !== undefined && !threads.isMainThread) appendFileSync(ofThread, told);
      else if (options.cachedData !== undefined) writeSync(2, told);
    }
  };
  threads.Worker = class extends threads.Worker {
    constructor(...options) {
      super(...options);
      const nap = new Int32Array(new SharedArrayBuffer(4));
      const hasLoaded = () => readFileSync(ofThread, 'utf8').split('\\n').length > 2;
      for (let naps = 0; naps < 6000 && !hasLoaded(); naps++) Atomics.wait(nap, 0, 0, 10);
    }
  };
  syncBuiltinESMExports();`;

const PLUG_IN = `export default {
  name: 'plain', summary: 'Nothing but braces.', encode: () => ({ bytes: Buffer.from('{}'), written: [], findings: [] }),
};`;

interface Options {
  readonly env?: NodeJS.ProcessEnv;
  readonly flags?: readonly string[];
}

/** Entries of a log that is a task by itself. */
const MANY = 20_000;
const ownCache = 'enableCompileCache' in module;

describe.skipIf(ownCache)('compiled code', () => {
  /** A log, the folder of a cache that is not there yet, and how to run a command with them. */
  function place(folder = temporaryFolder()): {
    readonly cache: string;
    readonly log: string;
    readonly files: () => string[];
    readonly run: (args: readonly string[], options?: Options) => Promise<Ended>;
    readonly check: (options?: Options) => Promise<Ended>;
  } {
    const log = join(folder, 'log');
    mkdirSync(log);
    writeLog(log, 'a.jsonl', [entry()]);
    const cache = join(folder, 'cache');
    const first = `data:text/javascript,${encodeURIComponent(TELL_REJECTED)}`;
    const run = (args: readonly string[], { env = {}, flags = [] }: Options = {}): Promise<Ended> =>
      ended(
        spawn(process.execPath, [...flags, '--import', first, COMMAND, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, NODE_COMPILE_CACHE: cache, ...env },
        }),
      );
    return {
      cache,
      log,
      files: () => readdirSync(cache).sort(),
      run,
      check: (options) => run(['check', log], options),
    };
  }

  /** The cache that a run leaves, made once. */
  let left: string;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnmill-'));
    const { cache, check } = place(folder);
    expect((await check()).status).toBe(0);
    left = cache;
    return () => rmSync(folder, { recursive: true });
  });
  /** As `place`, after a first run. */
  function used(): ReturnType<typeof place> {
    const made = place();
    cpSync(left, made.cache, { recursive: true, preserveTimestamps: true });
    return made;
  }

  const accepted = ({ stderr }: Ended): number => stderr.split('rejected: false').length - 1;
  const rejected = ({ stderr }: Ended): number => stderr.split('rejected: true').length - 1;

  test('is kept by a run over logs and used by the next one', async () => {
    const { cache, files, check } = place();
    const first = await check();
    expect([first.status, accepted(first), rejected(first)]).toEqual([0, 0, 0]);
    const made = files();
    expect(made.length).toBeGreaterThan(2);
    const changed = made.map((name) => statSync(join(cache, name)).mtimeMs);
    const second = await check();
    expect([second.status, accepted(second), rejected(second)]).toEqual([0, made.length, 0]);
    expect(files()).toEqual(made);
    expect(made.map((name) => statSync(join(cache, name)).mtimeMs)).toEqual(changed);
  });

  test('is used by worker threads, for the two chunks that they load', async () => {
    const { cache, log, files, run } = used();
    const made = files().length;
    const many = Array<ReturnType<typeof entry>>(MANY).fill(entry());
    for (const name of ['b.jsonl', 'c.jsonl']) writeLog(log, name, many);
    const ofThread = join(cache, '..', 'of-thread');
    writeFileSync(ofThread, '');
    // the main thread waits until the other one has loaded: alone, it may be done before that
    const two = await run(['check', log, '--workers', '2'], { env: { ofThread } });
    expect([two.status, accepted(two), rejected(two)]).toEqual([0, made, 0]);
    expect(readFileSync(ofThread, 'utf8')).toBe('rejected: false\n'.repeat(2));
  });

  test('is used by help, which keeps none', async () => {
    const { files, run, check } = place();
    expect((await run(['--help'])).status).toBe(0);
    expect(files).toThrow('ENOENT');
    await check();
    const help = await run(['--help']);
    expect([help.status, accepted(help) > 0, rejected(help)]).toEqual([0, true, 0]);
  });

  test.each([
    ['damaged code', (bytes: Buffer) => bytes.fill(0xff, 100, 120)],
    ['the code of another chunk', (bytes: Buffer) => bytes.fill(0xff, 0, 4)],
    ['half a file', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ['an empty file', (bytes: Buffer) => bytes.subarray(0, 0)],
  ])('is made again if the cache has %s', async (_what, damage) => {
    const { cache, files, check } = used();
    const damaged = files().find((name) => name.startsWith('common-')) as string;
    const whole = readFileSync(join(cache, damaged));
    writeFileSync(join(cache, damaged), damage(Buffer.from(whole)));
    const second = await check();
    expect([second.status, accepted(second), rejected(second)]).toEqual([0, files().length - 1, 0]);
    const third = await check();
    expect([third.status, accepted(third), rejected(third)]).toEqual([0, files().length, 0]);
  });

  test('of other flags of V8 is kept beside it', async () => {
    const { files, check } = used();
    const before = files();
    const other = await check({ flags: ['--no-opt'] });
    expect([other.status, accepted(other), rejected(other)]).toEqual([0, 0, 0]);
    expect(files()).toEqual(expect.arrayContaining(before));
    expect(files()).toHaveLength(2 * before.length);
    expect(accepted(await check())).toBe(before.length);
    expect(accepted(await check({ flags: ['--no-opt'] }))).toBe(before.length);
  });

  test('has also code that V8 would discard in a long run', async () => {
    const { cache, files, check } = used();
    const bytes = (): number => files().reduce((sum, name) => sum + statSync(join(cache, name)).size, 0);
    const usual = bytes();
    await check({ flags: ['--stress-flush-code'] });
    expect(bytes() - usual).toBeGreaterThan(0.9 * usual);
  });

  test('is kept whole by processes that end at the same time', async () => {
    const { files, check } = place();
    const runs = await Promise.all([check(), check(), check(), check()]);
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 0, 0]);
    const next = await check();
    expect([next.status, accepted(next), rejected(next)]).toEqual([0, files().length, 0]);
  });

  test('imports a plug-in in each run', async () => {
    const { run, log } = used();
    const plugIn = join(log, 'plain.mjs');
    writeFileSync(plugIn, PLUG_IN);
    for (const round of [1, 2]) {
      const { status, stderr } = await run(['list', 'formats', '--plugin', plugIn]);
      expect([round, status, stderr]).toEqual([round, 0, expect.stringContaining('rejected: false')]);
    }
  });

  test('is not kept where nothing can be written, and the run goes on', async () => {
    const { cache, check } = place();
    writeFileSync(cache, 'a file');
    const run = await check();
    expect([run.status, accepted(run), rejected(run)]).toEqual([0, 0, 0]);
    expect(readFileSync(cache, 'utf8')).toBe('a file');
  });

  test('is not kept with NODE_DISABLE_COMPILE_CACHE=1', async () => {
    const { files, check } = place();
    expect((await check({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } })).status).toBe(0);
    expect(files).toThrow('ENOENT');
  });
});
