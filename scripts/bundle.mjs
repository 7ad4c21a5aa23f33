// Puts the modules that the command and its worker threads load into few files: the start of a run reads and links some 280
// modules otherwise, which takes half of it (docs/decisions/0019-the-command-is-bundled.md). Of the packages only yargs, which
// every start needs, is taken in, with its licences beside it; the others stay where they are.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** Where the entries lie; a worker's file is named beside the module that starts it. */
const ENTRIES = { bin: 'src/cli/bin.js', worker: 'chunks/worker.js' };
const OUTSIDE = Object.keys(dependencies).filter((name) => name !== 'yargs');

/**
 * What measures text for the columns of the help compiles tables of Unicode as soon as it is parsed, which takes longer than the
 * rest of yargs: it has files of its own, read when it is first asked (docs/decisions/0019-the-command-is-bundled.md).
 */
const LATE = '?late';
const late = new Map(); // its modules, of which yargs and its packages have several versions, and their files
const lateStringWidth = {
  name: 'late-string-width',
  async resolveId(source, importer, options) {
    if (source !== 'string-width') return null;
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    if (found === null) throw new Error(`${importer} needs ${source}, which is not installed`);
    return `${found.id}${LATE}`;
  },
  load(id) {
    if (!id.endsWith(LATE)) return null;
    const module = id.slice(0, -LATE.length);
    const place = module.slice(module.indexOf('node_modules'));
    const file = `string-width-${createHash('sha256').update(place).digest('hex').slice(0, 8)}.cjs`;
    late.set(module, file);
    return `import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
export default (...given) => load('./${file}')(...given);`;
  },
};

const bundle = await rolldown({
  plugins: [lateStringWidth],
  input: { bin: `${dist}src/cli/bin.js`, worker: `${dist}src/engine/worker.js` },
  platform: 'node',
  external: (id) => OUTSIDE.some((name) => id === name || id.startsWith(`${name}/`)),
});
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  sourcemap: true,
  entryFileNames: ({ name }) => ENTRIES[name],
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
for (const { fileName, moduleIds = [] } of output) {
  const isBeside = fileName.startsWith('chunks/') || !moduleIds.some((id) => id.endsWith(LATE));
  if (!isBeside) throw new Error(`${fileName} loads files of chunks/ as if they lay beside it`);
}
for (const [module, file] of late) output.push(...(await writeLate(module, file)));
writeFileSync(`${dist}chunks/LICENSES.txt`, licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));

async function writeLate(input, file) {
  const one = await rolldown({ input, platform: 'node' });
  const { output: written } = await one.write({
    file: `${dist}chunks/${file}`,
    format: 'cjs',
    exports: 'default',
  });
  await one.close();
  return written;
}

/** The licence of every package that one of the modules is from. */
function licencesOf(modules) {
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []),
  );
  return [...folders].sort().map(licenceIn).join('\n');
}

function licenceIn(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence to take along`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
