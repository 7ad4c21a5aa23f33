/**
 * The section "Peak memory" of RESULTS.md.
 */
import { commandsBlock, markdownTable } from './markdown-table.ts';
import { machineText } from './render-section.ts';
import type { MemoryResult, MemoryRow } from './results.ts';

/** The aim for memory: a fixed part, one for each further worker, and three times the longest line. */
export const aimBytes = ({ corpus, workers = 1 }: Pick<MemoryRow, 'corpus' | 'workers'>): number =>
  128_000_000 + 64_000_000 * (workers - 1) + 3 * corpus.longestLineBytes;

const headings = [
  'corpus',
  'MB',
  'via',
  'workers',
  'sessions',
  'longest line MB',
  'peak RSS MB',
  'aim MB',
  'within',
  'wall s',
  'CPU ns/byte',
];

const megabytes = (bytes: number, digits = 0): string => (bytes / 1e6).toFixed(digits);

const cellsOf = (row: MemoryRow): readonly string[] => {
  const { kind, via, workers = 1, corpus, peakRssBytes, wallSeconds, cpuSeconds } = row;
  const aim = aimBytes(row);
  return [
    kind,
    megabytes(corpus.bytes),
    via,
    String(workers),
    String(corpus.sessions),
    megabytes(corpus.longestLineBytes, 3),
    megabytes(peakRssBytes),
    megabytes(aim),
    peakRssBytes <= aim ? 'yes' : 'no',
    wallSeconds.toFixed(2),
    cpuSeconds === undefined ? '' : ((cpuSeconds * 1e9) / corpus.bytes).toFixed(2),
  ];
};

/** The section as Markdown; `steady` is one single session. */
export const renderMemory = ({ rows }: MemoryResult): string => {
  const measured = [...new Set(rows.map(({ machine }) => machineText(machine)))];
  return [
    '## Peak memory',
    '',
    'Peak RSS of `turnmill build`, one run each. Through stdin the corpus is generated while it is read. `steady`',
    'is one single session, its lines stay about 50 KB; `line` has lines of 64 MB. Aim: 128 MB, 64 MB more for each',
    'further worker, and 3 times the longest line. The wall time of a run through stdin has the generator beside it.',
    `Measured ${measured.join('; ')}.`,
    '',
    ...markdownTable(headings, rows.map(cellsOf)),
    '',
    ...commandsBlock(rows),
  ].join('\n');
};
