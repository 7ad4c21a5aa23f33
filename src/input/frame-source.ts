/** A source that is open, with the framer that its first bytes and its name ask for. */

import { MAX_ELEMENTS } from '../../transforms/json/elements.ts';
import type { Repair } from '../../transforms/model/element.ts';
import { createFramer, isNamedDocument } from './framing/choose.ts';
import type { Framer } from './framing/framer.ts';
import { HEAD_BYTES, type Shape, shapeOf } from './framing/shape.ts';
import type { Slab } from './framing/slab.ts';
import { afterHead, type SourceReader } from './open-source.ts';

export interface FramedSource {
  readonly framer: Framer;
  /** The reader's, from the source's first byte on. */
  readonly read: SourceReader['read'];
  /** Where the bytes say that it is a document, and the name does not. */
  readonly repair: Repair | undefined;
}

/** Most sources of small entries are read at once. */
export const FIRST_BYTES: number = 64 * 1024;

/**
 * Throws SourceFault for what is no log.
 * @param first room for the first bytes, at least HEAD_BYTES; the caller may use it again once the result's `read` has given them out
 */
export async function frameSource(
  reader: SourceReader,
  name: string,
  maxLineBytes: number,
  slab?: Slab,
  first: Buffer = Buffer.allocUnsafe(FIRST_BYTES),
  maxElements: number = MAX_ELEMENTS,
): Promise<FramedSource> {
  let have = 0;
  let shape: Shape | undefined;
  while (shape === undefined) {
    const reading = reader.read(first.subarray(have));
    const count = typeof reading === 'number' ? reading : await reading;
    have += count;
    const head = first.subarray(0, Math.min(have, HEAD_BYTES));
    shape = shapeOf(head, count === 0 || have >= HEAD_BYTES);
  }
  const made = createFramer(name, shape, maxLineBytes, slab, maxElements);
  const framer = made instanceof Promise ? await made : made;
  const read = afterHead(first.subarray(0, have), reader.read);
  const reshaped = shape === 'document' && !isNamedDocument(name);
  return { framer, read, repair: reshaped ? documentRepair(name) : undefined };
}

function documentRepair(source: string): Repair {
  const origin = { source, line: 1, offset: 0, length: 0 };
  return { kind: 'repair', repair: 'json-document', origin, count: 1 };
}
