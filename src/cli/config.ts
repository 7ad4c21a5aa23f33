/**
 * `--config FILE`: a JSON object, or a document in TOML, whose keys are names of options in camelCase. Nothing in it is
 * executed or expanded, and unknown names are errors.
 */
import { parse as parseToml, TomlError } from 'smol-toml';
import { LF } from '../../transforms/json/bytes.ts';
import { createPlainScanner } from '../../transforms/json/plain-scanner.ts';
import { ANY_NUMBER, MAX_DEPTH, skipBlanks } from '../../transforms/json/scanner.ts';
import { encode } from '../../transforms/json/utf8.ts';
import { systemWords, TurnmillError } from '../errors.ts';
import { NotOwnFile, readOwnFile } from '../own-file.ts';
import { suggestion } from '../settings/nearest-word.ts';
import type { NamedOption } from '../settings/option.ts';
import type { Values } from './options/values.ts';

const MAX_BYTES = 1024 * 1024;

/** @throws TurnmillError `config` */
export function readConfig(path: string, options: readonly NamedOption[]): Values {
  const object = parseObject(path, readText(path));
  const known = new Map<string, NamedOption>(
    options.filter(({ flagOnly }) => flagOnly !== true).map((option) => [option.name, option]),
  );
  const values = Object.entries(object).map(([key, value]) => {
    const option = known.get(key);
    if (option === undefined)
      return fail(path, `unknown option '${key}'${suggestion(key, [...known.keys()], NAMES)}`);
    return [key, option.type.fromJson(value, (problem) => fail(path, `${key}: ${problem}`))] as const;
  });
  return Object.fromEntries(values);
}

/**
 * Returns the values of the file, overridden by those of the flags.
 * @throws TurnmillError `config` when the file contradicts itself
 */
export function mergeValues(config: Values, flags: Values): Values {
  const other = config.format?.find((name) => name !== 'chat-inline');
  if (config.jsonToolCalls === true && other !== undefined) {
    const text = `configuration file ${flags.config}: jsonToolCalls means format chat-inline, but format is ${other}`;
    throw new TurnmillError('config', text, { subject: flags.config as string });
  }
  const { format, jsonToolCalls, ...rest } = config;
  // Both options set the format, so a flag for either one replaces both from the file.
  const fromFile = flags.format === undefined && flags.jsonToolCalls === undefined;
  return {
    ...rest,
    ...(fromFile && format !== undefined ? { format } : {}),
    ...(fromFile && jsonToolCalls !== undefined ? { jsonToolCalls } : {}),
    ...flags,
    ...(config.onFinding === undefined ? {} : { onFinding: { ...config.onFinding, ...flags.onFinding } }),
  };
}

function readText(path: string): string {
  try {
    return readOwnFile(path, MAX_BYTES).toString('utf8');
  } catch (error) {
    if (error instanceof NotOwnFile)
      return fail(
        path,
        `this is ${error.kind}, not a regular file: save the options to a file and name that`,
      );
    if (error instanceof TurnmillError) return fail(path, `longer than ${MAX_BYTES} bytes`);
    const { code } = error as NodeJS.ErrnoException;
    return fail(path, code === 'ENOENT' ? 'file not found' : `cannot read it: ${systemWords(error)}`, error);
  }
}

function parseObject(path: string, text: string): object {
  const isToml = path.toLowerCase().endsWith('.toml');
  const document = text.replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = isToml ? parseToml(document) : JSON.parse(document);
  } catch (error) {
    // the messages of both parsers would quote the file
    const line = error instanceof TomlError ? error.line : lineOfFault(document);
    return fail(path, `not valid ${isToml ? 'TOML' : 'JSON'}, at line ${line}`, error);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  return fail(path, 'not a JSON object');
}

/** Returns the line in which a text stops being JSON. */
function lineOfFault(text: string): number {
  const bytes = encode(text);
  const scanner = createPlainScanner(MAX_DEPTH, ANY_NUMBER);
  const end = scanner.value(bytes, skipBlanks(bytes, 0), 0);
  const at = end < 0 ? scanner.failedAt : skipBlanks(bytes, end);
  return bytes.subarray(0, at).filter((byte) => byte === LF).length + 1;
}

const NAMES = 'names are in camelCase, as in maxLine';

function fail(path: string, problem: string, cause?: unknown): never {
  throw new TurnmillError('config', `configuration file ${path}: ${problem}`, { subject: path, cause });
}
