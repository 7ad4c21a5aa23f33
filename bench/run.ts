/**
 * Runs the benchmarks: measures whole processes in turn and writes bench/results and bench/RESULTS.md.
 *   npm run bench                    everything, full sizes
 *   npm run bench -- --quick         everything, small, in about two minutes; results in bench/out/quick
 *   npm run bench -- aims            only the corpora and contenders of the first table of RESULTS.md
 *   npm run bench -- memory          peak memory (bench/memory.ts)
 *   npm run bench -- profile         where the time goes (bench/profile.ts)
 *   npm run bench -- warm            how much of a run is warming up (bench/warm.ts)
 *   npm run bench -- nightly         an update after 1 % of the logs has changed (bench/nightly.ts)
 *   npm run bench -- s3              logs in an object store compared with files (bench/s3.ts)
 *   npm run bench -- growth          branches, chains and traces of growing size (bench/growth.ts)
 *   npm run bench -- micro           the primitives (bench/micro.ts)
 *   npm run bench -- report          renders RESULTS.md again
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parseByteSize } from './corpus/byte-size.ts';
import { measureGrowth } from './growth.ts';
import { contenders, copiesContenders, formatsContenders, startupContenders } from './harness/contenders.ts';
import { renderSection } from './harness/render-section.ts';
import { atRoot, runFolder } from './harness/repository.ts';
import { AIMS_PREFIX, fullResults, quickResults, type ResultsPlace, writeResult } from './harness/results.ts';
import { runSection } from './harness/run-section.ts';
import {
  aimContenders,
  aimSections,
  describeSection,
  quickBytes,
  type SectionName,
  sectionNames,
} from './harness/sections.ts';
import { measureMemory } from './memory.ts';
import { measureMicro } from './micro.ts';
import { measureNightly } from './nightly.ts';
import { measureProfile } from './profile.ts';
import { writeReport } from './report.ts';
import { measureS3 } from './s3.ts';
import { measureWarm } from './warm.ts';

const contenderNames = [
  ...new Set(
    [...contenders, ...formatsContenders, ...copiesContenders, ...startupContenders].map(({ name }) => name),
  ),
];

const usage = `usage: run.js [options] | run.js aims|memory|profile|warm|nightly|s3|growth|micro|report [options]
  --quick          small corpora and 3 rounds; results in ${quickResults.folder}
  --corpora LIST   only these sections, without the other benchmarks (memory, profile, ...):
                   ${sectionNames.join(', ')}
  --bytes SIZE     size of every corpus (default: each has its own)
  --runs N         number of measured rounds (default 5)
  --only LIST      only these contenders; prints the results without changing bench/results and RESULTS.md:
                   ${contenderNames.join(', ')}
  --seed N         seed of the corpora (default 1)
  --keep           keep the output of the contenders in ${runFolder}
`;

const listOf = <T extends string>(option: string, text: string, known: readonly T[]): T[] =>
  text.split(',').map((name) => {
    const found = known.find((candidate) => candidate === name.trim());
    if (found === undefined) throw new Error(`--${option}: unknown name '${name}'`);
    return found;
  });

const positive = (option: string, text: string): number => {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${option} takes a positive whole number, not '${text}'`);
  return Number(text);
};

const readOptions = (args: readonly string[], sections: readonly SectionName[]) => {
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
  return {
    quick: values.quick,
    sectionsOnly: values.corpora !== undefined || values.only !== undefined,
    corpora: listOf('corpora', values.corpora ?? sections.join(','), sections),
    bytes: values.bytes === undefined ? undefined : parseByteSize(values.bytes),
    runs: positive('runs', values.runs ?? (values.quick ? '3' : '5')),
    only: values.only === undefined ? [] : listOf('only', values.only, contenderNames),
    seed: positive('seed', values.seed),
    keep: values.keep,
  };
};

const runBench = async (args: readonly string[], isAimsRun = false): Promise<number> => {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args, isAimsRun ? aimSections : sectionNames);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}`);
    return 64;
  }
  const only = isAimsRun && options.only.length === 0 ? aimContenders : options.only;
  const place = options.quick ? quickResults : fullResults;
  let failures = 0;
  for (const name of options.corpora) {
    const section = describeSection(
      name,
      options.bytes ?? (options.quick ? quickBytes[name] : undefined),
      options.seed,
    );
    const result = runSection(section, options.runs, only);
    failures += result.contenders.filter(({ status }) => status === 'failed').length;
    if (!result.contenders.some(({ samples }) => samples.length > 0)) continue;
    process.stdout.write(`${renderSection(result)}\n`);
    // The results of a few contenders must not replace those of all contenders.
    if (options.only.length > 0) continue;
    // All contenders of `startup` are in the first table, so its results are complete.
    const saved = isAimsRun && name !== 'startup' ? `${AIMS_PREFIX}${result.name}` : result.name;
    writeResult(place, saved, { ...result, name: saved });
    writeReport(place);
  }
  if (!isAimsRun && !options.sectionsOnly) failures += await runOthers(options.quick, place);
  if (!options.keep) rmSync(atRoot(runFolder), { recursive: true, force: true });
  return failures === 0 ? 0 : 1;
};

/** Runs the other benchmarks and returns how many failed. */
const runOthers = async (quick: boolean, place: ResultsPlace): Promise<number> => {
  const sizes = ['--sizes', '10MB,60MB', '--stdin-from', '50MB', '--workers-at', '48MB', '--bytes', '8MB'];
  const statuses = [
    measureMemory(quick ? sizes : [], place),
    measureProfile(quick ? ['--quick', '--runs', '2'] : [], place),
    measureWarm(quick ? ['--quick', '--runs', '2'] : [], place),
    await measureNightly(quick ? ['--quick', '--runs', '2'] : [], place),
    await measureS3(quick ? ['--quick', '--runs', '2'] : [], place),
    await measureMicro(quick ? ['--time', '50'] : [], place),
  ];
  return statuses.filter((status) => status !== 0).length;
};

const run = async ([first, ...rest]: readonly string[]): Promise<number> => {
  if (first === 'aims') return runBench(rest, true);
  if (first === 'memory') return measureMemory(rest, fullResults);
  if (first === 'nightly') return measureNightly(rest, fullResults);
  if (first === 's3') return measureS3(rest, fullResults);
  if (first === 'profile') return measureProfile(rest, fullResults);
  if (first === 'warm') return measureWarm(rest, fullResults);
  if (first === 'growth') return measureGrowth(rest);
  if (first === 'micro') return measureMicro(rest, fullResults);
  if (first !== 'report') return runBench(first === undefined ? [] : [first, ...rest]);
  writeReport(fullResults);
  return 0;
};

process.exitCode = await run(process.argv.slice(2));
