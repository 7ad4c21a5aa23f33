/** Makes a session id from the place of an object whose log has none; unique within the source. */
import type { Origin } from '../../model/element.ts';

/** @param number of the object in its line, from 0 */
export function lineId({ source, line }: Origin, number: number): string {
  return number === 0 ? `${source}:${line}` : `${source}:${line}.${number + 1}`;
}
