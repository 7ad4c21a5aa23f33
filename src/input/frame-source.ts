/** Chooses the framer of an opened source by its name and its first bytes. */

import { SPACE } from '../../transforms/json/bytes.ts';
import { MAX_ELEMENTS } from '../../transforms/json/elements.ts';
import type { Repair, RepairName } from '../../transforms/model/element.ts';
import { createFramer, isNamedDocument } from './framing/choose.ts';
import type { Framer } from './framing/framer.ts';
import type { OpenedLists } from './framing/json-document.ts';
import { HEAD_BYTES, type Shape, shapeOf, textBefore } from './framing/shape.ts';
import type { Slab } from './framing/slab.ts';
import { afterHead, type SourceReader } from './source-reader.ts';

export interface FramedSource {
  readonly framer: Framer;
  /** Reads from the source's first byte on. */
  readonly read: SourceReader['read'];
  /** Set if the bytes are a document, although the name is that of a file of lines, or come after a text. */
  readonly repair: Repair | undefined;
  /** Whether its lines are physical lines of the source. */
  readonly isLines: boolean;
}

/** Size of the first read; most sources of small entries fit into it. */
export const FIRST_BYTES: number = 64 * 1024;

/** How to frame a source. The slab is reused by the caller. */
export interface FramingOptions {
  readonly maxLine: number;
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
    : framed(name, shape, head ?? first.subarray(0, 0), reader.read, options);
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
  const head = first.subarray(0, length);
  return framed(name, shape, head, afterHead(head, reader.read), options);
}

function framed(
  name: string,
  shape: Shape,
  head: Uint8Array,
  read: SourceReader['read'],
  options: FramingOptions,
): FramedSource | Promise<FramedSource> {
  const text = isNamedDocument(name) ? textBefore(head.subarray(0, HEAD_BYTES)) : 0;
  if (text > 0) return framedAfter(name, text, read, options);
  const { maxLine, maxElements = MAX_ELEMENTS, slab, lists } = options;
  const repair = shape === 'document' && !isNamedDocument(name) ? repairOf(name, 'json-document') : undefined;
  const framer = createFramer(name, shape, maxLine, slab, maxElements, lists);
  if (framer instanceof Promise)
    return framer.then((loaded) => ({ framer: loaded, read, repair, isLines: false }));
  return { framer, read, repair, isLines: true };
}

/** Frames a document that comes after a text: blanks take its place, so that all positions stay. */
async function framedAfter(
  name: string,
  text: number,
  read: SourceReader['read'],
  { maxLine, maxElements = MAX_ELEMENTS, slab, lists }: FramingOptions,
): Promise<FramedSource> {
  let left = text;
  const blanked = (room: Uint8Array, count: number): number => {
    const blanks = Math.min(left, count);
    room.fill(SPACE, 0, blanks);
    left -= blanks;
    return count;
  };
  const framer = await createFramer(name, 'document', maxLine, slab, maxElements, lists);
  return {
    framer,
    read(room) {
      const count = read(room);
      return typeof count === 'number' ? blanked(room, count) : count.then((known) => blanked(room, known));
    },
    repair: repairOf(name, 'text-prefix'),
    isLines: false,
  };
}

function repairOf(source: string, repair: RepairName): Repair {
  const origin = { source, line: 1, offset: 0, length: 0 };
  return { kind: 'repair', repair, origin, count: 1 };
}
