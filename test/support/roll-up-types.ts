/** Set-up of the project `pages`: its tests compile user code against the declarations of the package. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

export default function rollUpTypes(): void {
  execFileSync(process.execPath, [resolve(import.meta.dirname, '../../scripts/roll-up-types.mjs')]);
}
