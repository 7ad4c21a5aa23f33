import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const USED = [
  'biome.json',
  'dist',
  'docs',
  'examples',
  'package.json',
  'scripts',
  'src',
  'test',
  'transforms',
];

function gen(folder: string, ...args: string[]): { status: number | null; told: string } {
  const run = spawnSync(process.execPath, [join(folder, 'scripts/gen.mjs'), ...args], { encoding: 'utf8' });
  return { status: run.status, told: `${run.stdout}${run.stderr}` };
}

describe('what is made from the code', () => {
  it('is fresh: the registries of the plug-ins', () => {
    expect(gen(root, 'registries', '--check')).toEqual({ status: 0, told: '' });
  });

  it('is fresh: the pages of docs/', () => {
    expect(gen(root, 'docs', '--check')).toEqual({ status: 0, told: '' });
  });
});

describe('what is stale', () => {
  let copy: string;

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'turnmill-gen-'));
    for (const name of USED) cpSync(join(root, name), join(copy, name), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  it('is named: a plug-in that no registry knows, until npm run gen', () => {
    const plugin = readFileSync(join(copy, 'transforms/formats/chat.ts'), 'utf8');
    writeFileSync(join(copy, 'transforms/formats/another.ts'), plugin.replaceAll('chat', 'another'));
    const { status, told } = gen(copy, 'registries', '--check');
    expect(status).toBe(1);
    expect(told).toBe('stale: transforms/formats/index.ts (npm run gen)\n');

    expect(gen(copy, 'registries').status).toBe(0);
    expect(readFileSync(join(copy, 'transforms/formats/index.ts'), 'utf8')).toContain(
      "import another from './another.ts';",
    );
    expect(gen(copy, 'registries', '--check')).toEqual({ status: 0, told: '' });
  });

  it('is no plug-in without a default export', () => {
    writeFileSync(join(copy, 'transforms/rules/shared.ts'), 'export const shared = 1;\n');
    expect(gen(copy, 'registries', '--check')).toEqual({ status: 0, told: '' });
  });

  it('is named: a page that says something else than the code', () => {
    const element = join(copy, 'transforms/model/element.ts');
    writeFileSync(element, readFileSync(element, 'utf8').replace('One line of the dataset.', 'One row.'));
    const { status, told } = gen(copy, 'docs', '--check');
    expect(status).toBe(1);
    expect(told).toBe('stale: docs/data-model.md (npm run gen)\n');
  });

  it('cannot be made: a reason for passing over a file that nobody has explained', () => {
    const source = join(copy, 'src/input/sources/source.ts');
    writeFileSync(source, readFileSync(source, 'utf8').replace("| 'symlink'", "| 'too-odd' | 'symlink'"));
    const { status, told } = gen(copy, 'docs', '--check');
    expect(status).toBe(1);
    expect(told).toContain('too-odd');
  });

  it('cannot be made: a fault without a test or a reason, and a test of no fault', () => {
    const matrix = join(copy, 'test/faults/matrix.ts');
    const text = readFileSync(matrix, 'utf8');
    writeFileSync(matrix, text.replace('    F002:', "    F000: 'made up',\n    F002:"));
    expect(gen(copy, 'docs', '--check')).toMatchObject({ status: 1 });
    expect(gen(copy, 'docs', '--check').told).toContain('neither a test nor a reason');
    expect(gen(copy, 'docs', '--check').told).toContain(': F000\n');

    writeFileSync(matrix, text.replace('    F002:', '    // F002:'));
    expect(gen(copy, 'docs', '--check').told).toContain('no line in test/faults/matrix.ts: F002\n');
  });

  it('cannot be made: a dialect without an example', () => {
    rmSync(join(copy, 'examples/dialects/exchange.jsonl'));
    const { status, told } = gen(copy, 'docs', '--check');
    expect(status).toBe(1);
    expect(told).toContain('examples/dialects/ has 0 files exchange.*');
  });
});
