/** Reads model calls from records of logs, and joins the events of one call. */
import { JsonView } from '../../json/json-view.ts';
import type { LateFields, ObjectPart, ReadContext } from '../dialect-spec.ts';
import { objectOf } from '../shared/build-messages.ts';
import { firstOf } from '../shared/logged-values.ts';
import { AGENT_ORDER_LOST, isAgentBody, spanOfAgent } from './agent-records.ts';
import { EVENTS_MISSING, JoinedEvents } from './joined-events.ts';
import { hasStrayBody, isNoRecord } from './known-spans.ts';
import { bareId, type LogRecord } from './log-records.ts';

/** Functions of the reader of spans. */
interface SpanReading {
  /** @param isJoined whether its events were logged apart from it */
  readonly span: (span: JsonView, context: ReadContext, isJoined: boolean) => ObjectPart;
  /** Drops what is not a model call. */
  readonly leave: (form: JsonView, context: ReadContext) => ObjectPart;
  readonly time: (span: JsonView, context: ReadContext) => bigint | undefined;
}

export class RecordReader {
  readonly #events: JoinedEvents;
  readonly #reading: SpanReading;

  constructor(maxBytes: number, reading: SpanReading) {
    this.#events = new JoinedEvents(maxBytes);
    this.#reading = reading;
  }

  /** Reads a record. An event of a model call waits for the others of its span, until the source ends. */
  read(record: LogRecord, context: ReadContext): ObjectPart {
    if (isNoRecord(record.json) || record.attributes.isOdd)
      return context.reject('unknown-content', NO_RECORD, record.json);
    if (isAgentBody(record.body)) return this.#ofAgent(record, context);
    const { span, place } = record;
    const event = record.event();
    const id = idOf(record.trace, span);
    if (event === undefined) {
      if (span !== undefined && maySay(record)) this.#events.doubt(id);
      return this.#reading.leave(record.json, context);
    }
    if (hasStrayBody(record.json)) {
      this.#events.doubt(id);
      return context.reject('unknown-content', STRAY_BODY, record.json);
    }
    if (span === undefined) return context.reject('bad-event', NO_SPAN, record.json);
    const timestamp = this.#reading.time(new JsonView(objectOf(place)), context);
    const kept = this.#events.keep(id, place, event, timestamp);
    if (kept !== 'new') return context.drop(kept === 'copy' ? 'copied-line' : 'joined-event');
    const refused = { reason: 'context-missing', detail: EVENTS_MISSING } as const;
    return { messages: [], alone: true, timestamp, refused, later: this.#joined(id, context) };
  }

  /** Adds what a span without messages says about a call. @returns false if no event of it was read so far */
  describe(trace: string | undefined, span: string | undefined, attributes: JsonView | undefined): boolean {
    return this.#events.describe(idOf(bareId(trace), bareId(span)), attributes);
  }

  /** Reads the call with these events, when the source ends. */
  #joined(id: string, context: ReadContext): () => LateFields {
    const { origin } = context;
    let part: ObjectPart | undefined;
    return () => {
      const span = this.#events.span(id);
      if (span === undefined) return undefined;
      part ??= this.#reading.span(span, context, true);
      if (!('kind' in part)) return part.later === undefined ? part : part.later();
      const rejection = part.kind === 'rejection' ? part : context.reject('bad-event', NO_CALL);
      return { messages: { ...rejection, origin }, alone: true };
    };
  }

  #ofAgent(record: LogRecord, context: ReadContext): ObjectPart {
    const span = spanOfAgent(record);
    if (span === undefined) return context.reject('unknown-content', AGENT_ORDER_LOST, record.json);
    if (span === 'other') return this.#reading.leave(record.json, context);
    return this.#reading.span(span, context, true);
  }
}

/** May a record of another name be an event of a call, because it has the members of one? */
function maySay({ body, attributes }: LogRecord): boolean {
  const ofEvent = firstOf(body, 'content', 'tool_calls', 'parts', 'finish_reason');
  const message = firstOf(body, 'message')?.type === 'object';
  return ofEvent !== undefined || message || LISTS.some((path) => !attributes.at(path).isEmpty);
}

const LISTS = ['gen_ai.input.messages', 'gen_ai.output.messages'] as const;

const idOf = (trace: string | undefined, span: string | undefined): string => `${trace} ${span}`;

const STRAY_BODY = 'the event has content in a member that turnmill does not know';
const NO_RECORD = 'a record of logs, or its attributes, have a form that turnmill does not know';
const NO_SPAN = 'an event of a model call does not name its span: what belongs to it is unknown';
const NO_CALL = 'the events are those of a span that is not a model call';
