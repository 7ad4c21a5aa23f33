/**
 * Unpacks objects with many spans: bodies of OTLP, Tempo, Jaeger and MLflow, data frames, and lists of platform APIs.
 */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import type { FirstObject } from '../dialect-spec.ts';
import { objectOf, type Piece } from '../shared/build-messages.ts';
import { firstOf, present } from '../shared/logged-values.ts';

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

/** The spans, observations or runs in an object; undefined if it is not such a body. */
export function wrappedSpans(body: FirstObject): Iterable<JsonView> | undefined {
  const resources = [...RESOURCES.map((key) => body.get(key)), body.get('trace')?.get('resourceSpans')];
  const resource = resources.find((list) => list?.type === 'array');
  if (resource !== undefined) return spansOfResources(resource);
  const batch = body.get('batch');
  if (batch?.type === 'array' && batch.elements().some(isIngested)) return observationsOf(batch);
  const inner = body.get('data')?.get('spans');
  const list = [inner, ...LISTS.map((key) => body.get(key))].find((one) => one?.type === 'array');
  const elements = list?.elements().flatMap((one) => one.get('spans')?.elements() ?? [one]) ?? [];
  const [first] = elements;
  return first !== undefined && isSpan(first) ? elements : undefined;
}

function isSpan(view: JsonView): boolean {
  if (view.type !== 'object') return false;
  if (firstOf(view, 'run_type', 'span_attributes', 'op_name') !== undefined) return true;
  const isTraced =
    firstOf(view, 'traceId', 'traceID', 'trace_id', 'context', 'context.trace_id') !== undefined;
  return isTraced && firstOf(view, 'attributes', 'tags', 'type', 'span_kind') !== undefined;
}

/** Types of events of Langfuse's ingestion API. */
const INGESTED = /^(?:observation|generation|span|event)-(create|update)$/;
const TRACE = 'trace-create';

const isIngested = (event: JsonView): boolean => {
  const type = event.get('type')?.text() ?? '';
  return event.get('body')?.type === 'object' && (type === TRACE || INGESTED.test(type));
};

/** The observations in a batch of Langfuse. An update adds members to an observation created before. */
function observationsOf(batch: JsonView): readonly JsonView[] {
  const sessions = new Map<string | undefined, JsonView>();
  const found = new Map<string, Map<string, Uint8Array>>();
  for (const event of batch.elements()) {
    const body = event.get('body');
    const type = event.get('type')?.text() ?? '';
    if (type === TRACE && present(body?.get('sessionId')))
      sessions.set(body?.get('id')?.text(), body?.get('sessionId') as JsonView);
    if (!INGESTED.test(type)) continue;
    const id = body?.get('id')?.text() ?? `${found.size}`;
    const members = found.get(id) ?? new Map([['type', encode(quote(kindOf(type)))]]);
    found.set(id, members);
    for (const [key, value] of body?.members() ?? []) if (present(value)) members.set(key, value.copy());
  }
  return [...found.values()].map((members) => {
    const trace = members.get('traceId');
    const session = trace && sessions.get(new JsonView(trace).text());
    if (session !== undefined) members.set('sessionId', session.copy());
    return new JsonView(objectOf([...members]));
  });
}

/** The type of an observation, from that of its event: only newer clients put it into the body. */
const kindOf = (type: string): string => type.slice(0, type.lastIndexOf('-')).toUpperCase();

function* spansOfResources(resources: JsonView): Generator<JsonView> {
  for (const resource of resources.elements()) {
    const scopes = firstOf(resource, 'scopeSpans', 'scope_spans', 'instrumentationLibrarySpans');
    for (const scope of scopes?.elements() ?? []) yield* scope.get('spans')?.elements() ?? [];
  }
}
