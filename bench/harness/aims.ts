/** Compares the performance aims with the figures in the results files. */
import type { Sample } from './measure.ts';
import { ratioText } from './render-section.ts';
import {
  AIMS_PREFIX,
  type MemoryRow,
  pairedRatio,
  type Result,
  type SectionResult,
  type Spread,
  spreadOf,
} from './results.ts';

/** A measured figure as text, and whether it meets its aim. */
export interface Answer {
  readonly measured: string;
  readonly met: boolean;
}

/** Looks up figures in the results. */
export interface Figures {
  readonly memory: readonly MemoryRow[];
  /**
   * Returns the largest section of a kind in which these contenders were measured. Prefers sections measured by `bench aims`, which are
   * deleted when their corpus is measured with every contender.
   */
  section(kind: string, contenders?: readonly string[]): SectionResult | undefined;
  /** Divides the times of `contender` by those of `divisor` in the same round. */
  ratio(kind: string, contender: string, divisor: string, time: 'cpu' | 'wall'): Spread | undefined;
  peak(kind: string, contender: string): Spread | undefined;
  /** Returns by how much the wall time exceeds that of `node -e 0` in the same round. */
  millisecondsMore(contender: string): Spread | undefined;
  /** Returns CPU nanoseconds per byte for sessions of 5, 60 and 600 entries. The startup time of turnmill is subtracted. */
  growth(per: 'bytes' | 'distinctBytes', contender?: string): readonly number[] | undefined;
}

const columns = {
  cpu: ({ cpuSeconds }: Sample): number => cpuSeconds,
  wall: ({ wallSeconds }: Sample): number => wallSeconds,
  rss: ({ peakRssBytes }: Sample): number => peakRssBytes,
} as const;

/** Number of sessions in the larger corpus of the kind `wide`. */
const WIDE_SESSIONS = 100_000;

/** Whether a section is of a kind. `wide20` and `wide` differ in the number of sessions; other kinds are a prefix of the section's name. */
const isOfKind = (kind: string, { name, corpus }: SectionResult): boolean => {
  const plainName = name.replace(AIMS_PREFIX, '');
  if (kind === 'wide20') return plainName.startsWith('wide') && corpus.sessions < WIDE_SESSIONS;
  if (kind === 'wide') return plainName.startsWith('wide') && corpus.sessions >= WIDE_SESSIONS;
  if (plainName.startsWith(`${kind}-long`)) return false;
  return plainName === kind || plainName.startsWith(`${kind}-`);
};

const isAimsSection = ({ name }: SectionResult): boolean => name.startsWith(AIMS_PREFIX);

const hasMeasured = ({ contenders }: SectionResult, name: string): boolean =>
  contenders.some((contender) => contender.name === name && contender.samples.length > 0);

export const figuresOf = (results: readonly Result[]): Figures => {
  const sections = results.filter((result): result is SectionResult => result.type === 'section');
  const section = (kind: string, contenders: readonly string[] = []): SectionResult | undefined =>
    sections
      .filter((result) => isOfKind(kind, result) && contenders.every((name) => hasMeasured(result, name)))
      .toSorted(
        (a, b) => Number(isAimsSection(b)) - Number(isAimsSection(a)) || b.corpus.bytes - a.corpus.bytes,
      )[0];
  const column = (
    kind: string,
    contender: string,
    value: keyof typeof columns,
    others: readonly string[] = [],
  ): readonly number[] =>
    section(kind, [contender, ...others])
      ?.contenders.find(({ name }) => name === contender)
      ?.samples.map(columns[value]) ?? [];
  const figures: Figures = {
    memory: results.flatMap((result) => (result.type === 'memory' ? result.rows : [])),
    section,
    ratio: (kind, contender, divisor, time) =>
      pairedRatio(column(kind, contender, time, [divisor]), column(kind, divisor, time, [contender])),
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

/** Compares the median with both bounds. Rounds a figure with a unit to an integer. */
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

/** Compares the largest value of some rows, in MB, with its maximum. */
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

/** A row of the tables of aims. */
export interface Aim {
  /** Also the key in bench/notes.json. */
  readonly id: string;
  readonly work: string;
  readonly aim: string;
  /** Returns undefined if it was not measured. */
  answer(figures: Figures): Answer | undefined;
}

/** A row of the first table: one worker on a corpus, compared with simdjson and with a Python script that uses orjson. */
export interface CorpusAim {
  /** The kind of corpus; also the key in bench/notes.json. */
  readonly id: string;
  readonly work: string;
  /** Maximum CPU time, as a multiple of that of simdjson On-Demand. */
  readonly simdjson?: number;
  /** Minimum wall time of the script, as a multiple of turnmill's: above 1, turnmill is faster. */
  readonly faster?: number;
  /** Maximum CPU time, as a multiple of the script's. */
  readonly orjson?: number;
}

/** The corpora of the first table. */
export const corpusAims: readonly CorpusAim[] = [
  { id: 'main', work: 'main', simdjson: 2, faster: 6, orjson: 0.3 },
  { id: 'giant', work: 'giant', simdjson: 1.5, faster: 10 },
  { id: 'small', work: 'small (2 KB entries)', simdjson: 5, faster: 1.1, orjson: 1 },
  { id: 'fresh', work: 'fresh (nothing repeats)', simdjson: 9, faster: 1.1, orjson: 1.1 },
  { id: 'wide20', work: 'wide (files of one entry)', simdjson: 8, faster: 0.5, orjson: 2.2 },
  { id: 'wide', work: 'wide, 100,000 files', simdjson: 8, faster: 0.8 },
  { id: 'calls', work: 'calls (one-shot calls, gzipped)' },
  { id: 'claude-code', work: 'claude-code, many short sessions', orjson: 4 },
  { id: 'claude-code-long', work: 'claude-code, one session', orjson: 3 },
  { id: 'codex', work: 'codex, many short sessions', orjson: 4 },
  { id: 'codex-long', work: 'codex, one session', orjson: 3 },
  { id: 'responses', work: 'responses, many small files', orjson: 5 },
  { id: 'responses-long', work: 'responses, few large files', orjson: 5 },
  { id: 'sse', work: 'sse, many small files', orjson: 5 },
  { id: 'sse-long', work: 'sse, few large files', orjson: 5 },
  { id: 'spans', work: 'spans, many small files', orjson: 5 },
  { id: 'spans-long', work: 'spans, few large files', orjson: 5 },
];

/** Corpora without an aim. */
export const otherCorpora: readonly CorpusAim[] = [
  { id: 'gz', work: 'gz (main, gzipped)' },
  { id: 'growth5', work: 'growth, 5 entries a session' },
  { id: 'growth60', work: 'growth, 60 entries a session' },
  { id: 'growth600', work: 'growth, 600 entries a session' },
];

const timesAsFast = (id: string, kind: string, peer: string, label: string, least: number): Aim => ({
  id,
  work: `${kind}, one worker, against ${label}`,
  aim: `at least ${least} times as fast`,
  answer: ({ ratio }) => medianWithin(ratio(kind, peer, 'turnmill', 'wall'), least),
});

/** Two workers compared with one on several corpora; only `small` has an aim. */
const twoWorkers: Aim = {
  id: 'two-workers',
  work: 'two workers against one, two free cores (small; main; fresh)',
  aim: 'at least 1.4 times as fast on small',
  answer({ ratio }) {
    const ratios = ['small', 'main', 'fresh'].map((kind) => ratio(kind, 'turnmill', 'turnmill-2', 'wall'));
    const small = medianWithin(ratios[0], 1.4);
    if (small === undefined) return undefined;
    return {
      measured: ratios.map((spread) => ratioText(spread) || 'not measured').join('; '),
      met: small.met,
    };
  },
};

const startup: Aim = {
  id: 'startup',
  work: '`--help`; a build of one small entry: beyond `node -e 0`',
  aim: 'at most 60 ms',
  answer({ millisecondsMore }) {
    const answers = ['turnmill-help', 'turnmill-tiny'].map((name) =>
      medianWithin(millisecondsMore(name), 0, 60, 'ms'),
    );
    const [help, build] = answers;
    if (help === undefined || build === undefined) return undefined;
    return { measured: `${help.measured}; ${build.measured}`, met: help.met && build.met };
  },
};

const isGrowing = ({ kind, workers = 1 }: MemoryRow): boolean =>
  workers === 1 && (kind === 'main' || kind === 'steady');

/** Compares the bytes that each additional worker thread adds to the peak of a run with one worker. */
const workerBytes = (memory: readonly MemoryRow[]): Answer | undefined => {
  const several = memory.filter(({ workers = 1 }) => workers > 1);
  const alone = memory.find(
    ({ kind, workers = 1, corpus }) =>
      kind === 'main' && workers === 1 && corpus.bytes === several[0]?.corpus.bytes,
  );
  if (alone === undefined) return undefined;
  return worst(
    several,
    ({ peakRssBytes, workers = 1 }) => (peakRssBytes - alone.peakRssBytes) / (workers - 1) / 1e6,
    25,
  );
};

/** Compares the bytes beyond three times the length of the longest line. */
const lineBytes = (memory: readonly MemoryRow[]): Answer | undefined =>
  worst(
    memory.filter(({ kind }) => kind === 'line'),
    ({ peakRssBytes, corpus }) => (peakRssBytes - 3 * corpus.longestLineBytes) / 1e6,
    135,
  );

const memoryPeak: Aim = {
  id: 'rss',
  work: 'peak RSS: one worker, 10 MB to 10 GB; each additional worker; lines of 64 MB beyond 3 times their length',
  aim: '85 MB; 25 MB; 135 MB',
  answer({ memory }) {
    const one = worst(memory.filter(isGrowing), ({ peakRssBytes }) => peakRssBytes / 1e6, 85);
    const answers = [one, workerBytes(memory), lineBytes(memory)];
    if (answers.every((answer) => answer === undefined)) return undefined;
    return {
      measured: answers.map((answer) => answer?.measured ?? 'not measured').join('; '),
      met: answers.every((answer) => answer?.met === true),
    };
  },
};

/** The other rows of the first table. */
export const otherRows: readonly Aim[] = [twoWorkers, startup, memoryPeak];

/** The rows of the second table, in order. */
export const aims: readonly Aim[] = [
  timesAsFast('main-python', 'main', 'python-json', 'plain Python `json`', 20),
  timesAsFast('main-readline', 'main', 'readline', 'Node readline + JSON.parse', 25),
  timesAsFast('main-split2', 'main', 'split2', 'Node split2 + JSON.parse', 25),
  timesAsFast('main-jq', 'main', 'jq', 'jq', 50),
  timesAsFast('main-duckdb', 'main', 'duckdb', 'DuckDB `read_json`', 5),
  {
    id: 'rss-giant',
    work: 'a session file of any size (giant): peak RSS beyond 3 times the longest line',
    aim: 'at most 128 MB',
    answer: ({ section, peak }) => {
      const giant = section('giant');
      const rss = peak('giant', 'turnmill');
      if (giant === undefined || rss === undefined) return undefined;
      const beyond = (bytes: number): number => (bytes - 3 * giant.corpus.longestLineBytes) / 1e6;
      const spread = { median: beyond(rss.median), low: beyond(rss.low), high: beyond(rss.high) };
      return medianWithin(spread, Number.NEGATIVE_INFINITY, 128, 'MB');
    },
  },
  {
    id: 'growth-distinct',
    work: 'sessions of 5, 60, 600 entries: CPU per distinct byte, without startup',
    aim: 'flat',
    answer: ({ growth }) => {
      const costs = growth('distinctBytes');
      if (costs === undefined) return undefined;
      const met = Math.max(...costs) <= 1.25 * Math.min(...costs);
      return { measured: `${costs.map((cost) => cost.toFixed(2)).join(', ')} ns`, met };
    },
  },
  {
    id: 'growth-read',
    work: 'sessions of 5, 60, 600 entries: CPU per read byte, without startup (in brackets `wc -l`)',
    aim: 'falling towards read + memchr + memcmp',
    answer: ({ growth }) => {
      const costs = growth('bytes');
      const floor = growth('bytes', 'wc');
      if (costs === undefined || floor === undefined) return undefined;
      const [small = 0, middle = 0, large = 0] = costs;
      const measured = costs
        .map((cost, i) => `${cost.toFixed(2)} (${(floor[i] ?? 0).toFixed(2)})`)
        .join(', ');
      return { measured: `${measured} ns`, met: small > middle && middle > large };
    },
  },
  timesAsFast('fresh-readline', 'fresh', 'readline', 'Node readline + JSON.parse', 4),
  {
    id: 'formats',
    work: 'three formats in one pass (chat, trl, openai) against one (chat)',
    aim: 'less than twice the CPU',
    answer: ({ ratio }) => medianWithin(ratio('formats', 'turnmill-three', 'turnmill', 'cpu'), 0, 2),
  },
  {
    id: 'copies',
    work: 'main 1 GB with `--copies drop` against a plain build',
    aim: 'at most 1.15 times the CPU',
    answer: ({ ratio }) => medianWithin(ratio('copies', 'turnmill-drop', 'turnmill', 'cpu'), 0, 1.15),
  },
  {
    id: 'leaves',
    work: 'main 1 GB with `--select leaves` against `last`',
    aim: 'at most twice the CPU',
    answer: ({ ratio }) => medianWithin(ratio('copies', 'turnmill-leaves', 'turnmill', 'cpu'), 0, 2),
  },
];
