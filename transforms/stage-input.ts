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
export const KINDS: readonly Kind[] = Object.keys(MAKERS) as Kind[];
const LAYERS = KINDS.filter((kind) => MAKERS[kind] !== undefined);

/** Returns what came instead of an element, in words. */
function nameOf(chunk: unknown): string {
  if (typeof chunk === 'string') return `a string of ${chunk.length} characters`;
  if (chunk instanceof Uint8Array) return `${chunk.length} bytes`;
  if (chunk === null || chunk === undefined) return String(chunk);
  if (typeof chunk !== 'object') return `a ${typeof chunk}`;
  if (Array.isArray(chunk)) return 'a list';
  if (chunk instanceof Promise) return 'a Promise';
  if (Symbol.asyncIterator in chunk) return 'an async generator';
  if (isElement(chunk)) return `a single element of the kind ${chunk.kind}`;
  return 'kind' in chunk ? 'an object of an unknown kind' : 'an object without a kind';
}

/** The members without which an element of a kind cannot be read, and whether they are a list. */
const NEEDED: Readonly<Partial<Record<Kind, readonly [name: string, isList: boolean]>>> = {
  line: ['bytes', false],
  entry: ['messages', true],
  conversation: ['messages', true],
  record: ['bytes', false],
};

function checkWhole(element: StreamElement, name: string): void {
  const [member, isList] = NEEDED[element.kind] ?? [];
  if (member === undefined) return;
  const value = (element as unknown as Readonly<Record<string, unknown>>)[member];
  const isThere = isList ? Array.isArray(value) : value instanceof Uint8Array;
  if (isThere && element.origin !== undefined) return;
  const lack = isThere ? 'origin' : member;
  throw new TypeError(
    `${name} takes elements, as read() yields them, but got one of the kind ${element.kind} without ${lack}`,
  );
}

/** Returns whether it has a kind of elements. Its other members are not looked at. */
export function isElement(one: unknown): one is StreamElement {
  const kind = (one as Partial<StreamElement> | null)?.kind;
  return typeof kind === 'string' && Object.hasOwn(MAKERS, kind);
}

/** The elements of a chunk: one element, or a list of them. @throws TypeError for anything else */
export function elementsOfChunk(chunk: unknown, name: string): readonly StreamElement[] {
  const elements = Array.isArray(chunk) ? chunk : [chunk];
  for (const one of elements) checkElement(one, name);
  return elements as StreamElement[];
}

/** @throws TypeError for anything but an element */
export function checkElement(one: unknown, name: string): asserts one is StreamElement {
  if (!isElement(one))
    throw new TypeError(`${name} takes elements, as read() yields them, but got ${nameOf(one)}`);
}

/**
 * The output of a handler.
 * @throws TypeError for anything but a list or a generator: an async function returns a Promise
 */
export function iteratorOf(output: unknown, kind: Kind, name: string): Iterator<StreamElement> {
  if (typeof output === 'object' && output !== null && Symbol.iterator in output)
    return (output as Iterable<StreamElement>)[Symbol.iterator]();
  throw new TypeError(
    `${name}: the handler for the kind ${kind} must return a list of elements, but returned ${nameOf(output)}`,
  );
}

/** @throws TypeError if an output of a handler is not an element: streams would end at null */
export function checkOutput(one: unknown, name: string): asserts one is StreamElement {
  if (!isElement(one))
    throw new TypeError(`${name}: a handler must return elements, but returned a list with ${nameOf(one)}`);
}

/** @throws TypeError for anything but an object of handlers, such as the function of a stage */
export function checkHandlers(handlers: unknown, name: string): void {
  if (typeof handlers !== 'object' || handlers === null || Array.isArray(handlers))
    throw new TypeError(
      `${name} takes an object of handlers, such as parse.create(), but got ${nameOf(handlers)}`,
    );
  for (const [kind, handler] of Object.entries(handlers)) {
    if (!Object.hasOwn(MAKERS, kind))
      throw new TypeError(`${name}: there is no kind '${kind}'; the kinds are ${KINDS.join(', ')}`);
    if (handler !== undefined && typeof handler !== 'function')
      throw new TypeError(`${name}: the handler for the kind ${kind} is ${nameOf(handler)}`);
  }
}

/**
 * @param takes the kind that the stage works on
 * @throws TypeError if the element is of a kind before or after it, or of this kind without what it needs
 */
export function checkOrder(element: StreamElement, takes: Kind, name: string): void {
  const { kind } = element;
  if (kind === takes) checkWhole(element, name);
  const came = LAYERS.indexOf(kind);
  const wanted = LAYERS.indexOf(takes);
  if (came < 0 || came === wanted) return;
  const advice = came < wanted ? `put ${MAKERS[takes]} before it` : orderBefore(name, MAKERS[kind]);
  throw new TypeError(
    `${name} takes elements of the kind ${takes}, but got one of the kind ${kind}: ${advice}`,
  );
}

function orderBefore(name: string, maker: string | undefined): string {
  return name === maker ? 'the pipeline has it twice' : `put it before ${maker}`;
}
