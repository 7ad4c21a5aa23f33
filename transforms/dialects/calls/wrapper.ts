/** The interface of wrappers: how a logger's object with one model call is recognised and read. */

import type { JsonView } from '../../json/json-view.ts';
import type { Fate, Rejection } from '../../model/element.ts';
import type { FirstObject, ReadContext } from '../dialect-spec.ts';
import type { Call } from '../pairs/logged-call.ts';
import { structured } from '../shared/logged-values.ts';

export interface Wrapper {
  /** Whether an object is a call in this wrapper. */
  matches(object: FirstObject): boolean;
  call(json: JsonView, context: ReadContext): Call | Rejection | Fate;
}

export const isObject = (view: JsonView | undefined): view is JsonView => view?.type === 'object';

/** The value at a path of keys. */
export function at(view: JsonView | undefined, path: string): JsonView | undefined {
  return path.split('.').reduce<JsonView | undefined>((inner, key) => structured(inner)?.get(key), view);
}

/** The first non-empty text at these paths. */
export function textAt(json: JsonView, paths: readonly string[]): string | undefined {
  return paths.map((path) => at(json, path)?.text()).find(Boolean);
}
