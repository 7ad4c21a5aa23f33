/**
 * F209: a manifest that names files outside its dataset. Every command that reads a manifest rejects it with 65, and a trace shows that
 * nothing outside was opened.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { sessionLines } from '../support/plain-logs.ts';
import { bash } from '../support/shell.ts';

const COMMANDS = {
  verify: 'verify ds',
  update: 'build logs --update ds',
  replace: 'build logs --out ds --replace',
  explain: 'explain a.jsonl:2 --root logs --in ds',
  list: 'quarantine list ds',
  replay: 'quarantine replay ds --logs logs --into again',
};

const FOLDERS = ['data', 'ledger', 'quarantine', 'reports'];
const ODD_PATHS = [
  'data/../../outside.jsonl',
  'data/../data/x.jsonl',
  './data/x.jsonl',
  'data//x.jsonl',
  'data/..',
  'data\\..\\outside.jsonl',
  'data/a\0.jsonl',
  '',
];

/** A dataset `ds` built from `logs`, and a copy of its shard outside. */
async function withDataset(): Promise<{ readonly folder: string; readonly shard: string }> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'logs'));
  const lines = sessionLines('s', { entries: 2, messageChars: 80, seed: 1 });
  writeFileSync(join(folder, 'logs/a.jsonl'), `${lines.join('\n')}\n`);
  expect(await bash('turnmill build logs --out ds', { cwd: folder })).toMatchObject({ status: 0 });
  const [name] = readdirSync(join(folder, 'ds/data'));
  cpSync(join(folder, 'ds/data', String(name)), join(folder, 'outside.jsonl'));
  return { folder, shard: `data/${name}` };
}

/** Expects 65 from each command, and no change. */
async function refused(
  folder: string,
  what: string,
  commands: Partial<typeof COMMANDS> = { verify: COMMANDS.verify, update: COMMANDS.update },
): Promise<void> {
  const before = hashesOf(folder);
  for (const [name, words] of Object.entries(commands)) {
    const run = await bash(`turnmill ${words}`, { cwd: folder });
    expect(run.status, `${name} of ${what}: ${run.stderr}`).toBe(65);
    expect(run.stderr, name).toContain('nothing was opened');
    expect(hashesOf(folder), name).toEqual(before);
  }
}

faultTest(
  'F209',
  'paths that lead out of the dataset: 65 from every command that reads a manifest',
  {},
  async () => {
    const { folder, shard } = await withDataset();
    const manifest = join(folder, 'ds/manifest.json');
    const text = readFileSync(manifest, 'utf8');
    const quick = ['../outside.jsonl', join(folder, 'outside.jsonl')];
    for (const path of [...quick, ...(ALL_FAULTS ? ODD_PATHS : [])]) {
      const changed = text.replace(JSON.stringify(shard), () => JSON.stringify(path));
      expect(changed).not.toBe(text);
      writeFileSync(manifest, changed);
      await refused(folder, path);
    }
    writeFileSync(manifest, text.replace('"ledger/sources.jsonl"', '"../outside.jsonl"'));
    await refused(folder, 'a file beside the shards', COMMANDS);
  },
);

faultTest('F209', 'a folder of the dataset that links elsewhere: 65', {}, async () => {
  for (const name of ALL_FAULTS ? FOLDERS : ['data']) {
    const { folder } = await withDataset();
    renameSync(join(folder, 'ds', name), join(folder, 'elsewhere'));
    symlinkSync('../elsewhere', join(folder, 'ds', name));
    await refused(folder, name, name === 'data' ? COMMANDS : undefined);
  }
});

faultTest('F209', 'the trace shows that the outside file is not opened', { needs: ['ptrace'] }, async () => {
  const { folder, shard } = await withDataset();
  const manifest = join(folder, 'ds/manifest.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(shard, '../outside.jsonl'));
  for (const [name, words] of Object.entries(COMMANDS)) {
    const script = `strace -f -qq -o trace -e trace=openat "$NODE" "$COMMAND" ${words}; echo $?; cat trace; rm trace`;
    const { stdout } = await bash(script, { cwd: folder });
    expect(stdout.toString(), name).toMatch(/^65$/m);
    expect(stdout.toString(), name).toContain('ds/manifest.json'); // the trace works
    expect(stdout.toString(), name).not.toContain('outside.jsonl');
  }
});
