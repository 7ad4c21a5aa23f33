/** The ids and the time of a span, an observation or a run, under the names of many clients. */
import type { JsonView } from '../../json/json-view.ts';
import type { ReadContext } from '../dialect-spec.ts';
import { firstOf } from '../shared/logged-values.ts';

export const traceOf = (span: Pick<JsonView, 'get'>): string | undefined => {
  const inner = span.get('context') ?? span.get('spanContext');
  const own = ['traceId', 'trace_id', 'traceID', 'context.trace_id'].map((key) => span.get(key));
  const ids = [...own, inner?.get('trace_id'), inner?.get('traceId')];
  return ids.find((id) => id?.type === 'string')?.text() || undefined;
};

/** Members with the id of a span, an observation or a run. */
const IDS = ['spanId', 'span_id', 'spanID', 'context.span_id', 'id'] as const;

export const idOf = (span: JsonView): string | undefined =>
  (firstOf(span, ...IDS) ?? firstOf(firstOf(span, 'context', 'spanContext'), 'span_id', 'spanId'))?.text();

/** Members with the id of the span around this one. */
export const PARENTS: readonly string[] = [
  ...['parentSpanId', 'parent_id', 'parent_span_id', 'parentObservationId', 'parent_observation_id'],
  'parent_run_id',
];

const NANOSECONDS = /^\d{1,19}$/;

/** The start of a span: nanoseconds in OTLP, a time in other formats. */
export function startOf(span: JsonView, context: ReadContext): bigint | undefined {
  const nanos = firstOf(span, 'startTimeUnixNano', 'start_time_unix_nano');
  const digits = nanos && (nanos.text() ?? `${Buffer.from(nanos.bytes)}`);
  if (digits !== undefined) return NANOSECONDS.test(digits) ? BigInt(digits) : undefined;
  return context.time(firstOf(span, 'start_time', 'startTime'));
}
