/** What README.md shows is run: its library example is compiled and run, its commands are run in order. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const bin = join(root, 'dist/package/bin.js');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** Commands that need a network, a bucket or a fresh clone. */
const NOT_HERE = /^(?:aws|git|npm|xz|zstd) /;

const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] as string,
  );

interface Command {
  readonly line: string;
  readonly status: number;
}

/** One command a line; `# exit status N` behind it says how it ends. */
const commands: readonly Command[] = blocks('sh')
  .flatMap((block) => block.split('\n'))
  .filter((line) => line.trim() !== '' && !line.startsWith('#') && !NOT_HERE.test(line))
  .map((line) => ({ line, status: Number(/# exit status (\d+)/.exec(line)?.[1] ?? 0) }));

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnmill-readme-'));
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  writeFileSync(join(folder, 'turnmill'), `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`, {
    mode: 0o755,
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('README.md', () => {
  it('has commands to run', () => {
    expect(commands.length).toBeGreaterThanOrEqual(5);
    expect(commands.every(({ line }) => line.includes('turnmill'))).toBe(true);
  });

  it.each(commands)('$line', ({ line, status }) => {
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const run = spawnSync('bash', ['-o', 'pipefail', '-c', line], { cwd: folder, env, encoding: 'utf8' });
    expect({ status: run.status, told: run.status === status ? '' : run.stderr }).toEqual({
      status,
      told: '',
    });
  });

  it('has a library example that compiles, runs and writes records', () => {
    const [example, ...others] = blocks('ts');
    expect(others).toEqual([]);
    // `turnmill` is the package itself, as its exports have it
    const compiled = join(folder, 'example');
    mkdirSync(join(compiled, 'node_modules'), { recursive: true });
    symlinkSync(root, join(compiled, 'node_modules/turnmill'));
    symlinkSync(join(root, 'node_modules/@types'), join(compiled, 'node_modules/@types'));
    writeFileSync(join(compiled, 'package.json'), '{"type":"module"}');
    writeFileSync(join(compiled, 'example.ts'), example as string);
    const options = { strict: true, target: 'es2023', module: 'nodenext', types: ['node'], rootDir: '.' };
    writeFileSync(
      join(compiled, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['example.ts'] }),
    );

    const build = spawnSync(process.execPath, [tsc, '-p', compiled], { cwd: root, encoding: 'utf8' });
    expect(build.stdout).toBe('');
    expect(build.status).toBe(0);

    const run = spawnSync(process.execPath, [join(compiled, 'example.js')], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    const records = readFileSync(join(folder, 'records.jsonl'), 'utf8').trimEnd().split('\n');
    expect(records.map((line) => Object.keys(JSON.parse(line)))).toEqual([['messages', 'tools']]);
  });
});
