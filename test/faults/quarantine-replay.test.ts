/** `quarantine replay`, from outside: it brings rejected data back into a build, or says why it cannot. */
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { acquireLock } from '../../src/dataset/lock.ts';
import { entry } from '../src/cli/small-logs.ts';
import type { Ended } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { ALL, build, lines, recordsOf, write } from '../support/quarantine-logs.ts';
import { traced } from '../support/strace.ts';

const TOO_LONG = entry({ id: 'long', messages: [{ role: 'user', content: 'x'.repeat(5000) }] });

const replay = (out: string, into: string, ...logs: string[]): Promise<Ended> =>
  turnmill(['quarantine', 'replay', out, '--into', into, ...logs.flatMap((path) => ['--logs', path])]);

describe('quarantine replay', () => {
  test('a build with a larger --max-line gets the session rejected by a smaller one', async () => {
    const files = { '2026-01-13/a.jsonl': lines(entry()), '2026-01-13/long.jsonl': lines(TOO_LONG) };
    const { status, folder, logs, out } = await build(files, '--max-line', '1000');
    expect(status).toBe(3);
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(0);
    const rest = join(folder, 'rest');
    expect((await turnmill(['build', join(folder, 'again'), '--out', rest])).status).toBe(0);
    const whole = join(folder, 'whole');
    await turnmill(['build', logs, '--out', whole]);
    const records = (of: string): string => readFileSync(join(of, 'data/2026-01-13-00000.jsonl'), 'utf8');
    expect(records(out) + records(rest)).toBe(records(whole));
  });

  test.each([
    ['by reference', []],
    ['from the records', ['--quarantine-content', 'raw']],
  ])('%s: the logs contain the rejected data, byte for byte and in order', async (how, args) => {
    const { folder, logs, out } = await build(ALL, ...args);
    const again = join(folder, 'again');
    const run = await replay(out, again, ...(how === 'by reference' ? [logs] : []));
    expect([run.status, run.stdout.toString()]).toEqual([
      0,
      expect.stringMatching(/^14 records replayed in 4 logs/),
    ]);
    for (const name of ['2026-01-13/late.jsonl', '2026-01-13/packed.jsonl.gz']) {
      const [was, is] = [join(logs, name), join(again, name)].map((path) => readFileSync(path)) as [
        Buffer,
        Buffer,
      ];
      expect(is.equals(was) || gunzipSync(is).equals(gunzipSync(was)), name).toBe(true);
    }
    expect(JSON.parse(readFileSync(join(again, '2026-01-14/document.json'), 'utf8'))).toHaveLength(3);
    expect(existsSync(join(again, '2026-01-14/good.jsonl'))).toBe(false);
    expect((lstatSync(again).mode & 0o777).toString(8)).toBe('700');
    await turnmill(['build', again, '--out', join(folder, 'same')]);
    expect(recordsOf(join(folder, 'same')).map(({ raw_sha256 }) => raw_sha256)).toEqual(
      recordsOf(out).map(({ raw_sha256 }) => raw_sha256),
    );
  });

  test('a lost source is replayed whole after it is repaired', async () => {
    const packed = gzipSync(lines(entry()));
    const { status, folder, logs, out } = await build({
      'a.jsonl.gz': packed.subarray(0, -3),
      'b.jsonl': entry(),
    });
    expect(status).toBe(3);
    writeFileSync(join(logs, 'a.jsonl.gz'), packed);
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(0);
    expect(readdirSync(join(folder, 'again'))).toEqual(['a.jsonl.gz']);
    expect(readFileSync(join(folder, 'again/a.jsonl.gz')).equals(packed)).toBe(true);
  });

  test('unavailable content is named and counted: 3', async () => {
    const files = {
      'a.jsonl': lines('{', entry()),
      'b.jsonl': lines('{'),
      'c.jsonl': lines('['),
      'd.jsonl.gz': 'no gzip',
    };
    const { folder, logs, out } = await build({ ...files, 'd.jsonl.gz': gzipSync('x').subarray(0, 9) });
    writeFileSync(join(logs, 'b.jsonl'), '[\n');
    rmSync(join(logs, 'c.jsonl'));
    rmSync(join(logs, 'd.jsonl.gz'));
    const args = ['quarantine', 'replay', out, '--into', join(folder, 'again'), '--logs', logs, '--json'];
    const run = await turnmill(args);
    expect(run.status).toBe(3);
    expect(JSON.parse(run.stdout.toString())).toMatchObject({
      replayed: 1,
      files: 1,
      left: {
        'it is not in the logs, or cannot be read there': 2,
        'the logs have changed at this place': 1,
      },
      examples: [{ where: 'b.jsonl:1' }, { where: 'c.jsonl:1' }, { where: 'd.jsonl.gz' }],
    });
    expect(readdirSync(join(folder, 'again'))).toEqual(['a.jsonl']);
  });

  test('without the logs nothing kept by reference is replayed, and no folder is created', async () => {
    const { folder, out } = await build({ 'a.jsonl': lines('{') });
    const run = await replay(out, join(folder, 'again'));
    expect([run.status, run.stdout.toString()]).toEqual([3, expect.stringContaining('--logs')]);
    expect(readdirSync(folder).sort()).toEqual(['logs', 'out']);
  });

  test('names that are not UTF-8 each get a separate log, in the folder that names its group', async () => {
    const folder = temporaryFolder();
    const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
    mkdirSync(join(logs, '2026-01-13'), { recursive: true });
    const names = ['\xff', `\xff${'x'.repeat(110)}1`, `\xff${'x'.repeat(110)}2`, `\xff.${'y'.repeat(240)}`];
    for (const name of names)
      writeFileSync(Buffer.from(`${logs}/2026-01-13/${name}.jsonl`, 'latin1'), lines(TOO_LONG));
    await turnmill(['build', logs, '--out', out, '--max-line', '1000']);
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(0);
    const replayed = readdirSync(join(folder, 'again/2026-01-13'));
    expect(replayed).toHaveLength(names.length);
    expect(replayed).toContain('ff2e6a736f6e6c.jsonl');
    const again = join(folder, 'rest');
    expect((await turnmill(['build', join(folder, 'again'), '--out', again])).status).toBe(0);
    expect(readdirSync(join(again, 'data'))).toEqual(['2026-01-13-00000.jsonl']);
  });

  test('into the logs or the dataset: 64, because the next run would read it; while another replay writes: 75', async () => {
    const { folder, logs, out } = await build({ 'sub/a.jsonl': '{' });
    for (const into of [join(logs, 'again'), join(logs, 'sub/again'), join(out, 'quarantine/again')])
      expect([into, (await replay(out, into, logs)).status]).toEqual([into, 64]);
    expect((await turnmill(['verify', out])).status).toBe(0);
    const release = await acquireLock(join(folder, 'again'));
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(75);
    await release();
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(0);
  });

  test('several inputs get a folder each', async () => {
    const folder = temporaryFolder();
    const [one, two] = [
      write(join(folder, 'one'), { 'a.jsonl': lines('{') }),
      write(join(folder, 'two'), { 'a.jsonl': lines('[') }),
    ];
    const out = join(folder, 'out');
    await turnmill(['build', one, two, '--out', out]);
    const half = await replay(out, join(folder, 'half'), one);
    expect([half.status, half.stdout.toString()]).toEqual([3, expect.stringContaining('repeat --logs')]);
    expect((await replay(out, join(folder, 'again'), one, two)).status).toBe(0);
    expect(readFileSync(join(folder, 'again/0/a.jsonl'), 'utf8')).toBe('{\n');
    expect(readFileSync(join(folder, 'again/1/a.jsonl'), 'utf8')).toBe('[\n');
  });

  test('nothing is written outside the target folder', async () => {
    const { folder, out } = await build({ 'a.jsonl': lines('{') }, '--quarantine-content', 'raw');
    const file = join(out, 'quarantine/rejected.jsonl');
    const text = readFileSync(file, 'utf8');
    for (const name of ['../x.jsonl', '/tmp/x.jsonl', 'a/../../x.jsonl', '..', '.', 'a//b', ''])
      appendFileSync(file, text.replace('"uri":"a.jsonl"', `"uri":${JSON.stringify(name)}`));
    const run = await replay(out, join(folder, 'again'));
    expect(run.stdout.toString()).toContain(
      '7 not replayed: the name of its source leads out of the target folder',
    );
    expect(readdirSync(folder).sort()).toEqual(['again', 'logs', 'out']);
    expect(readdirSync(join(folder, 'again'))).toEqual(['a.jsonl']);
  });

  test('bytes that do not match their hash are refused', async () => {
    const { folder, out } = await build({ 'a.jsonl': lines('{') }, '--quarantine-content', 'raw');
    const file = join(out, 'quarantine/rejected.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"raw_b64":"[^"]*"/, '"raw_b64":"Ww=="'));
    expect((await replay(out, join(folder, 'again'))).stdout.toString()).toContain(
      'the bytes in the quarantine do not match their hash',
    );
  });

  test('ends with 64, 65, 66 and 73 like other commands, and with 0 if nothing was rejected', async () => {
    const { folder, out } = await build({ 'a.jsonl': entry() });
    const status = async (...args: string[]): Promise<number | null> =>
      (await turnmill(['quarantine', ...args])).status;
    expect(await status('replay', out, '--into', join(folder, 'again'))).toBe(0);
    expect(existsSync(join(folder, 'again'))).toBe(false);
    expect(await status('replay', out, '--into', folder)).toBe(73);
    expect(await status('replay', folder, '--into', join(folder, 'again'))).toBe(66);
    expect(await status('list', folder)).toBe(66);
    expect(await status('replay', out)).toBe(64);
    expect(await status('lose', out)).toBe(64);
    expect(await status('list', out, '--into', 'x')).toBe(64);
    appendFileSync(join(out, 'quarantine/rejected.jsonl'), '{}\n');
    expect(await status('list', out)).toBe(65);
    expect(await status('replay', out, '--into', join(folder, 'again'))).toBe(65);
  });
});

faultTest(
  'F001',
  'the next replay removes everything that a killed one left',
  { needs: ['ptrace'] },
  async () => {
    const { folder, logs, out } = await build(ALL);
    const again = join(folder, 'again');
    const args = ['quarantine', 'replay', out, '--into', again, '--logs', logs];
    const left = (): string[] => readdirSync(folder).filter((name) => name.startsWith('.'));
    for (const calls of ['fsync', 'rename']) {
      const run = await traced(args, { calls, inject: 'signal=SIGKILL:when=1' });
      expect([run.status, existsSync(again)]).toEqual([null, false]);
      expect(left().map((name) => name.slice(0, -16))).toEqual(['.again.lock-', '.again.staging-']);
    }
    expect([(await turnmill(args)).status, left()]).toEqual([0, []]);
  },
);
