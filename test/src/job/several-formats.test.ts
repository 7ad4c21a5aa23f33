import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const call = (args: string) => ({
  role: 'assistant',
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: args } }],
});
const GOOD = [entry({ id: 'good' })];
/** `trl` needs an object, `chat` does not. */
const LIST = [entry({ id: 'list', reply: call('[1]') })];
const FORMATS = ['--format', 'chat', '--format', 'trl', '--format', 'openai'];

function logs(): { readonly input: string; readonly out: string } {
  const folder = temporaryFolder();
  const input = join(folder, 'logs');
  writeLog(input, '2026-01-13/a.jsonl', GOOD);
  writeLog(input, '2026-01-13/b.jsonl', LIST);
  writeLog(input, '2026-01-14/c.jsonl', GOOD);
  return { input, out: join(folder, 'out') };
}

const linesOf = (out: string, file: string) =>
  readFileSync(join(out, file), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const read = (out: string, file: string) => JSON.parse(readFileSync(join(out, file), 'utf8'));
const shardsIn = (out: string) =>
  (readdirSync(join(out, 'data'), { recursive: true }) as string[])
    .filter((name) => name.includes('.'))
    .sort();

describe('several formats in one pass', () => {
  test('have a folder each, and a session that one format refuses is written in the others', async () => {
    const { input, out } = logs();
    const { status, stderr } = await turnmill(['build', input, '--out', out, ...FORMATS]);
    expect(status).toBe(3);
    expect(stderr).toContain('trl: 2 records, 1 refused: arguments-not-object');
    expect(shardsIn(out)).toEqual([
      'chat/2026-01-13-00000.jsonl',
      'chat/2026-01-14-00000.jsonl',
      'openai/2026-01-13-00000.jsonl',
      'openai/2026-01-14-00000.jsonl',
      'trl/2026-01-13-00000.jsonl',
      'trl/2026-01-14-00000.jsonl',
    ]);
    expect(linesOf(out, 'data/chat/2026-01-13-00000.jsonl')).toHaveLength(2);
    expect(linesOf(out, 'data/trl/2026-01-13-00000.jsonl')).toHaveLength(1);
  });

  test('have the same shards as a run with one format', async () => {
    const { input, out } = logs();
    await turnmill(['build', input, '--out', out, ...FORMATS]);
    for (const format of ['chat', 'trl', 'openai']) {
      const alone = `${out}-${format}`;
      await turnmill(['build', input, '--out', alone, '--format', format]);
      for (const shard of shardsIn(alone)) {
        const one = readFileSync(join(alone, 'data', shard));
        expect(readFileSync(join(out, 'data', format, shard)).equals(one)).toBe(true);
      }
      expect(shardsIn(out).filter((name) => name.startsWith(`${format}/`))).toHaveLength(
        shardsIn(alone).length,
      );
    }
  });

  test('are counted in the ledger with what they wrote and refused', async () => {
    const { input, out } = logs();
    await turnmill(['build', input, '--out', out, ...FORMATS]);
    const { ledger, totals, settings } = read(out, 'manifest.json');
    expect(settings.format).toEqual(['chat', 'trl', 'openai']);
    expect(totals).toMatchObject({ records: 8, sessions: 3 });
    expect(ledger.sessions).toEqual({ seen: 3, written: 3 });
    expect(ledger.formats).toEqual({
      chat: { records: 3 },
      trl: { records: 2, 'refused:arguments-not-object': 1 },
      openai: { records: 3, 'consumer:reader-arguments': 1 },
    });
    const [, list] = linesOf(out, 'ledger/sessions.jsonl');
    expect(list).toMatchObject({
      fate: 'written',
      records: [
        { format: 'chat', shard: 'data/chat/2026-01-13-00000.jsonl', line: 2 },
        { format: 'openai', shard: 'data/openai/2026-01-13-00000.jsonl', line: 2 },
      ],
      refused: [{ format: 'trl', reason: 'arguments-not-object' }],
    });
    expect(linesOf(out, 'quarantine/rejected.jsonl')).toMatchObject([
      {
        ...{ scope: 'record', format: 'trl', reason: 'arguments-not-object', stage: 'format' },
        ...{ source: { uri: '2026-01-13/b.jsonl' }, line: 1, byte_start: 0, byte_end: LIST[0]?.length },
      },
    ]);
  });

  test('report a finding of the session once, and one of a format under its name', async () => {
    const { input, out } = logs();
    writeLog(input, '2026-01-14/d.jsonl', [
      entry({ reply: { ...call(''), tool_calls: [...call('').tool_calls, 1] } }),
    ]);
    await turnmill(['build', join(input, '2026-01-14/d.jsonl'), '--out', out, ...FORMATS]);
    const found = linesOf(out, 'reports/integrity.jsonl').map(({ rule, message }) => `${rule} ${message}`);
    expect(found.filter((text) => text.startsWith('tool-call-not-object'))).toHaveLength(1);
    expect(found.some((text) => text.startsWith('empty-arguments trl: '))).toBe(true);
    expect(new Set(found).size).toBe(found.length);
  });

  test('reject a session that all of them refuse', async () => {
    const { input, out } = logs();
    const { status } = await turnmill([
      'build',
      input,
      '--out',
      out,
      '--format',
      'trl',
      '--format',
      'axolotl',
    ]);
    expect(status).toBe(3);
    const { ledger } = read(out, 'manifest.json');
    expect(ledger.sessions).toEqual({ rejected: 1, seen: 3, written: 2 });
    expect(ledger.formats).toEqual({ trl: { records: 2 }, axolotl: { records: 2 } });
    expect(ledger.fates['rejected:arguments-not-object']).toBe(1);
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  test('stop at a record that one of them refuses with --on-reject fail', async () => {
    const { input, out } = logs();
    const { status } = await turnmill(['build', input, '--out', out, ...FORMATS, '--on-reject', 'fail']);
    expect([status, existsSync(out)]).toEqual([65, false]);
  });

  test.each(['none', 'gzip'])('are verified, compress %s, and damage is found', async (compress) => {
    const { input, out } = logs();
    await turnmill(['build', input, '--out', out, ...FORMATS, '--compress', compress]);
    expect((await turnmill(['verify', out])).status).toBe(0);
    mkdirSync(join(out, 'data/other'));
    expect((await turnmill(['verify', out])).stdout.toString()).toContain('data/other');
    rmSync(join(out, 'data/other'), { recursive: true });
    writeFileSync(join(out, 'data/trl/x.jsonl'), '');
    expect((await turnmill(['verify', out])).stdout.toString()).toContain('data/trl/x.jsonl');
  });

  test('fail verify when the sessions do not mention a refused record', async () => {
    const { input, out } = logs();
    await turnmill(['build', input, '--out', out, ...FORMATS]);
    const file = join(out, 'ledger/sessions.jsonl');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('"format":"trl","reason"', '"format":"chat","reason"'));
    const { status, stdout } = await turnmill(['verify', out]);
    expect(status).toBe(65);
    expect(stdout.toString()).toContain('formats of records and refused');
    expect(stdout.toString()).toContain('ledger.formats.trl');
  });

  test('are explained: the refused record, and the places of the others', async () => {
    const { input, out } = logs();
    await turnmill(['build', input, '--out', out, ...FORMATS]);
    const where = '2026-01-13/b.jsonl:1';
    const { status, stdout } = await turnmill(['explain', where, '--root', input, '--in', out, ...FORMATS]);
    expect(status).toBe(0);
    expect(stdout.toString()).toContain(`${out}/data/chat/2026-01-13-00000.jsonl:2; ${out}/data/openai/`);
    expect(stdout.toString()).toMatch(/refused +arguments-not-object: trl: messages/);
  });

  test('are refused for standard output, and when one is named twice', async () => {
    const { input, out } = logs();
    const toStdout = await turnmill(['build', input, '--out', '-', ...FORMATS]);
    expect([toStdout.status, toStdout.stdout.length]).toEqual([64, 0]);
    expect(toStdout.stderr).toContain('--out -');
    const twice = await turnmill(['build', input, '--out', out, '--format', 'trl', '--format', 'trl']);
    expect([twice.status, existsSync(out)]).toEqual([64, false]);
  });

  test('are written with the same bytes by any number of workers', async () => {
    const { input, out } = logs();
    const hashes = [];
    for (const workers of ['1', '3']) {
      await turnmill(['build', input, '--out', out + workers, ...FORMATS, '--workers', workers]);
      hashes.push(hashesOf(out + workers));
    }
    expect(hashes[0]).toEqual(hashes[1]);
    expect(Object.keys(hashes[0] ?? {})).toContain('data/trl/2026-01-14-00000.jsonl');
  });
});
