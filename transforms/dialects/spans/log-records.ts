/**
 * Reads records of OpenTelemetry's logs, alone or in bodies of OTLP. Newer clients log the messages of a model call as
 * events there, and only the ids of its span tell which events belong together.
 */
import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import type { FirstObject } from '../dialect-spec.ts';
import { objectOf, type Piece } from '../shared/build-messages.ts';
import { firstOf } from '../shared/logged-values.ts';
import { plainValue, SpanAttributes } from './span-attributes.ts';
import { isCallEvent, isUnknownEvent } from './span-events.ts';

/** Lists of OTLP, also in the words of its protocol buffers. */
const BODIES = ['resourceLogs', 'resource_logs'] as const;

/** The lists of a body of OTLP with log records. */
export function logsIn(body: FirstObject): JsonView | undefined {
  return BODIES.map((key) => body.get(key)).find((list) => list?.type === 'array');
}

/** Yields the records of a body, with the scope that they have in common. */
export function* recordsOf(logs: JsonView): Generator<LogRecord> {
  for (const resource of logs.elements()) {
    const scopes = firstOf(resource, 'scopeLogs', 'scope_logs', 'instrumentationLibraryLogs');
    for (const scope of scopes?.elements() ?? []) {
      const records = firstOf(scope, 'logRecords', 'log_records', 'logs');
      for (const record of records?.elements() ?? []) yield new LogRecord(record, scope.get('scope'));
    }
  }
}

const HEX_MARK = /^0x/i;
/** An id that is absent, as SDKs write it. */
const NO_ID = /^0*$/;

/** An id as OTLP has it; undefined if there is none. */
export function bareId(logged: string | undefined): string | undefined {
  const id = logged?.replace(HEX_MARK, '') ?? '';
  return NO_ID.test(id) ? undefined : id;
}

/** FirstObject with the name of an event, in the words of OTLP and of SDKs. */
const NAMES = ['eventName', 'event_name'] as const;

function nameOf(record: FirstObject): string | undefined {
  const name = NAMES.map((key) => record.get(key)?.text()).find(Boolean);
  if (name !== undefined || record.get('body') === undefined) return name;
  return SpanAttributes.of(record.get('attributes')).at('event.name').text();
}

/** Whether an object is a record of an event, of whatever name. */
export const isEventRecord = (record: FirstObject): boolean =>
  record.get('body') !== undefined && nameOf(record) !== undefined;

/** Whether an object is a record of the convention for model calls. */
export const isCallRecord = (record: FirstObject): boolean => nameOf(record)?.startsWith('gen_ai.') === true;

export class LogRecord {
  readonly json: JsonView;
  readonly scope: string | undefined;
  readonly attributes: SpanAttributes;
  /** The body, without the types of its values. */
  readonly body: JsonView | undefined;
  readonly trace: string | undefined;
  readonly span: string | undefined;

  constructor(json: JsonView, scope: JsonView | undefined = json.get('scope')) {
    this.json = json;
    this.scope = scope?.get('name')?.text();
    this.attributes = SpanAttributes.of(json.get('attributes'));
    const body = firstOf(json, 'body');
    this.body = body && new JsonView(plainValue(body));
    this.trace = bareId(firstOf(json, 'traceId', 'trace_id')?.text());
    this.span = bareId(firstOf(json, 'spanId', 'span_id')?.text());
  }

  /** The record as an event of a span; undefined if it is not about a model call. */
  event(): JsonView | undefined {
    const name = nameOf(this.json);
    if (name === undefined) return undefined;
    const pieces: Piece[] = [['name', quote(name)]];
    const attributes = firstOf(this.json, 'attributes');
    if (attributes !== undefined) pieces.push(['attributes', attributes.copy()]);
    if (this.body !== undefined) pieces.push(['body', this.body.copy()]);
    const event = new JsonView(objectOf(pieces));
    return isCallEvent(name) || isUnknownEvent(event) ? event : undefined;
  }

  /** Its members that a span has too: ids and time. */
  get place(): readonly Piece[] {
    const time = firstOf(this.json, 'timeUnixNano', 'time_unix_nano', 'observedTimeUnixNano');
    const own = firstOf(this.json, 'timestamp', 'observed_timestamp');
    return [
      ...(this.trace === undefined ? [] : [['traceId', quote(this.trace)] as const]),
      ...(this.span === undefined ? [] : [['spanId', quote(this.span)] as const]),
      ...(time === undefined ? [] : [['startTimeUnixNano', time.copy()] as const]),
      ...(own === undefined ? [] : [['start_time', own.copy()] as const]),
    ];
  }
}
