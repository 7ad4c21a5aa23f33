/** The examples of all dialects and the files of all golden logs, by path below the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { NamedLog } from './read-log.ts';

export const REPOSITORY: string = resolve(import.meta.dirname, '../..');

export interface DialectLog extends NamedLog {
  /** Options of the run that the log is meant for. */
  readonly settings: object;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

export function dialectLogs(): Readonly<Record<string, DialectLog>> {
  const logs: Record<string, DialectLog> = {};
  for (const path of filesIn(join(REPOSITORY, 'examples/dialects')))
    logs[`examples/${basename(path)}`] = { name: basename(path), bytes: readFileSync(path), settings: {} };
  const goldens = join(REPOSITORY, 'test/goldens');
  for (const golden of readdirSync(goldens)) {
    const expected = join(goldens, golden, 'expected.json');
    const settings = existsSync(expected) ? (JSON.parse(readFileSync(expected, 'utf8')).settings ?? {}) : {};
    for (const path of filesIn(join(goldens, golden, 'logs')))
      logs[path.slice(goldens.length + 1)] = { name: basename(path), bytes: readFileSync(path), settings };
  }
  return logs;
}
