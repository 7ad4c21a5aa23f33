/** Runs the built command so that each read of standard input gives few bytes; a plain pipe merges data written before it is read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Ended, turnmill } from './command.ts';
import { temporaryFolder } from './folder.ts';

const PRELOAD = new URL('small-reads.mjs', import.meta.url).href;

/** Runs `turnmill ARGS` and checks that its input came in pieces of `mostBytes`. */
export async function turnmillInPieces(
  args: readonly string[],
  input: Uint8Array,
  mostBytes: number,
): Promise<Ended> {
  const log = join(temporaryFolder(), 'reads');
  const preload = { SMALL_READS: `${mostBytes}`, SMALL_READS_LOG: log, NODE_OPTIONS: `--import=${PRELOAD}` };
  const run = await turnmill(args, input, { ...process.env, ...preload });
  expect(Number(readFileSync(log, 'utf8'))).toBeGreaterThanOrEqual(Math.ceil(input.length / mostBytes));
  return run;
}
