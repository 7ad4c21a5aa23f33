/** Registries and pages that `npm run gen` writes are up to date, and whatever makes them stale or impossible is reported. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');

type MakePage = (root: string) => string | Promise<string>;

/** Imports one of the page makers in scripts/gen/, which are plain JavaScript. */
async function pageMaker(module: string, name: string): Promise<MakePage> {
  const exported = await import(pathToFileURL(join(root, 'scripts/gen', module)).href);
  return exported[name] as MakePage;
}

function gen(folder: string, ...args: string[]): { status: number | null; output: string } {
  const run = spawnSync(process.execPath, [join(folder, 'scripts/gen.mjs'), ...args], { encoding: 'utf8' });
  return { status: run.status, output: `${run.stdout}${run.stderr}` };
}

describe('generated files', () => {
  it('the registries of the plug-ins are up to date', () => {
    expect(gen(root, 'registries', '--check')).toEqual({ status: 0, output: '' });
  });

  it('the pages of docs/ are up to date', () => {
    expect(gen(root, 'docs', '--check')).toEqual({ status: 0, output: '' });
  });

  it.each([
    'cli',
    'reference/dataset-files',
    'reference/dialects',
    'reference/formats',
    'reference/rejections',
  ])('docs/%s.md shows no value that its maker does not have', (page) => {
    const text = readFileSync(join(root, `docs/${page}.md`), 'utf8');
    expect(text.match(/.*(?:undefined|\[object).*/g) ?? []).toEqual([]);
  });
});

describe('in a modified copy', () => {
  let copy: string;

  beforeEach(() => {
    copy = mkdtempSync(join(tmpdir(), 'turnmill-gen-'));
  });
  afterEach(() => rmSync(copy, { recursive: true }));

  /** Copies these files and folders and links the others. */
  function prepare(copied: readonly string[], linked: readonly string[]): void {
    for (const path of copied) cpSync(join(root, path), join(copy, path), { recursive: true });
    for (const path of linked) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      symlinkSync(join(root, path), join(copy, path));
    }
  }

  function replace(path: string, from: string, to: string): void {
    const text = readFileSync(join(root, path), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(copy, path), text.replace(from, to));
  }

  it('a plug-in that is not in its registry is reported until npm run gen', () => {
    prepare(['scripts', 'transforms'], ['.gitignore', 'biome.json', 'node_modules', 'package.json']);
    const plugin = readFileSync(join(copy, 'transforms/formats/chat.ts'), 'utf8');
    writeFileSync(join(copy, 'transforms/formats/another.ts'), plugin.replaceAll('chat', 'another'));
    writeFileSync(join(copy, 'transforms/rules/shared.ts'), 'export const shared = 1;\n'); // does not make the file a plug-in
    const { status, output } = gen(copy, 'registries', '--check');
    expect(status).toBe(1);
    expect(output).toBe('stale: transforms/formats/index.ts: run npm run gen\n');

    expect(gen(copy, 'registries').status).toBe(0);
    expect(readFileSync(join(copy, 'transforms/formats/index.ts'), 'utf8')).toContain(
      "import another from './another.ts';",
    );
    expect(gen(copy, 'registries', '--check')).toEqual({ status: 0, output: '' });
  });

  it('a page that differs from the code is another page', async () => {
    prepare(['transforms/model'], ['dist', 'docs', 'examples', 'node_modules', 'package.json', 'src']);
    const page = await pageMaker('data-model-page.mjs', 'dataModelPage');
    expect(await page(copy)).toBe(await page(root));
    replace('transforms/model/element.ts', 'One line of the dataset.', 'One row.');
    expect(await page(copy)).toMatch(/^One row\.$/m);
  });

  it('a fault needs a test or a reason, and a test needs a fault', async () => {
    prepare(['test'], ['vitest.config.ts']);
    const page = await pageMaker('faults-page.mjs', 'faultsPage');
    expect(page(copy)).toBe(await page(root));

    replace('test/faults/matrix.ts', '    F002:', "    F000: 'made up',\n    F002:");
    expect(() => page(copy)).toThrow(/neither a test nor a reason.*: F000$/);

    replace('test/faults/matrix.ts', '    F002:', '    // F002:');
    expect(() => page(copy)).toThrow(/test\/faults\/matrix.ts does not list: F002$/);
  });

  it('a dialect needs an example', async () => {
    prepare(['examples/dialects'], ['dist', 'docs', 'package.json']);
    rmSync(join(copy, 'examples/dialects/exchange.jsonl'));
    const page = await pageMaker('dialects-page.mjs', 'dialectsPage');
    await expect((async () => page(copy))()).rejects.toThrow(
      'examples/dialects/ has 0 files named exchange.*',
    );
  });
});
