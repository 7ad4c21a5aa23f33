/** Renders a section of RESULTS.md: the corpus, a table with a row per contender, and the commands. */
import type { Sample } from './measure.ts';
import {
  type ContenderResult,
  type Machine,
  pairedRatio,
  type SectionResult,
  type Spread,
  spreadOf,
} from './results.ts';

/** Renders a table. A row may have fewer cells than the heading. */
export const markdownTable = (
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] => {
  const widths = heading.map((title, column) =>
    Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
};

/** Renders the commands as a collapsed block. */
export const commandsBlock = (rows: readonly { readonly command: string }[]): readonly string[] => [
  '<details><summary>commands</summary>',
  '',
  '```sh',
  ...rows.map(({ command }) => command),
  '```',
  '',
  '</details>',
  '',
];

type Column = (sample: Sample) => number;
const wall: Column = (sample) => sample.wallSeconds;
const cpu: Column = (sample) => sample.cpuSeconds;
const rss: Column = (sample) => sample.peakRssBytes;

/** Formats the median and the extremes of the rounds: `1.23 (1.20 to 1.31)`. */
export const ratioText = (ratio: Spread | undefined): string => {
  if (ratio === undefined) return '';
  const [median, low, high] = [ratio.median, ratio.low, ratio.high].map((n) => n.toFixed(n < 10 ? 2 : 1));
  return low === high ? `${median}` : `${median} (${low} to ${high})`;
};

const secondsText = (spread: Spread | undefined): string => {
  if (spread === undefined) return '';
  const digits = spread.median < 1 ? 3 : 2;
  const [median, low, high] = [spread.median, spread.low, spread.high].map((n) => n.toFixed(digits));
  return `${median} (${low} to ${high})`;
};

/** Describes the machine: `2026-01-13; ..., 2 cores, ...`. Shown with every table, because tables may be from different days. */
export const machineText = ({ date, cores, cpu: model, memoryBytes, node }: Machine): string =>
  `${date}; ${model}, ${cores} cores, ${Math.round(memoryBytes / 2 ** 30)} GiB; Node ${node}`;

const samplesOf = (section: SectionResult, name: string): readonly Sample[] =>
  section.contenders.find((contender) => contender.name === name)?.samples ?? [];

/** Two cells: CPU nanoseconds per byte and per distinct byte, for growing sessions. */
const perByteCells = (section: SectionResult, samples: readonly Sample[]): readonly string[] => {
  const seconds = spreadOf(samples.map(cpu))?.median;
  if (seconds === undefined) return ['', ''];
  const { bytes, distinctBytes } = section.corpus;
  return [bytes, distinctBytes].map((divisor) => ((seconds * 1e9) / divisor).toFixed(3));
};

const millisecondsMore = (samples: readonly Sample[], reference: readonly Sample[]): string => {
  const more = samples.flatMap(({ wallSeconds }, round) => {
    const base = reference[round];
    return base === undefined ? [] : [(wallSeconds - base.wallSeconds) * 1000];
  });
  return spreadOf(more)?.median.toFixed(0) ?? '';
};

const row = (section: SectionResult, contender: ContenderResult): readonly string[] => {
  const isStartup = section.name === 'startup';
  if (contender.status !== 'measured') return [contender.label, contender.status];
  const { samples } = contender;
  const wallSpread = spreadOf(samples.map(wall));
  const rssSpread = spreadOf(samples.map(rss));
  const reference = samplesOf(section, section.reference);
  const turnmill = samplesOf(section, 'turnmill');
  const rate = wallSpread === undefined ? 0 : section.corpus.bytes / wallSpread.median / 1e6;
  return [
    contender.label,
    secondsText(wallSpread),
    secondsText(spreadOf(samples.map(cpu))),
    ...(isStartup ? [] : [rate.toFixed(0)]),
    rssSpread === undefined ? '' : (rssSpread.median / 1e6).toFixed(0),
    ratioText(pairedRatio(samples.map(cpu), reference.map(cpu))),
    isStartup
      ? millisecondsMore(samples, reference)
      : ratioText(pairedRatio(samples.map(wall), turnmill.map(wall))),
    ...(section.corpus.kind === 'growth' ? perByteCells(section, samples) : []),
  ];
};

const headings = (section: SectionResult): readonly string[] => {
  const isStartup = section.name === 'startup';
  return [
    'command',
    'wall s',
    'CPU s',
    ...(isStartup ? [] : ['MB/s']),
    'peak RSS MB',
    `CPU / ${section.reference}`,
    isStartup ? `wall ms beyond ${section.reference}` : 'wall / turnmill',
    ...(section.corpus.kind === 'growth' ? ['CPU ns/byte', 'CPU ns/distinct byte'] : []),
  ];
};

export const renderSection = (section: SectionResult): string => {
  const { corpus } = section;
  const repeated = 100 * (1 - corpus.distinctBytes / corpus.bytes);
  const failed = section.contenders.filter(({ status }) => status === 'failed');
  return [
    `## ${section.name}`,
    '',
    `${(corpus.bytes / 1e6).toFixed(1)} MB, ${corpus.sessions} sessions, ${corpus.entries} entries, ` +
      `longest line ${(corpus.longestLineBytes / 1e6).toFixed(3)} MB, ${repeated.toFixed(1)} % repeated, ` +
      `seed ${corpus.seed}; ${section.runs} rounds. Measured ${machineText(section.machine)}.`,
    '',
    ...markdownTable(
      headings(section),
      section.contenders.map((contender) => row(section, contender)),
    ),
    '',
    ...failed.flatMap(({ label, reason }) => [`Failed: ${label}: \`${reason ?? ''}\``, '']),
    ...commandsBlock(section.contenders.filter(({ status }) => status === 'measured')),
  ].join('\n');
};
