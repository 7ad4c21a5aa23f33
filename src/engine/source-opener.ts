/** Opens and frames the sources of a task, with memory that is reused from source to source. */

import { type ListsInside, listsInside } from '../../transforms/stages/choose-dialect.ts';
import { SourceFault } from '../errors.ts';
import { FIRST_BYTES, type FramedSource, frameSource } from '../input/frame-source.ts';
import { isPlainLog } from '../input/framing/choose.ts';
import { HEAD_BYTES } from '../input/framing/shape.ts';
import type { Slab } from '../input/framing/slab.ts';
import type { ObjectOpener, SourceReader } from '../input/source-reader.ts';
import { readSmallFile, type SmallFile } from '../input/sources/small-file.ts';
import { isObject, type SourceRef } from '../input/sources/source.ts';
import type { S3Options } from '../object-store/options.ts';
import type { TaskSettings } from '../settings/settings.ts';
import type { Watch } from './instrument.ts';
import type { OpenSource } from './source-report.ts';
import type { Upcoming } from './task.ts';

/** Smaller files are read in one call. */
const SMALL_BYTES = 512 * 1024;
/** Number of worker threads that may die while reading a source before it is rejected. */
export const MAX_DEATHS = 3;

export interface SourceOpenerOptions {
  readonly settings: TaskSettings;
  readonly watch: Watch;
  readonly signal: AbortSignal | undefined;
  /** Lists the sources to prefetch. */
  readonly upcoming: Upcoming;
  readonly slab: Slab;
}

export class SourceOpener {
  readonly #options: SourceOpenerOptions;
  readonly #lists: ListsInside;
  /** Holds the first bytes of a source until they are framed. */
  readonly #first = Buffer.allocUnsafe(FIRST_BYTES);
  /** Undefined until the first object of a store. */
  #objects: ObjectOpener | undefined;

  constructor(options: SourceOpenerOptions) {
    this.#options = options;
    const { settings } = options;
    this.#lists = listsInside(settings.dialect, settings.plugIns.dialects);
  }

  /** Opens a source. Throws SourceFault if too many worker threads have died while reading it. */
  open({
    index,
    ref,
    deaths = [],
  }: Pick<OpenSource, 'index' | 'ref' | 'deaths'>): SourceReader | Promise<SourceReader> {
    if (deaths.length >= MAX_DEATHS) throw crashFault(deaths);
    const { settings, watch, signal, upcoming } = this.#options;
    if (!isObject(ref)) return watch.open(ref, settings, signal, this.#first);
    if (this.#objects === undefined) return this.#loadFetcher(ref.s3).then(() => this.open({ index, ref }));
    this.#objects.expect(upcoming(index));
    return watch.open(ref, { ...settings, objects: this.#objects }, signal, this.#first);
  }

  /** Loads the code for stores on demand: most runs read only files. */
  async #loadFetcher(s3: S3Options): Promise<void> {
    const { ObjectFetcher } = await import('../input/open-object.ts');
    this.#objects = new ObjectFetcher(s3, this.#options.settings.s3.window);
  }

  /** Picks the framer of an opened source by its first bytes and its name. */
  frame(reader: SourceReader, { name, path }: SourceRef): FramedSource | Promise<FramedSource> {
    // a source that can be read only once is read no further than needed, because the report of a rejected source counts
    // the bytes that were read
    const first = path === undefined ? this.#first.subarray(0, HEAD_BYTES) : this.#first;
    const { slab, settings } = this.#options;
    const { maxLine, maxElements } = settings;
    return frameSource(reader, name, { maxLine, maxElements, slab, lists: this.#lists }, first);
  }

  /** Reads all of a small plain file into the slab; undefined if it has to be opened like any other source. */
  readSmall(ref: SourceRef): SmallFile | undefined {
    const { path, name, sizeBytes, parts } = ref;
    if (parts !== undefined) return undefined;
    const { slab, settings } = this.#options;
    const { checksum, maxLine } = settings;
    const fits = sizeBytes > 0 && sizeBytes < Math.min(SMALL_BYTES, maxLine, slab.bytes.length);
    if (!fits || path === undefined || checksum || !isPlainLog(name)) return undefined;
    return readSmallFile(ref, slab.bytes);
  }

  /** Drops the objects that were prefetched. */
  close(): void {
    this.#objects?.close();
  }
}

function crashFault(deaths: readonly string[]): SourceFault {
  const causes = [...new Set(deaths)].join(', ');
  return new SourceFault('worker-crash', `${deaths.length} worker threads died while reading it: ${causes}`);
}
