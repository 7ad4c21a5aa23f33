/**
 * Unpacks objects with many spans: bodies of OTLP, Tempo, Jaeger and MLflow, data frames, and lists of platform APIs.
 */

import { JsonView } from '../../json/json-view.ts';
import type { FirstObject } from '../dialect-spec.ts';
import { objectOf, type Piece } from '../shared/build-messages.ts';
import { firstOf } from '../shared/logged-values.ts';

/** A column that every data frame of OpenInference has. */
const KIND = 'attributes.openinference.span.kind';
const LISTS = ['data', 'runs', 'spans'] as const;
/** Lists of OTLP, also in the words of its protocol buffers, and of Tempo. */
const RESOURCES = ['resourceSpans', 'resource_spans', 'batches'] as const;

/** Whether an object is a data frame of spans, whose members are columns. */
export const isFrame = (body: FirstObject): boolean => body.get(KIND)?.type === 'object';

/** Yields the rows of a data frame whose columns are objects of values by row. */
export function* rowsOf(frame: JsonView): Generator<JsonView> {
  const columns = frame.members();
  for (const [row] of frame.get(KIND)?.members() ?? []) {
    const pieces = columns.flatMap(([name, values]): Piece[] => {
      const value = values.get(row);
      return value === undefined || value.type === 'null' ? [] : [[name, value.copy()]];
    });
    yield new JsonView(objectOf(pieces));
  }
}

/** The values of a data frame in rows that it does not have. */
export function strayValues(frame: JsonView): readonly JsonView[] {
  const rows = new Set(frame.get(KIND)?.keys());
  return frame.members().flatMap(([, column]) => column.others(rows).map(([, value]) => value));
}

/** The spans, observations or runs in an object; undefined if it is not such a body. */
export function wrappedSpans(body: FirstObject): Iterable<JsonView> | undefined {
  const resources = [...RESOURCES.map((key) => body.get(key)), body.get('trace')?.get('resourceSpans')];
  const resource = resources.find((list) => list?.type === 'array');
  if (resource !== undefined) return spansOfResources(resource);
  const inner = body.get('data')?.get('spans');
  const list = [inner, ...LISTS.map((key) => body.get(key))].find((one) => one?.type === 'array');
  const elements = list?.elements().flatMap((one) => one.get('spans')?.elements() ?? [one]) ?? [];
  const [first] = elements;
  return first !== undefined && isSpan(first) ? elements : undefined;
}

export function isSpan(view: JsonView): boolean {
  if (view.type !== 'object' || isOfLangWatch(view)) return false;
  if (firstOf(view, 'run_type', 'span_attributes', 'op_name') !== undefined) return true;
  const isTraced =
    firstOf(view, 'traceId', 'traceID', 'trace_id', 'context', 'context.trace_id') !== undefined;
  return isTraced && firstOf(view, 'attributes', 'tags', 'type', 'span_kind') !== undefined;
}

/** LangWatch has spans with the same members, but with the kind of each value beside it. They are not read. */
const isOfLangWatch = (span: JsonView): boolean => span.get('timestamps')?.typeOf('started_at') === 'number';

function* spansOfResources(resources: JsonView): Generator<JsonView> {
  for (const resource of resources.elements()) {
    const scopes = firstOf(resource, 'scopeSpans', 'scope_spans', 'instrumentationLibrarySpans');
    for (const scope of scopes?.elements() ?? []) yield* scope.get('spans')?.elements() ?? [];
  }
}
