/**
 * Chooses the framer of a source: TOML deck, one JSON document or lines, by its name; its first bytes have the last
 * word.
 */
import type { Framer } from './framer.ts';
import type { OpenedLists } from './json-document.ts';
import { LineFramer } from './lines.ts';
import type { Shape } from './shape.ts';
import type { Slab } from './slab.ts';

const TOML = /\.toml(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;
const DOCUMENT = /\.(?:json|traj)(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;

/** Does the name say that the source is one JSON document? */
export function isNamedDocument(name: string): boolean {
  return DOCUMENT.test(name);
}

const PLAIN_LOG = /\.(?:jsonl|ndjson|log)$/i;

/** Does the name say that the source is lines of JSON, uncompressed? */
export function isPlainLog(name: string): boolean {
  return PLAIN_LOG.test(name);
}

/**
 * Creates the framer of lines synchronously, and loads the others when they are first needed.
 * @param maxElements limit for a TOML deck, which is parsed as a whole; elements of lines are counted by their parser
 * @param shape by the first bytes; ignored if the name is that of a document
 */
export function createFramer(
  name: string,
  shape: Shape,
  maxLineBytes: number,
  slab?: Slab,
  maxElements: number = Number.POSITIVE_INFINITY,
  lists?: OpenedLists,
): Framer | Promise<Framer> {
  if (TOML.test(name)) return tomlFramer(name, maxLineBytes, maxElements);
  if (shape === 'lines' && !isNamedDocument(name)) return new LineFramer(name, maxLineBytes, slab);
  return documentFramer(name, maxLineBytes, slab, lists);
}

async function tomlFramer(name: string, maxLineBytes: number, maxElements: number): Promise<Framer> {
  const { TomlFramer } = await import('./toml-document.ts');
  return new TomlFramer(name, maxLineBytes, maxElements);
}

async function documentFramer(
  name: string,
  maxLineBytes: number,
  slab?: Slab,
  lists?: OpenedLists,
): Promise<Framer> {
  const { DocumentFramer } = await import('./json-document.ts');
  return new DocumentFramer(name, maxLineBytes, slab, lists);
}
