/**
 * The section "Micro benches" of RESULTS.md.
 */
import { markdownTable } from './markdown-table.ts';
import { machineText } from './render-section.ts';
import type { MicroResult, MicroRow } from './results.ts';

const cellsOf = ({ group, name, bytes, items, samples, milliseconds }: MicroRow): readonly string[] => {
  const nanosecondsEach = (milliseconds.median * 1e6) / items;
  return [
    group,
    name,
    bytes === undefined ? '' : (bytes / milliseconds.median / 1e6).toFixed(2),
    nanosecondsEach.toFixed(nanosecondsEach < 100 ? 1 : 0),
    `${(milliseconds.high / milliseconds.low).toFixed(2)}`,
    String(samples),
  ];
};

/** The section as Markdown. */
export const renderMicro = ({ machine, rows }: MicroResult): string =>
  [
    '## Micro benches',
    '',
    'One primitive at a time, over bytes in memory, in one warm process: code that a run executes cold, with its',
    'caches full of other things, is slower than here. Rows are not paired and do not compare across machines; they',
    'are for whoever changes a primitive. Median; `spread` is the third quartile over the fastest run.',
    `Measured ${machineText(machine)}.`,
    '',
    ...markdownTable(['bench', 'what', 'GB/s', 'ns each', 'spread', 'runs'], rows.map(cellsOf)),
    '',
  ].join('\n');
