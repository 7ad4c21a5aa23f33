/** Compiles a module to JavaScript for tests that need a second process. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT: string = new URL('../../../', import.meta.url).pathname;

/** Compiles `src/dataset/<name>.ts` and its imports into `dir`; returns the module's path. */
export function compiledSink(dir: string, name: string): string {
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'package.json'), '{"type":"module","version":"0.0.0"}');
  const config = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      rootDir: ROOT,
      outDir: join(dir, 'dist'),
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    include: [],
    files: [join(ROOT, `src/dataset/${name}.ts`)],
  };
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify(config));
  execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', dir], {
    stdio: 'pipe',
  });
  return join(dir, `dist/src/dataset/${name}.js`);
}
