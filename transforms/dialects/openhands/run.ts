/** Folds the events of one OpenHands run into conversations; each condensation starts a new one. */

import { JsonView } from '../../json/json-view.ts';
import type { LineFate, ToolDefinition } from '../../model/element.ts';
import { unknownSpeaker } from '../../model/known-roles.ts';
import type { Meta } from '../../model/meta.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { FoldPlace } from '../fold/fold.ts';
import { readVersion, type Version } from '../fold/later-version.ts';
import { makeMessage, systemMessage, toolMessage } from '../shared/build-messages.ts';
import { leaveUnknown } from '../shared/carried-content.ts';
import { imagePart, listOfParts } from '../shared/content-parts.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, present } from '../shared/logged-values.ts';
import { noted, RESULT_ERROR, unknownEvent } from '../shared/reading-notes.ts';
import { hasUnknownList, type KnownObject } from '../shared/unread-text.ts';
import { actionOf, completionOf, isClientAction, observationOfClient, observationText } from './action.ts';
import { readEvent } from './event.ts';
import { definitionsIn, type EventContent, idText } from './event-content.ts';
import { ACTION, OBSERVATION, SDK_EVENT, USER_ARGS } from './known-members.ts';

const HARNESS = 'openhands';
/** Who does actions and makes observations besides the user. */
const AGENT = 'agent';
const SOURCES: ReadonlySet<string> = new Set([AGENT, 'environment']);
/** Name of the action that starts another agent, and of the observation that ends it. */
const DELEGATE = 'delegate';

interface Delegate {
  readonly run: OpenHandsRun;
  readonly session: string;
  /** The call that started it. */
  readonly callId: string | undefined;
  /** Id of the action that started it. */
  readonly action: string | undefined;
}

export class OpenHandsRun {
  readonly #thread: string;
  /** The message that each event contributed to, by the event's id. */
  #places = new Map<string, FoldPlace>();
  /** The call that each event of the conversation answers, by the event's id and time: an id without the same time may be that of another run. */
  readonly #events = new Map<string, string | undefined>();
  /** For each action whose result has not come, the id of its call. */
  readonly #calls = new Map<string, string>();
  /** Ids of rejected events. */
  readonly #lost = new Set<string>();
  /** Names of the answers so far. */
  readonly #answers = new Set<string>();
  /** For each message, the id of its first event. */
  #begun = new Map<FoldPlace, string>();
  /** The id of the summary of the last condensation that has one. */
  #summary: string | undefined;
  #tools: readonly ToolDefinition[] = [];
  #count = 0;
  /** The other agent, between the action that starts it and its result. */
  #delegate: Delegate | undefined;
  #delegates = 0;

  /** The agents that calls have started, by the call: their events say so. */
  readonly #agents = new Map<string, OpenHandsRun>();
  readonly #parent: string | undefined;
  /** The call that started it. */
  readonly #startedBy: string | undefined;

  /** @param parent session of the agent that started this one, and `startedBy` the call that did, if its events name it */
  constructor(thread: string, parent?: string, startedBy?: string) {
    this.#thread = thread;
    this.#parent = parent;
    this.#startedBy = startedBy;
  }

  /** Whether no message has been read. */
  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @param session id of the run */
  read(event: JsonView, context: ReadContext, session: string): LineFate {
    const delegate = this.#delegate;
    if (delegate !== undefined && !this.#ends(delegate, event))
      return delegate.run.read(event, context, delegate.session);
    const startedBy = event.type === 'object' ? event.get('parent_tool_call_id')?.text() : undefined;
    if (startedBy !== undefined && startedBy !== this.#startedBy)
      return this.#agentOf(startedBy, session).read(event, context, `${session}/${startedBy}`);
    const piece = this.#readLogged(event);
    if (piece.kind === 'bad') {
      const id = event.type === 'object' ? idText(event.get('id')) : undefined;
      if (id !== undefined) this.#lost.add(id);
      return context.reject(piece.reason ?? 'bad-event', piece.detail, event);
    }
    if (piece.kind === 'client') return context.drop('client-event');
    if (piece.kind === 'noted' && this.isEmpty) return context.drop(piece.fate);
    const key = keyOfEvent(event);
    if (key !== undefined && this.#events.has(key) && piece.kind !== 'unknown')
      return this.#readAgain(piece, this.#events.get(key), event, context, session);
    if (delegate !== undefined) this.#endDelegate(delegate, context);
    this.#open(event, context, session);
    context.fold.expect(event, formOf(event), 'event');
    if (piece.kind === 'noted') {
      context.fold.noteLast(piece.note);
      return context.drop(piece.fate);
    }
    if (piece.kind === 'unknown') {
      context.fold.note(unknownEvent(piece.type));
      return leaveUnknown(piece.type, event, context);
    }
    this.#count++;
    const callId = piece.kind === 'result' ? piece.callId : undefined;
    if (key !== undefined) this.#events.set(key, callId);
    if (piece.kind === 'condensation') this.#condense(piece.json, event, context, session);
    else {
      const id = idText(event.get('id'));
      if (piece.kind === 'answer' && piece.callId !== undefined && id !== undefined)
        this.#calls.set(id, piece.callId);
      this.#recordPlace(id, this.#take(piece, context));
      if (piece.kind === 'answer' && event.get('action')?.text() === DELEGATE)
        this.#startDelegate(event, piece.callId, session);
    }
    return undefined;
  }

  /** Reads an event that has occurred, as where pages overlap. If its content is another, it is a later version. */
  #readAgain(
    piece: EventContent,
    callId: string | undefined,
    event: JsonView,
    context: ReadContext,
    session: string,
  ): LineFate {
    const version = versionOf(piece, callId);
    if (version === undefined) return context.drop('copied-line');
    this.#open(event, context, session);
    return readVersion(version, this.#places.get(idText(event.get('id')) ?? ''), context);
  }

  /** Starts another agent: the next events are its events, until its result comes. */
  #startDelegate(event: JsonView, callId: string | undefined, session: string): void {
    const own = `${session}/${event.get('args')?.get('agent')?.text() ?? DELEGATE}`;
    const run = new OpenHandsRun(`${this.#thread} ${DELEGATE} ${this.#delegates++}`, session);
    this.#delegate = { run, session: own, callId, action: idText(event.get('id')) };
  }

  #ends({ run, action }: Delegate, event: JsonView): boolean {
    if (run.#delegate !== undefined || event.get('observation')?.type !== 'string') return false;
    const cause = idText(event.get('cause'));
    return event.get('observation')?.text() === DELEGATE || (cause !== undefined && cause === action);
  }

  #agentOf(call: string, session: string): OpenHandsRun {
    const known = this.#agents.get(call) ?? new OpenHandsRun(`${this.#thread} ${call}`, session, call);
    this.#agents.set(call, known);
    return known;
  }

  #endDelegate({ run }: Delegate, context: ReadContext): void {
    run.close(context);
    this.#delegate = undefined;
  }

  /** Adds metadata of the whole run. */
  describe(meta: Meta, { fold }: ReadContext): void {
    if (!fold.has(this.#thread)) return;
    fold.open(this.#thread, '');
    fold.describe(meta);
  }

  /** Ends the run. */
  close(context: ReadContext): void {
    const { fold } = context;
    this.#delegate?.run.close(context);
    for (const agent of this.#agents.values()) agent.close(context);
    if (!fold.has(this.#thread)) return;
    fold.open(this.#thread, '');
    fold.close();
  }

  #readLogged(event: JsonView): EventContent {
    if (event.type !== 'object') return { kind: 'bad', detail: 'an event is not an object' };
    if (event.get('kind')?.type === 'string') return readEvent(event);
    const action = event.get('action')?.text();
    if (action !== undefined) return this.#readAction(action, event);
    const observation = event.get('observation')?.text();
    if (observation === undefined) return { kind: 'bad', detail: 'kind, action and observation are missing' };
    return this.#readObservation(observation, event);
  }

  #readAction(action: string, event: JsonView): EventContent {
    const args = event.get('args');
    const content = args?.get('content');
    const isUser = event.get('source')?.text() === 'user';
    if (action === 'system') {
      if (content?.type !== 'string') return { kind: 'bad', detail: 'args.content is not a text' };
      return { kind: 'system', text: content.copy(), tools: definitionsIn(args?.get('tools')) };
    }
    if (action === 'condensation') return { kind: 'condensation', json: args ?? event };
    if (isClientAction(action)) return { kind: 'client' };
    if (isUser) return userAction(action, args);
    const source = event.get('source')?.text() ?? '';
    const isOther = action === 'message' && source !== AGENT && completionOf(event) === undefined;
    if (isOther || !SOURCES.has(source))
      return { kind: 'bad', reason: 'unknown-speaker', detail: unknownSpeaker('an action') };
    if (!present(args)) return { kind: 'bad', detail: 'args is missing' };
    return completionOf(event) ?? actionOf(action, event);
  }

  #readObservation(observation: string, event: JsonView): EventContent {
    if (isClientAction(observation)) return observationOfClient(event);
    const cause = idText(event.get('cause')) ?? '';
    if (this.#lost.has(cause)) return { kind: 'bad', detail: 'the action of an observation was rejected' };
    const logged = event.get('tool_call_metadata')?.get('tool_call_id')?.text() ?? this.#calls.get(cause);
    // the result of another agent may not name its call
    const callId = logged ?? (observation === DELEGATE ? this.#delegate?.callId : undefined);
    this.#calls.delete(cause);
    const text = observationText(event);
    if (text === undefined)
      return {
        kind: 'bad',
        reason: 'unknown-content',
        detail: 'the content of an observation is not a text',
      };
    if (callId === undefined) {
      const changes = ['observation-as-user'];
      return { kind: 'message', message: makeMessage('user', [['content', text]]), isTurn: false, changes };
    }
    const notes = observation === 'error' ? [RESULT_ERROR] : [];
    return { kind: 'result', callId, message: noted(toolMessage(callId, text), notes) };
  }

  #open(event: JsonView, { fold }: ReadContext, session: string): void {
    const isNew = fold.open(this.#thread, session, event.get('timestamp'));
    const cost = event.get('llm_metrics')?.get('accumulated_cost');
    if (cost !== undefined) fold.describe(metaOf({ cost }));
    if (!isNew) return;
    fold.describe(metaOf({ harness: HARNESS, parent: this.#parent }));
    if (this.#tools.length > 0) fold.tools(this.#tools);
  }

  #take(piece: EventContent, { fold, origin }: ReadContext): FoldPlace | undefined {
    if (piece.kind === 'system') {
      this.#tools = piece.tools;
      if (piece.tools.length > 0) fold.tools(piece.tools);
      const [message] = systemMessage(piece.text);
      return message && fold.add(message);
    }
    if (piece.kind === 'message') {
      const { message, isTurn = message.role === 'user', notes = [], changes = [] } = piece;
      return fold.add(message, { isTurn, notes, changes });
    }
    if (piece.kind === 'result') return fold.answer(piece.callId, piece.message);
    if (piece.kind !== 'answer') return undefined;
    const { name = `${origin.line} ${this.#count}`, blocks, notes = [], changes = [], meta } = piece;
    const isKnown = this.#answers.has(name);
    this.#answers.add(name);
    const facts = isKnown ? {} : { notes, changes, ...(meta && { meta }) };
    const place = fold.amend(name, isKnown && piece.isPartial === true ? [] : blocks, 'replace', facts);
    const { callId, result } = piece;
    const isOpen = place.calls.some((call) => call.id === callId && call.result === undefined);
    if (result !== undefined && isOpen) fold.answer(callId, result);
    return place;
  }

  #recordPlace(id: string | undefined, place: FoldPlace | undefined): void {
    if (id === undefined || place === undefined) return;
    this.#places.set(id, place);
    if (!this.#begun.has(place)) this.#begun.set(place, id);
  }

  /**
   * Ends the conversation. The next one has the kept messages, with the summary in place of the others and of an earlier
   * summary.
   */
  #condense(json: JsonView, event: JsonView, context: ReadContext, session: string): void {
    const { fold } = context;
    const summary = json.get('summary');
    const isSummed = summary?.type === 'string' && !summary.isEmptyText;
    const isForgotten = forgottenIn(json);
    const forgotten = (id: string): boolean => isForgotten(id) || (isSummed && id === this.#summary);
    const kept: FoldPlace[] = [];
    let at = -1;
    for (const place of fold.items) {
      const id = this.#begun.get(place);
      if (id !== undefined && forgotten(id)) at = at < 0 ? kept.length : at;
      else kept.push(place);
    }
    fold.close(true);
    this.#open(event, context, session);
    const offset = at < 0 ? kept.length : at;
    const carried = [...this.#carry(kept.slice(0, offset), context)];
    if (isSummed) {
      this.#summary = `${idText(event.get('id')) ?? ''}-summary`; // its id in the SDK
      const message = makeMessage('user', [['content', summary.copy()]]);
      carried.push([this.#summary, fold.add(message, { isCopied: true })]);
    }
    carried.push(...this.#carry(kept.slice(offset), context));
    this.#places = new Map(carried);
    this.#begun = new Map(carried.map(([id, place]) => [place, id]));
  }

  #carry(places: readonly FoldPlace[], { fold }: ReadContext): readonly (readonly [string, FoldPlace])[] {
    return fold.carry(places).flatMap((place, i) => {
      const id = this.#begun.get(places[i] as FoldPlace);
      return id === undefined ? [] : [[id, place] as const];
    });
  }
}

/** The id and the time of an event; undefined without both. */
function keyOfEvent(event: JsonView): string | undefined {
  const id = idText(event.get('id'));
  const time = event.get('timestamp')?.text();
  return id === undefined || time === undefined ? undefined : `${id} ${time}`;
}

/** @param callId the call that the first version answered: it is known by its cause only once */
function versionOf(piece: EventContent, callId: string | undefined): Version | undefined {
  if (piece.kind === 'answer' || piece.kind === 'result') return piece;
  if (piece.kind === 'system') {
    const [message] = systemMessage(piece.text);
    return message && { kind: 'message', message };
  }
  if (piece.kind !== 'message') return undefined;
  const { message } = piece;
  if (callId === undefined) return { kind: 'message', message };
  const content = new JsonView(message.bytes).get('content');
  return content && { kind: 'result', callId, message: toolMessage(callId, content.bytes) };
}

/** The description of an event. */
function formOf(event: JsonView): KnownObject {
  if (event.get('kind')?.type === 'string') return SDK_EVENT;
  return event.get('action')?.type === 'string' ? ACTION : OBSERVATION;
}

/** An action of the user: a typed text, or a command. */
function userAction(action: string, args: JsonView | undefined): EventContent {
  const content = args?.get('content');
  const command = args?.get('command');
  if (action === 'run' && command?.type === 'string') {
    const message = makeMessage('user', [['content', command.copy()]]);
    return { kind: 'message', message, changes: ['bash-as-user'] };
  }
  if (action !== 'message') return { kind: 'unknown', type: action };
  if (content?.type !== 'string') return { kind: 'bad', detail: 'args.content is not a text' };
  if (args !== undefined && hasUnknownList(args, USER_ARGS))
    return { kind: 'bad', reason: 'unknown-content', detail: 'args has a list that turnmill does not know' };
  const images = firstOf(args, 'image_urls', 'images_urls')?.elements() ?? [];
  if (images.length === 0)
    return { kind: 'message', message: makeMessage('user', [['content', content.copy()]]) };
  const objects = images.map((url) => ({ object: imagePart(url.copy()) }));
  const parts = listOfParts([{ text: content.copy() }, ...objects]);
  return { kind: 'message', message: makeMessage('user', [['content', parts]]) };
}

/** Returns a test for the events that a condensation drops, which it lists by id or as a range. */
function forgottenIn(json: JsonView): (id: string) => boolean {
  const list = json.get('forgotten_event_ids');
  const ids = new Set(list?.elements().map(idText));
  const [from, to] = ['forgotten_events_start_id', 'forgotten_events_end_id'].map((key) =>
    Number(idText(json.get(key)) ?? Number.NaN),
  ) as [number, number];
  return (id) => ids.has(id) || (Number(id) >= from && Number(id) <= to);
}
