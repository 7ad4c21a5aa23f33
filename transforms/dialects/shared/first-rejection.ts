import type { JsonView } from '../../json/json-view.ts';
import type { Fate, Rejection } from '../../model/element.ts';

/** Reads values until one is rejected. @returns its rejection */
export function firstRejection(
  values: readonly JsonView[],
  read: (value: JsonView) => Fate | Rejection | undefined | null,
): Rejection | undefined {
  for (const value of values) {
    const result = read(value);
    if (result?.kind === 'rejection') return result;
  }
  return undefined;
}
