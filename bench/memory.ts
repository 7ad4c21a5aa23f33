/**
 * The memory bench: peak RSS of `turnmill build` with one worker as the input grows from 10 MB to
 * 10 GB, for many sessions (main) and for one single session (steady).
 *   node dist/bench/memory.js [--sizes 10MB,1GB,10GB] [--stdin-from 2GB] [--kinds main,steady]
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { formatByteSize, parseByteSize } from './corpus/byte-size.ts';
import { type CorpusKind, corpusKinds } from './corpus/shapes.ts';
import { measureMemoryRow } from './harness/measure-memory.ts';
import { renderMemory } from './harness/render-memory.ts';
import { atRoot, resultsFolder, runFolder, turnmillBin } from './harness/repository.ts';
import { type MemoryResult, type MemoryRow, writeResult } from './harness/results.ts';
import { writeReport } from './report.ts';

const usage = `usage: memory.js [options]
  --sizes LIST       corpus sizes (default 10MB,1GB,10GB)
  --stdin-from SIZE  from this size on through stdin, generated while it runs (default 2GB)
  --kinds LIST       corpora (default main,steady)
  --seed N           of the corpora (default 1)
`;

const readOptions = (args: readonly string[]) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: 'string', default: '10MB,1GB,10GB' },
      'stdin-from': { type: 'string', default: '2GB' },
      kinds: { type: 'string', default: 'main,steady' },
      seed: { type: 'string', default: '1' },
    },
  });
  return {
    sizes: values.sizes.split(',').map(parseByteSize),
    stdinFrom: parseByteSize(values['stdin-from']),
    kinds: values.kinds.split(',').map((name): CorpusKind => {
      const kind = corpusKinds.find((known) => known === name);
      if (kind === undefined) throw new Error(`--kinds: unknown: ${name}`);
      return kind;
    }),
    seed: Number.parseInt(values.seed, 10),
  };
};

const earlierRows = (): readonly MemoryRow[] => {
  const path = atRoot(`${resultsFolder}/memory.json`);
  if (!existsSync(path)) return [];
  return (JSON.parse(readFileSync(path, 'utf8')) as MemoryResult).rows;
};

const isSameInput = (a: MemoryRow, b: MemoryRow): boolean =>
  a.kind === b.kind && a.via === b.via && a.corpus.bytes === b.corpus.bytes;

const save = (row: MemoryRow): void => {
  const others = earlierRows().filter((earlier) => !isSameInput(earlier, row));
  const rows = [...others, row].sort(
    (a, b) => a.kind.localeCompare(b.kind) || a.corpus.bytes - b.corpus.bytes,
  );
  writeResult('memory', { type: 'memory', rows });
  writeReport();
};

/** Measures, saves and prints; returns the exit status. */
export const measureMemory = (args: readonly string[]): number => {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}`);
    return 64;
  }
  if (!existsSync(atRoot(turnmillBin))) {
    process.stderr.write(`memory: ${turnmillBin} is not built\n`);
    return 1;
  }
  const rows: MemoryRow[] = [];
  let failures = 0;
  for (const kind of options.kinds) {
    for (const bytes of options.sizes) {
      const via = bytes >= options.stdinFrom ? 'stdin' : 'directory';
      const name = `${kind} ${formatByteSize(bytes)} via ${via}`;
      process.stderr.write(`memory: ${name}\n`);
      try {
        const row = measureMemoryRow({ kind, bytes, seed: options.seed, growthEntries: 0 }, via);
        rows.push(row);
        save(row);
      } catch (error) {
        failures++;
        process.stderr.write(`memory: ${name} failed: ${error instanceof Error ? error.message : error}\n`);
      }
    }
  }
  rmSync(atRoot(runFolder), { recursive: true, force: true });
  if (rows.length > 0) process.stdout.write(renderMemory({ type: 'memory', rows }));
  return failures === 0 ? 0 : 1;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = measureMemory(process.argv.slice(2));
}
