// Puts the modules that the command and its worker threads load into few files: the start of a run reads and links some 280
// modules otherwise, which takes half of it (docs/decisions/0050-the-command-is-bundled.md). Packages stay where they are.
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
/** Where the entries lie; a worker's file is named beside the module that starts it. */
const ENTRIES = { bin: 'src/cli/bin.js', 'lane-worker': 'chunks/lane-worker.js' };

const bundle = await rolldown({
  input: { bin: `${dist}src/cli/bin.js`, 'lane-worker': `${dist}src/pipeline/lane-worker.js` },
  platform: 'node',
  external: (id) => !id.startsWith('.') && !id.startsWith('/') && !/^[A-Za-z]:/.test(id),
});
await bundle.write({
  dir: dist,
  format: 'esm',
  sourcemap: true,
  entryFileNames: ({ name }) => ENTRIES[name],
  chunkFileNames: 'chunks/[name]-[hash].js',
});
await bundle.close();
