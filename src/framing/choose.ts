/** Which framer reads a source: its name tells whether it is one JSON document or lines. */
import type { Framer } from './framer.ts';
import { createDocumentFramer } from './json-document.ts';
import { createLineFramer } from './lines.ts';
import type { Slab } from './slab.ts';

const DOCUMENT = /\.json(?:\.gz)?$/i;

/** @param name of the source: `*.json` is a document, everything else is lines */
export function createFramer(name: string, maxLineBytes: number, slab?: Slab): Framer {
  return DOCUMENT.test(name)
    ? createDocumentFramer(name, maxLineBytes, slab)
    : createLineFramer(name, maxLineBytes, slab);
}
