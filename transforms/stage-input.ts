/** Refuses what a stage or a writer of a pipeline must not get, with what it expects. The error has no content of the log. */
import type { Kind, StreamElement } from './model/element.ts';

/** All kinds: first those that are made of each other, with the stage that makes each. */
const MAKERS: Readonly<Record<Kind, string | undefined>> = {
  line: 'read()',
  entry: 'parse()',
  conversation: 'snapshotSelect()',
  record: 'format()',
  fate: undefined,
  finding: undefined,
  rejection: undefined,
  repair: undefined,
  'session-end': undefined,
};
const LAYERS = Object.keys(MAKERS).filter((kind) => MAKERS[kind as Kind] !== undefined);

/** Returns what came instead of an element, in words. */
function nameOf(chunk: unknown): string {
  if (typeof chunk === 'string') return `a string of ${chunk.length} characters`;
  if (chunk instanceof Uint8Array) return `${chunk.length} bytes`;
  if (chunk === null || typeof chunk !== 'object') return `a ${typeof chunk}`;
  return 'kind' in chunk ? 'an object of an unknown kind' : 'an object without a kind';
}

function isElement(one: unknown): one is StreamElement {
  const kind = (one as Partial<StreamElement> | null)?.kind;
  return typeof kind === 'string' && Object.hasOwn(MAKERS, kind);
}

/** The elements of a chunk: one element, or a list of them. @throws TypeError for anything else */
export function elementsOfChunk(chunk: unknown, name: string): readonly StreamElement[] {
  const elements = Array.isArray(chunk) ? chunk : [chunk];
  const bad = elements.findIndex((one) => !isElement(one));
  if (bad < 0) return elements as StreamElement[];
  throw new TypeError(`${name} takes elements, as read() yields them, but got ${nameOf(elements[bad])}`);
}

/** @param takes the kind that the stage works on @throws TypeError if the element is of a kind before or after it */
export function checkOrder(kind: Kind, takes: Kind, name: string): void {
  const came = LAYERS.indexOf(kind);
  const wanted = LAYERS.indexOf(takes);
  if (came < 0 || came === wanted) return;
  const advice = came < wanted ? `put ${MAKERS[takes]} before it` : `put it before ${MAKERS[kind]}`;
  throw new TypeError(
    `${name} takes elements of the kind ${takes}, but got one of the kind ${kind}: ${advice}`,
  );
}
