/** Defines the sections of a full run: the corpus, its size and the contenders. */

import type { CorpusOrder } from '../corpus/order.ts';
import { type CorpusKind, type EventKind, eventKinds, isEventKind } from '../corpus/shapes.ts';
import { corpusName } from './cached-corpus.ts';
import {
  type Contender,
  contenders,
  copiesContenders,
  eventContenders,
  formatsContenders,
  startupContenders,
} from './contenders.ts';

/** A table of the results. */
export interface Section {
  /** Also the name of its file in bench/results. */
  readonly name: string;
  readonly order: CorpusOrder;
  readonly contenders: readonly Contender[];
  /** The contender that CPU ratios refer to. */
  readonly reference: string;
}

const entrySections = [
  'main',
  'small',
  'giant',
  'fresh',
  'wide20',
  'wide',
  'gz',
  'calls',
  'formats',
  'copies',
  'growth5',
  'growth60',
  'growth600',
] as const;

export type SectionName = (typeof entrySections)[number] | EventKind | 'startup';

/** The values of `--corpora`, in the order in which they run. */
export const sectionNames: readonly SectionName[] = [...entrySections, ...eventKinds, 'startup'];

/** The sections of the first table of the results. */
export const aimSections: readonly SectionName[] = [
  ...(['main', 'giant', 'small', 'fresh', 'wide20', 'wide', 'calls'] as const),
  ...eventKinds,
  'startup',
];

/** The contenders in the first table. */
export const aimContenders: readonly string[] = [
  ...['turnmill', 'turnmill-2', 'orjson', 'simdjson-ondemand', 'gzip-dc'],
  ...startupContenders.map(({ name }) => name),
];

const gzipReaders = [
  ...['turnmill', 'turnmill-2', 'orjson', 'python-json', 'readline', 'split2', 'cat', 'gzip-dc'],
];
const manySessionReaders = ['turnmill', 'turnmill-2', 'orjson', 'simdjson-ondemand', 'wc', 'cat'];
const packedCallReaders = ['turnmill', 'turnmill-2', 'orjson', 'python-json', 'cat', 'gzip-dc'];

const contendersOf = (kind: CorpusKind): readonly Contender[] => {
  if (isEventKind(kind)) return eventContenders;
  if (kind === 'gz') return contenders.filter(({ name }) => gzipReaders.includes(name));
  if (kind === 'calls') return contenders.filter(({ name }) => packedCallReaders.includes(name));
  if (kind === 'growth') return contenders.filter(({ name }) => manySessionReaders.includes(name));
  return contenders.filter(({ name }) => name !== 'gzip-dc');
};

const eventBytes = (short: number, long: number): Readonly<Record<EventKind, number>> =>
  Object.fromEntries(eventKinds.map((kind) => [kind, kind.endsWith('-long') ? long : short])) as Readonly<
    Record<EventKind, number>
  >;

/** Sizes in a full run; the others use the default of the corpus. */
const fullBytes: Readonly<Partial<Record<SectionName, number>>> = {
  main: 1_000_000_000,
  small: 300_000_000,
  giant: 1_000_000_000,
  fresh: 300_000_000,
  wide20: 20_000_000,
  gz: 300_000_000,
  calls: 300_000_000,
  formats: 300_000_000,
  copies: 1_000_000_000,
  growth5: 400_000_000,
  growth60: 400_000_000,
  growth600: 1_000_000_000,
  ...eventBytes(100_000_000, 100_000_000),
};

/** Sizes in a quick run: just large enough for every contender to do some work. */
export const quickBytes: Readonly<Record<SectionName, number>> = {
  main: 48_000_000,
  small: 8_000_000,
  giant: 24_000_000,
  fresh: 16_000_000,
  wide20: 2_000_000,
  wide: 4_000_000,
  gz: 16_000_000,
  calls: 16_000_000,
  formats: 16_000_000,
  copies: 48_000_000,
  growth5: 8_000_000,
  growth60: 8_000_000,
  growth600: 150_000_000,
  ...eventBytes(8_000_000, 16_000_000),
  startup: 1,
};

/** Returns the contender that the others are compared with: the one that does the least work, or the usual script. */
const referenceOf = (kind: CorpusKind): string => {
  if (isEventKind(kind)) return 'python-json';
  return kind === 'gz' || kind === 'calls' ? 'gzip-dc' : 'simdjson-ondemand';
};

/** Sections that build main with several options. */
const optionSections = { formats: formatsContenders, copies: copiesContenders };

const isOfOptions = (name: SectionName): name is keyof typeof optionSections => name in optionSections;

const kindOf = (name: Exclude<SectionName, 'startup' | keyof typeof optionSections>): CorpusKind => {
  if (name === 'wide20') return 'wide';
  if (name === 'growth5' || name === 'growth60' || name === 'growth600') return 'growth';
  return name;
};

/** Returns the definition of a section. `bytes` overrides its size, except for `startup`. */
export const describeSection = (name: SectionName, bytes: number | undefined, seed: number): Section => {
  if (name === 'startup') {
    const order: CorpusOrder = { kind: 'small', bytes: 1, seed, growthEntries: 0 };
    return { name, order, contenders: startupContenders, reference: 'node' };
  }
  if (isOfOptions(name)) {
    const order: CorpusOrder = { kind: 'main', bytes: bytes ?? fullBytes[name], seed, growthEntries: 0 };
    const section = corpusName(order).replace(/^main/, name);
    return { name: section, order, contenders: optionSections[name], reference: 'turnmill' };
  }
  const growthEntries = name.startsWith('growth') ? Number(name.slice('growth'.length)) : 0;
  const kind = kindOf(name);
  const order: CorpusOrder = { kind, bytes: bytes ?? fullBytes[name], seed, growthEntries };
  return {
    name: corpusName(order),
    order,
    contenders: contendersOf(kind),
    reference: referenceOf(kind),
  };
};
