/**
 * `--config FILE`: a JSON object with the options' camelCase names. Nothing in it is run or expanded; what is not known is
 * refused.
 */
import { TurnmillError } from '../errors.ts';
import { NotOwnFile, readOwnFile } from '../own-file.ts';
import type { Option, Values } from './options/option.ts';

const MOST_BYTES = 1024 * 1024;

/** The values in the file. Throws `config`. */
export function readConfig(path: string, options: readonly Option[]): Values {
  const object = parseObject(path, readText(path));
  const known = new Map<string, Option>(
    options.filter(({ flagOnly }) => flagOnly !== true).map((option) => [option.name, option]),
  );
  const values = Object.entries(object).map(([key, value]) => {
    const option = known.get(key);
    if (option === undefined) return fail(path, `there is no option '${key}' for a configuration file`);
    return [key, option.type.fromJson(value, (problem) => fail(path, `${key}: ${problem}`))] as const;
  });
  return Object.fromEntries(values);
}

function readText(path: string): string {
  try {
    return readOwnFile(path, MOST_BYTES).toString('utf8');
  } catch (error) {
    if (error instanceof NotOwnFile)
      return fail(path, `it is ${error.kind}, not a regular file: write it to a file and name that`);
    if (error instanceof TurnmillError) return fail(path, `it is longer than ${MOST_BYTES} bytes`);
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return fail(path, code === 'ENOENT' ? 'there is no such file' : `it cannot be read: ${code}`, error);
  }
}

function parseObject(path: string, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    return fail(path, 'it is not JSON', error); // The parser's own words quote what is in the file.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  return fail(path, 'it holds no JSON object');
}

function fail(path: string, problem: string, cause?: unknown): never {
  throw new TurnmillError('config', `configuration file ${path}: ${problem}`, { subject: path, cause });
}
