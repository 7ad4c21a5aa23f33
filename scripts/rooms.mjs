// Prints the structure of a checkout: the rooms (folders) of src/ and transforms/ with their files, lines and floors (the longest import
// chain inside a room), import cycles, pairs of rooms that import each other, and the number of long functions. DIR can be another
// checkout, such as an earlier commit.
//   npm run rooms [-- DIR]
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const support = fileURLToPath(new URL('../test/support/', import.meta.url));

/** Imports a module of the architecture test, which is written in TypeScript. */
async function load(name) {
  const folder = mkdtempSync(join(fileURLToPath(new URL('../dist/', import.meta.url)), 'rooms-'));
  try {
    const bundle = await rolldown({ input: join(support, `${name}.ts`), external: /^(?:node:|rolldown)/ });
    await bundle.write({ dir: folder, entryFileNames: 'module.mjs' });
    return await import(pathToFileURL(join(folder, 'module.mjs')).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { circlesOf, roomArrows, roomSizes } = await load('layers');
const { functionLengths } = await load('function-lengths');

const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
const files = ['src', 'transforms']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  .filter((file) => /\.tsx?$/.test(file))
  .sort();
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const textOf = (file) => texts.get(file);
const linesOf = (some) => some.reduce((sum, file) => sum + textOf(file).split('\n').length - 1, 0);

const print = (text) => process.stdout.write(`${text}\n`);
for (const { room, files: count, lines, floors } of roomSizes(files, textOf))
  print(`${room}: ${count} files, ${lines} lines, ${floors} floors`);
for (const folder of ['src', 'transforms']) {
  const own = files.filter((file) => file.startsWith(`${folder}/`));
  print(`${folder}/: ${own.length} files, ${linesOf(own)} lines`);
}
const circles = circlesOf(files, textOf);
print(`circles of imports, types included: ${circles.length}`);
for (const circle of circles) print(`  ${circle.join(' ')}`);
const arrows = roomArrows(files, textOf);
const back = [...arrows.keys()].filter((arrow) => arrows.has(arrow.split(' -> ').reverse().join(' -> ')));
print(`arrows between rooms: ${arrows.size}, of which both ways: ${back.join(', ') || 'none'}`);
const functions = files.flatMap((file) =>
  functionLengths(textOf(file), file.endsWith('x') ? 'tsx' : 'ts').map((length) => ({ file, ...length })),
);
const longer = (limit) => functions.filter(({ lines }) => lines > limit);
print(
  `functions: ${functions.length}; over 40 lines: ${longer(40).length}; over 60: ${longer(60).length}; over 80: ${longer(80).length}`,
);
for (const { file, name, lines } of longer(80)) print(`  ${file} ${name} ${lines}`);
