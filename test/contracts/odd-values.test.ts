/**
 * Every golden log with one value replaced: by NaN or Infinity, as Python writes them, or by a name that every object inherits. No value ends the run, is
 * an internal error, or finds what an object inherits. `TURNMILL_LONG=1` tries every value, otherwise some of each log.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formats } from '../../src/index.ts';
import type { Result } from '../../src/ledger/result.ts';
import { LONG } from '../support/long.ts';
import { type NamedLog, readLogs } from '../support/read-log.ts';

const goldens = resolve(import.meta.dirname, '../goldens');
const SAMPLES = 2;
/** A string, with the colon after it if it is a key; a number or a word. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/g;

interface Value {
  readonly start: number;
  readonly end: number;
}

/** The places of all values in a log of JSON, without those of strings that hold JSON. */
function valuesIn(text: string): readonly Value[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: token, 1: colon, index }) =>
    colon === undefined ? [{ start: index, end: index + token.length }] : [],
  );
}

const logs = readdirSync(goldens).flatMap((name) => {
  const folder = join(goldens, name, 'logs');
  const { settings = {} } = JSON.parse(readFileSync(join(goldens, name, 'expected.json'), 'utf8')) as {
    settings?: object;
  };
  return readdirSync(folder)
    .map((file) => join(folder, file))
    .filter((path) => statSync(path).isFile() && /\.(?:jsonl?|har|traj|log)$/.test(path))
    .map((path) => ({ name: `${name}/${basename(path)}`, path, settings }));
});

const format = formats.map(({ name }) => name);

/** Names the problems in the results of logs, each with the place of the value that was replaced. */
async function problemsOf(logs: readonly NamedLog[], places: readonly number[], settings: object) {
  const problems = new Set<string>();
  let read = 0;
  try {
    for await (const results of readLogs(logs, { format, ...settings })) {
      for (const what of results.flatMap(problemIn)) problems.add(`value ${places[read]}: ${what}`);
      read++;
    }
  } catch (error) {
    problems.add(`value ${places[read]}: ${error}`);
  }
  expect(read).toBe(logs.length);
  return [...problems];
}

function problemIn(result: Result): readonly string[] {
  if (result.kind === 'source' && result.rejection?.reason === 'internal-error')
    return [result.rejection.detail];
  if (result.kind === 'record' && /native code|\[object /.test(Buffer.from(result.bytes).toString()))
    return [`${result.format}: a record has what an object inherits`];
  return [];
}

describe.each([['NaN', '-Infinity', 'Infinity'], ['"constructor"'], ['"__proto__"']])(
  '%s in place of a value',
  (...odd) => {
    it.each(logs)('$name', async ({ path, settings }) => {
      const text = readFileSync(path, 'utf8');
      const values = valuesIn(text);
      const step = LONG ? 1 : Math.max(1, Math.floor(values.length / SAMPLES));
      const places: number[] = [];
      for (let i = path.length % step; i < values.length; i += step) places.push(i);
      const changed = places.map((i) => {
        const { start, end } = values[i] as Value;
        const log = text.slice(0, start) + odd[i % odd.length] + text.slice(end);
        return { name: basename(path), bytes: Buffer.from(log) };
      });
      expect(await problemsOf(changed, places, settings)).toEqual([]);
    });
  },
);
