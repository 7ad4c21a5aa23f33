/** The id of a conversation that has none: where it stands. Within a source no two are the same. */
import type { Origin } from '../model/element.ts';

/** @param number of the object in its line, from 0 */
export function lineId({ source, line }: Origin, number: number): string {
  return number === 0 ? `${source}:${line}` : `${source}:${line}.${number + 1}`;
}
