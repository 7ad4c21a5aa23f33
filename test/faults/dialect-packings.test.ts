/**
 * The example of every dialect through the built command: the same data plain, gzipped or zstd-packed, with one worker or two, from files
 * or from standard input in pieces of any size. `npm run test:long` tries all combinations.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Ended } from '../support/command.ts';
import { turnmillHere } from '../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { LONG } from '../support/long.ts';
import { turnmillInPieces } from '../support/small-reads.ts';
import { hasZstd, zstd } from '../support/zstd.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/dialects');
const names = readdirSync(EXAMPLES).sort();
/** TOML is recognised by its file name, which standard input does not have. */
const unnamed = names.filter((name) => !name.endsWith('.toml'));

interface Packing {
  readonly extension: string;
  readonly pack: (log: Buffer) => Buffer;
}
const PACKINGS: readonly Packing[] = [
  { extension: '', pack: (log) => log },
  { extension: '.gz', pack: (log) => gzipSync(log) },
  ...(hasZstd ? [{ extension: '.zst', pack: (log: Buffer) => zstd(log) }] : []),
];
const WORKERS = ['1', '2'];
const PIECE_BYTES = LONG ? [1, 11, 256] : [11];

type Hashes = Readonly<Record<string, string>>;

/** Hashes of the shards of `turnmill build ARGS`. */
async function dataOf(
  args: readonly string[],
  build: (args: readonly string[]) => Promise<Ended> = turnmillHere,
): Promise<Hashes> {
  const out = join(temporaryFolder(), 'out');
  const { status, stderr } = await build(['build', ...args, '--out', out]);
  expect(status, stderr).toBe(0);
  return hashesOf(join(out, 'data'));
}

/** Hashes of the shards of one plain example alone: the expected data. */
const dataOfPlain = (name: string): Promise<Hashes> => dataOf([join(EXAMPLES, name), '--workers', '1']);

/** Hashes of the shards of `turnmill build -` when input arrives in pieces of at most `mostBytes`. */
const dataOfStdin = (input: Buffer, mostBytes: number): Promise<Hashes> =>
  dataOf(['-'], (args) => turnmillInPieces(args, input, mostBytes));

/** Writes these examples, packed, into a folder. */
function folderOf(examples: readonly string[], { extension, pack }: Packing): string {
  const folder = join(temporaryFolder(), 'logs');
  mkdirSync(folder);
  for (const name of examples)
    writeFileSync(join(folder, `${name}${extension}`), pack(readFileSync(join(EXAMPLES, name))));
  return folder;
}

async function expectSameFromFolders(examples: readonly string[], whole: Hashes): Promise<void> {
  for (const packing of PACKINGS) {
    const folder = folderOf(examples, packing);
    for (const workers of WORKERS)
      expect(await dataOf([folder, '--workers', workers]), packing.extension).toEqual(whole);
  }
}

it('one folder with all examples gives the same data, packed or not, with any number of workers', async () => {
  const whole = await dataOf([EXAMPLES, '--workers', '1']);
  expect(Object.keys(whole).length).toBeGreaterThan(2);
  await expectSameFromFolders(names, whole);
});

it.runIf(LONG).each(names)('%s alone gives the same data', async (name) => {
  await expectSameFromFolders([name], await dataOfPlain(name));
});

it.each(unnamed)('%s gives the same data from standard input, in pieces of any size', async (name) => {
  const log = readFileSync(join(EXAMPLES, name));
  const whole = await dataOfPlain(name);
  expect(whole).not.toEqual({});
  const packings = LONG ? PACKINGS : PACKINGS.filter((_, i) => i === names.indexOf(name) % PACKINGS.length);
  for (const { extension, pack } of packings) {
    for (const mostBytes of PIECE_BYTES)
      expect(await dataOfStdin(pack(log), mostBytes), `${extension} ${mostBytes}`).toEqual(whole);
  }
});
