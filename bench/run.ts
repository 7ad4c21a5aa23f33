/**
 * The bench: whole processes, measured in turn, results in bench/results and bench/RESULTS.md.
 *   npm run bench                    everything, full sizes
 *   npm run bench -- --quick         64 MB of main, 3 runs
 *   npm run bench -- memory          peak memory (bench/memory.ts)
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseByteSize } from './corpus/byte-size.ts';
import { contenders } from './harness/contenders.ts';
import { renderSection } from './harness/render-section.ts';
import { atRoot, runFolder } from './harness/repository.ts';
import { writeResult } from './harness/results.ts';
import { runSection } from './harness/run-section.ts';
import { describeSection, sectionNames } from './harness/sections.ts';
import { startupContenders } from './harness/startup.ts';
import { measureMemory } from './memory.ts';
import { writeReport } from './report.ts';

const usage = `usage: run.js [options] | run.js memory [options]
  --quick          64 MB of main, 3 runs
  --corpora LIST   of ${sectionNames.join(', ')} (default all)
  --bytes SIZE     the corpora's size instead of each one's own
  --runs N         measured rounds (default 5)
  --only LIST      of ${[...contenders, ...startupContenders].map(({ name }) => name).join(', ')};
                   printed only, bench/results and RESULTS.md stay as they are
  --seed N         of the corpora (default 1)
  --keep           leave the contenders' outputs in ${runFolder}
`;

const listOf = <T extends string>(option: string, text: string, known: readonly T[]): T[] =>
  text.split(',').map((name) => {
    const found = known.find((candidate) => candidate === name.trim());
    if (found === undefined) throw new Error(`--${option}: unknown: ${name}`);
    return found;
  });

const positive = (option: string, text: string): number => {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option}: not a positive number: ${text}`);
  return Number(text);
};

const readOptions = (args: readonly string[]) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      corpora: { type: 'string' },
      bytes: { type: 'string' },
      runs: { type: 'string' },
      only: { type: 'string' },
      seed: { type: 'string', default: '1' },
      keep: { type: 'boolean', default: false },
    },
  });
  const names = [...contenders, ...startupContenders].map(({ name }) => name);
  const corpora = values.corpora ?? (values.quick ? 'main' : sectionNames.join(','));
  const bytes = values.bytes ?? (values.quick ? '64MB' : undefined);
  return {
    corpora: listOf('corpora', corpora, sectionNames),
    bytes: bytes === undefined ? undefined : parseByteSize(bytes),
    runs: positive('runs', values.runs ?? (values.quick ? '3' : '5')),
    only: values.only === undefined ? [] : listOf('only', values.only, names),
    seed: positive('seed', values.seed),
    keep: values.keep,
  };
};

const runBench = (args: readonly string[]): number => {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}`);
    return 64;
  }
  let failures = 0;
  for (const name of options.corpora) {
    const section = describeSection(name, options.bytes, options.seed);
    const result = runSection(section, options.runs, options.only);
    failures += result.contenders.filter(({ status }) => status === 'failed').length;
    if (!result.contenders.some(({ samples }) => samples.length > 0)) continue;
    process.stdout.write(`${renderSection(result)}\n`);
    // A part of the contenders must not take the place of all of them.
    if (options.only.length > 0) continue;
    writeResult(result.name, result);
    writeReport();
  }
  if (!options.keep) rmSync(atRoot(runFolder), { recursive: true, force: true });
  return failures === 0 ? 0 : 1;
};

const args = process.argv.slice(2);
process.exitCode = args[0] === 'memory' ? measureMemory(args.slice(1)) : runBench(args);
