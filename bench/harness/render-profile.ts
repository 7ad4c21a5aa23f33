/**
 * The section "Where the time goes" of RESULTS.md.
 */
import { commandsBlock, markdownTable } from './markdown-table.ts';
import { machineText } from './render-section.ts';
import type { ProfileResult, ProfileRow } from './results.ts';

const wholeOf = ({ seconds }: ProfileRow): number =>
  Object.values(seconds).reduce((sum, part) => sum + part, 0);

/** Seconds of reading back and hashing per GB of output; undefined without any. */
export const readBackPerGigabyte = ({ seconds, outputBytes }: ProfileRow): number | undefined =>
  outputBytes === 0 ? undefined : ((seconds['read-back'] ?? 0) * 1e9) / outputBytes;

const shareCell = (row: ProfileRow, name: string): string =>
  `${((100 * (row.seconds[name] ?? 0)) / wholeOf(row)).toFixed(1)} %`;

/** The section as Markdown. */
export const renderProfile = ({ machine, rows }: ProfileResult): string => {
  const names = [...new Set(rows.flatMap(({ seconds }) => Object.keys(seconds)))];
  const line = (title: string, cell: (row: ProfileRow) => string): readonly string[] => [
    title,
    ...rows.map(cell),
  ];
  return [
    '## Where the time goes',
    '',
    '`turnmill build --profile`, one worker: counters, not samples. The clock itself costs a little, most where',
    'entries are small. "compared" is the share of the bytes that were recognised and not scanned; the cost of',
    'reading the output back and hashing it is per GB of output.',
    `Measured ${machineText(machine)}.`,
    '',
    ...markdownTable(
      ['', ...rows.map(({ kind }) => kind)],
      [
        line('MB', ({ corpus }) => (corpus.bytes / 1e6).toFixed(0)),
        line('seconds', (row) => wholeOf(row).toFixed(3)),
        ...names.map((name) => line(name, (row) => shareCell(row, name))),
        line('compared', ({ comparedShare }) => `${(100 * comparedShare).toFixed(1)} %`),
        line('output MB', ({ outputBytes }) => (outputBytes / 1e6).toFixed(0)),
        line('read-back s/GB', (row) => readBackPerGigabyte(row)?.toFixed(2) ?? ''),
      ],
    ),
    '',
    ...commandsBlock(rows),
  ].join('\n');
};
