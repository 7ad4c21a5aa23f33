import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { turnmill } from '../../support/command.ts';
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
    const { status, stdout } = await turnmill(['build', log(), '--out', '-', ...flags]);
    expect(status).toBe(0);
    expect(stdout.toString()).toContain(part);
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
    const { status, stderr } = await turnmill(['build', log(), '--out', '-', ...flags]);
    expect(status).toBe(64);
    expect(stderr).toContain(problem);
  });

  test('stand in a configuration file, and in the manifest', async () => {
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
});
