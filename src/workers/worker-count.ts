/**
 * Chooses the number of workers. A thread has to load and warm up its own code, which takes a fifth of a second of CPU
 * time. By default there is one worker for each half second of work, and at most one for each core.
 */
import { availableParallelism } from 'node:os';
import { openFile } from '../input/sources/file.ts';
import type { SourceRef } from '../input/sources/source.ts';
import type { Settings } from '../settings/settings.ts';
import { showSize } from '../sizes.ts';

/** Bytes of plain exchanges that one worker reads in about half a second (bench/RESULTS.md, main). */
const WORKER_BYTES = 384 * 1024 * 1024;
/** One worker reads this many in about four seconds. */
const LONG_RUN_BYTES = 8 * WORKER_BYTES;
/** Number of bytes that take as long to read as opening and reporting a source (bench/RESULTS.md, small). */
const SOURCE_BYTES = 256 * 1024;
/**
 * Bytes of opening and reporting that workers share for each byte of a source. The main thread lists and records all of them, so with
 * many sources of one line a second worker takes a tenth longer (bench/RESULTS.md, wide), with more lines it saves a tenth (small).
 */
const SHARED_FACTOR = 6;
/** Bytes of a plain file that take as long as one byte of a compressed file (bench/RESULTS.md, gz). */
const COMPRESSED_FACTOR = 8;
const COMPRESSED_NAME = /\.(gz|zst)$/;
/** Bytes of plain exchanges that take as long as one byte of other logs (bench/RESULTS.md, Claude Code). */
const OTHER_FACTOR = 12;
/** How many bytes of the first source of a folder are looked at for the member that exchanges have. */
const HEAD_BYTES = 4096;
const EXCHANGE_MEMBER = '"request"';
/** Sources of further folders count like those of the last one that was looked at. */
const MAX_FOLDERS = 16;

export interface WorkerChoice {
  readonly count: number;
  /** Why, for `run.json`. */
  readonly reason: string;
  /** Whether reading takes some seconds. */
  readonly isLong: boolean;
}

/**
 * @param sources the sources that have to be read
 * @param settings if `workers` is undefined, the number depends on the amount of work
 */
export function chooseWorkers(
  sources: Iterable<SourceRef>,
  { workers, limit, plugIns }: Pick<Settings, 'workers' | 'limit'> & Partial<Pick<Settings, 'plugIns'>>,
  cores: number = availableParallelism(),
): WorkerChoice {
  const one = (reason: string): WorkerChoice => ({ count: 1, reason, isLong: false });
  if (limit !== undefined) return one('--limit counts sessions in order');
  const work = new Work();
  for (const source of sources) {
    if (source.path === undefined) return one('a stream has one reader');
    work.add(source, source.path);
  }
  const asked = workers === undefined ? undefined : { count: workers, reason: 'as asked', isLong: false };
  const fixed = plugIns?.hasObjects === true ? one('functions do not cross threads') : asked;
  const isLongFor = (read: number): boolean => read + work.opening >= LONG_RUN_BYTES;
  if (fixed !== undefined && !isLongFor(work.reading(() => OTHER_FACTOR))) return fixed; // without a look at any log
  const reading = work.reading(factorOf);
  const isLong = isLongFor(reading);
  if (fixed !== undefined) return { ...fixed, isLong };
  if (work.opening === 0) return one('nothing to read');
  const bytes = reading + work.sharedOpening;
  const count = Math.min(cores, 1 + Math.floor(bytes / WORKER_BYTES));
  const amount = `work to share like ${showSize(bytes)} of plain exchanges`;
  const reason = `${amount}, with ${showSize(WORKER_BYTES)} a worker and ${cores} cores`;
  return { count, reason, isLong };
}

/** A folder. Its sources are taken to be like the first one. */
interface Folder {
  readonly path: string;
  readonly first: SourceRef;
  bytes: number;
}

/** Estimates how long sources take, as bytes of plain exchanges. */
class Work {
  readonly #folders: Folder[] = [];
  #sources = 0;
  #bytes = 0;

  add(source: SourceRef, sourcePath: string): void {
    const path = sourcePath.slice(0, sourcePath.lastIndexOf('/'));
    let folder = this.#folders.at(-1);
    if (folder === undefined || (folder.path !== path && this.#folders.length < MAX_FOLDERS)) {
      folder = { path, first: source, bytes: 0 };
      this.#folders.push(folder);
    }
    folder.bytes += source.sizeBytes;
    this.#bytes += source.sizeBytes;
    this.#sources++;
  }

  /** @param factorOf how long a byte of sources like this one takes */
  reading(factorOf: (first: SourceRef) => number): number {
    return this.#folders.reduce((sum, { first, bytes }) => sum + bytes * factorOf(first), 0);
  }

  /** Bytes that take as long as opening and reporting the sources. */
  get opening(): number {
    return this.#sources * SOURCE_BYTES;
  }

  /** Bytes of opening and reporting that several workers share. */
  get sharedOpening(): number {
    return Math.min(this.opening, this.#bytes * SHARED_FACTOR);
  }
}

function factorOf({ name, path = '', parts, s3 }: SourceRef): number {
  if (COMPRESSED_NAME.test(name)) return COMPRESSED_FACTOR;
  if (parts !== undefined || s3 !== undefined) return 1;
  try {
    const file = openFile(Buffer.from(path, 'latin1'), { follow: true });
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      file.read(head);
      return head.includes(EXCHANGE_MEMBER) ? 1 : OTHER_FACTOR;
    } finally {
      file.close();
    }
  } catch {
    return 1; // reading the source says what is wrong with it
  }
}
