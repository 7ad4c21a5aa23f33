/**
 * Defines the kinds of corpora by numbers. `growth`, `steady` and `line` measure the cost per distinct byte and memory. The logs of clients,
 * gateways and collectors (`eventKinds`) are in event-logs.ts.
 */

/** An inclusive range. */
export type Range = readonly [low: number, high: number];

/** The numbers of one kind. Sizes are serialised bytes; chances are probabilities. */
export interface CorpusShape {
  readonly entriesPerSession: Range;
  readonly textBytes: Range;
  readonly callTextBytes: Range;
  readonly argumentBytes: Range;
  readonly resultBytes: Range;
  readonly systemBytes: Range;
  readonly toolsPerSet: number;
  readonly toolDescriptionBytes: Range;
  readonly toolTurnChance: number;
  readonly emptyContentChance: number;
  readonly volatileSystemChance: number;
  readonly infoMessageChance: number;
  readonly compactedEntryChance: number;
  readonly shorterLastChance: number;
  /** Above this size, the history is compacted. */
  readonly maxHistoryBytes: number;
  /** If set, every entry consists of new messages and tools, of this total size. */
  readonly freshEntryBytes: Range | undefined;
  /** All sessions have the same layout and are in one file, so that they differ only in their growth. */
  readonly uniform: boolean;
  readonly gzip: boolean;
  readonly defaultBytes: number;
  readonly maxSessions: number;
}

/** Logs of coding agents, calls, streams and spans, in many small files; with `-long` in one file (agents) or a few large ones. */
export const eventKinds = [
  'claude-code',
  'claude-code-long',
  'codex',
  'codex-long',
  'responses',
  'responses-long',
  'sse',
  'sse-long',
  'spans',
  'spans-long',
] as const;

export type EventKind = (typeof eventKinds)[number];

const entryKinds = [
  'main',
  'small',
  'giant',
  'fresh',
  'wide',
  'gz',
  'calls',
  'growth',
  'steady',
  'line',
] as const;

type EntryKind = (typeof entryKinds)[number];

export type CorpusKind = EntryKind | EventKind;

/** The kinds that `corpus.js` accepts. */
export const corpusKinds: readonly CorpusKind[] = [...entryKinds, ...eventKinds];

export const isEventKind = (kind: CorpusKind): kind is EventKind =>
  eventKinds.some((eventKind) => eventKind === kind);

const main: CorpusShape = {
  entriesPerSession: [5, 60],
  textBytes: [200, 20_000],
  callTextBytes: [200, 1_500],
  argumentBytes: [30, 3_000],
  resultBytes: [200, 20_000],
  systemBytes: [2_000, 12_000],
  toolsPerSet: 30,
  toolDescriptionBytes: [150, 1_700],
  toolTurnChance: 0.75,
  emptyContentChance: 0.3,
  volatileSystemChance: 0.1,
  infoMessageChance: 0.25,
  compactedEntryChance: 0.01,
  shorterLastChance: 0.1,
  maxHistoryBytes: Number.POSITIVE_INFINITY,
  freshEntryBytes: undefined,
  uniform: false,
  gzip: false,
  defaultBytes: 1_000_000_000,
  maxSessions: Number.POSITIVE_INFINITY,
};

const small: CorpusShape = {
  ...main,
  entriesPerSession: [2, 6],
  textBytes: [30, 200],
  callTextBytes: [20, 60],
  argumentBytes: [10, 20],
  resultBytes: [30, 150],
  systemBytes: [150, 250],
  toolsPerSet: 1,
  toolDescriptionBytes: [60, 100],
  defaultBytes: 300_000_000,
};

const oneLongSession: CorpusShape = {
  ...main,
  entriesPerSession: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  volatileSystemChance: 0,
  infoMessageChance: 0,
  compactedEntryChance: 0,
  maxSessions: 1,
};

const fresh: CorpusShape = {
  ...main,
  entriesPerSession: [1, 8],
  toolsPerSet: 4,
  volatileSystemChance: 0,
  infoMessageChance: 0,
  compactedEntryChance: 0,
  shorterLastChance: 0,
  freshEntryBytes: [50_000, 200_000],
  defaultBytes: 300_000_000,
};

const shapes: Readonly<Record<EntryKind, CorpusShape>> = {
  main,
  small,
  giant: {
    ...oneLongSession,
    textBytes: [1_500, 14_000],
    resultBytes: [3_000, 24_000],
    maxHistoryBytes: 5_000_000,
  },
  fresh,
  wide: {
    ...small,
    entriesPerSession: [1, 1],
    defaultBytes: Number.POSITIVE_INFINITY,
    maxSessions: 100_000,
  },
  gz: { ...main, gzip: true, defaultBytes: 300_000_000 },
  calls: {
    ...small,
    entriesPerSession: [1, 1],
    textBytes: [400, 2_000],
    systemBytes: [300, 1_200],
    gzip: true,
    defaultBytes: 300_000_000,
  },
  growth: {
    ...main,
    textBytes: [150, 150],
    callTextBytes: [150, 150],
    argumentBytes: [150, 150],
    resultBytes: [450, 450],
    systemBytes: [300, 300],
    toolsPerSet: 1,
    toolDescriptionBytes: [100, 100],
    toolTurnChance: 1,
    emptyContentChance: 0,
    volatileSystemChance: 0,
    infoMessageChance: 0,
    compactedEntryChance: 0,
    shorterLastChance: 0,
    uniform: true,
    defaultBytes: 200_000_000,
  },
  line: {
    ...fresh,
    entriesPerSession: [2, 2],
    freshEntryBytes: [64_000_000, 64_000_000],
    defaultBytes: Number.POSITIVE_INFINITY,
    maxSessions: 1,
  },
  steady: {
    ...oneLongSession,
    textBytes: [200, 6_000],
    resultBytes: [200, 8_000],
    systemBytes: [2_000, 3_000],
    toolsPerSet: 6,
    maxHistoryBytes: 80_000,
  },
};

/** Returns the numbers of a kind. `growthEntries` is the session length of `growth`. */
export const corpusShape = (kind: EntryKind, growthEntries: number): CorpusShape =>
  kind === 'growth' ? { ...shapes.growth, entriesPerSession: [growthEntries, growthEntries] } : shapes[kind];
