/** Corpora on disk: generated once for each order, and kept. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { formatByteSize } from '../corpus/byte-size.ts';
import { generateCorpus } from '../corpus/generate.ts';
import type { CorpusOrder, CorpusStats } from '../corpus/order.ts';
import { folderSink } from '../corpus/sinks.ts';
import { atRoot, corporaFolder } from './repository.ts';

/** A corpus on disk. */
export interface CachedCorpus {
  /** Relative to the root. */
  readonly directory: string;
  readonly stats: CorpusStats;
}

/** Returns the name of a corpus for files and headings: `main-64MB`, `growth60-200MB`, `wide`. */
export const corpusName = ({ kind, bytes, growthEntries }: CorpusOrder): string => {
  const entries = kind === 'growth' ? growthEntries : '';
  return `${kind}${entries}${bytes === undefined ? '' : `-${formatByteSize(bytes)}`}`;
};

/** Returns the corpus of this order; generates it if it does not exist yet. */
export const cachedCorpus = (order: CorpusOrder): CachedCorpus => {
  const directory = `${corporaFolder}/${corpusName(order)}-seed${order.seed}`;
  const statsFile = atRoot(`${directory}.json`);
  if (!existsSync(statsFile)) {
    const partial = atRoot(`${directory}.partial`);
    rmSync(partial, { recursive: true, force: true });
    rmSync(atRoot(directory), { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    const stats = generateCorpus(order, folderSink(order.kind, partial));
    renameSync(partial, atRoot(directory));
    writeFileSync(statsFile, `${JSON.stringify(stats)}\n`);
  }
  return { directory, stats: JSON.parse(readFileSync(statsFile, 'utf8')) as CorpusStats };
};
