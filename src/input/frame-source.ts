/** Chooses the framer of an opened source by its name and its first bytes. */

import { MAX_ELEMENTS } from '../../transforms/json/elements.ts';
import type { Repair } from '../../transforms/model/element.ts';
import { createFramer, isNamedDocument } from './framing/choose.ts';
import type { Framer } from './framing/framer.ts';
import type { OpenedLists } from './framing/json-document.ts';
import { HEAD_BYTES, type Shape, shapeOf } from './framing/shape.ts';
import type { Slab } from './framing/slab.ts';
import { afterHead, type SourceReader } from './source-reader.ts';

export interface FramedSource {
  readonly framer: Framer;
  /** Reads from the source's first byte on. */
  readonly read: SourceReader['read'];
  /** Set if the bytes are a document, although the name is that of a file of lines. */
  readonly repair: Repair | undefined;
  /** Whether its lines are physical lines of the source. */
  readonly isLines: boolean;
}

/** Size of the first read; most sources of small entries fit into it. */
export const FIRST_BYTES: number = 64 * 1024;

/** How to frame a source. The slab is reused by the caller. */
export interface FramingOptions {
  readonly maxLineBytes: number;
  readonly maxElements?: number;
  readonly slab?: Slab;
  /** Members of documents whose elements are framed one by one. */
  readonly lists?: OpenedLists | undefined;
}

/**
 * Throws (or rejects with) SourceFault for a file that is not a log. For lines of a plain file, it returns
 * synchronously.
 * @param first memory for the first bytes, at least HEAD_BYTES; it may be reused once the result's `read` has returned
 * them
 */
export function frameSource(
  reader: SourceReader,
  name: string,
  options: FramingOptions,
  first: Buffer = Buffer.allocUnsafe(FIRST_BYTES),
): FramedSource | Promise<FramedSource> {
  const { head } = reader;
  const shape = head && shapeOf(head.subarray(0, HEAD_BYTES), head.length >= HEAD_BYTES);
  return shape === undefined
    ? frameByFirstBytes(reader, name, options, first)
    : framed(name, shape, reader.read, options);
}

async function frameByFirstBytes(
  reader: SourceReader,
  name: string,
  options: FramingOptions,
  first: Buffer,
): Promise<FramedSource> {
  let length = 0;
  let shape: Shape | undefined;
  while (shape === undefined) {
    const count = await reader.read(first.subarray(length));
    length += count;
    const head = first.subarray(0, Math.min(length, HEAD_BYTES));
    shape = shapeOf(head, count === 0 || length >= HEAD_BYTES);
  }
  return framed(name, shape, afterHead(first.subarray(0, length), reader.read), options);
}

function framed(
  name: string,
  shape: Shape,
  read: SourceReader['read'],
  { maxLineBytes, maxElements = MAX_ELEMENTS, slab, lists }: FramingOptions,
): FramedSource | Promise<FramedSource> {
  const repair = shape === 'document' && !isNamedDocument(name) ? documentRepair(name) : undefined;
  const framer = createFramer(name, shape, maxLineBytes, slab, maxElements, lists);
  if (framer instanceof Promise)
    return framer.then((loaded) => ({ framer: loaded, read, repair, isLines: false }));
  return { framer, read, repair, isLines: true };
}

function documentRepair(source: string): Repair {
  const origin = { source, line: 1, offset: 0, length: 0 };
  return { kind: 'repair', repair: 'json-document', origin, count: 1 };
}
