/**
 * How many lanes a run is worth. A thread loads and warms up its own code, a third of a second of CPU time: without
 * `--workers` there is one for each half second of work, at most as many as cores.
 */
import { availableParallelism } from 'node:os';
import type { SourceRef } from '../input/sources/source.ts';
import type { Settings } from '../settings/settings.ts';

/** What one lane reads in about half a second (bench/RESULTS.md, main). */
const LANE_BYTES = 512 * 1024 * 1024;
/** Opening, reporting and booking a source takes as long as so many bytes (small). */
const SOURCE_BYTES = 256 * 1024;
/** Inflating a byte of a compressed file, and reading what comes out (gz). */
const COMPRESSED_FACTOR = 8;
const COMPRESSED_NAME = /\.(gz|zst)$/;

/**
 * @param sources to be read
 * @param settings `workers` as asked for; undefined: by the work that there is
 */
export function laneCount(
  sources: readonly SourceRef[],
  { workers, limit, plugIns }: Pick<Settings, 'workers' | 'limit'> & Partial<Pick<Settings, 'plugIns'>>,
  cores: number = availableParallelism(),
): number {
  if (limit !== undefined) return 1; // the sessions count in their order
  if (sources.some(({ path }) => path === undefined)) return 1; // standard input has one reader
  if (plugIns?.hasObjects === true) return 1; // functions do not cross threads
  if (workers !== undefined) return workers;
  const work = sources.reduce((sum, source) => sum + SOURCE_BYTES + bytesOf(source), 0);
  return Math.min(cores, 1 + Math.floor(work / LANE_BYTES));
}

function bytesOf({ name, sizeBytes }: SourceRef): number {
  return COMPRESSED_NAME.test(name) ? sizeBytes * COMPRESSED_FACTOR : sizeBytes;
}
