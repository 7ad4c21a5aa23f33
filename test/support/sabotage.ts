/**
 * Deliberate bugs, each a small replacement with the test that must fail because of it. They go only into a copy of the sources, never into
 * the shipped code. A pattern that no longer matches its file is an error.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const COPIED = [
  ...['src', 'transforms', 'test', 'examples', 'scripts'],
  ...['package.json', 'tsconfig.json', 'vitest.config.ts'],
];

/** Only for a hanging test: each takes seconds. */
const HANG_MS = 10 * 60_000;

export interface Sabotage {
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** A second change to the file, if one alone has no effect. */
  readonly also?: readonly [from: string, to: string];
  /** The test's file, and part of its name. */
  readonly test: readonly [string, string];
}

export const sabotages: Readonly<Record<string, Sabotage>> = {
  skip_fsync: {
    file: 'src/dataset/fs-calls.ts',
    from: "io('flush to disk', path, () => fs.fsyncSync(fd));",
    to: 'void [fd, path];',
    test: ['test/faults/power-loss.test.ts', 'power is lost after any call: 100'],
  },
  manifest_first: {
    file: 'src/dataset/commit.ts',
    from: `  writeRunFacts(root, runFacts, request.fingerprints, mode);
  writeCheckedFile(manifestPath(root), [manifestText(manifest)], mode);`,
    to: `  writeCheckedFile(manifestPath(root), [manifestText(manifest)], mode);
  writeRunFacts(root, runFacts, request.fingerprints, mode);`,
    test: ['test/faults/order-of-calls.test.ts', 'the order of write, fsync and rename'],
  },
  drop_record: {
    file: 'src/dataset/shards.ts',
    from: '    shard.file.write(record);\n',
    to: '    if (shard.file.lines !== 16) shard.file.write(record);\n',
    test: ['test/faults/nothing-lost.test.ts', 'every session has its record'],
  },
  swallow_transform_error: {
    file: 'src/engine/intake.ts',
    from: 'throw withPlace(origin, error);',
    to: 'void error;',
    test: ['test/faults/bugs.test.ts', 'a throw in format'],
  },
  unordered_output: {
    file: 'src/workers/pool.ts',
    from: 'const task = tasks[this.#nextTask];',
    to: 'const task = tasks[tasks.length - 1 - this.#nextTask];',
    test: ['test/faults/nothing-lost.test.ts', 'in the order of the sources'],
  },
  lossy_numbers: {
    file: 'transforms/formats/chat.ts',
    from: 'return concat(pieces);',
    to: 'return encode(JSON.stringify(JSON.parse(new TextDecoder().decode(concat(pieces)))));',
    test: ['test/faults/nothing-lost.test.ts', 'every number keeps its text'],
  },
  no_lock: {
    file: 'src/dataset/lock.ts',
    from: "if (process.platform !== 'linux') return async () => {};",
    to: "if (process.platform !== 'win32') return async () => {};",
    test: ['test/faults/nothing-lost.test.ts', 'a second run with the same destination'],
  },
  shared_counter: {
    file: 'src/verify/shards.ts',
    from: `    problems.equal(shard.path, undefined, 'records', shard.records, found.records);
    facts.set(shard.path, found);`,
    to: '    facts.set(shard.path, { ...found, records: shard.records });',
    test: ['test/faults/nothing-lost.test.ts', 'verify counts the records itself'],
  },
};

/** Copies the project into an empty folder, without building. */
export function copyProject(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}

/** Applies the bug to the copy; the returned function undoes it. Throws unless the pattern occurs exactly once. */
export function sabotage(folder: string, { file, from, to, also }: Sabotage): () => void {
  const path = join(folder, file);
  const text = readFileSync(path, 'utf8');
  let changed = text;
  for (const [before, after] of [[from, to] as const, ...(also === undefined ? [] : [also])]) {
    if (changed.split(before).length !== 2)
      throw new Error(`${file} does not contain this exactly once: ${before}`);
    changed = changed.replace(before, () => after);
  }
  writeFileSync(path, changed);
  return () => writeFileSync(path, text);
}

/** Compiles the copy and bundles the command, which the tests start. */
export function buildCopy(folder: string): void {
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.json'], { cwd: folder, stdio: 'pipe' });
  execFileSync(process.execPath, [join(folder, 'scripts/bundle.mjs')], { cwd: folder, stdio: 'pipe' });
}

/** Runs the tests of a file whose names contain these words. @returns names by result */
export function runTests(
  folder: string,
  [file, words]: Sabotage['test'],
): Readonly<Record<'passed' | 'failed', readonly string[]>> {
  const report = join(folder, 'report.json');
  const vitest = join(folder, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', file, '-t', words, '--reporter=json', `--outputFile=${report}`];
  const { signal } = spawnSync(process.execPath, args, {
    cwd: folder,
    stdio: 'ignore',
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
  });
  if (signal !== null) throw new Error(`${file} did not end: a sabotage must turn its test red, not hang it`);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: { assertionResults: { status: string; title: string }[] }[];
  };
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (status: string): string[] =>
    all.filter((one) => one.status === status).map(({ title }) => title);
  return { passed: named('passed'), failed: named('failed') };
}
