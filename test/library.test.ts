/**
 * The package as npm packs it, installed into an empty project: its files, its command, and the examples of README.md and the pages about
 * the library, which are compiled in strict mode and run. A fake S3 client serves the logs of examples/ as its bucket.
 */
import { execFileSync, spawnSync } from 'node:child_process';
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
import { basename, dirname, join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const PAGES = [
  'library',
  'reference/library-plug-ins',
  'reference/library-datasets',
  'reference/library-texts',
];
const page = PAGES.map((name) => readFileSync(join(root, `docs/${name}.md`), 'utf8')).join('\n');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
/** Each example and the output that the page shows for it; the one of README.md prints nothing. */
const shown = [
  ...page.matchAll(/^```ts\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/gm),
  ...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm),
].map(([, code, output = '']) => ({ code: code as string, output }));
const examples = shown.map(({ code }) => code);
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** Fake of the part of the S3 client that the page uses; `Body` is a Node Readable. */
const S3 = {
  'package.json': '{"name":"@aws-sdk/client-s3","type":"module","types":"index.d.ts","main":"index.js"}',
  'index.d.ts': `import type { Readable } from 'node:stream';
    export interface Where { readonly Bucket: string; readonly Key: string }
    export class GetObjectCommand { constructor(where: Where); readonly where: Where }
    export class S3Client {
      constructor(options: object);
      send(command: GetObjectCommand): Promise<{ Body?: Readable | Blob }>;
    }`,
  'index.js': `import { createReadStream } from 'node:fs';
    export class GetObjectCommand { constructor(where) { this.where = where; } }
    export class S3Client {
      async send({ where: { Bucket, Key } }) { return { Body: createReadStream(Bucket + '/' + Key, { highWaterMark: 1000 }) }; }
    }`,
};

/** Limit of files in the package, which had 1,178 without bundles. */
const MAX_FILES = 250;

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

let project: string;
let packedFiles: readonly string[];

/** Packs the package and unpacks it in the project, with links to its dependencies. */
function install(): void {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  ) as [Packed];
  packedFiles = packed.files.map(({ path }) => path);
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, 'turnmill'), { recursive: true });
  execFileSync('tar', [
    ...['-xzf', join(project, packed.filename)],
    ...['-C', join(modules, 'turnmill'), '--strip-components=1'],
  ]);
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of [...Object.keys(dependencies), '@types']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  mkdirSync(join(modules, '@aws-sdk/client-s3'), { recursive: true });
  for (const [name, text] of Object.entries(S3))
    writeFileSync(join(modules, '@aws-sdk/client-s3', name), text);
}

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'turnmill-library-'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  install();
  symlinkSync(join(root, 'examples'), join(project, 'examples'));
  const log = (name: string): Buffer => readFileSync(join(root, 'examples/logs', name));
  const [first = '', second = ''] = readdirSync(join(root, 'examples/logs/2026-01-13')).filter((name) =>
    name.endsWith('.jsonl'),
  );
  mkdirSync(join(project, 'my-logs/2026-01-13'), { recursive: true });
  mkdirSync(join(project, 'my-logs/2026-01-14'));
  writeFileSync(join(project, 'my-logs/2026-01-13/session-a.jsonl.gz'), gzipSync(log(`2026-01-13/${first}`)));
  writeFileSync(join(project, 'my-logs/2026-01-14/session-b.jsonl'), log(`2026-01-13/${second}`));
  for (const [i, example] of examples.entries()) writeFileSync(join(project, `example-${i}.ts`), example);
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { strict: true, target: 'es2023', module: 'nodenext', types: ['node'], rootDir: '.' },
      include: ['*.ts'],
    }),
  );
});
afterAll(() => rmSync(project, { recursive: true }));

/** Runs the installed command in the project. */
function turnmill(...args: string[]): { stdout: string; stderr: string; status: number | null } {
  const { bin } = JSON.parse(readFileSync(join(project, 'node_modules/turnmill/package.json'), 'utf8'));
  const command = join(project, 'node_modules/turnmill', bin.turnmill);
  return spawnSync(process.execPath, [command, ...args], { cwd: project, encoding: 'utf8' });
}

function run(example: number): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, [join(project, `example-${example}.js`)], {
    cwd: project,
    encoding: 'utf8',
  });
}

describe('the packed package', () => {
  it('consists of three bundles, the viewer page, one file of declarations, the docs and few other files', () => {
    expect(packedFiles.length).toBeLessThanOrEqual(MAX_FILES);
    const code = packedFiles.filter((path) => path.startsWith('dist/'));
    expect(code.filter((path) => !path.startsWith('dist/package/'))).toEqual([]);
    const named = code.filter((path) => !/-[\w-]{8}\.c?js$/.test(path)).map((path) => basename(path));
    expect(named.sort()).toEqual([
      ...['LICENSES.txt', 'bin.js', 'index.d.ts', 'index.js', 'package.json', 'view-app.js', 'worker.js'],
    ]);
    expect(packedFiles).toEqual(expect.arrayContaining(['docs/library.md', 'docs/reference/dialects.md']));
    expect(packedFiles.filter((path) => /^docs\/(?:contributing|shots)\//.test(path))).toEqual([]);
  });

  it('includes the licences of the bundled packages', () => {
    const text = readFileSync(join(project, 'node_modules/turnmill/dist/package/LICENSES.txt'), 'utf8');
    expect(text).toMatch(/^yargs 18\.\d+\.\d+\n\nMIT License/m);
    expect(text).toMatch(/^yargs-parser \d/m);
    expect(text).not.toMatch(/^string-width /m);
  });

  it('has a command that builds the same with two workers as with one', () => {
    const build = (out: string, workers: string) =>
      turnmill('build', 'examples/logs', '--out', out, '--workers', workers);
    expect(build('one-worker', '1').status).toBe(3); // some example logs are broken on purpose
    expect(build('two-workers', '2').status).toBe(3);
    const manifest = (out: string) => JSON.parse(readFileSync(join(project, out, 'manifest.json'), 'utf8'));
    expect(manifest('two-workers').sums).toEqual(manifest('one-worker').sums);
    expect(turnmill('verify', 'two-workers').status).toBe(0);
  });

  it('has a library that starts its worker threads', () => {
    writeFileSync(
      join(project, 'two-workers.mjs'),
      `import { build } from 'turnmill';
       const { sums } = await build({ inputs: ['examples/logs'], out: 'library-two', workers: 2 });
       console.log(sums.records);`,
    );
    const { stdout, stderr, status } = spawnSync(process.execPath, ['two-workers.mjs'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(Number(stdout)).toBeGreaterThan(0);
  });
});

describe('the pages about the library, with the packed package', () => {
  it('compiles', () => {
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
    expect(examples).toHaveLength(page.split('```ts\n').length); // each has output and is run below
  });

  it('mentions every exported function, class and registry; docs/contributing/data-model.md lists the placed stages', async () => {
    const exported = Object.keys(await import('../src/index.ts'));
    expect(exported.length).toBeGreaterThan(50);
    const code = examples.join('\n');
    const placed = Object.keys(await import('../transforms/stages/library.ts'));
    const missing = (name: string): boolean =>
      !placed.includes(name) && !new RegExp(`\\b${name}\\b`).test(code);
    expect(exported.filter(missing)).toEqual([]);
    expect(missing('exportedNowhere')).toBe(true);
  });

  it('builds a dataset', () => {
    const { stdout, stderr, status } = run(0);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout).toMatch(/^2 shards, 10 records, 10 rejections\n$/);
    expect(stdout).toBe(shown[0]?.output);
    expect(readdirSync(join(project, 'dataset'))).toContain('manifest.json');
    const again = run(0);
    expect(again.stderr).toMatch(/^cannot-create: /);
  });

  it('reads objects of S3', () => {
    const { stdout, stderr, status } = run(3);
    expect({ stdout, stderr, status }).toEqual({ stdout: '2 records\n', stderr: '', status: 0 });
    const sources = readFileSync(join(project, 'from-s3/ledger/sources.jsonl'), 'utf8').trim().split('\n');
    expect(sources.map((line) => JSON.parse(line))).toMatchObject([
      { source: '2026-01-13/session-a.jsonl.gz', status: 'read', compression: 'gzip' },
      { source: '2026-01-14/session-b.jsonl', status: 'read', compression: 'none' },
    ]);
    expect(turnmill('verify', 'from-s3').status).toBe(0);
  });

  it('writes shards and lines at the end of a pipeline', () => {
    const { stdout, stderr, status } = run(5);
    const shard = 'data/2026-01-13-00000.jsonl.gz';
    expect({ stdout, stderr, status }).toEqual({ stdout: `${shard}: 1\n`, stderr: '', status: 0 });
    const record = gunzipSync(readFileSync(join(project, 'shards', shard))).toString();
    expect(Object.keys(JSON.parse(record))).toEqual(['messages', 'tools']);
    expect(readFileSync(join(project, 'rejections.jsonl'), 'utf8')).toBe('');
  });

  it.each(
    shown.map(({ output }, i) => ({ i, output })).filter(({ i }) => i === 1 || i === 2 || i === 4 || i > 5),
  )('example $i prints the output on the page', ({ i, output }) => {
    const { stdout, stderr, status } = run(i);
    expect({ stdout, stderr, status }).toEqual({ stdout: output, stderr: '', status: 0 });
  });

  it('writes the record of the log that README.md reads', () => {
    const record = readFileSync(join(project, 'piped/data/2026-01-13-00000.jsonl'), 'utf8');
    expect(record).toContain('get_quote');
    expect(record.trimEnd().split('\n')).toHaveLength(1);
  });
});
