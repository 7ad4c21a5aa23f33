/** Which framer reads a source: its name tells whether it is one JSON document or lines. */
import type { Framer } from './framer.ts';
import { createLineFramer } from './lines.ts';
import type { Slab } from './slab.ts';

const DOCUMENT = /\.json(?:\.gz)?$/i;

/** @param name of the source: `*.json` is a document, everything else is lines */
export async function createFramer(name: string, maxLineBytes: number, slab?: Slab): Promise<Framer> {
  if (!DOCUMENT.test(name)) return createLineFramer(name, maxLineBytes, slab);
  const { createDocumentFramer } = await import('./json-document.ts'); // late: documents are rare
  return createDocumentFramer(name, maxLineBytes, slab);
}
