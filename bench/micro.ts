/**
 * Measures each primitive by itself, in memory, with tinybench. Useful while working on a primitive; judge performance by whole runs
 * (run.ts).
 *   node dist/bench/micro.js [--time MS]
 */
import { parseArgs } from 'node:util';
import { Bench } from 'tinybench';
import { renderMicro } from './harness/render-benches.ts';
import { describeMachine, type MicroRow, type ResultsPlace, writeResult } from './harness/results.ts';
import { framingCases, type MicroCase, stageStreamCases, timestampCases, writingCases } from './micro/job.ts';
import {
  compareCases,
  knownListCases,
  membersCases,
  plainScannerCases,
  wasmScannerCases,
} from './micro/json.ts';
import { redactionCases } from './micro/redaction.ts';
import { writeReport } from './report.ts';

/** In the order in which they run. */
const groups: Readonly<Record<string, () => readonly MicroCase[]>> = {
  framing: framingCases,
  'plain-scanner': plainScannerCases,
  'wasm-scanner': wasmScannerCases,
  compare: compareCases,
  'known-list': knownListCases,
  members: membersCases,
  timestamp: timestampCases,
  'stage-stream': stageStreamCases,
  writing: writingCases,
  redaction: redactionCases,
};

const measureGroup = async (
  group: string,
  cases: readonly MicroCase[],
  time: number,
): Promise<MicroRow[]> => {
  const bench = new Bench({ time, warmupTime: time / 4 });
  for (const { name, run } of cases) bench.add(name, run);
  await bench.run();
  return cases.map(({ name, bytes, items }): MicroRow => {
    const result = bench.getTask(name)?.result;
    if (result?.state !== 'completed')
      throw new Error(`${group}, ${name}: the benchmark did not complete: ${result?.state}`);
    const { p50, p75, min, samplesCount } = result.latency;
    const milliseconds = { median: p50, low: min, high: p75 };
    return {
      group,
      name,
      ...(bytes === undefined ? {} : { bytes }),
      items,
      samples: samplesCount,
      milliseconds,
    };
  });
};

/** Measures, saves and prints; returns the exit status. */
export const measureMicro = async (args: readonly string[], place: ResultsPlace): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: { time: { type: 'string', default: '500' } } });
  const rows: MicroRow[] = [];
  for (const [group, cases] of Object.entries(groups)) {
    process.stderr.write(`micro: ${group}\n`);
    rows.push(...(await measureGroup(group, cases(), Number(values.time))));
  }
  const result = { type: 'micro', machine: describeMachine(), rows } as const;
  writeResult(place, 'micro', result);
  writeReport(place);
  process.stdout.write(renderMicro(result));
  return 0;
};
