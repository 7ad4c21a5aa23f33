// Bundles the entry points of the package into dist/package/: the command, the library and the worker thread, with shared and lazily loaded
// chunks. Without this, a run would find, read and link some 280 modules, which takes half of its startup time
// (docs/contributing/decisions/0019-the-command-is-bundled.md). The parser of yargs, picomatch, the AWS SDK and preact (needed for every report) are bundled; the other packages
// remain dependencies. The chunks are CommonJS modules, because Node 20 keeps compiled code only of those (src/compiled-code.ts).
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const out = join(dist, 'package');
const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
/** The last one has only ES modules, which a CommonJS module cannot load in every supported Node without a warning. */
const BUNDLED = ['yargs', 'picomatch', 'preact', 'preact-render-to-string', 'stream-json'];
const external = Object.keys(dependencies).filter((name) => !BUNDLED.includes(name));

/**
 * `yargs/helpers` exports the parser, and imports all that yargs needs for its help. None of that is used, so it is left out
 * (docs/contributing/decisions/0019-the-command-is-bundled.md).
 */
const OF_YARGS_HELP = /\/node_modules\/yargs\/lib\/platform-shims\//;

const RELATIVE = /['"](\.[^'"]*)['"]/;

/** Lists the static imports of a compiled module, in which every import is on one line. */
function importsOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const imports = lines.filter((line) => /^(?:import|export)\b[^('"]*['"]/.test(line));
  return imports.map((line) => RELATIVE.exec(line)?.[1]).filter((path) => path?.endsWith('.js'));
}

/** Lists these modules and everything that they statically import. */
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

/** The chunks whose compiled code is kept (src/compiled-code.ts). */
const KEPT_CHUNKS = ['common', 'command', 'run', 'command-run'];
/**
 * Puts the modules that every run loads into few chunks, because finding, opening and linking a chunk takes as long as 10 KB of code.
 * `--help` needs only the first two; the library needs neither of the command's.
 */
const ofHelp = loadedWith(['host', 'faults', 'main'].map((name) => `src/cli/${name}.js`));
const ofRun = loadedWith(['src/cli/run-whole.js', 'src/engine/run-task.js', 'transforms/chain.js']);
const isOfCommand = (id) => id.startsWith(join(dist, 'src/cli/'));
const groups = [
  // Loaded first: it sets up the cache that the other chunks come from.
  {
    name: 'start',
    priority: 6,
    test: (id) => id.endsWith('/compiled-code.js') || id.endsWith('/start-flags.js'),
  },
  // Node 20 refuses `import()` in code from a cache, so it is in a chunk that is not kept.
  { name: 'import', priority: 5, test: (id) => id.endsWith('/settings/import-module.js') },
  { name: 'common', priority: 4, test: (id) => ofHelp.has(id) && !isOfCommand(id) },
  { name: 'command', priority: 3, test: (id) => ofHelp.has(id) },
  { name: 'run', priority: 2, test: (id) => ofRun.has(id) && !isOfCommand(id) },
  { name: 'command-run', priority: 1, test: (id) => ofRun.has(id) },
];

/** Fails on the first warning, so that none scrolls by unread. */
function onLog(level, { message }) {
  if (level === 'warn') throw new Error(message);
}

const bundle = await rolldown({
  onLog,
  treeshake: { moduleSideEffects: [{ test: OF_YARGS_HELP, sideEffects: false }] },
  // yargs finds what a configuration file extends by `import.meta`, but is given no such file
  checks: { ineffectiveDynamicImport: false, emptyImportMeta: false }, // some modules that are imported lazily are in chunks that every run loads
  // All files must be in one folder, because chunks load the worker by its relative path.
  input: {
    bin: join(dist, 'src/cli/bin.js'),
    index: join(dist, 'src/index.js'),
    worker: join(dist, 'src/workers/worker.js'),
  },
  platform: 'node',
  resolve: { mainFields: ['module', 'main'] }, // the AWS SDK has two formats, and only ES modules can be tree-shaken
  external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
});
const { output } = await bundle.write({
  dir: out,
  format: 'cjs',
  strict: true,
  sourcemap: true,
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  codeSplitting: { groups },
});
await bundle.close();
for (const chunk of output) if (chunk.type === 'chunk') writeAscii(join(out, chunk.fileName));
chmodSync(join(out, 'bin.js'), 0o755); // npm does so once, when it links the command
writeFileSync(join(out, 'package.json'), '{ "type": "commonjs" }\n');
refuseImports(output.filter(({ name }) => KEPT_CHUNKS.includes(name)));
output.push(...(await bundlePage()));
writeFileSync(join(out, 'LICENSES.txt'), licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));

/** Fails if a chunk whose compiled code is kept contains `import()`. */
function refuseImports(chunks) {
  if (chunks.length !== KEPT_CHUNKS.length) throw new Error(`${chunks.length} chunks are kept`);
  for (const { code, fileName } of chunks)
    if (/(?<![.\w])import\(/.test(code))
      throw new Error(`${fileName} contains import(): move it to src/settings/import-module.ts`);
}

/** Escapes what is not ASCII: V8 stores a text with such a character in twice the memory, and takes longer to read it. */
function writeAscii(file) {
  const code = readFileSync(file, 'utf8');
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const ascii = code.replace(/[^\0-\x7f]/g, escaped);
  if (ascii !== code) writeFileSync(file, ascii);
}

/** Bundles the viewer page as one classic script, because exported pages are opened from file URLs, where module scripts do not load. */
async function bundlePage() {
  const page = await rolldown({
    onLog,
    input: fileURLToPath(new URL('../src/view/app/main.tsx', import.meta.url)),
    platform: 'browser',
    tsconfig: fileURLToPath(new URL('../src/view/app/tsconfig.json', import.meta.url)),
  });
  const { output: written } = await page.write({
    file: join(out, 'view-app.js'),
    format: 'iife',
    minify: true,
  });
  await page.close();
  return written;
}

/** Returns the licence texts of the packages that these modules belong to. */
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

/** Finds the licence text in another package of the scope. Some packages of the AWS SDK name their licence but do not include its text. */
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
