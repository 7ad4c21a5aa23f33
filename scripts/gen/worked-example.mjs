// Runs the program on the example of a dialect (examples/dialects/NAME.EXTENSION) and returns the records and reports. The pages in docs/
// show them, so every record on a page was written by the program.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { built } from './markdown.mjs';

const FOLDER = 'examples/dialects';

/** Returns the relative path of the example of a dialect. Throws unless there is exactly one. */
export function exampleOf(root, dialect) {
  const files = readdirSync(join(root, FOLDER)).filter((file) => file.split('.')[0] === dialect);
  if (files.length !== 1)
    throw new Error(
      `${FOLDER}/ has ${files.length} files named ${dialect}.*: a dialect needs exactly one example`,
    );
  return `${FOLDER}/${files[0]}`;
}

/** Returns the records and findings of a run with these settings, and its rewrites by rule. Throws if anything is rejected. */
export async function workedExample(root, { dialect, ...settings }) {
  const { build } = await built(root, 'src/index.js');
  const input = exampleOf(root, dialect);
  const folder = mkdtempSync(join(tmpdir(), 'turnmill-gen-'));
  try {
    const out = join(folder, 'out');
    const { sums, rejections } = await build({ inputs: [join(root, input)], out, workers: 1, ...settings });
    if (rejections > 0 || sums.records === 0)
      throw new Error(
        `${input}: some input was rejected, or nothing was written, with the format ${settings.format}`,
      );
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
