/** Options of a plug-in's format: flags, keys of a configuration file, and entries in the help. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from './small-logs.ts';

const formatWith = (options: string): string => `export default {
  name: 'plain', summary: 'The roles.', options: ${options},
  encode: ({ messages }, received = {}) => ({
    bytes: Buffer.from(JSON.stringify({ received, roles: messages.map(({ role }) => role) })),
    written: messages, findings: [],
  }),
};`;
const OPTIONS = `{
  separator: { describe: 'Put this between the texts', default: ' ' },
  letterCase: { describe: 'Write letters so', default: 'as-is', choices: ['as-is', 'upper'] },
  withRoles: { describe: 'Begin with the role', default: false },
  preamble: { describe: 'Begin with this', default: '', fromFile: true },
  arrowSafe: { describe: 'For Arrow', default: true },
}`;

interface Shop {
  readonly folder: string;
  /** Runs `build` with the plug-in. */
  build(...flags: string[]): ReturnType<typeof turnmill>;
  /** Options that the format received. */
  received(): unknown;
  settings(): Record<string, unknown>;
}

function shop(options = OPTIONS): Shop {
  const folder = temporaryFolder();
  const out = join(folder, 'out');
  const log = writeLog(folder, 'a.jsonl', [entry({})]);
  writeFileSync(join(folder, 'plain.mjs'), formatWith(options));
  const plugin = ['--plugin', join(folder, 'plain.mjs')];
  return {
    folder,
    build: (...flags) => turnmill(['build', log, '--out', out, ...plugin, ...flags]),
    received() {
      const [shard] = readdirSync(join(out, 'data'));
      return JSON.parse(readFileSync(join(out, 'data', shard as string), 'utf8')).received;
    },
    settings: () => JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).settings,
  };
}

describe('an option of a plug-in format', () => {
  it('is a flag', async () => {
    const { build, received, settings } = shop();
    const flags = ['--separator', ' | ', '--with-roles', '--letter-case=upper', '--no-arrow-safe'];
    expect(await build('--format', 'plain', ...flags)).toMatchObject({ status: 0 });
    const values = { arrowSafe: false, letterCase: 'upper', separator: ' | ', withRoles: true };
    expect(received()).toEqual(values);
    expect(settings().formatOptions).toEqual(values);
  });

  it('reads a file if it is declared fromFile, and the manifest has only its hash', async () => {
    const { build, folder, received, settings } = shop();
    writeFileSync(join(folder, 'p.txt'), 'secret text\n');
    await build('--format', 'plain', '--preamble', join(folder, 'p.txt'));
    expect(received()).toEqual({ preamble: 'secret text' });
    expect(settings().formatOptions).toEqual({ preambleSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });

  it('is a key of a configuration file, which flags override', async () => {
    const { build, folder, received } = shop();
    const config = join(folder, 'c.json');
    writeFileSync(config, JSON.stringify({ format: 'plain', separator: 'a', withRoles: true }));
    expect(await build('--config', config, '--separator', 'b')).toMatchObject({ status: 0 });
    expect(received()).toEqual({ separator: 'b', withRoles: true });
  });

  it('is in the help only with its plug-in', async () => {
    const { build } = shop();
    const { stdout } = await build('--help');
    expect(String(stdout).replace(/\s+/g, ' ')).toContain(
      '--separator TEXT Put this between the texts (plain)',
    );
    expect(String(stdout)).toContain('--with-roles');
    expect(String((await turnmill(['build', '--help', '--all'])).stdout)).not.toContain('--separator');
  });

  it.each<[string[], string]>([
    [['--separator', 'x'], '--separator: it is an option of plain, and --format is chat'],
    [['--format', 'plain', '--letter-case', 'lower'], "'lower' is not one of as-is, upper"],
    [['--format', 'plain', '--with-roles=yes'], '--with-roles takes no value'],
    [['--format', 'plian'], "--format: 'plian' is not one of"],
    [['--format', 'plain', '--port', '1'], 'build does not take --port'],
  ])('is refused with %j', async (flags, problem) => {
    const { status, stderr } = await shop().build(...flags);
    expect(status).toBe(64);
    expect(stderr).toContain(problem);
  });

  it.each<[string, string]>([
    [`{ out: { describe: 'x', default: '' } }`, "has the option 'out', but --out is another option already"],
    [`{ allowEmpty: { describe: 'x', default: false } }`, "has the option 'allowEmpty'"],
    [`{ trigger: { describe: 'x', default: false } }`, "option 'trigger' has values of another type"],
    [
      `{ 'my-text': { describe: 'x', default: '' } }`,
      "the option 'my-text' of the format 'plain' needs a name",
    ],
    [`{ depth: { describe: 'x', default: 3 } }`, "the option 'depth' of the format 'plain' needs"],
    [`{ depth: { default: '3' } }`, "the option 'depth' of the format 'plain' needs"],
  ])('is refused when declared as %s', async (options, problem) => {
    const { status, stderr } = await shop(options).build('--format', 'plain');
    expect(status).toBe(64);
    expect(stderr).toContain(problem);
  });

  it('is not loaded by a command without --plugin', async () => {
    const { folder } = shop();
    const marker = join(folder, 'plain.mjs');
    writeFileSync(marker, `throw new Error('it was run');`);
    const { status, stderr } = await turnmill(['verify', folder, '--plugin', marker]);
    expect(status).toBe(64);
    expect(stderr).not.toContain('it was run');
  });
});
