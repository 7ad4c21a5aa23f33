/**
 * Quarantine from outside: every record has its place and its hash, and `quarantine
 * replay` brings what was rejected back into a build, or says why not.
 */
import { createHash } from 'node:crypto';
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
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { acquireLock } from '../../src/dataset/lock.ts';
import { entry } from '../src/cli/small-logs.ts';
import type { Ended } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { traced } from '../support/strace.ts';

const TOO_LONG = entry({ id: 'long', messages: [{ role: 'user', content: 'x'.repeat(5000) }] });
const lines = (...all: string[]): string => `${all.join('\n')}\n`;
const late = (id: string): string[] => [entry({ id, second: 2 }), entry({ id, second: 1 })];

type Files = Readonly<Record<string, string | Buffer>>;

function write(root: string, files: Files): string {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytes);
  }
  return root;
}

interface Kept {
  readonly scope: string;
  readonly source: { readonly uri: string };
  readonly member?: number;
  readonly byte_start: number;
  readonly byte_end: number;
  readonly raw_sha256: string | null;
  readonly raw_b64?: string;
}

const recordsOf = (out: string): Kept[] =>
  readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

interface Built extends Ended {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
}

async function build(files: Files, ...args: string[]): Promise<Built> {
  const folder = temporaryFolder();
  const [logs, out] = [write(join(folder, 'logs'), files), join(folder, 'out')];
  return { ...(await turnmill(['build', logs, '--out', out, ...args])), folder, logs, out };
}

const ALL: Files = {
  '2026-01-13/late.jsonl': lines(...late('a'), '{'),
  '2026-01-13/packed.jsonl.gz': Buffer.concat([
    gzipSync(lines(entry({ id: 'b' }), '[')),
    gzipSync(lines(...late('c'), ...late('b').reverse())),
  ]),
  '2026-01-14/document.json': `[${late('d').join(',\n')}, {"session_id": 1}]`,
  '2026-01-14/joined.jsonl': `${late('e').join('')}\r\n`,
  '2026-01-14/good.jsonl': lines(entry({ id: 'g' })),
};

describe('a record', () => {
  test.each(['1', '2'])('has the place and the hash of its bytes, with %s workers', async (workers) => {
    const { status, logs, out } = await build(ALL, '--session-by', 'id', '--workers', workers);
    expect(status).toBe(3);
    const records = recordsOf(out);
    expect(
      records
        .map(({ scope }) => scope)
        .sort()
        .join(' '),
    ).toBe(['line', 'line', 'line', ...Array(11).fill('session')].join(' '));
    for (const { source, byte_start, byte_end, raw_sha256 } of records) {
      const bytes = readFileSync(join(logs, source.uri));
      const content = source.uri.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      const hash = createHash('sha256').update(content.subarray(byte_start, byte_end)).digest('hex');
      expect(raw_sha256, `${source.uri} from ${byte_start}`).toBe(hash);
    }
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  test('has the documented members, and no others', async () => {
    const bad = lines(entry({ id: 'a' }), '{');
    const { logs, out } = await build({
      'a.jsonl': bad,
      'b.jsonl.gz': gzipSync(lines(...late('b'))),
      'c.jsonl.gz': Buffer.concat([gzipSync(bad), Buffer.from('rest')]),
    });
    const [offset, size] = [bad.length - 2, bad.length];
    const hashed = { raw_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    const inSession = {
      ...{ v: 2, scope: 'session', reason: 'timestamp-not-increasing', stage: 'validate' },
      source: { uri: 'b.jsonl.gz', size: lstatSync(join(logs, 'b.jsonl.gz')).size },
      ...{ member: 1, session_key: 'b', ...hashed },
      error: { code: 'timestamp-not-increasing', message: expect.stringMatching(/\(line 2\)$/) },
    };
    const second = late('b')[0]?.length as number;
    expect(recordsOf(out)).toEqual([
      {
        ...{ v: 2, scope: 'line', reason: 'invalid-json', stage: 'parse', source: { uri: 'a.jsonl', size } },
        ...{ line: 2, byte_start: offset, byte_end: offset + 1, ...hashed, raw_ref: { offset, length: 1 } },
        error: { code: 'invalid-json', message: expect.stringContaining('not JSON'), at: 1 },
      },
      {
        ...{ ...inSession, line: 1, byte_start: 0, byte_end: second },
        raw_ref: { offset: 0, length: second },
      },
      {
        ...{ ...inSession, line: 2, byte_start: second + 1, byte_end: 2 * second + 1 },
        raw_ref: { offset: second + 1, length: second },
      },
      {
        ...{ v: 2, scope: 'source', reason: 'trailing-data', stage: 'source' },
        source: { uri: 'c.jsonl.gz', size: lstatSync(join(logs, 'c.jsonl.gz')).size },
        error: { code: 'trailing-data', message: expect.stringContaining('data follows the end') },
      },
    ]);
  });

  test.each(['1', '2'])('names the gzip member that a line begins in, with %s workers', async (workers) => {
    const rejected = (id: string): string[] => [...late(id), '{', entry({ id, second: 0 })];
    const tiny = (text: string): Buffer[] => text.match(/.{1,7}/gs)?.map((part) => gzipSync(part)) ?? [];
    const parts = {
      'a.jsonl.gz': [
        lines(...rejected('a')),
        '',
        '',
        lines('['),
        `${lines('{')}{"torn`,
        'rest\n"',
        '\n]\n',
      ].map((text) => gzipSync(text)),
      'b.jsonl.gz': tiny(lines(...rejected('b'))),
      'c.json.gz': tiny(`[ ${late('c').join(' ,   ')} , 1,\n "2" ]`),
      'd.jsonl.gz': [gzipSync(lines('{', ...late('d')))],
    };
    const files = Object.fromEntries(Object.entries(parts).map(([name, all]) => [name, Buffer.concat(all)]));
    const { out } = await build(files, '--workers', workers);
    const records = recordsOf(out);
    expect(records.length).toBeGreaterThan(15);
    for (const { source, byte_start, member } of records) {
      let end = 0;
      const ends = parts[source.uri as keyof typeof parts].map((part) => (end += gunzipSync(part).length));
      expect([source.uri, byte_start, member]).toEqual([
        source.uri,
        byte_start,
        ends.findIndex((each) => each > byte_start) + 1,
      ]);
    }
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  test('keeps the bytes with --quarantine-content raw, up to 1 MiB each and --quarantine-size in all', async () => {
    const huge = entry({ id: 'a', messages: [{ role: 'user', content: 'x'.repeat(1024 * 1024) }] });
    const files = { 'a.jsonl': lines(huge, ...late('a')), 'b.jsonl': lines(...late('b'), '{', '[') };
    const raw = await build(files, '--quarantine-content', 'raw');
    const kept = ({ raw_b64 }: Kept): number => Buffer.from(raw_b64 ?? '', 'base64').length;
    expect(recordsOf(raw.out).map((record) => kept(record) === record.byte_end - record.byte_start)).toEqual([
      false,
      ...Array(6).fill(true),
    ]);
    const few = await build(files, '--quarantine-content', 'raw', '--quarantine-size', '2');
    const sizes = recordsOf(few.out).map(kept);
    expect(sizes.filter((size) => size > 0)).toEqual([1, 1]);
    expect((await turnmill(['verify', few.out])).status).toBe(0);
  });

  test('is for its owner only: folder 0700, file 0600', async () => {
    const { out } = await build({ 'a.jsonl': '{' });
    const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);
    expect([mode(join(out, 'quarantine')), mode(join(out, 'quarantine/rejected.jsonl'))]).toEqual([
      '700',
      '600',
    ]);
  });

  test('of standard input: lines are kept, entries of sessions have their place only', async () => {
    const out = join(temporaryFolder(), 'out');
    await turnmill(['build', '-', '--out', out], lines(...late('a'), '{'));
    expect(recordsOf(out)).toMatchObject([
      { scope: 'line', raw_b64: Buffer.from('{').toString('base64') },
      { scope: 'session', byte_start: 0, raw_sha256: null },
      { scope: 'session', raw_sha256: null },
    ]);
    expect((await turnmill(['verify', out])).status).toBe(0);
    const list = (await turnmill(['quarantine', 'list', out, '--json'])).stdout.toString();
    expect(list.match(/"kept":"\w+"/g)).toEqual(['"kept":"raw"', '"kept":"nothing"', '"kept":"nothing"']);
  });
});

describe('quarantine list', () => {
  test('shows each record and no content', async () => {
    const { out } = await build(
      { 'a.jsonl': lines('{"secret', ...late('a')) },
      '--quarantine-content',
      'raw',
    );
    const { status, stdout } = await turnmill(['quarantine', 'list', out]);
    expect(status).toBe(0);
    expect(stdout.toString().split('\n').slice(0, 2)).toEqual([
      expect.stringMatching(/^a\.jsonl:1 {2}line {2}invalid-json \(8 B, raw\): not JSON/),
      expect.stringMatching(/^a\.jsonl:2 {2}session {2}timestamp-not-increasing/),
    ]);
    const json = (await turnmill(['quarantine', 'list', out, '--json'])).stdout.toString();
    expect(json).not.toContain('raw_b64');
    expect(json).not.toContain('secret');
  });
});

const replay = (out: string, into: string, ...logs: string[]): Promise<Ended> =>
  turnmill(['quarantine', 'replay', out, '--into', into, ...logs.flatMap((path) => ['--logs', path])]);

describe('quarantine replay', () => {
  test('after a build with a small --max-line a build with a larger one holds the session', async () => {
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
  ])('%s: the logs hold what was rejected, byte for byte and in order', async (how, args) => {
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

  test('a lost source is replayed whole, once it is repaired', async () => {
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
        'it is not in the logs, or not readable there': 2,
        'the logs have changed at its place': 1,
      },
      examples: [{ where: 'b.jsonl:1' }, { where: 'c.jsonl:1' }, { where: 'd.jsonl.gz' }],
    });
    expect(readdirSync(join(folder, 'again'))).toEqual(['a.jsonl']);
  });

  test('without the logs nothing kept by reference is replayed, and no folder is created', async () => {
    const { folder, out } = await build({ 'a.jsonl': '{' });
    const run = await replay(out, join(folder, 'again'));
    expect([run.status, run.stdout.toString()]).toEqual([3, expect.stringContaining('--logs')]);
    expect(readdirSync(folder).sort()).toEqual(['logs', 'out']);
  });

  test('names that are not UTF-8: each gets a separate log, in the folder that names its group', async () => {
    const folder = temporaryFolder();
    const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
    mkdirSync(join(logs, '2026-01-13'), { recursive: true });
    const names = ['\xff', `\xff${'x'.repeat(110)}1`, `\xff${'x'.repeat(110)}2`, `\xff.${'y'.repeat(240)}`];
    for (const name of names)
      writeFileSync(Buffer.from(`${logs}/2026-01-13/${name}.jsonl`, 'latin1'), lines(TOO_LONG));
    await turnmill(['build', logs, '--out', out, '--max-line', '1000']);
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(0);
    const made = readdirSync(join(folder, 'again/2026-01-13'));
    expect(made).toHaveLength(names.length);
    expect(made).toContain('ff2e6a736f6e6c.jsonl');
    const again = join(folder, 'rest');
    expect((await turnmill(['build', join(folder, 'again'), '--out', again])).status).toBe(0);
    expect(readdirSync(join(again, 'data'))).toEqual(['2026-01-13-00000.jsonl']);
  });

  test('into the logs or the dataset: 64, for the next run would find it; while another one writes: 75', async () => {
    const { folder, logs, out } = await build({ 'sub/a.jsonl': '{' });
    for (const into of [join(logs, 'again'), join(logs, 'sub/again'), join(out, 'quarantine/again')])
      expect([into, (await replay(out, into, logs)).status]).toEqual([into, 64]);
    expect((await turnmill(['verify', out])).status).toBe(0);
    const release = await acquireLock(join(folder, 'again'));
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(75);
    await release();
    expect((await replay(out, join(folder, 'again'), logs)).status).toBe(0);
  });

  test('several inputs have a folder each', async () => {
    const folder = temporaryFolder();
    const [one, two] = [
      write(join(folder, 'one'), { 'a.jsonl': '{' }),
      write(join(folder, 'two'), { 'a.jsonl': '[' }),
    ];
    const out = join(folder, 'out');
    await turnmill(['build', one, two, '--out', out]);
    expect((await replay(out, join(folder, 'again'), one, two)).status).toBe(0);
    expect(readFileSync(join(folder, 'again/0/a.jsonl'), 'utf8')).toBe('{\n');
    expect(readFileSync(join(folder, 'again/1/a.jsonl'), 'utf8')).toBe('[\n');
  });

  test('nothing that leads out of the folder is written', async () => {
    const { folder, out } = await build({ 'a.jsonl': '{' }, '--quarantine-content', 'raw');
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

  test('bytes that are not those of the hash are refused', async () => {
    const { folder, out } = await build({ 'a.jsonl': '{' }, '--quarantine-content', 'raw');
    const file = join(out, 'quarantine/rejected.jsonl');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"raw_b64":"[^"]*"/, '"raw_b64":"Ww=="'));
    expect((await replay(out, join(folder, 'again'))).stdout.toString()).toContain(
      'the bytes in the quarantine do not match their hash',
    );
  });

  test('ends with 64, 65, 66 and 73 as others do, and with 0 where nothing was rejected', async () => {
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
  'a replay that is killed leaves nothing that the next one does not remove',
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
