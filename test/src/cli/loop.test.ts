/** `turnmill loop` against a server that plays the model. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fakeModel } from '../loop/fake-model.ts';

const root = resolve(import.meta.dirname, '../../..');
const silence = { role: 'assistant', content: null };
describe('turnmill loop', () => {
  async function demo(): Promise<string> {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs: [join(root, 'examples/logs')], out });
    return out;
  }

  test('replays the recorded replies without an endpoint: 10 of the 11 examples finish', async () => {
    const out = await demo();
    const { status, stdout } = await turnmill(['loop', out, '--json']);
    expect(status).toBe(3);
    const lines = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ end }) => end === 'done')).toHaveLength(10);
    expect(Object.keys(lines[0])).toEqual([
      'session',
      'end',
      'steps',
      'same',
      'drifted',
      'missed',
      'repeated',
      'unused',
    ]);
    const open = lines.find(({ end }) => end !== 'done');
    expect(open).toMatchObject({ session: 'invoice-export-1768302018250700000', end: 'missed', drifted: 0 });
    const findings = readFileSync(join(out, 'reports/integrity.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(findings.filter(({ rule }) => rule === 'protocol-open').map(({ session }) => session)).toEqual([
      open.session,
    ]);
  });

  test('writes the same bytes twice, without the key of the endpoint', async () => {
    const out = await demo();
    const folder = temporaryFolder();
    const once = async (name: string): Promise<Record<string, string>> => {
      const model = await fakeModel([]);
      const to = join(folder, name);
      const args = [
        'loop',
        out,
        '--endpoint',
        model.base,
        '--model',
        'm',
        '--key-env',
        'LOOP_KEY',
        '--out',
        to,
        '--each-turn',
        '--prefer',
        'recorded',
      ];
      const { status, stdout, stderr } = await turnmill(args, undefined, {
        ...process.env,
        LOOP_KEY: 'sk-secret',
      });
      expect(status).toBe(3);
      expect(model.keys.every((key) => key === 'Bearer sk-secret')).toBe(true);
      const files = Object.fromEntries(
        readdirSync(to).map((file) => [file, readFileSync(join(to, file), 'utf8')]),
      );
      for (const written of [...Object.values(files), stdout.toString(), stderr])
        expect(written.includes('sk-secret')).toBe(false);
      return files;
    };
    const first = await once('first');
    expect(Object.keys(first)).toEqual(['continuations.jsonl', 'loop.jsonl', 'preferences.jsonl']);
    expect(await once('second')).toEqual(first);
    const pair = JSON.parse((first['preferences.jsonl'] ?? '').split('\n', 1)[0] ?? '');
    expect(Object.keys(pair)).toEqual(['prompt', 'chosen', 'rejected']);
  });

  test('counts the turns without an answer, and writes files as private as the dataset', async () => {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs: [join(root, 'examples/logs')], out, mode: 0o600 });
    const to = join(temporaryFolder(), 'turns');
    mkdirSync(to);
    writeFileSync(join(to, 'loop.jsonl'), 'of an earlier run', { mode: 0o644 });
    const model = await fakeModel(Array(200).fill(silence));
    const args = ['loop', out, '--endpoint', model.base, '--model', 'm', '--each-turn', '--out', to];
    const { status, stdout } = await turnmill(args);
    expect(status).toBe(3);
    const last = stdout.toString().trimEnd().split('\n').at(-1);
    const turns = model.requests.length;
    expect(last).toBe(
      `${turns} turns of 11 records: 0 with the recorded tools, 0 with the recorded arguments too, ${turns} without an answer that can be used`,
    );
    for (const name of readdirSync(to)) expect(statSync(join(to, name)).mode & 0o777).toBe(0o600);
    const page = join(to, 'report.html');
    await turnmill(['report', out, '-o', page]);
    expect(statSync(page).mode & 0o777).toBe(0o600);
  });

  test('replaces the key in the error of an endpoint that repeats it', async () => {
    const out = await demo();
    const { base } = await fakeModel([
      (response, key) => {
        response.statusCode = 401;
        response.end(`bad key ${key}`);
      },
    ]);
    const args = ['loop', out, '--endpoint', base, '--model', 'm', '--key-env', 'LOOP_KEY'];
    const run = await turnmill(args, undefined, { ...process.env, LOOP_KEY: 'sk-secret-of-mine' });
    expect(run.status).toBe(69);
    expect(run.stderr).toContain('status 401: bad key Bearer [key]');
    expect(run.stdout.toString() + run.stderr).not.toContain('sk-secret');
  });

  test('goes on with the other records after an answer that cannot be used', async () => {
    const out = await demo();
    const { base } = await fakeModel([{ role: 'assistant', tool_calls: [null] }]);
    const run = await turnmill(['loop', out, '--endpoint', base, '--model', 'm', '--json']);
    expect(run.status).toBe(3);
    const lines = run.stdout.toString().trimEnd().split('\n');
    expect(lines).toHaveLength(11);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      end: 'bad-answer',
      problem: 'tool_calls[0] is not a call of a named function',
    });
  });

  test.each([
    ['trl', ['--copies', 'mark']],
    ['openai', ['--arrow-safe']],
  ])('reads records of %s built with %j as those built without', async (format, options) => {
    const folder = temporaryFolder();
    const [plain, other] = [join(folder, 'plain'), join(folder, 'other')];
    const args = ['build', join(root, 'examples/logs'), '--format', format, '--out'];
    expect((await turnmill([...args, plain])).status).toBe(3);
    expect((await turnmill([...args, other, ...options])).status).toBe(3);
    expect((await turnmill(['loop', other])).stdout).toEqual((await turnmill(['loop', plain])).stdout);
    const model = await fakeModel([]);
    await turnmill(['loop', other, '--endpoint', model.base, '--model', 'm']);
    expect(model.requests[0]?.tools?.[0]).toMatchObject({ type: 'function' });
  });

  test('names the line of a damaged dataset', async () => {
    const out = await demo();
    const shard = join(out, 'data/2026-01-13-00000.jsonl');
    for (const line of ['{', 'null']) {
      writeFileSync(shard, `${line}\n`);
      const { status, stderr } = await turnmill(['loop', out]);
      expect([status, stderr]).toEqual([65, expect.stringContaining(`${shard}:1 is not a record`)]);
    }
    writeFileSync(join(out, 'ledger/sessions.jsonl'), '{}\n');
    expect((await turnmill(['loop', out])).status).toBe(65);
  });

  test('runs the listed sessions with --only; an unset key and a missing model are usage errors, no endpoint is 69', async () => {
    const out = await demo();
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'only.txt'), 'market-brief-1768342443120394000\n');
    const one = await turnmill(['loop', out, '--only', join(folder, 'only.txt')]);
    expect([one.status, one.stdout.toString()]).toEqual([0, '1 of 1 records close\n']);
    const usage = ['--endpoint', 'http://127.0.0.1:1/v1'];
    expect((await turnmill(['loop', out, ...usage])).status).toBe(64);
    expect((await turnmill(['loop', out, ...usage, '--model', 'm', '--key-env', 'NO_SUCH_KEY'])).status).toBe(
      64,
    );
    expect((await turnmill(['loop', out, '--each-turn'])).status).toBe(64);
    for (const command of ['loop', 'view'])
      expect((await turnmill([command, 's3://bucket/dataset/'])).stderr).toContain(
        'reads folders, not stores',
      );
    expect((await turnmill(['loop', out, ...usage, '--model', 'm'])).status).toBe(69);
  });

  test('names an output folder that cannot be created, with the status of an I/O error', async () => {
    const out = await demo();
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    const inFile = join(file, 'loop');
    const { status, stderr } = await turnmill(['loop', out, '--out', inFile]);
    expect(status).toBe(74);
    expect(stderr).toContain(`cannot create ${inFile}: not a directory (ENOTDIR)`);
  });
});
