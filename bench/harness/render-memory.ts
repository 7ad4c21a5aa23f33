/**
 * The section "Peak memory" of RESULTS.md.
 */
import { markdownTable } from './markdown-table.ts';
import { machineText } from './render-section.ts';
import type { MemoryResult, MemoryRow } from './results.ts';

/** The aim of spec performance §1: a fixed part and three times the longest line. */
const aimBytes = (longestLineBytes: number): number => 128_000_000 + 3 * longestLineBytes;

const headings = [
  'corpus',
  'MB',
  'via',
  'sessions',
  'longest line MB',
  'peak RSS MB',
  'aim MB',
  'within',
  'wall s',
];

const megabytes = (bytes: number, digits = 0): string => (bytes / 1e6).toFixed(digits);

const cellsOf = ({ kind, via, corpus, peakRssBytes, wallSeconds }: MemoryRow): readonly string[] => {
  const aim = aimBytes(corpus.longestLineBytes);
  return [
    kind,
    megabytes(corpus.bytes),
    via,
    String(corpus.sessions),
    megabytes(corpus.longestLineBytes, 3),
    megabytes(peakRssBytes),
    megabytes(aim),
    peakRssBytes <= aim ? 'yes' : 'no',
    wallSeconds.toFixed(2),
  ];
};

/** The section as Markdown; `steady` is one single session. */
export const renderMemory = ({ rows }: MemoryResult): string => {
  const measured = [...new Set(rows.map(({ machine }) => machineText(machine)))];
  return [
    '## Peak memory',
    '',
    'Peak RSS of `turnmill build`, one worker, one run each. Through stdin the corpus is generated while',
    'it is read. `steady` is one single session, its lines stay about 50 KB. Aim: 128 MB + 3 times the',
    'longest line. The wall time of a run through stdin has the generator beside it.',
    `Measured ${measured.join('; ')}.`,
    '',
    ...markdownTable(headings, rows.map(cellsOf)),
    '',
    '<details><summary>commands</summary>',
    '',
    '```sh',
    ...rows.map(({ command }) => command),
    '```',
    '',
    '</details>',
    '',
  ].join('\n');
};
