/** Renders the sections of RESULTS.md about memory, primitives, nightly builds and the profile. */
import type { Sample } from './measure.ts';
import { commandsBlock, machineText, markdownTable } from './render-section.ts';
import {
  type MemoryResult,
  type MemoryRow,
  type MicroResult,
  type MicroRow,
  type NightlyResult,
  type NightlyRow,
  type ProfileResult,
  type ProfileRow,
  pairedRatio,
  type Spread,
  spreadOf,
} from './results.ts';

/** The memory aim: a fixed part, a part for each additional worker, and three times the longest line. */
export const aimBytes = ({ corpus, workers = 1 }: Pick<MemoryRow, 'corpus' | 'workers'>): number =>
  128_000_000 + 64_000_000 * (workers - 1) + 3 * corpus.longestLineBytes;

/**
 * The limit promised in docs/dataset.md: a fixed part, a part for each additional worker, three times the longest line, and, for an event
 * log, its longest conversation.
 */
const promisedBytes = ({ corpus, workers = 1 }: MemoryRow): number =>
  135_000_000 +
  30_000_000 * (workers - 1) +
  3 * corpus.longestLineBytes +
  (corpus.longestConversationBytes ?? 0);

const headings = [
  'corpus',
  'MB',
  'via',
  'workers',
  'sessions',
  'longest line MB',
  'open conversation MB',
  'peak RSS MB',
  'aim MB',
  'within the aim',
  'promise MB',
  'within the promise plus the open conversation',
  'wall s',
  'CPU ns/byte',
  'load',
];

const megabytes = (bytes: number, digits = 0): string => (bytes / 1e6).toFixed(digits);

const memoryCells = (row: MemoryRow): readonly string[] => {
  const { kind, via, workers = 1, corpus, peakRssBytes, wallSeconds, cpuSeconds, load } = row;
  const { longestConversationBytes: open } = corpus;
  const [aim, promise] = [aimBytes(row), promisedBytes(row)];
  return [
    kind,
    megabytes(corpus.bytes),
    via,
    String(workers),
    String(corpus.sessions),
    megabytes(corpus.longestLineBytes, 3),
    open === undefined ? '' : megabytes(open, 2),
    megabytes(peakRssBytes),
    megabytes(aim),
    peakRssBytes <= aim ? 'yes' : 'no',
    megabytes(promise),
    peakRssBytes <= promise ? 'yes' : 'no',
    wallSeconds.toFixed(2),
    cpuSeconds === undefined ? '' : ((cpuSeconds * 1e9) / corpus.bytes).toFixed(2),
    load === undefined ? '' : String(load),
  ];
};

export const renderMemory = ({ rows }: MemoryResult): string => {
  const measured = [...new Set(rows.map(({ machine }) => machineText(machine)))];
  return [
    '## Peak memory',
    '',
    'Peak RSS of `turnmill build`, one run each. With stdin the corpus is generated while it is read. `steady`',
    'is a single session with lines of about 50 KB; `line` has lines of 64 MB. Aim: 128 MB, plus 64 MB for each',
    'additional worker, plus 3 times the longest line. The promise of docs/dataset.md: 135 MB, plus 30 MB for each additional worker, plus',
    '3 times the longest line; for an event log also its longest conversation, which is held while it is open (here as bytes of its lines).',
    '`wide` has 100,000 small sessions, in as many files or in one stream with `--session-by id`; `claude-code-long` is one session of 1 GB,',
    '`claude-code` and `codex` have about 100,000 short ones. With stdin the generator runs at the same time, which adds to the wall time.',
    '`load` is the load average of the machine before the run: above 2 the machine was busy, and the times of the row say little.',
    `Measured ${measured.join('; ')}.`,
    '',
    ...markdownTable(headings, rows.map(memoryCells)),
    '',
    ...commandsBlock(rows),
  ].join('\n');
};

const microCells = ({ group, name, bytes, items, samples, milliseconds }: MicroRow): readonly string[] => {
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

export const renderMicro = ({ machine, rows }: MicroResult): string =>
  [
    '## Micro benches',
    '',
    'One primitive at a time on bytes in memory, in one warm process. A real run executes the same code cold, with',
    'caches full of other data, and is slower. Rows are not paired and not comparable across machines; they',
    'are for work on a single primitive. Median; `spread` is the third quartile divided by the fastest run.',
    `Measured ${machineText(machine)}.`,
    '',
    ...markdownTable(['bench', 'what', 'GB/s', 'ns each', 'spread', 'runs'], rows.map(microCells)),
    '',
  ].join('\n');

const cell = (spread: Spread | undefined, digits: number): string =>
  spread === undefined
    ? ''
    : `${spread.median.toFixed(digits)} (${spread.low.toFixed(digits)} to ${spread.high.toFixed(digits)})`;

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
    `${(corpus.bytes / 1e6).toFixed(0)} MB of main, one worker, ${reference?.samples.length ?? 0} rounds. The changed files are rewritten with the same bytes,`,
    'so an update does the work of a change and its result can be compared.',
    `Measured ${machineText(machine)}.`,
    '',
    ...markdownTable(['run', 'wall s', 'CPU s', 'wall / full', 'CPU / full', 'peak RSS MB'], rows.map(line)),
    '',
    ...commandsBlock(rows),
  ].join('\n');
};

const wholeOf = ({ seconds }: ProfileRow): number =>
  Object.values(seconds).reduce((sum, part) => sum + part, 0);

/** Returns the seconds per GB of output for reading back and hashing, or undefined if there is no output. */
export const readBackPerGigabyte = ({ seconds, outputBytes }: ProfileRow): number | undefined =>
  outputBytes === 0 ? undefined : ((seconds['read-back'] ?? 0) * 1e9) / outputBytes;

const shareCell = (row: ProfileRow, name: string): string =>
  `${((100 * (row.seconds[name] ?? 0)) / wholeOf(row)).toFixed(1)} %`;

export const renderProfile = ({ machine, rows }: ProfileResult): string => {
  const names = [...new Set(rows.flatMap(({ seconds }) => Object.keys(seconds)))];
  const line = (title: string, cell: (row: ProfileRow) => string): readonly string[] => [
    title,
    ...rows.map(cell),
  ];
  return [
    '## Where the time goes',
    '',
    '`turnmill build --profile`, one worker: counters, not samples. Reading the clock costs a little, most where',
    'entries are small. "compared" is the share of bytes that were recognised instead of scanned; the cost of',
    'reading back and hashing the output is per GB of output.',
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
