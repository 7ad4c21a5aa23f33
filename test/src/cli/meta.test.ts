/** `--meta` copies facts of a log that are not in its messages into the records. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { META_NAMES } from '../../../transforms/model/meta.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const example = resolve(import.meta.dirname, '../../../examples/dialects/claude-code.jsonl');
const examples = resolve(import.meta.dirname, '../../../examples/dialects');
const ASKED = 'harness,model,usage,started_at,reward';
const FACTS = {
  harness: 'claude-code',
  model: 'm',
  usage: { input_tokens: 1800, output_tokens: 48 },
  started_at: '2026-01-14T08:00:03.120Z',
  reward: null,
};

async function recordOf(input: string, flags: readonly string[]) {
  const out = join(temporaryFolder(), 'out');
  const { status, stderr } = await turnmill(['build', input, '--out', out, '--group-by', 'none', ...flags]);
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8'));
}

describe('--meta', () => {
  test.each(['chat', 'chat-inline', 'openai', 'trl', 'prompt'])('is an object in %s', async (format) => {
    expect((await recordOf(example, ['--format', format, '--meta', ASKED])).metadata).toEqual(FACTS);
  });

  test.each([
    ['axolotl', []],
    ['sharegpt', []],
    ['trl', ['--arrow-safe']],
  ])('is a string in %s with %j', async (format, flags) => {
    const { metadata } = await recordOf(example, ['--format', format, ...flags, '--meta', ASKED]);
    expect(JSON.parse(metadata)).toEqual(FACTS);
  });

  test('adds no metadata when it is off', async () => {
    expect(Object.keys(await recordOf(example, []))).toEqual(['messages', 'tools']);
  });

  test('takes the id and the time of an exchange log, but no id that was derived from a position', async () => {
    const folder = temporaryFolder();
    const flags = ['--meta', 'source_id,started_at'];
    const pairs = writeLog(folder, 'pairs.jsonl', [entry({ id: 'S7' })]);
    const started_at = '2026-01-13T12:00:00Z';
    expect((await recordOf(pairs, flags)).metadata).toEqual({ source_id: 'S7', started_at });
    const bare = writeLog(folder, 'bare.jsonl', ['{"messages":[{"role":"user","content":"a"}]}']);
    expect((await recordOf(bare, flags)).metadata).toEqual({ source_id: null, started_at: null });
    const path = writeLog(folder, 'path.jsonl', [entry({ id: '/home/ada/s' })]);
    expect((await recordOf(path, flags)).metadata).toEqual({ source_id: null, started_at });
  });

  test('the ledger and the report name the model without it, as records do with it', async () => {
    const folder = temporaryFolder();
    const asked = join(folder, 'asked');
    const plain = join(folder, 'plain');
    await turnmill(['build', examples, '--out', asked, '--meta', 'model']);
    await turnmill(['build', examples, '--out', plain]);
    const lines = (file: string) =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    const sessions = lines(join(plain, 'ledger/sessions.jsonl'));
    expect(lines(join(asked, 'ledger/sessions.jsonl')).map(({ model }) => model)).toEqual(
      sessions.map(({ model }) => model),
    );
    const counts: Record<string, number> = {};
    for (const { model, fate, shard, line } of sessions.filter((one) => one.fate === 'written')) {
      expect([fate, lines(join(asked, shard))[line - 1].metadata.model]).toEqual(['written', model ?? null]);
      if (model !== undefined) counts[model] = (counts[model] ?? 0) + 1;
    }
    const { profile } = JSON.parse(readFileSync(join(plain, 'reports/summary.json'), 'utf8'));
    expect(profile.records.models).toEqual(counts);
    expect(Object.keys(counts).length).toBeGreaterThan(1);
    expect((await turnmill(['verify', plain])).status).toBe(0);
  });

  test('adds nothing personal, whatever is requested', async () => {
    const { metadata } = await recordOf(example, ['--meta', META_NAMES.join(',')]);
    const log = readFileSync(example, 'utf8');
    for (const personal of ['/home/ada', '"main"', 'external']) {
      expect(log).toContain(personal);
      expect(JSON.stringify(metadata)).not.toContain(personal);
    }
    expect(Object.keys(metadata)).toEqual([...META_NAMES]);
  });

  test('writes datasets that verify, and is recorded in the manifest', async () => {
    const out = join(temporaryFolder(), 'out');
    const formats = ['chat', 'axolotl', 'sharegpt', 'prompt'].flatMap((name) => ['--format', name]);
    expect((await turnmill(['build', example, '--out', out, ...formats, '--meta', ASKED])).status).toBe(0);
    expect((await turnmill(['verify', out])).status).toBe(0);
    const { settings } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(settings.meta).toEqual(ASKED.split(','));
  });

  test.each([
    [['--meta', 'cwd'], "'cwd' is not one of source_id"],
    [['--meta', 'model,model'], '--meta: name each field only once'],
    [['--meta', 'model', '--format', 'samples'], '--format samples has no place for it'],
  ])('refuses %j', async (flags, problem) => {
    const { status, stderr } = await turnmill(['build', example, '--out', '-', ...flags]);
    expect(status).toBe(64);
    expect(stderr).toContain(problem);
  });
});
