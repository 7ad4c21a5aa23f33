/** Which framer reads a source: its name tells whether it is a TOML deck, one JSON document or lines, its first bytes have the last word. */
import type { Framer } from './framer.ts';
import { createLineFramer } from './lines.ts';
import type { Shape } from './shape.ts';
import type { Slab } from './slab.ts';

const TOML = /\.toml(?:\.(?:gz|zst))?$/i;
const DOCUMENT = /\.json(?:\.(?:gz|zst))?$/i;

/** Does the name say that the source is one JSON document? */
export function isNamedDocument(name: string): boolean {
  return DOCUMENT.test(name);
}

/** @param shape by the first bytes; a source whose name is that of a document is one in any case */
export async function createFramer(
  name: string,
  shape: Shape,
  maxLineBytes: number,
  slab?: Slab,
): Promise<Framer> {
  if (TOML.test(name)) {
    const { createTomlFramer } = await import('./toml-document.ts');
    return createTomlFramer(name, maxLineBytes);
  }
  if (shape === 'lines' && !isNamedDocument(name)) return createLineFramer(name, maxLineBytes, slab);
  const { createDocumentFramer } = await import('./json-document.ts'); // late: documents are rare
  return createDocumentFramer(name, maxLineBytes, slab);
}
