/**
 * With TURNMILL_TEST_BUILT=1, which the commands set that build first, tests import the modules of dist/ in place of the sources that they
 * name: the compiler's output, as Node loads it. Nothing is transformed then, and tests take three quarters of the time. A test of one
 * file (`npx vitest run FILE`) reads the sources and needs no build.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '../..');
const COMPILED = ['src', 'transforms'].map((folder) => join(ROOT, folder) + sep);

/** Modules that Vite leaves to Node. */
export const BUILT: RegExp = /\/dist\/(?:src|transforms)\//;

export const importsBuilt: boolean = process.env.TURNMILL_TEST_BUILT === '1';

/** Returns the module of dist/ for an import of a source; undefined if it is not compiled, as the page of the viewer. */
function builtModule(specifier: string, importer: string): string | undefined {
  if (!/^(?:\.|\/|file:).*\.tsx?$/.test(specifier)) return undefined;
  const source = specifier.startsWith('file:')
    ? fileURLToPath(specifier)
    : resolve(dirname(importer), specifier);
  if (!COMPILED.some((folder) => source.startsWith(folder))) return undefined;
  const module = join(ROOT, 'dist', source.slice(ROOT.length)).replace(/\.tsx?$/, '.js');
  return existsSync(module) ? module : undefined;
}

/** A plug-in of Vite. */
export const builtModules = {
  name: 'built-modules',
  enforce: 'pre',
  resolveId: (specifier: string, importer: string | undefined): string | undefined =>
    importer === undefined ? undefined : builtModule(specifier, importer),
} as const;
