/** Bodies that hold many spans: those of OTLP and Tempo, of Jaeger and MLflow, data frames, and lists as the APIs of the platforms give them. */

import { JsonView } from '../json/json-view.ts';
import type { FirstObject } from './dialect-spec.ts';
import { firstOf } from './logged-values.ts';
import { objectOf, type Piece } from './made-messages.ts';

/** A column that every data frame of OpenInference has. */
const KIND = 'attributes.openinference.span.kind';
const LISTS = ['data', 'runs', 'spans'] as const;

/** Are the members of an object the columns of a data frame of spans? */
export const isFrame = (body: FirstObject): boolean => body.get(KIND)?.type === 'object';

/** The rows of a data frame that was written column by column: each column is an object of values by row. */
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

/** The spans, observations or runs in a body; undefined when it is none. */
export function wrappedSpans(body: FirstObject): Iterable<JsonView> | undefined {
  const resources = [body.get('resourceSpans'), body.get('batches'), body.get('trace')?.get('resourceSpans')];
  const resource = resources.find((list) => list?.type === 'array');
  if (resource !== undefined) return spansOfResources(resource);
  const inner = body.get('data')?.get('spans');
  const list = [inner, ...LISTS.map((key) => body.get(key))].find((one) => one?.type === 'array');
  const elements = list?.elements().flatMap((one) => one.get('spans')?.elements() ?? [one]) ?? [];
  const [first] = elements;
  return first !== undefined && isSpan(first) ? elements : undefined;
}

function isSpan(view: JsonView): boolean {
  if (view.type !== 'object') return false;
  if (firstOf(view, 'run_type') !== undefined) return true;
  const isTraced =
    firstOf(view, 'traceId', 'traceID', 'trace_id', 'context', 'context.trace_id') !== undefined;
  return isTraced && firstOf(view, 'attributes', 'tags', 'type', 'span_kind') !== undefined;
}

function* spansOfResources(resources: JsonView): Generator<JsonView> {
  for (const resource of resources.elements()) {
    const scopes = firstOf(resource, 'scopeSpans', 'instrumentationLibrarySpans');
    for (const scope of scopes?.elements() ?? []) yield* scope.get('spans')?.elements() ?? [];
  }
}
