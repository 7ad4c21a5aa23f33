/**
 * Uses the library to build the same logs several times in one process, and prints the CPU seconds of each build as JSON.
 *   node dist/bench/harness/repeat-build.js LOGS OUT BUILDS
 */
import { rmSync } from 'node:fs';
import type * as Library from '../../src/index.ts';
import { atRoot } from './repository.ts';

const [logs = '', out = '', builds = ''] = process.argv.slice(2);
const { build }: typeof Library = await import(atRoot('dist/package/index.js'));
const seconds: number[] = [];
for (let i = 0; i < Number(builds); i++) {
  rmSync(out, { recursive: true, force: true });
  const before = process.cpuUsage();
  await build({ inputs: [logs], out, workers: 1 });
  const { user, system } = process.cpuUsage(before);
  seconds.push((user + system) / 1e6);
}
process.stdout.write(`${JSON.stringify(seconds)}\n`);
