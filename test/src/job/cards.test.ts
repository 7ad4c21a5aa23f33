/** The user's README.md in a dataset that a command replaces: a file or a link is taken along, anything else refuses the run. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionLog } from '../../support/build-logs.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { buildSlices } from '../../support/sliced-logs.ts';

interface Built {
  readonly out: string;
  readonly card: string;
  /** Runs a command that replaces the dataset. */
  replace(command: string): ReturnType<typeof turnmill>;
}

/** A dataset of two logs, to which another one has come since, and its slices. */
async function built(): Promise<Built> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  for (const id of 'ab') writeFileSync(join(logs, `${id}.jsonl`), sessionLog(id));
  expect(await turnmill(['build', logs, '--out', out, '--workers', '1'])).toMatchObject({ status: 0 });
  appendFileSync(join(logs, 'c.jsonl'), sessionLog('c'));
  const parts = await buildSlices([logs], folder, 2, {});
  const commands: Record<string, readonly string[]> = {
    'build --update': ['build', logs, '--out', out, '--update', '--workers', '1'],
    'build --replace': ['build', logs, '--out', out, '--replace', '--workers', '1'],
    'merge --replace': ['merge', ...parts, '--out', out, '--replace'],
  };
  return { out, card: join(out, 'README.md'), replace: (command) => turnmill(commands[command] ?? []) };
}

describe.each(['build --update', 'build --replace', 'merge --replace'])('%s', (command) => {
  it('keeps a card that is a relative link', async () => {
    const { out, card, replace } = await built();
    writeFileSync(join(out, '..', 'notes.md'), '# Mine');
    rmSync(card);
    symlinkSync('../notes.md', card);
    expect(await replace(command)).toMatchObject({ status: 0, stderr: expect.stringContaining('3 records') });
    expect([readlinkSync(card), readFileSync(card, 'utf8')]).toEqual(['../notes.md', '# Mine']);
  });

  it('refuses to delete a card that is a pipe, and changes nothing', async () => {
    const { out, card, replace } = await built();
    const before = readFileSync(join(out, 'manifest.json'));
    rmSync(card);
    execFileSync('mkfifo', [card]);
    const { status, stderr } = await replace(command);
    expect([status, stderr]).toEqual([
      73,
      expect.stringContaining('contains README.md, which turnmill did not write'),
    ]);
    expect(lstatSync(card).isFIFO()).toBe(true);
    expect(readFileSync(join(out, 'manifest.json'))).toEqual(before);
  });
});

describe('a card that turnmill wrote', () => {
  it('is listed in the manifest and written again', async () => {
    const { out, card, replace } = await built();
    const listed = (): readonly string[] =>
      JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).files.map(
        ({ path }: { path: string }) => path,
      );
    expect([listed()[0], readFileSync(card, 'utf8')]).toEqual([
      'README.md',
      expect.stringContaining('| `chat` | `train` | 2 | `data/*.jsonl` |'),
    ]);
    expect(await replace('build --update')).toMatchObject({ status: 0 });
    expect([listed()[0], readFileSync(card, 'utf8')]).toEqual([
      'README.md',
      expect.stringContaining('| `chat` | `train` | 3 | `data/*.jsonl` |'),
    ]);
  });

  it("is the user's once it was edited: it is kept, and no longer listed", async () => {
    const { out, card, replace } = await built();
    appendFileSync(card, 'Mine.\n');
    const edited = readFileSync(card, 'utf8');
    expect(await replace('build --update')).toMatchObject({ status: 0 });
    expect(readFileSync(card, 'utf8')).toBe(edited);
    expect(readFileSync(join(out, 'manifest.json'), 'utf8')).not.toContain('README.md');
    expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
  });
});
