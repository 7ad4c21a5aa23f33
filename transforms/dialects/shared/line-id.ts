/** The id of a conversation that has none, derived from its place, which is unique within a source. */
import type { Origin } from '../../model/element.ts';

/** @param number of the object in its line, from 0 */
export function lineId({ source, line }: Origin, number: number): string {
  return number === 0 ? `${source}:${line}` : `${source}:${line}.${number + 1}`;
}
