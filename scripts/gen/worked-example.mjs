// Runs the program on the example of a dialect and returns its records and reports. The pages of docs/ show them, so every record on a page
// was written by the program. One file each: examples/dialects/NAME.EXTENSION.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built } from './markdown.mjs';

const FOLDER = 'examples/dialects';

/** Relative path of the example of a dialect. A dialect without one, or with several, stops the generator. */
export function exampleOf(root, dialect) {
  const files = readdirSync(join(root, FOLDER)).filter((file) => file.split('.')[0] === dialect);
  if (files.length !== 1)
    throw new Error(`${FOLDER}/ has ${files.length} files ${dialect}.*: a dialect has one example`);
  return `${FOLDER}/${files[0]}`;
}

/** The records of a run with these settings, its findings, and its rewrites by rule. Rejections stop the generator. */
export async function workedExample(root, { dialect, ...settings }) {
  const { build } = await built(root, 'src/index.js');
  const input = exampleOf(root, dialect);
  const folder = mkdtempSync(join(tmpdir(), 'turnmill-gen-'));
  try {
    const out = join(folder, 'out');
    const { sums, rejections } = await build({ inputs: [join(root, input)], out, workers: 1, ...settings });
    if (rejections > 0 || sums.records === 0)
      throw new Error(`${input} is not written in full as ${settings.format}`);
    const files = readdirSync(join(out, 'data'), { recursive: true, withFileTypes: true });
    const shards = files
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    const findings = lines(join(out, 'reports/integrity.jsonl')).map((line) => JSON.parse(line));
    return { input, records: shards.sort().flatMap(lines), findings, rewrites: sums.rewrites };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const lines = (path) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
