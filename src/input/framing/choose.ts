/**
 * Chooses the framer of a source: TOML deck, one JSON document, or lines. A name such as `a.toml` or `a.json` decides;
 * otherwise the first bytes do.
 */
import type { Framer } from './framer.ts';
import type { OpenedLists } from './json-document.ts';
import { LineFramer } from './lines.ts';
import type { Shape } from './shape.ts';
import type { Slab } from './slab.ts';

const TOML = /\.toml(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;
const DOCUMENT = /\.(?:json|traj)(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;

/** Returns whether the name is that of a JSON document. */
export function isNamedDocument(name: string): boolean {
  return DOCUMENT.test(name);
}

const PLAIN_LOG = /\.(?:jsonl|ndjson|log)$/i;

/** Returns whether the name is that of an uncompressed file of JSON lines. */
export function isPlainLog(name: string): boolean {
  return PLAIN_LOG.test(name);
}

/**
 * Returns the framer for lines synchronously; the others are loaded when they are first needed.
 * @param maxElements limit for a TOML deck, which is parsed as a whole; for lines, the parse stage counts elements
 * @param shape according to the first bytes; ignored if the name decides
 */
export function createFramer(
  name: string,
  shape: Shape,
  maxLine: number,
  slab?: Slab,
  maxElements: number = Number.POSITIVE_INFINITY,
  lists?: OpenedLists,
): Framer | Promise<Framer> {
  if (TOML.test(name)) return tomlFramer(name, maxLine, maxElements);
  if (shape === 'lines' && !isNamedDocument(name)) return new LineFramer(name, maxLine, slab);
  return documentFramer(name, maxLine, slab, lists);
}

async function tomlFramer(name: string, maxLine: number, maxElements: number): Promise<Framer> {
  const { TomlFramer } = await import('./toml-document.ts');
  return new TomlFramer(name, maxLine, maxElements);
}

async function documentFramer(
  name: string,
  maxLine: number,
  slab?: Slab,
  lists?: OpenedLists,
): Promise<Framer> {
  const { DocumentFramer } = await import('./json-document.ts');
  return new DocumentFramer(name, maxLine, slab, lists);
}
