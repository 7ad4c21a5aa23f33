/**
 * Chooses the number of workers. A thread has to load and warm up its own code, which takes a third of a second of CPU
 * time. By default there is one worker for each half second of work, and at most one for each core.
 */
import { availableParallelism } from 'node:os';
import type { SourceRef } from '../input/sources/source.ts';
import type { Settings } from '../settings/settings.ts';

/** Bytes that one worker reads in about half a second (bench/RESULTS.md, main). */
const WORKER_BYTES = 512 * 1024 * 1024;
/** Number of bytes that take as long to read as opening and reporting a source (bench/RESULTS.md, small). */
const SOURCE_BYTES = 256 * 1024;
/** Bytes of a plain file that take as long as one byte of a compressed file (bench/RESULTS.md, gz). */
const COMPRESSED_FACTOR = 8;
const COMPRESSED_NAME = /\.(gz|zst)$/;

/**
 * @param sources the sources that have to be read
 * @param settings if `workers` is undefined, the number depends on the amount of work
 */
export function workerCount(
  sources: Iterable<SourceRef>,
  { workers, limit, plugIns }: Pick<Settings, 'workers' | 'limit'> & Partial<Pick<Settings, 'plugIns'>>,
  cores: number = availableParallelism(),
): number {
  if (limit !== undefined) return 1; // sessions are counted in order
  if (plugIns?.hasObjects === true) return 1; // functions do not cross threads
  if (workers === 1) return 1;
  let work = 0;
  for (const source of sources) {
    if (source.path === undefined) return 1; // standard input can have only one reader
    work += SOURCE_BYTES + bytesOf(source);
  }
  if (workers !== undefined) return workers;
  return Math.min(cores, 1 + Math.floor(work / WORKER_BYTES));
}

function bytesOf({ name, sizeBytes }: SourceRef): number {
  return COMPRESSED_NAME.test(name) ? sizeBytes * COMPRESSED_FACTOR : sizeBytes;
}
