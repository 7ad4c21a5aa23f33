/** Parses the options shared by the benchmarks of whole builds. */
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseByteSize } from '../corpus/byte-size.ts';

/** Reads the number of rounds, and whether to use small corpora. */
export function roundOptions(args: readonly string[]): { readonly runs: number; readonly quick: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: { runs: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
  });
  return { runs: Number(values.runs), quick: values.quick };
}

export interface BenchOptions {
  readonly runs: number;
  readonly bytes: number;
}

/** @param sizes default sizes of the corpus, without and with `--quick` */
export function benchOptions(
  args: readonly string[],
  sizes: { readonly full: number; readonly quick: number },
): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '5' },
      bytes: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const bytes = values.quick ? sizes.quick : sizes.full;
  return {
    runs: Number(values.runs),
    bytes: values.bytes === undefined ? bytes : parseByteSize(values.bytes),
  };
}

/** Lists the paths of all files in a folder and its subfolders, sorted. */
export const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
