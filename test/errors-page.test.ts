/** docs/dataset.md lists exactly the exit statuses and codes of src/cli/faults.ts and src/errors.ts. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUG, exitCodeOf, REJECTIONS, SIGNALS, SUCCESS } from '../src/cli/faults.ts';
import type { ErrorCode } from '../src/errors.ts';

const root = resolve(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/dataset.md'), 'utf8');

/** Codes by exit status in the table of a page. */
function tableOf(text: string): ReadonlyMap<number, readonly string[]> {
  const rows = [...text.matchAll(/^\| (\d+) +\| ([^|]*)\|/gm)];
  return new Map(
    rows.map(([, status, codes = '']) => [
      Number(status),
      [...codes.matchAll(/`([^`]+)`/g)].map(([, code]) => code as string).sort(),
    ]),
  );
}

/** Every code, parsed from the type's text, since a type has no values. */
const codes = [
  ...(
    /export type ErrorCode =([^;]*);/.exec(readFileSync(join(root, 'src/errors.ts'), 'utf8'))?.[1] ?? ''
  ).matchAll(/'([^']+)'/g),
].map(([, code]) => code as ErrorCode);

const expected = new Map<number, string[]>(
  [SUCCESS, REJECTIONS, BUG, ...Object.values(SIGNALS)].map((status) => [status, []]),
);
for (const code of [...codes].sort()) {
  const status = exitCodeOf(code);
  expected.set(status, [...(expected.get(status) ?? []), code]);
}

const sorted = <T>(map: ReadonlyMap<number, T>): readonly (readonly [number, T])[] =>
  [...map].sort(([a], [b]) => a - b);

describe('docs/dataset.md', () => {
  it('lists exactly the statuses with their codes', () => {
    expect(codes.length).toBeGreaterThan(10);
    expect(sorted(tableOf(page))).toEqual(sorted(expected));
  });

  it('lists each status once, in order', () => {
    const statuses = [...page.matchAll(/^\| (\d+) /gm)].map(([, status]) => Number(status));
    expect(statuses).toEqual([...new Set(statuses)].sort((a, b) => a - b));
  });

  it('fails this test when it lacks a code', () => {
    expect(sorted(tableOf(page.replace('`locked`', '')))).not.toEqual(sorted(expected));
  });
});
