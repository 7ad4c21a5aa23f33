/** Runs the commands in README.md and in the pages for users, in their order. */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const bin = join(root, 'dist/package/bin.js');
/** Commands that need a network, a bucket or a fresh clone; `npm run test:loaders` runs those of publish.md. */
const NOT_HERE = /^(?:aws|duckdb|git|hf|npm|python|xz|zstd) /;

const read = (page: string): string => readFileSync(join(root, page), 'utf8');

const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] as string,
  );

interface Command {
  readonly line: string;
  readonly status: number;
}

/** Commands of a block, one on each line; `# exit status N` at the end is the expected status. */
const commandsOf = (page: string): readonly Command[] =>
  blocks(page, 'sh')
    .flatMap((block) => block.split('\n'))
    .filter(
      (line) =>
        line.trim() !== '' && !line.startsWith('#') && !NOT_HERE.test(line) && !line.includes('s3://'),
    )
    .map((line) => ({ line, status: Number(/# exit status (\d+)/.exec(line)?.[1] ?? 0) }));

let folder: string;
/** Output of each command that has run, by page and line. */
const printed = new Map<string, string>();

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnmill-readme-'));
  writeFileSync(join(folder, 'turnmill'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Each page runs in a separate folder with the examples. */
function folderOf(page: string): string {
  const own = join(folder, page.replaceAll('/', '-'));
  mkdirSync(own, { recursive: true });
  try {
    symlinkSync(join(root, 'examples'), join(own, 'examples'));
  } catch {
    return own; // an earlier command of the page has created it
  }
  for (const [, name = '', text = ''] of read(page).matchAll(/^<!-- file: (\S+) -->\n\n```\w+\n([^`]*)```/gm))
    writeFileSync(join(own, name), text);
  return own;
}

describe.each([
  ['README.md', 6],
  ['docs/quickstart.md', 7],
  ['docs/reading-logs.md', 5],
  ['docs/choosing-a-format.md', 6],
  ['docs/cleaning.md', 10],
  ['docs/dataset.md', 2],
  ['docs/nightly.md', 4],
  ['docs/copies.md', 3],
  ['docs/many-machines.md', 6],
  ['docs/publish.md', 5],
])('%s', (page, atLeast) => {
  const commands = commandsOf(page);

  it('has commands to run', () => {
    expect(commands.length).toBeGreaterThanOrEqual(atLeast);
    expect(commands.every(({ line }) => /turnmill|^(?:head|printf) /.test(line))).toBe(true);
  });

  it.each(commands)('$line', ({ line, status }) => {
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const run = spawnSync('bash', ['-o', 'pipefail', '-c', line], {
      cwd: folderOf(page),
      env,
      encoding: 'utf8',
    });
    // a page may show the same command again, after it has changed what the command reads
    printed.set(`${page} ${line}`, `${printed.get(`${page} ${line}`) ?? ''}${run.stdout}${run.stderr}`);
    expect({ status: run.status, errors: run.status === status ? '' : run.stderr }).toEqual({
      status,
      errors: '',
    });
  });
});

describe('commands on every page for users, also those that cannot run here', () => {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.startsWith('contributing/'))
    .map((path) => `docs/${path}`);
  /** The part of docs/cli.md about each command, by name. */
  const help = new Map(
    read('docs/cli.md')
      .split(/^## turnmill /m)
      .slice(1)
      .map((section) => [/^\w+/.exec(section)?.[0], section]),
  );
  /** Options that a command line has and its command does not. */
  const unknownIn = (line: string): readonly string[] =>
    [...line.replace(/\s#.*/, '').matchAll(/\bturnmill ([a-z]+)([^|&;]*)/g)].flatMap(
      ([, command, rest = '']) => {
        const section = help.get(command);
        if (section === undefined) return [`turnmill ${command}`];
        const flags = [...rest.matchAll(/(?<=\s)--[a-z0-9-]+/g)].map(([flag]) => flag);
        return flags.filter((flag) => !new RegExp(`[ ,]${flag}(?![a-z0-9-])`).test(section));
      },
    );
  const lines = (page: string): readonly string[] => [
    ...blocks(page, 'sh').flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')),
    ...[...read(page).matchAll(/`(turnmill [^`\n]+)`/g)].map(([, line]) => line as string),
  ];

  it.each(['README.md', ...docs])('%s names options that there are', (page) => {
    expect(lines(page).flatMap(unknownIn)).toEqual([]);
  });

  it('are found', () => {
    expect(['README.md', ...docs].flatMap(lines).length).toBeGreaterThan(100);
    expect(unknownIn('turnmill build logs --out x --no-such --replace')).toEqual(['--no-such']);
    expect(unknownIn('turnmill bild logs')).toEqual(['turnmill bild']);
  });
});

describe('the output that README.md shows', () => {
  it('is the output of its first command', () => {
    const output = printed.get(`README.md ${commandsOf('README.md')[0]?.line}`) ?? '';
    const [shown = ''] = blocks('README.md', 'text');
    const [sentence = '', , , ...others] = shown.split('\n'); // the line of the records names the folder
    const lines = [sentence, ...others.slice(0, -2)];
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(output.split('\n')).toContain(line);
  });
});

describe('the dataset of README.md that is fit to share', () => {
  it('has the splits and names that its output shows, and nothing that verify finds', () => {
    const { line } = commandsOf('README.md').find((command) => command.line.includes('--split')) as Command;
    const shown = blocks('README.md', 'text').at(-1) ?? '';
    const [splits, rewrites, rows = ''] = shown.split('\n');
    const output = printed.get(`README.md ${line}`) ?? '';
    expect(output.split('\n')).toEqual(expect.arrayContaining([splits, rewrites]));
    const rowsOf = (split: string): number => {
      const data = join(folderOf('README.md'), 'fit/data', split);
      return readFileSync(join(data, '2026-01-14-00000.jsonl'), 'utf8').trim().split('\n').length;
    };
    expect(rows).toBe(`{'train': ${rowsOf('train')}, 'test': ${rowsOf('test')}}`);
    const verified = spawnSync(join(folder, 'turnmill'), ['verify', 'fit', '--redacted'], {
      cwd: folderOf('README.md'),
      encoding: 'utf8',
    });
    expect([verified.status, verified.stdout]).toEqual([0, expect.stringContaining('no problems')]);
  });
});

describe('pages that are read in full', () => {
  it.each(['README.md', 'CONTRIBUTING.md'])('%s has at most 120 lines', (page) => {
    expect(read(page).split('\n').length - 1).toBeLessThanOrEqual(120);
  });
});

it.each([
  ['docs/reading-logs.md', 1],
  ['docs/cleaning.md', 2],
])('%s shows what its commands have printed', (page, atLeast) => {
  const pairs = [
    ...read(page).matchAll(/^```sh\n([^`]*)```\n(?:\n[^`\n|-][^\n]*\n)?\n```text\n([^`]*)```/gm),
  ];
  expect(pairs.length).toBeGreaterThanOrEqual(atLeast);
  for (const [, block = '', shown = ''] of pairs) {
    const outputs = block
      .trimEnd()
      .split('\n')
      .map((line) => printed.get(`${page} ${line}`));
    expect(outputs.join('')).toContain(shown);
  }
});

it('docs/copies.md shows what explain prints about a contained session', () => {
  const last = commandsOf('docs/copies.md').at(-1)?.line;
  const [shown] = blocks('docs/copies.md', 'text');
  expect(printed.get(`docs/copies.md ${last}`)).toContain(shown);
});

const PAGES = ['README.md', 'docs/quickstart.md', 'docs/nightly.md', 'docs/view.md'];

it.each([...PAGES, 'docs/choosing-a-format.md', 'docs/cleaning.md', 'docs/copies.md', 'docs/dataset.md'])(
  'git ignores what the commands of %s write in a clone',
  (page) => {
    const ignored = read('.gitignore').split('\n');
    const written = [
      ...read(page).matchAll(/turnmill [^`\n]*?(?:--(?:out|update|into|export)|>) (?<name>[a-z][\w.-]*)/g),
    ].map(({ groups }) => groups?.name as string);
    expect(written.length).toBeGreaterThan(0);
    for (const name of written) expect(ignored).toContain(name.includes('.') ? `/${name}` : `/${name}/`);
  },
);
