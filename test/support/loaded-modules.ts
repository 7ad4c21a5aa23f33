/** Lists the modules that a run of the built command loads: the command is bundled, and the source map of each chunk names its modules. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { COMMAND } from './command.ts';

/** Paths of files; the project's modules by their path in dist/. */
export function loadedModules(args: readonly string[]): readonly string[] {
  const { stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    env: { ...process.env, NODE_DEBUG: 'module' },
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  const files = new Set([...stderr.matchAll(/load "([^"]+)" for module/g)].map(([, file]) => file as string));
  return [...files].flatMap((file) => [file, ...modulesIn(file)]);
}

function modulesIn(file: string): readonly string[] {
  if (!existsSync(`${file}.map`)) return [];
  const { sources } = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { sources: readonly string[] };
  return sources.map((source) => resolve(dirname(file), source));
}
