/** A folder with one good log, to put other things beside it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { entry } from '../src/cli/small-logs.ts';
import { turnmillHere as turnmill } from './command-here.ts';
import { temporaryFolder } from './folder.ts';

export interface Place {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
}

/** A folder of logs that contains one good log. */
export function place(): Place {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  writeFileSync(join(logs, 'good.jsonl'), entry());
  return { folder, logs, out: join(folder, 'out') };
}

interface Sums {
  readonly sources: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly records: number;
}

export const sumsOf = (out: string): Sums =>
  JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));

export async function buildPlace({
  logs,
  out,
}: Place): Promise<{ status: number | null; stderr: string; sums: Sums }> {
  const { status, stderr } = await turnmill(['build', logs, '--out', out, '--workers', '1']);
  const sums = sumsOf(out);
  expect((await turnmill(['verify', out])).status).toBe(0);
  return { status, stderr, sums };
}
