/**
 * Cuts a listing into contiguous slices of about equal bytes, one for each task of a job on several machines. A source is
 * never cut, and every task finds the same slices, because they depend on nothing but the listing.
 */
import { createHash } from 'node:crypto';
import { printable } from '../../printable.ts';
import { showSize } from '../../sizes.ts';
import type { Listing, SourceRef, Sources } from './source.ts';

/** A slice of `of` slices, from 1. */
export interface Slice {
  readonly index: number;
  readonly of: number;
}

/** The slice as the manifest has it. */
interface CutSlice extends Slice {
  readonly sources: number;
  readonly listing_sha256: string;
}

/** Most sources that are named when one bounds the run. */
const MAX_NAMED = 5;

/** Returns the listing of a slice. Files that are not read belong to the first slice. */
export function cutListing(whole: Listing, { index, of }: Slice): { listing: Listing; slice: CutSlice } {
  const { sources } = whole;
  const [first, end] = boundsOf(sources, { index, of });
  const isFirst = index === 1;
  const listing = {
    ...whole,
    sources: new SourceRange(sources, first, end),
    ...(isFirst ? {} : { skipped: [], passedOver: {}, extensions: {} }),
  };
  return { listing, slice: { index, of, sources: sources.length, listing_sha256: hashOf(whole) } };
}

/** A source belongs to the slice that its middle byte lies in; if all are empty, the number of sources decides. */
function boundsOf(sources: Sources, { index, of }: Slice): [first: number, end: number] {
  const total = totalBytes(sources);
  let before = 0;
  let at = 0;
  let first: number | undefined;
  for (const { sizeBytes } of sources) {
    const middle = total === 0 ? (at + 0.5) / sources.length : (before + sizeBytes / 2) / total;
    const slice = Math.min(of, 1 + Math.floor(middle * of));
    if (slice > index) return [first ?? at, at];
    if (slice === index) first ??= at;
    before += sizeBytes;
    at++;
  }
  return [first ?? at, at];
}

function totalBytes(sources: Sources): number {
  let bytes = 0;
  for (const { sizeBytes } of sources) bytes += sizeBytes;
  return bytes;
}

/** Hashes what the slices depend on, and what the other tasks must find too. */
function hashOf({ sources, skipped }: Listing): string {
  const hash = createHash('sha256');
  for (const { name, nameBase64, input, sizeBytes } of sources)
    hash.update(`${JSON.stringify([nameBase64 ?? null, name, input, sizeBytes])}\n`);
  for (const { name, nameBase64, input, reason } of skipped)
    hash.update(`${JSON.stringify([nameBase64 ?? null, name, input, reason])}\n`);
  return hash.digest('hex');
}

/** Returns a note that names the largest sources, if one of them is larger than a slice; undefined otherwise. */
export function oversized(sources: Sources, of: number): string | undefined {
  const share = totalBytes(sources) / of;
  const largest: SourceRef[] = [];
  for (const ref of sources) {
    if (ref.sizeBytes <= share || ref.sizeBytes <= (largest[MAX_NAMED - 1]?.sizeBytes ?? 0)) continue;
    largest.push(ref);
    largest.sort((a, b) => b.sizeBytes - a.sizeBytes);
    largest.length = Math.min(largest.length, MAX_NAMED);
  }
  if (of === 1 || largest.length === 0) return undefined;
  const named = largest.map(({ name, sizeBytes }) => `${printable(name)} (${showSize(sizeBytes)})`);
  return `a slice has about ${showSize(share)}, but a source is never cut, so these bound the time of the run: ${named.join(', ')}`;
}

/** The sources of a listing from one index up to another. */
class SourceRange implements Sources {
  readonly length: number;
  readonly #sources: Sources;
  readonly #first: number;

  constructor(sources: Sources, first: number, end: number) {
    this.#sources = sources;
    this.#first = first;
    this.length = end - first;
  }

  at(index: number): SourceRef | undefined {
    return index >= this.length ? undefined : this.#sources.at(this.#first + index);
  }

  *[Symbol.iterator](): ArrayIterator<SourceRef> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as SourceRef;
  }
}
