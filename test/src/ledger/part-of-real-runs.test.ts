/** Parts of the results of real runs: every byte field of every kind of result is decoded as bytes. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { build, type RunHooks } from '../../../src/index.ts';
import { decodePart, encodePart } from '../../../src/ledger/part.ts';
import type { Result } from '../../../src/ledger/result.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sessionLines } from '../../support/plain-logs.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples/logs');
type Options = Parameters<typeof build>[0];

/** Paths of the byte fields in a result, with its kind first. */
function bytePaths(value: unknown, path: string): string[] {
  if (value instanceof Uint8Array) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => bytePaths(member, `${path}.${key}`));
}

/** The value without undefined members, with bytes as numbers. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: [...value] };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)]));
}

it('covers every byte field of every result', async () => {
  const folder = temporaryFolder();
  const log = join(folder, 'log.jsonl');
  const first = sessionLines('job-1', { entries: 3, messageChars: 50, seed: 1 });
  const other = sessionLines('job-2', { entries: 3, messageChars: 50, seed: 2 });
  // the last session resumes, the one before it has its entries in the wrong order, and some lines are not JSON
  writeFileSync(log, [...first, 'torn', ...other.toReversed(), ...first, '{"a"', ''].join('\n'));
  const results: Result[] = [];
  const hooks: RunHooks = { onResult: (result) => void results.push(result) };
  const all: Partial<Options>[] = [
    { inputs: [EXAMPLES] },
    { inputs: [EXAMPLES], copies: 'drop' },
    { inputs: [EXAMPLES], format: ['chat', 'trl'], quarantineContent: 'raw' },
    { inputs: [log], sessionBy: 'id', quarantineContent: 'raw' },
  ];
  for (const [n, options] of all.entries())
    await build({ ...options, out: join(folder, `out-${n}`), workers: 1 } as Options, hooks);
  const found = new Set(results.flatMap((result) => bytePaths(result, result.kind)));
  expect([...found].sort()).toEqual([
    'record.bytes',
    'rejected-line.raw',
    'session.entryLog.packed',
    'session.path',
    'session.rejection.log.packed',
  ]);
  expect(new Set(results.map(({ kind }) => kind)).size).toBe(6);
  const back = decodePart([new Uint8Array(Buffer.concat(encodePart(results)))]);
  expect(plain(back)).toEqual(plain(results));
});
