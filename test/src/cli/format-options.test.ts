import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const logIn = (folder: string): string => writeLog(folder, 'a.jsonl', [entry({ tools: [{ name: 'f' }] })]);
const log = (): string => logIn(temporaryFolder());

describe('options of formats', () => {
  test.each<[string[], string]>([
    [['--format', 'functiongemma', '--bos'], '{"text":"<bos><start_of_turn>'],
    [['--format', 'functiongemma', '--prompt-completion'], '{"prompt":"<start_of_turn>'],
    [['--format', 'functiongemma', '--trigger', 'Call these:'], 'Call these:<start_function_declaration>'],
    [['--format', 'trl', '--arrow-safe'], String.raw`"tools":"[{\"type\":\"function\"`],
    [['--format', 'axolotl', '--no-arrow-safe'], '"tools":[{"type":"function"'],
    [['--format', 'axolotl'], '"tools":"['],
  ])('%j', async (flags, part) => {
    const out = join(temporaryFolder(), 'out');
    const { status } = await turnmill(['build', log(), '--out', out, ...flags]);
    expect(status).toBe(0);
    const [shard] = readdirSync(join(out, 'data'));
    expect(readFileSync(join(out, 'data', shard as string), 'utf8')).toContain(part);
  });

  test.each<[string[], string]>([
    [['--bos'], '--bos: it is an option of functiongemma, and --format is chat'],
    [
      ['--format', 'sharegpt', '--format', 'functiongemma', '--arrow-safe'],
      '--arrow-safe: it is an option of',
    ],
    [['--format', 'functiongemma', '--trigger='], '--trigger: needs a value'],
    [['--format', 'functiongemma', '--bos=yes'], '--bos takes no value'],
  ])('%j is refused', async (flags, problem) => {
    const folder = temporaryFolder();
    const { status, stderr } = await turnmill([
      'build',
      logIn(folder),
      '--out',
      join(folder, 'out'),
      ...flags,
    ]);
    expect(status).toBe(64);
    expect(stderr).toContain(problem);
  });

  test('are read from a configuration file and written to the manifest', async () => {
    const folder = temporaryFolder();
    const [config, out] = [join(folder, 'c.json'), join(folder, 'out')];
    writeFileSync(
      config,
      JSON.stringify({ format: ['functiongemma', 'trl'], trigger: 'T:', arrowSafe: true }),
    );
    const { status } = await turnmill(['build', logIn(folder), '--out', out, '--config', config, '--bos']);
    expect(status).toBe(0);
    const { settings } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(settings.formatOptions).toEqual({ arrowSafe: true, bos: true, trigger: 'T:' });
  });

  test('--prompt-header begins each prompt with the text of a file, and the manifest has only its hash', async () => {
    const folder = temporaryFolder();
    const [header, config] = [join(folder, 'header.txt'), join(folder, 'c.json')];
    writeFileSync(header, 'You are Ada.\nAnswer in verse.\n');
    writeFileSync(config, JSON.stringify({ format: 'prompt', promptHeader: header }));
    const built = async (name: string, args: readonly string[]) => {
      const out = join(folder, name);
      expect((await turnmill(['build', logIn(join(folder, 'logs')), '--out', out, ...args])).status).toBe(0);
      const { settings, settings_sha256: hash } = JSON.parse(
        readFileSync(join(out, 'manifest.json'), 'utf8'),
      );
      const [shard] = readdirSync(join(out, 'data'));
      const { prompt } = JSON.parse(readFileSync(join(out, 'data', shard as string), 'utf8'));
      return { settings, hash, prompt: prompt as string };
    };
    const flags = ['--format', 'prompt', '--prompt-header', header];
    const byFlag = await built('flag', flags);
    expect(byFlag.prompt).toMatch(/^You are Ada\.\nAnswer in verse\.\n\nTools:\n/);
    expect(byFlag.prompt).not.toContain('RESPONSE FORMAT');
    const promptHeaderSha256 = createHash('sha256').update('You are Ada.\nAnswer in verse.').digest('hex');
    expect(byFlag.settings.formatOptions).toEqual({ promptHeaderSha256 });
    expect(JSON.stringify(byFlag.settings)).not.toContain('Ada');
    expect(await built('config', ['--config', config])).toEqual(byFlag);
    const plain = await built('plain', ['--format', 'prompt']);
    expect(plain.prompt).toMatch(/^RESPONSE FORMAT\n/);
    expect(plain.settings.formatOptions).toEqual({});
    writeFileSync(header, 'You are Eve.');
    const changed = await turnmill([
      'build',
      join(folder, 'logs'),
      '--update',
      join(folder, 'flag'),
      ...flags,
    ]);
    expect([changed.status, changed.stderr]).toEqual([0, expect.stringContaining('formatOptions')]);
  });

  test.each([
    ['a format that has no header', 'chat', 'h.txt', 'it is an option of prompt'],
    ['a file that is not there', 'prompt', 'none.txt', 'cannot read'],
    ['a file that is not UTF-8', 'prompt', 'bad.txt', 'is not UTF-8'],
  ])('--prompt-header with %s is a usage error', async (_what, format, file, problem) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'h.txt'), 'x');
    writeFileSync(join(folder, 'bad.txt'), Buffer.from([0xff]));
    const args = ['--format', format, '--prompt-header', join(folder, file)];
    const { status, stderr } = await turnmill([
      'build',
      logIn(folder),
      '--out',
      join(folder, 'out'),
      ...args,
    ]);
    expect(status).toBe(64);
    expect(stderr).toContain(problem);
  });
});
