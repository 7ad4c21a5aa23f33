import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { functionLengths } from './support/function-lengths.ts';
import { circlesOf, importsOf, readHouse, roomArrows, roomSizes, violationsOf } from './support/layers.ts';

const root = resolve(import.meta.dirname, '..');
const house = readHouse(readFileSync(join(root, 'docs/contributing/architecture.md'), 'utf8'));
const rooms = house.layers.flatMap((layer) => layer.rooms);
const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
const files = ['src', 'transforms'].flatMap(filesIn);
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('dependencies point in one direction', () => {
  it('reads the tables of docs/contributing/architecture.md', () => {
    expect(house.layers.map(({ rank }) => rank)).toEqual([
      0, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 5, 6, 6, 6, 7, 7, 8, 8,
    ]);
    expect(house.doors.map(({ name }) => name)).toEqual([
      '@aws-sdk/client-s3',
      '@smithy/node-http-handler',
      '@smithy/signature-v4',
      'node:crypto',
      'node:stream',
      'node:zlib',
      'preact',
      'preact-render-to-string',
      '@preact/signals',
      '@tanstack/virtual-core',
      '@lezer/markdown',
      '@lezer/common',
      'node:http',
      'picomatch',
      'pino',
      '(computed)',
      'smol-toml',
      'split2',
      'stream-json',
      'yargs',
    ]);
    for (const room of rooms) expect(files.some((file) => file.startsWith(room))).toBe(true);
  });

  it('finds every module and its imports', () => {
    expect(files.length).toBeGreaterThan(100);
    const imports = files.flatMap((file) => importsOf(textOf(file)));
    expect(imports.length).toBeGreaterThan(3 * files.length);
    expect(imports).toContain('./worker.js');
    for (const { name } of house.doors) {
      expect(imports.some((other) => other === name || other.startsWith(`${name}/`))).toBe(true);
    }
  });

  it.each(files)('%s', (file) => {
    expect(violationsOf(house, file, textOf(file))).toEqual([]);
  });
});

describe('the import graph', () => {
  it('has no circle, types included', () => {
    expect(circlesOf(files, textOf)).toEqual([]);
    expect(circlesOf(filesIn('bench'), textOf)).toEqual([]);
  });

  it('would show a circle of type imports', () => {
    const texts: Record<string, string> = {
      'src/job/a.ts': "import { b } from './b.ts';",
      'src/job/b.ts': "import type { C } from './c.ts';",
      'src/job/c.ts': "export type { A } from './a.ts';",
      'src/job/d.ts': "import { a } from './a.ts';",
    };
    const circles = circlesOf(Object.keys(texts), (file) => texts[file] as string);
    expect(circles.map((circle) => circle.toSorted())).toEqual([
      ['src/job/a.ts', 'src/job/b.ts', 'src/job/c.ts'],
    ]);
  });

  it('has no import back from one room to another', () => {
    const arrows = roomArrows(files, textOf);
    const text = [...arrows].map(([arrow, count]) => `${arrow} ${count}`);
    process.stdout.write(`${text.join('\n')}\n`);
    expect(arrows.size).toBeGreaterThan(20);
    const both = [...arrows.keys()].filter((arrow) => arrows.has(arrow.split(' -> ').reverse().join(' -> ')));
    expect(both).toEqual([]);
  });

  it('would show an import back', () => {
    const texts: Record<string, string> = {
      'src/job/a.ts': "import type { B } from '../cli/b.ts';",
      'src/cli/b.ts': "import { a } from '../job/a.ts';",
    };
    const arrows = roomArrows(Object.keys(texts), (file) => texts[file] as string);
    expect([...arrows]).toEqual([
      ['src/cli -> src/job', 1],
      ['src/job -> src/cli', 1],
    ]);
  });

  it('has no room with more than a quarter of src/', () => {
    const sizes = roomSizes(files, textOf);
    const all = sizes.reduce((sum, { lines }) => sum + lines, 0);
    const text = sizes.map(
      ({ room, files: n, lines, floors }) => `${room} ${n} files, ${lines} lines, ${floors} floors`,
    );
    process.stdout.write(`${text.join('\n')}\n`);
    for (const { room, lines } of sizes) expect(lines, room).toBeLessThanOrEqual(all / 4);
  });
});

const MAX_LINES = 80;

describe('functions', () => {
  const tooLong = (file: string, text: string): string[] =>
    functionLengths(text, file.endsWith('x') ? 'tsx' : 'ts')
      .filter(({ lines }) => lines > MAX_LINES)
      .map(({ name }) => `${file} ${name}`);

  it(`have at most ${MAX_LINES} lines`, () => {
    expect(files.flatMap((file) => tooLong(file, textOf(file)))).toEqual([]);
  });

  it('are measured in every form', () => {
    const body = '\n'.repeat(MAX_LINES);
    for (const text of [
      `function f() {${body}}`,
      `const f = () => {${body}};`,
      `const o = { f() {${body}} };`,
      `class C { *f() {${body}} }`,
      `export const f: F = async function* () {${body}};`,
    ]) {
      expect(tooLong('x.ts', text), text).toEqual(['x.ts f']);
      expect(tooLong('x.ts', text.replace('\n', '')), text).toEqual([]);
    }
  });
});

describe('a violation is found:', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['transforms/ imports src/', 'transforms/stage.ts', "import { ioError } from '../src/errors.ts';"],
    ['transforms/ does I/O', 'transforms/rules/rule.ts', "import { readFileSync } from 'node:fs';"],
    ['a second Node stream', 'transforms/stage.ts', "import { Transform } from 'node:stream';"],
    ['a package in transforms/', 'transforms/stage.ts', "import pino from 'pino';"],
    ['a root file looks up', 'src/errors.ts', "import type { Settings } from './settings/settings.ts';"],
    ['framing knows a stage', 'src/input/x.ts', "import { parse } from '../../transforms/stages/parse.ts';"],
    ['the dataset knows settings', 'src/dataset/x.ts', "export * from '../settings/settings.ts';"],
    ['the dataset knows who drives', 'src/dataset/x.ts', "export * from '../job/build.ts';"],
    ['a type is an import too', 'src/dataset/x.ts', "type B = import('../job/build.ts').RunSummary;"],
    ['the engine knows a writer', 'src/engine/x.ts', "import { openDataset } from '../record/output.ts';"],
    ['a writer knows the engine', 'src/record/x.ts', "import { runTask } from '../engine/run-task.ts';"],
    ['the ledger knows the engine', 'src/ledger/x.ts', "import { runTask } from '../engine/run-task.ts';"],
    ['a late import', 'src/job/build.ts', "const { main } = await import('../cli/main.ts');"],
    ['a worker', 'src/workers/pool.ts', "new Worker(new URL('../cli/bin.js', import.meta.url));"],
    ['for its effect', 'src/job/build.ts', "import '../cli/bin.ts';"],
    ['over several lines', 'src/job/build.ts', "import {\n  main,\n} from '../cli/main.ts';"],
    ['a computed import', 'src/job/build.ts', 'await import(file);'],
    ['require', 'src/job/build.ts', "const fs = createRequire(import.meta.url)('node:fs');"],
    ['verify uses the framing', 'src/verify/x.ts', "import { createSlab } from '../input/framing/lines.ts';"],
    ['verify uses the ledger', 'src/verify/x.ts', "import { createLedger } from '../ledger/ledger.ts';"],
    ['a job uses verify', 'src/job/build.ts', "import { verify } from '../verify/verify.ts';"],
    ['the library imports the command', 'src/index.ts', "export { main } from './cli/main.ts';"],
    ['yargs elsewhere', 'src/index.ts', "import yargs from 'yargs/yargs';"],
    ['pino elsewhere', 'src/cli/main.ts', "import { pino } from 'pino';"],
    ['stream-json elsewhere', 'src/job/build.ts', "import x from 'stream-json/core/index.js';"],
    ['the page uses Node', 'src/view/app/state.ts', "import { join } from 'node:path';"],
    ['the page uses the server', 'src/view/app/state.ts', "import { search } from '../search.ts';"],
    ['a server elsewhere', 'src/job/view.ts', "import { createServer } from 'node:http';"],
    ['components on the main road', 'src/job/build.ts', "import { h } from 'preact';"],
    ['split2 on the main road', 'src/input/framing/lines.ts', "import split2 from 'split2';"],
    ['an unknown package', 'src/cli/main.ts', "import chalk from 'chalk';"],
    ['a file in no room', 'src/helpers/x.ts', ''],
  ];

  it.each(cases)('%s', (_name, file, text) => {
    expect(violationsOf(house, file, text)).toHaveLength(1);
  });

  it('allowed imports are accepted', () => {
    const text = [
      "import { open } from 'node:fs';",
      "import type { Line } from '../../../transforms/model/element.ts';",
      "import { SourceFault } from '../../errors.ts';",
      "const page = new URL('../../../package.json', import.meta.url);",
    ].join('\n');
    expect(violationsOf(house, 'src/input/framing/lines.ts', text)).toEqual([]);
    expect(importsOf(text)).toHaveLength(3);
  });
});
