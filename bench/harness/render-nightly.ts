/**
 * The section "Nightly builds" of RESULTS.md.
 */
import { commandsBlock, markdownTable } from './markdown-table.ts';
import type { Sample } from './measure.ts';
import { machineText } from './render-section.ts';
import type { NightlyResult, NightlyRow } from './results.ts';
import { pairedRatio, type Spread, spreadOf } from './statistics.ts';

const cell = (spread: Spread | undefined, digits: number): string =>
  spread === undefined
    ? ''
    : `${spread.median.toFixed(digits)} (${spread.low.toFixed(digits)} to ${spread.high.toFixed(digits)})`;

/** The section as Markdown. */
export const renderNightly = ({ machine, corpus, rows }: NightlyResult): string => {
  const valuesOf = (row: NightlyRow | undefined, key: keyof Sample): readonly number[] =>
    row?.samples.map((sample) => sample[key]) ?? [];
  const [reference] = rows;
  const line = (row: NightlyRow): readonly string[] => [
    row.label,
    cell(spreadOf(valuesOf(row, 'wallSeconds')), 3),
    cell(spreadOf(valuesOf(row, 'cpuSeconds')), 2),
    cell(pairedRatio(valuesOf(row, 'wallSeconds'), valuesOf(reference, 'wallSeconds')), 2),
    cell(pairedRatio(valuesOf(row, 'cpuSeconds'), valuesOf(reference, 'cpuSeconds')), 2),
    ((spreadOf(valuesOf(row, 'peakRssBytes'))?.median ?? 0) / 1e6).toFixed(0),
  ];
  return [
    '## Nightly builds',
    '',
    `${(corpus.bytes / 1e6).toFixed(0)} MB of main, one worker, ${reference?.samples.length ?? 0} rounds. The changed files have the same bytes as before,`,
    'in a new file: the work of a change, with a result that can be compared.',
    `Measured ${machineText(machine)}.`,
    '',
    ...markdownTable(['run', 'wall s', 'CPU s', 'wall / full', 'CPU / full', 'peak RSS MB'], rows.map(line)),
    '',
    ...commandsBlock(rows),
  ].join('\n');
};
