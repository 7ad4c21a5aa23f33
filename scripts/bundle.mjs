// Bundles the entry points of the package into dist/package/: the command, the library and the worker thread, with shared and lazily loaded
// chunks. Otherwise a run finds, reads and links some 280 modules, which takes half of its startup time
// (docs/decisions/0019-the-command-is-bundled.md). Yargs, the AWS SDK and preact, which every report needs, are bundled; the other packages
// are dependencies.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const out = join(dist, 'package');
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const BUNDLED = ['yargs', 'preact', 'preact-render-to-string'];
const external = Object.keys(dependencies).filter((name) => !BUNDLED.includes(name));

/**
 * string-width, which yargs uses for the columns of its help, compiles Unicode tables as soon as it is parsed. That takes longer than the
 * rest of yargs, so each copy gets a separate file that is read on its first call (docs/decisions/0019-the-command-is-bundled.md).
 */
const LATE = '?late';
const lateFiles = new Map(); // module to file: yargs and its packages bring several versions
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
    const path = module.slice(module.indexOf('node_modules'));
    const file = `string-width-${createHash('sha256').update(path).digest('hex').slice(0, 8)}.cjs`;
    lateFiles.set(module, file);
    return `import { createRequire } from 'node:module';
const load = createRequire(import.meta.url);
export default (...args) => load('./${file}')(...args);`;
  },
};

const RELATIVE = /['"](\.[^'"]*)['"]/;

/** The static imports of a compiled module: each import is one line there. */
function importsOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const imports = lines.filter((line) => /^(?:import|export)\b[^('"]*['"]/.test(line));
  return imports.map((line) => RELATIVE.exec(line)?.[1]).filter((path) => path?.endsWith('.js'));
}

/** The modules loaded with these ones, including themselves. */
function loadedWith(roots) {
  const loaded = new Set();
  const waiting = roots.map((path) => join(dist, path));
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(file)) continue;
    loaded.add(file);
    waiting.push(...importsOf(file).map((path) => join(dirname(file), path)));
  }
  return loaded;
}

/**
 * The modules that every run loads, in few chunks: finding, opening and linking a chunk takes as long as 10 KB of code. Help needs only the
 * first two, and the library none of the command's.
 */
const ofHelp = loadedWith(['node', 'host', 'faults', 'main'].map((name) => `src/cli/${name}.js`));
const ofRun = loadedWith(['src/cli/run-whole.js', 'src/engine/run-task.js', 'transforms/chain.js']);
const isOfCommand = (id) => id.startsWith(join(dist, 'src/cli/'));
const groups = [
  { name: 'common', priority: 4, test: (id) => ofHelp.has(id) && !isOfCommand(id) },
  { name: 'command', priority: 3, test: (id) => ofHelp.has(id) },
  { name: 'run', priority: 2, test: (id) => ofRun.has(id) && !isOfCommand(id) },
  { name: 'command-run', priority: 1, test: (id) => ofRun.has(id) },
];

const bundle = await rolldown({
  plugins: [lateStringWidth],
  checks: { ineffectiveDynamicImport: false }, // a module that some load lazily may be in a chunk that every run loads
  // all files are in one folder: the worker and string-width are loaded by paths relative to the loading chunk
  input: {
    bin: join(dist, 'src/cli/bin.js'),
    index: join(dist, 'src/index.js'),
    worker: join(dist, 'src/engine/worker.js'),
  },
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] }, // the AWS SDK has both module formats, and only ES modules can be tree-shaken
  external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
});
const { output } = await bundle.write({
  dir: out,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups },
});
await bundle.close();
for (const [module, file] of lateFiles) output.push(...(await bundleLate(module, file)));
output.push(...(await bundlePage()));
writeFileSync(join(out, 'LICENSES.txt'), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));

async function bundleLate(input, file) {
  const late = await rolldown({ input, platform: 'node' });
  const { output: written } = await late.write({ file: join(out, file), format: 'cjs', exports: 'default' });
  await late.close();
  return written;
}

/** The viewer's page as one classic script: module scripts do not load from file URLs, where exported pages are opened. */
async function bundlePage() {
  const page = await rolldown({
    input: fileURLToPath(new URL('../src/view/app/main.tsx', import.meta.url)),
    platform: 'browser',
    tsconfig: fileURLToPath(new URL('../src/view/app/tsconfig.json', import.meta.url)),
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  const { output: written } = await page.write({
    file: join(out, 'view-app.js'),
    format: 'iife',
    minify: true,
  });
  await page.close();
  return written;
}

/** The licences of the packages that these modules come from. */
function licencesOf(modules) {
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(id) ?? []),
  );
  return [...folders].sort().map(licenceIn).join('\n');
}

function licenceIn(folder) {
  const { name, version, license } = packageIn(folder);
  const text = licenceTextIn(folder) ?? licenceOfScope(folder, license);
  if (text === undefined) throw new Error(`${name} has no licence file`);
  return `${name} ${version}\n\n${text.trim()}\n`;
}

/** Some packages of the AWS SDK name their licence without including it; others of their scope, under the same licence, include it. */
function licenceOfScope(folder, license) {
  const scope = dirname(folder);
  if (!basename(scope).startsWith('@')) return undefined;
  const siblings = readdirSync(scope).map((name) => join(scope, name));
  const same = siblings.filter((sibling) => packageIn(sibling).license === license);
  return same.map(licenceTextIn).find((text) => text !== undefined);
}

function packageIn(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function licenceTextIn(folder) {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  return file && readFileSync(join(folder, file), 'utf8');
}
