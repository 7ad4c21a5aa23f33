/** The built command with a standard input of which each read gives few bytes: a pipe alone joins what is written before it is read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Ended, turnmill } from './command.ts';
import { temporaryFolder } from './folder.ts';

const PRELOAD = new URL('small-reads.mjs', import.meta.url).href;

/** Runs `turnmill ARGS`, and checks that it got the input in pieces of `mostBytes`. */
export async function turnmillInPieces(
  args: readonly string[],
  input: Uint8Array,
  mostBytes: number,
): Promise<Ended> {
  const log = join(temporaryFolder(), 'reads');
  const given = { SMALL_READS: `${mostBytes}`, SMALL_READS_LOG: log, NODE_OPTIONS: `--import=${PRELOAD}` };
  const run = await turnmill(args, input, { ...process.env, ...given });
  expect(Number(readFileSync(log, 'utf8'))).toBeGreaterThanOrEqual(Math.ceil(input.length / mostBytes));
  return run;
}
