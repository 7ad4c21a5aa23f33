/**
 * Dialect `spans`: traces of model calls. Spans of OpenTelemetry (in several attribute conventions, single or in OTLP
 * bodies), observations of Langfuse, runs of LangSmith. Only model calls become messages. The session is the one in the
 * log, else the trace.
 */

import type { JsonView } from '../json/json-view.ts';
import { IdTable } from '../model/id-table.ts';
import type { Meta } from '../model/meta.ts';
import { wordSet } from '../model/words.ts';
import { defineDialect } from './define-dialect.ts';
import type { Dialect, ReadingOptions } from './dialect.ts';
import { MAX_CONVERSATION_BYTES } from './dialect.ts';
import type { EntryFields, ObjectPart, ReadContext } from './dialect-spec.ts';
import { carriesContent } from './shared/carried-content.ts';
import { ContinuedLists } from './shared/continued-lists.ts';
import { withoutError } from './shared/failed-answer.ts';
import { type CallChain, speaks } from './shared/history.ts';
import { definedIn, type LoggedCall } from './shared/logged-bodies.ts';
import { metaOf } from './shared/logged-meta.ts';
import { firstOf, unpacked } from './shared/logged-values.ts';
import { NO_QUESTION } from './shared/reading-notes.ts';
import { STRAY } from './shared/stray-members.ts';
import { type ListState, Transcript } from './shared/transcript.ts';
import { says, unreadMember } from './shared/unread-text.ts';
import { isAgentBody } from './spans/agent-records.ts';
import { isModelCall, isNamed, readAttributes } from './spans/attribute-call.ts';
import { isObservation, isTrace, OTLP_BODIES } from './spans/detect-spans.ts';
import { errorsOfSpan } from './spans/failed-span.ts';
import { IngestedEvents, isIngested } from './spans/ingested-events.ts';
import { strayOfModel } from './spans/known-attributes.ts';
import { hasStrayContent, isStrayBody, strayIn, strayMember } from './spans/known-spans.ts';
import { isCallRecord, isEventRecord, LogRecord, logsIn, recordsOf } from './spans/log-records.ts';
import { turnOf } from './spans/logged-turns.ts';
import { ELSEWHERE, liesElsewhere } from './spans/no-answer.ts';
import { readObservation, readRun } from './spans/platform-call.ts';
import { RecordReader } from './spans/record-reader.ts';
import { SpanAttributes } from './spans/span-attributes.ts';
import {
  CHAIN_MISSING,
  linkAt,
  linkIn,
  linkOfObservation,
  SpanChains,
  type SpanLink,
} from './spans/span-chains.ts';
import { detailsIn, hasOddEvent, messageEvents } from './spans/span-events.ts';
import { idOf, PARENTS, startOf, traceOf } from './spans/span-ids.ts';
import { isFrame, rowsOf, wrappedSpans } from './spans/span-wrappers.ts';
import { endsOnly, isEndAlone, isUnfinished, runsOf, SplitRuns } from './spans/split-runs.ts';
import { type Platform, platformOf, readTracked } from './spans/tracked-call.ts';
import { WholeAnswers } from './spans/whole-answers.ts';

const NO_SPAN = 'an element of a list of spans is not an object';
const ODD_ATTRIBUTES =
  'the attributes or the events have a form that turnmill does not know, or different messages in two places';
const STRAY_LIST = 'the body has a list in a member that turnmill does not know, or no list where one is due';
/** Runs of LangSmith that are not model calls. */
const OTHER_RUNS: ReadonlySet<string> = wordSet('chain tool retriever prompt parser embedding');

class SpanReader {
  readonly #keepSealed: boolean;
  readonly #lists = new ContinuedLists<ListState>();
  /** Ids of the spans whose tokens and cost were counted, because an export may repeat a span. */
  readonly #counted = new IdTable();
  readonly #chains: SpanChains;
  readonly #wholes: WholeAnswers;
  readonly #split: SplitRuns;
  readonly #records: RecordReader;
  readonly #ingested: IngestedEvents;
  /** Whether a model call has been read: what is left out is then a part of its trace. */
  #hasRead = false;

  constructor({ keepSealed = false, maxConversation = MAX_CONVERSATION_BYTES }: ReadingOptions) {
    this.#keepSealed = keepSealed;
    this.#chains = new SpanChains(maxConversation);
    this.#wholes = new WholeAnswers(maxConversation);
    this.#split = new SplitRuns(maxConversation);
    this.#ingested = new IngestedEvents(this.#split, (observation, context) =>
      this.#observation(observation, context, undefined),
    );
    this.#records = new RecordReader(maxConversation, {
      span: (span, context, isJoined) => this.#span(span, context, isJoined),
      leave: (form, context) => this.#leave(form, context),
      time: startOf,
    });
  }

  read(json: JsonView, context: ReadContext): readonly ObjectPart[] {
    if (isStrayBody(json)) return [context.reject('unknown-content', STRAY_LIST, json)];
    const parts = [...this.#parts(json, context)];
    return parts.length > 0 ? parts : [context.drop('no-model-span')];
  }

  *#parts(json: JsonView, context: ReadContext): Generator<ObjectPart> {
    const wrapped = isFrame(json) ? rowsOf(json) : wrappedSpans(json);
    const observations = json.get('observations');
    const runs = json.get('post');
    const logs = logsIn(json);
    if (isIngested(json)) yield* this.#ingested.read(json, context);
    else if (wrapped !== undefined) for (const span of wrapped) yield* this.#one(span, context);
    else if (logs !== undefined)
      for (const record of recordsOf(logs)) yield this.#records.read(record, context);
    else if (observations?.type === 'array') {
      const trace = json.get('trace')?.type === 'object' ? json.get('trace') : json;
      for (const one of observations.elements())
        yield one.type === 'object' || !says(one)
          ? this.#observation(one, context, trace)
          : context.reject('unknown-content', NO_SPAN, one);
    } else if (runs?.type === 'array') {
      for (const [run, patch] of runsOf(runs, json.get('patch'))) yield this.#begun(run, context, patch);
      for (const patch of endsOnly(runs, json.get('patch'))) yield this.#ended(patch, context);
    } else yield* this.#one(json, context);
  }

  *#one(json: JsonView, context: ReadContext): Generator<ObjectPart> {
    const platform = platformOf(json);
    if (json.type !== 'object' && says(json)) yield context.reject('unknown-content', NO_SPAN, json);
    else if (json.get('run_type') !== undefined) yield* this.#runs(json, context);
    else if (isCallRecord(json) || isEventRecord(json) || isAgentBody(json.get('body')))
      yield this.#records.read(new LogRecord(json), context);
    else if (platform !== undefined) yield this.#tracked(json, platform, context);
    else if (json.get('dotted_order') !== undefined) yield this.#ended(json, context);
    else if (json.get('attributes') === undefined && isObservation(json.get('type')?.text()))
      yield this.#observation(json, context, undefined);
    else yield this.#span(json, context);
  }

  /** @param isJoined whether its events were logged apart from it */
  #span(span: JsonView, context: ReadContext, isJoined = false): ObjectPart {
    const logged = firstOf(span, 'attributes', 'tags');
    const own = logged === undefined ? SpanAttributes.ofRow(span) : SpanAttributes.of(logged);
    const details = detailsIn(span, own);
    const attributes = details.length === 0 ? own : SpanAttributes.of(...details, logged ?? own.json());
    const messages = messageEvents(span, own);
    // a loop of an agent has the messages of several calls
    const isOdd = attributes.isOdd && isModelCall(own, messages) !== false;
    if (own.isOdd || isOdd || hasOddEvent(span, own))
      return context.reject('unknown-content', ODD_ATTRIBUTES, span);
    const isCall = isModelCall(attributes, messages);
    if (isCall === 'unknown' || (isCall === false && (hasStrayContent(span) || isUnknownCall(own))))
      return context.reject('unknown-content', UNKNOWN_KIND, span);
    if (!isCall) return this.#leave(isNamed(own) ? undefined : span, context);
    const transcript = new Transcript(this.#keepSealed, this.#lists);
    const read = readAttributes(attributes, transcript, messages, span);
    const unread = strayOfModel(attributes, transcript.messages);
    if (unread !== undefined) transcript.noteFirst(unreadMember('the span', unread));
    const isSilent = !isJoined && transcript.messages.length === 0 && transcript.refusal === undefined;
    if (isSilent && this.#records.describe(traceOf(span), idOf(span), own.json()))
      return context.drop('joined-event');
    if (liesElsewhere(attributes, read.hasReply)) return context.reject('body-elsewhere', ELSEWHERE, span);
    const hasReply = withoutError(transcript, read.hasReply, errorsOfSpan(span, attributes));
    const session = this.#chains.isResponse(read.session) ? undefined : read.session;
    const time = startOf(span, context);
    const link = { isJoined, ...linkAt(attributes), turn: turnOf(attributes, span, time) };
    const call = { ...read, hasReply, session };
    return this.#entryOf(transcript, call, traceOf(span), time, span, link, context);
  }

  #observation(observation: JsonView, context: ReadContext, trace: JsonView | undefined): ObjectPart {
    const type = observation.get('type')?.text();
    if (type !== 'GENERATION') return this.#leaveKind(observation, isObservation(type), context);
    const transcript = new Transcript(this.#keepSealed, this.#lists);
    const call = readObservation(observation, transcript);
    const time = context.time(firstOf(observation, 'startTime', 'start_time'));
    const session = firstOf(trace, 'sessionId', 'session_id')?.text() || call.session;
    const inSession = {
      ...call,
      session,
      meta: new Map([...metaOf({ tags: firstOf(trace, 'tags') }), ...call.meta]),
    };
    const link = linkOfObservation(observation);
    return this.#entryOf(transcript, inSession, traceOf(observation), time, observation, link, context);
  }

  /** Reads a span of a platform that has an input and an output. */
  #tracked(span: JsonView, platform: Platform, context: ReadContext): ObjectPart {
    const merged = this.#merged(span, platform, context);
    if (merged !== undefined) return merged;
    if (!platform.isModelCall(span)) {
      const isOther = platform.isOther(span);
      if (isOther === 'unknown') return this.#leaveKind(span, false, context);
      return this.#leave(isOther ? undefined : span, context);
    }
    return this.#trackedCall(span, platform, context, undefined);
  }

  /** Joins a row of Braintrust with the rows that its client sends later; undefined if it is whole. */
  #merged(span: JsonView, platform: Platform, context: ReadContext): ObjectPart | undefined {
    const part = platform.partOf(span);
    const id = span.get('id')?.text();
    if (part === undefined || id === undefined) return undefined;
    const isKept = this.#split.isKept(id);
    if (part === 'begun') this.#split.sawBegin(id);
    if (part === 'begun' && !platform.isModelCall(span)) return undefined;
    if (part === 'more' && strayMember(span) !== undefined)
      return context.reject('unknown-content', STRAY, span);
    if (part === 'more' || (part === 'ended' && !isKept && this.#split.hasBegun(id)))
      return context.drop(isKept ? 'joined-run' : 'no-model-span');
    this.#split.keep(id, part, span);
    if (isKept) return context.drop('joined-run');
    const time = context.time(firstOf(span, platform.start));
    return this.#split.wait(id, time, ({ begun, ended }) =>
      this.#trackedCall(begun, platform, context, ended),
    );
  }

  #trackedCall(
    span: JsonView,
    platform: Platform,
    context: ReadContext,
    ended: JsonView | undefined,
  ): ObjectPart {
    const transcript = new Transcript(this.#keepSealed, this.#lists);
    const call = readTracked(span, platform, transcript, ended);
    const link = linkIn([span.get(platform.input)], [firstOf(ended, 'output') ?? span.get('output')]);
    const time = context.time(firstOf(span, platform.start));
    return this.#entryOf(transcript, call, span.get(platform.trace)?.text(), time, span, link, context);
  }

  /** Yields a run and its child runs. */
  *#runs(run: JsonView, context: ReadContext): Generator<ObjectPart> {
    const waiting = [run];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      yield this.#begun(next, context, undefined);
      waiting.push(...(next.get('child_runs')?.elements().toReversed() ?? []));
    }
  }

  /** Reads a run. One that is logged without its end waits for it, until the source ends. */
  #begun(run: JsonView, context: ReadContext, patch: JsonView | undefined): ObjectPart {
    const id = run.get('id')?.text();
    if (id === undefined || patch !== undefined || typeOf(run) !== 'llm') {
      if (id !== undefined) this.#split.sawBegin(id);
      return this.#run(run, context, patch);
    }
    if (isEndAlone(run)) return this.#keepEnd(id, run, context);
    const isOpen = isUnfinished(run);
    if (this.#split.isKept(id)) {
      this.#split.keep(id, isOpen ? 'begun' : 'ended', run);
      return context.drop('joined-run');
    }
    this.#split.sawBegin(id);
    const request = new Transcript(this.#keepSealed, this.#lists);
    if (isOpen) readRun(run, request, undefined);
    if (!isOpen || request.refusal !== undefined || request.messages.length === 0)
      return this.#run(run, context, undefined);
    this.#split.keep(id, 'begun', run);
    return this.#wait(id, context, context.time(firstOf(run, 'start_time')));
  }

  /** Reads the end of a run that is not in the same batch. */
  #ended(patch: JsonView, context: ReadContext): ObjectPart {
    const id = patch.get('id')?.text();
    const isKept = id !== undefined && this.#split.isKept(id);
    const isWhole = !isKept && typeOf(patch) === 'llm' && !isEndAlone(patch);
    if (id === undefined || isWhole) return this.#run(patch, context, undefined);
    if (!isKept && (this.#split.hasBegun(id) || isUnfinished(patch))) return context.drop('no-model-span');
    return this.#keepEnd(id, patch, context);
  }

  #keepEnd(id: string, run: JsonView, context: ReadContext): ObjectPart {
    const isKept = this.#split.isKept(id);
    this.#split.keep(id, 'ended', run);
    return isKept ? context.drop('joined-run') : this.#wait(id, context, undefined);
  }

  #wait(id: string, context: ReadContext, timestamp: bigint | undefined): ObjectPart {
    return this.#split.wait(id, timestamp, ({ begun, ended }) => this.#run(begun, context, ended));
  }

  #run(run: JsonView, context: ReadContext, patch: JsonView | undefined): ObjectPart {
    const type = typeOf(run);
    if (type !== 'llm') return this.#leaveKind(run, OTHER_RUNS.has(type ?? ''), context);
    const transcript = new Transcript(this.#keepSealed, this.#lists);
    const call = readRun(run, transcript, patch);
    const stray = call.hasReply || patch === undefined ? undefined : strayMember(patch);
    if (stray !== undefined) transcript.refuse('unknown-content', STRAY, stray);
    const sent = unpacked(run.get('extra'))?.get('invocation_params');
    const link = linkIn([run.get('inputs'), sent], [firstOf(run, 'outputs') ?? firstOf(patch, 'outputs')]);
    const time = context.time(firstOf(run, 'start_time'));
    return this.#entryOf(transcript, call, traceOf(run), time, run, link, context);
  }

  /** Leaves a call of another kind. One of a kind that is not known is rejected if it carries content. */
  #leaveKind(call: JsonView, isKnown: boolean, context: ReadContext): ObjectPart {
    if (isKnown || !carriesContent(call)) return this.#leave(isKnown ? undefined : call, context);
    return context.reject('unknown-content', UNKNOWN_KIND, call);
  }

  /** Drops what is not a model call. @param form the object, if nothing says what it is */
  #leave(form: JsonView | undefined, context: ReadContext): ObjectPart {
    return context.drop('no-model-span', this.#hasRead ? undefined : form);
  }

  #entryOf(
    transcript: Transcript,
    call: LoggedCall,
    trace: string | undefined,
    timestamp: bigint | undefined,
    span: JsonView,
    link: SpanLink,
    context: ReadContext,
  ): ObjectPart {
    this.#hasRead = true;
    const { refusal, definitions } = transcript;
    if (refusal !== undefined) {
      this.#chains.lose(link);
      return context.reject(refusal.reason, refusal.detail, refusal.at);
    }
    if (transcript.messages.length === 0)
      return context.reject('bad-messages', 'the span of a model call has no messages', span);
    const isWhole = call.hasReply && transcript.messages.some(speaks);
    const stray = isWhole ? undefined : strayIn(span, transcript.messages);
    if (stray !== undefined) return context.reject('unknown-content', stray, span);
    const tools = call.tools.length > 0 ? call.tools : definedIn(definitions);
    const once = { ...this.#countedOnce(call, trace, span), tools };
    const parent = metaOf({ parent: firstOf(span, ...PARENTS) });
    const id = link.isJoined === true ? undefined : idOf(span); // one span may have the records of several calls
    const callId = id === undefined ? undefined : `${trace} ${id}`;
    const entry = (): EntryFields | undefined => {
      const chain = this.#chains.follow(link, transcript.messages);
      if (chain === undefined) return undefined;
      const fields = entryOf(transcript, chain, once, trace, timestamp, parent, context);
      return { chain, callId, responseId: link.id, ...fields };
    };
    const own = entry();
    if (own !== undefined) return this.#wholes.complete(own, transcript.messages);
    transcript.endTurn(); // its blocks are bytes of this line, which are no longer valid when `later` is called
    const refused = { reason: 'context-missing', detail: CHAIN_MISSING } as const;
    const awaits = link.previous ?? link.conversation;
    return { messages: [], alone: true, timestamp, refused, later: entry, awaits };
  }

  /** The call; without tokens and cost if those of the same span were counted before. */
  #countedOnce(call: LoggedCall, trace: string | undefined, span: JsonView): LoggedCall {
    const id = idOf(span);
    if (id === undefined || (!call.meta.has('usage') && !call.meta.has('cost'))) return call;
    const { size } = this.#counted;
    if (this.#counted.add(`${trace} ${id}`) === size) return call; // a new id has the next number
    const meta = new Map(call.meta);
    for (const name of ['usage', 'cost'] as const) meta.delete(name);
    return { ...call, meta };
  }
}

const UNKNOWN_KIND = 'a span carries content, but its kind is not known';

/** Does nothing say what a span is, although it has words in attributes of model calls? */
const isUnknownCall = (attributes: SpanAttributes): boolean =>
  !isNamed(attributes) && strayOfModel(attributes, []) !== undefined;

function entryOf(
  transcript: Transcript,
  { before }: CallChain,
  { hasReply, tools, session, meta }: LoggedCall,
  trace: string | undefined,
  timestamp: bigint | undefined,
  parent: Meta,
  context: ReadContext,
): EntryFields {
  const { messages, changes } = transcript;
  if (hasReply && before?.hasQuestion !== true && !messages.some(speaks)) transcript.noteFirst(NO_QUESTION);
  const conversation = hasReply ? context.replyLast(messages) : { messages, reply: undefined };
  const sessionId = session ?? trace;
  const all = new Map([...meta, ...metaOf({ source_id: sessionId }), ...parent]);
  const joins = session === undefined; // a trace may be a single call
  return { tools, timestamp, changes, sessionId, joins, meta: all, ...conversation };
}

/** The type of a run; the end of one may not have it, but repeat its messages. */
const typeOf = (run: JsonView): string | undefined =>
  run.get('run_type')?.text() ?? (run.get('inputs')?.get('messages') && 'llm');

const spans: Dialect = defineDialect({
  name: 'spans',
  summary:
    'Traces of model calls: OpenTelemetry (spans and logs), OpenInference (Phoenix), OpenLLMetry, AI SDK, Langfuse, LangSmith, MLflow.',
  keys: [
    ...['attributes', ...OTLP_BODIES, 'resourceLogs', 'resource_logs', 'body', 'observations'],
    ...['input', 'output'],
    ...['inputs', 'outputs', 'post', 'batch', 'batches', 'data', 'runs', 'spans', 'trace', 'tags', 'events'],
    'attributes.openinference.span.kind',
  ],
  gathers: true,
  packs: true,
  marks: ['attributes', 'traceId'],
  memory: (options) => new SpanReader(options),
  detect: isTrace,
  read: (json, context, reader) => reader.read(json, context),
});

export default spans;
