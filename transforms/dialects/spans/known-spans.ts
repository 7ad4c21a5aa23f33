/** The members of spans, log records, observations and runs, to find what was said under a name that is not read. */
import { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { wordSet } from '../../model/words.ts';
import { carriesContent } from '../shared/carried-content.ts';
import { firstOf, structured } from '../shared/logged-values.ts';
import { mayBeSaid, STRAY, straying, strayMember as strayMemberOf } from '../shared/stray-members.ts';
import { ANYTHING, hasStrayList, holdsWords, type KnownObject, known, says } from '../shared/unread-text.ts';
import { MODEL_KEYS } from './detect-spans.ts';
import { isEvent } from './ingested-events.ts';
import { strayAmong } from './known-attributes.ts';
import { plainValue, SpanAttributes } from './span-attributes.ts';
import { bodyOf, eventsOf, isDetails, isUnknownName } from './span-events.ts';
import { isFrame, isSpan, strayValues } from './span-wrappers.ts';

const SCOPE = 'scope schemaUrl schema_url instrumentationLibrary';
const SCOPE_SPANS = known(SCOPE, { 'spans:list!': ANYTHING });
const SCOPE_LOGS = known(SCOPE, {
  'logRecords:list!': ANYTHING,
  'log_records:list!': ANYTHING,
  'logs:list!': ANYTHING,
});
const RESOURCE_SPANS = known('resource schemaUrl schema_url', {
  'scopeSpans:list!': SCOPE_SPANS,
  'scope_spans:list!': SCOPE_SPANS,
  'instrumentationLibrarySpans:list!': SCOPE_SPANS,
});
const RESOURCE_LOGS = known('resource schemaUrl schema_url', {
  'scopeLogs:list!': SCOPE_LOGS,
  'scope_logs:list!': SCOPE_LOGS,
  'instrumentationLibraryLogs:list!': SCOPE_LOGS,
});

/** Bodies of OTLP. */
const OTLP_BODY: KnownObject = known('trace data batch runs spans', {
  'resourceSpans:list': RESOURCE_SPANS,
  'resource_spans:list': RESOURCE_SPANS,
  'batches:list': RESOURCE_SPANS,
  'resourceLogs:list': RESOURCE_LOGS,
  'resource_logs:list': RESOURCE_LOGS,
});

/** A batch of runs of LangSmith. */
const RUNS: KnownObject = known('', { 'post:list': ANYTHING, 'patch:list': ANYTHING });

/** Does a body of OTLP, or an object in it down to the spans, have a list under an unknown name, or none where one is due? */
export function isStrayBody(body: JsonView): boolean {
  if (isFrame(body)) return hasOddColumn(body) || strayValues(body).some(isContent);
  if (body.typeOf('post') === 'array') return hasStrayList(body, RUNS);
  const batch = body.get('batch');
  if (batch !== undefined && hasOddEvents(batch)) return true;
  const isBody = OTLP_BODY.within.some(([key]) => body.typeOf(key) !== undefined);
  return isBody ? hasStrayList(body, OTLP_BODY) : isUnknownWhole(body);
}

/** Has a batch of Langfuse words outside its events? */
const hasOddEvents = (batch: JsonView): boolean =>
  batch.type === 'array'
    ? batch.elements().some((event) => !isEvent(event) && holdsWords(event))
    : holdsWords(batch);

const ATTRIBUTE = /^attributes\./;
const hasOddColumn = (frame: JsonView): boolean =>
  frame.members().some(([key, column]) => ATTRIBUTE.test(key) && column.type !== 'object' && says(column));

/** Has an object nothing but lists of objects, spans or bodies of OTLP, and none of it under a known name? */
function isUnknownWhole(body: JsonView): boolean {
  const members = body.members();
  return (
    members.length > 0 &&
    members.every(
      ([key, value]) =>
        !OTLP_BODY.names.has(key) &&
        (value.elements()[0]?.type === 'object' || isSpan(value) || holdsOtlp(value)),
    )
  );
}

const holdsOtlp = (value: JsonView): boolean =>
  OTLP_BODY.within.some(([key]) => value.get(key)?.type === 'array');

/**
 * Members of spans of OpenTelemetry, as SDKs, Jaeger and databases write them; in the last lines, those of records of logs,
 * which are read apart.
 */
const SPAN: ReadonlySet<string> = wordSet(`
  name kind context spanContext traceId trace_id traceID spanId span_id spanID parentSpanId parent_id parent_span_id
  parentSpanContext traceState trace_state flags startTime start_time startTimeUnixNano start_time_unix_nano endTime
  end_time endTimeUnixNano end_time_unix_nano duration status status_code status_message attributes tags events logs
  links references resource scope instrumentationScope instrumentation_scope instrumentationLibrary process processes
  processID operationName span_kind span_name service_name exception warnings droppedAttributesCount
  dropped_attributes_count droppedEventsCount dropped_events_count droppedLinksCount dropped_links_count
  cumulative_error_count statusMessage statusCode resource_attributes span_attributes otel_scope_name ended
  body event_name eventName timestamp observed_timestamp timeUnixNano observedTimeUnixNano severity severity_text
  severity_number severityText severityNumber
`);
const COLUMN = /^(?:attributes|context|resource|events|status|_)(?:[._]|$)/;

/** Does an object have a member that carries content, besides those of spans, or the attributes of a call in another one? */
export const hasStrayContent = (span: JsonView): boolean =>
  span.others(SPAN).some(([key, value]) => !COLUMN.test(key) && isContent(value)) ||
  firstOf(span, 'attributes')
    ?.members()
    .some(([key, value]) => !NAMED.test(key) && namesIn(value).some((name) => MODEL_KEYS.test(name))) ===
    true;

/** The names of attributes: those of members, or of OTLP's pairs. */
const namesIn = (value: JsonView): readonly string[] =>
  value.type === 'array' ? value.elements().map((pair) => pair.textOf('key') ?? '') : value.keys();

/** The member of a call without its request or its answer that may be it; undefined if there is none. */
export const strayMember = (call: JsonView): JsonView | undefined =>
  strayMemberOf(call, { has: (key) => COLUMN.test(key) });

/** The attribute of a model call without its request or its answer that may be it. Names of conventions have dots. */
export const strayAttribute = (attributes: JsonView | undefined): JsonView | undefined =>
  attributes?.members().find(([key, value]) => !NAMED.test(key) && mayBeSaid(value))?.[1];

const NAMED =
  /\.|^(?:gen_ai|llm|ai|openinference|input|output|metadata|session|user\w*|tag|langfuse|mlflow|traceloop|logfire|http|url|server|service|error|exception|request_data|response_data|events|async|agent_?name|operation|resource|otel|status|code|db|gcp|aws|azure|telemetry|model\w*|final_result|all_messages\w*)$/;

/** The attribute with an object or a list, under a name of no convention. */
export const strayJson = (attributes: SpanAttributes): JsonView | undefined =>
  attributes
    .json()
    ?.members()
    .find(([key, value]) => !NAMED.test(key) && isJson(value))?.[1];

const isJson = (value: JsonView): boolean => /^(?:object|array)$/.test(structured(value)?.type ?? '');

function isContent(logged: JsonView): boolean {
  const value = new JsonView(plainValue(logged));
  return carriesContent(structured(value) ?? value);
}

/** Does a record of logs have a member that carries content, besides those of records? */
export const hasStrayBody = (record: JsonView): boolean =>
  record.others(LOG_RECORD.names).some(([, value]) => isContent(value));

/** Does an object have no member of a record of logs, but others? */
export const isNoRecord = (record: JsonView): boolean =>
  says(record) && (record.type !== 'object' || record.keys().every((key) => !LOG_RECORD.names.has(key)));

const LOG_RECORD: KnownObject = known(
  [
    'body attributes eventName event_name severity severityNumber severityText severity_number severity_text timestamp',
    'observed_timestamp timeUnixNano time_unix_nano observedTimeUnixNano observed_time_unix_nano traceId trace_id spanId',
    'span_id trace_flags flags resource scope instrumentationScope instrumentation_scope dropped_attributes',
    'droppedAttributesCount dropped_attributes_count name context',
  ].join(' '),
);

/** Why a call without its request or its answer is refused: an attribute or a member may be it. */
export function strayIn(span: JsonView, messages: readonly Message[]): string | undefined {
  const logged = firstOf(span, 'attributes', 'tags');
  if (logged === undefined) return strayMember(span) && STRAY;
  const attributes = SpanAttributes.of(logged);
  const found = strayAmong(attributes, messages);
  return found === undefined ? strayEvent(span, attributes, messages) && STRAY : straying(found);
}

/** The event that may be the missing request or answer of a call: one under an unknown name, or with unknown members. */
const strayEvent = (
  span: JsonView,
  attributes: SpanAttributes,
  messages: readonly Message[],
): JsonView | undefined =>
  eventsOf(span, attributes).find((event) => {
    if (!isDetails(event)) return isUnknownName(event) && carriesContent(bodyOf(event));
    const own = SpanAttributes.of(event.get('attributes'));
    return (
      strayAmong(own, messages) !== undefined || event.others(EVENT).some(([, value]) => isContent(value))
    );
  });

const EVENT: ReadonlySet<string> = wordSet(`
  name attributes body event.name event_name event timestamp time timeUnixNano time_unix_nano
`);
