/**
 * What the aims ask the results for.
 */
import type { Sample } from './measure.ts';
import { ratioText } from './render-section.ts';
import type { MemoryRow, Result, SectionResult } from './results.ts';
import { pairedRatio, type Spread, spreadOf } from './statistics.ts';

/** What was measured, in words, and whether that is what was aimed at. */
export interface Answer {
  readonly measured: string;
  readonly met: boolean;
}

/** The results, by the questions that are asked of them. */
export interface Figures {
  readonly memory: readonly MemoryRow[];
  /** The largest section of a kind. */
  section(kind: string): SectionResult | undefined;
  /** Paired: `of` divided by `by`. */
  ratio(kind: string, of: string, by: string, what: 'cpu' | 'wall'): Spread | undefined;
  peak(kind: string, contender: string): Spread | undefined;
  /** Wall time beyond `node -e 0`, paired. */
  millisecondsMore(contender: string): Spread | undefined;
  /** CPU nanoseconds per byte with 5, 60 and 600 entries; of turnmill without its start. */
  growth(per: 'bytes' | 'distinctBytes', contender?: string): readonly number[] | undefined;
}

const columns = {
  cpu: ({ cpuSeconds }: Sample): number => cpuSeconds,
  wall: ({ wallSeconds }: Sample): number => wallSeconds,
  rss: ({ peakRssBytes }: Sample): number => peakRssBytes,
} as const;

/** Reads all results. */
export const figuresOf = (results: readonly Result[]): Figures => {
  const sections = results.filter((result): result is SectionResult => result.type === 'section');
  const section = (kind: string): SectionResult | undefined =>
    sections
      .filter(({ name }) => name === kind || name.startsWith(`${kind}-`))
      .toSorted((a, b) => b.corpus.bytes - a.corpus.bytes)[0];
  const column = (kind: string, contender: string, what: keyof typeof columns): readonly number[] =>
    section(kind)
      ?.contenders.find(({ name }) => name === contender)
      ?.samples.map(columns[what]) ?? [];
  const figures: Figures = {
    memory: results.flatMap((result) => (result.type === 'memory' ? result.rows : [])),
    section,
    ratio: (kind, of, by, what) => pairedRatio(column(kind, of, what), column(kind, by, what)),
    peak: (kind, contender) => spreadOf(column(kind, contender, 'rss')),
    millisecondsMore(contender) {
      const base = column('startup', 'node', 'wall');
      const more = column('startup', contender, 'wall').map(
        (wall, round) => (wall - (base[round] ?? 0)) * 1000,
      );
      return spreadOf(more);
    },
    growth(per, contender = 'turnmill') {
      const costs = ['growth5', 'growth60', 'growth600'].map((kind) => {
        const whole = spreadOf(column(kind, contender, 'cpu'))?.median;
        const start =
          contender === 'turnmill' ? spreadOf(column('startup', 'turnmill-tiny', 'cpu'))?.median : 0;
        const seconds = whole === undefined || start === undefined ? undefined : whole - start;
        const corpus = section(kind)?.corpus;
        return seconds === undefined || corpus === undefined ? undefined : (seconds * 1e9) / corpus[per];
      });
      const measured = costs.filter((cost) => cost !== undefined);
      return measured.length === costs.length ? measured : undefined;
    },
  };
  return figures;
};

/** Is the median between the two? A figure with a unit has one digit. */
export const medianWithin = (
  spread: Spread | undefined,
  least: number,
  most: number = Number.POSITIVE_INFINITY,
  unit = '',
): Answer | undefined => {
  if (spread === undefined) return undefined;
  const [median, low, high] = [spread.median, spread.low, spread.high].map((n) => n.toFixed(0));
  const measured = unit === '' ? ratioText(spread) : `${median} ${unit} (${low} to ${high})`;
  return { measured, met: spread.median >= least && spread.median <= most };
};

/** The largest of some rows, in MB. */
export const worst = (
  rows: readonly MemoryRow[],
  megabytesOf: (row: MemoryRow) => number,
  mostMegabytes: number,
): Answer | undefined => {
  const spread = spreadOf(rows.map(megabytesOf));
  if (spread === undefined) return undefined;
  const measured =
    rows.length === 1 ? `${spread.high.toFixed(0)} MB` : `${spread.high.toFixed(0)} MB at most`;
  return { measured, met: spread.high <= mostMegabytes };
};
