// Writes the files generated from the code: node scripts/gen.mjs [registries|docs] [--check]
//
//   registries   transforms/{dialects,rules,checks,formats,stages}/index.ts and transforms/stages/library.ts, from the files in each folder
//                (runs before the build)
//   docs         docs/cli.md and pages of docs/reference/ and docs/contributing/, from the built program (needs a build)
//
// With --check, writes nothing: lists the stale files and exits with 1 if there are any.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatted } from './gen/format.mjs';
import { Missing } from './gen/missing.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const parts = { registries: 'registries.mjs', docs: 'docs.mjs' };

const args = process.argv.slice(2);
const check = args.includes('--check');
const named = args.filter((arg) => arg !== '--check');
const unknown = named.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`usage: node scripts/gen.mjs [${Object.keys(parts).join('|')}] [--check]`);
  process.exit(64);
}

let stale = 0;
for (const name of named.length > 0 ? named : Object.keys(parts)) {
  const { make } = await import(`./gen/${parts[name]}`);
  const files = await filesOf(make);
  for (const [path, generated] of files) {
    const text = formatted(root, path, generated);
    const full = join(root, path);
    const current = existsSync(full) ? readFileSync(full, 'utf8') : undefined;
    if (current === text) continue;
    if (check) {
      stale++;
      console.error(`stale: ${path}: run npm run gen`);
    } else {
      writeFileSync(full, text);
      console.log(`written: ${path}`);
    }
  }
}
process.exitCode = stale > 0 ? 1 : 0;

/** Returns the files that a part generates; ends the process if the code lacks something that its pages show. */
async function filesOf(make) {
  try {
    return await make(root);
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
