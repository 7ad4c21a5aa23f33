/** The members that the first object of a source has in the traces of each tracer. */
import type { FirstObject } from '../dialect-spec.ts';
import { present, structured } from '../shared/logged-values.ts';
import { isAgentBody } from './agent-records.ts';
import { isIngested } from './ingested-events.ts';
import { isCallRecord, logsIn } from './log-records.ts';
import { traceOf } from './span-ids.ts';
import { isFrame, wrappedSpans } from './span-wrappers.ts';
import { platformOf } from './tracked-call.ts';

const OBSERVATIONS: ReadonlySet<string> = new Set(['GENERATION', 'SPAN', 'EVENT', 'AGENT', 'TOOL', 'CHAIN']);
const MORE_OBSERVATIONS: ReadonlySet<string> = new Set(['RETRIEVER', 'EVALUATOR', 'EMBEDDING', 'GUARDRAIL']);
/** Attributes of the conventions for model calls. */
export const MODEL_KEYS: RegExp = /^(?:gen_ai|llm|openinference|ai|traceloop|langfuse|mlflow)(?:\.|$)/;
/** The member of a body of OTLP. */
export const OTLP_BODIES = ['resourceSpans', 'resource_spans'] as const;

/** Is this the type of an observation of Langfuse? */
export const isObservation = (type: string | undefined): boolean =>
  type !== undefined && (OBSERVATIONS.has(type) || MORE_OBSERVATIONS.has(type));

/** Is the first object of a source one of a trace? */
export function isTrace(first: FirstObject): boolean {
  if (OTLP_BODIES.some((key) => first.get(key) !== undefined) || wrappedSpans(first) !== undefined)
    return true;
  if (isFrame(first) || logsIn(first) !== undefined || isIngested(first)) return true;
  if (isCallRecord(first) || isAgentBody(first.get('body'))) return true;
  if (first.get('context.trace_id') !== undefined && first.get('span_kind') !== undefined) return true;
  const attributes = structured(first.get('attributes')); // a column of a table has them as a text
  const listed = attributes?.elements().map((pair) => pair.textOf('key') ?? '') ?? [];
  if ([...(attributes?.keys() ?? []), ...listed].some((key) => MODEL_KEYS.test(key))) return true;
  const isSpan = attributes?.type === 'object' || listed.some((key) => key !== '');
  if (isSpan && traceOf(first) !== undefined) return true;
  if (first.get('observations')?.type === 'array') return hasTrace(first);
  if (platformOf(first) !== undefined) return true;
  const isTraced = [first.get('traceId'), first.get('trace_id')].some(present);
  if (isTraced && isObservation(first.get('type')?.text())) return true;
  if (first.get('run_type') !== undefined && first.get('trace_id') !== undefined) return true;
  return first.get('post')?.type === 'array';
}

/** Whether a list of observations is of Langfuse: it has a trace beside it, or its elements name theirs. */
function hasTrace(first: FirstObject): boolean {
  if (first.get('trace')?.type === 'object') return true;
  const [one] = first.get('observations')?.elements() ?? [];
  return one === undefined || one.get('traceId') !== undefined || isObservation(one.get('type')?.text());
}
