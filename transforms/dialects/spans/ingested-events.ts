/**
 * Reads events of Langfuse's ingestion API, which its clients send in batches: an observation is created with its input,
 * and an update adds its output, often in a later batch.
 */
import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import type { FirstObject, ObjectPart, ReadContext } from '../dialect-spec.ts';
import { objectOf } from '../shared/build-messages.ts';
import { firstOf, present } from '../shared/logged-values.ts';
import { type SplitRuns, withMembers } from './split-runs.ts';

const TRACE = 'trace-create';
/** Events about observations. */
const INGESTED = /^([a-z]+)-(?:create|update)$/;
/** Events about other things. */
const OTHERS: ReadonlySet<string> = new Set([TRACE, 'score-create', 'sdk-log', 'dataset-run-item-create']);
const CALL = 'GENERATION';

const typeOf = (one: FirstObject): string => one.get('type')?.text() ?? '';

export function isEvent(one: FirstObject): boolean {
  if (one.get('body')?.type !== 'object') return false;
  const type = typeOf(one);
  return OTHERS.has(type) || INGESTED.test(type);
}

/** Is an object a batch of events, or a single one? */
export function isIngested(json: FirstObject): boolean {
  const batch = json.get('batch');
  return batch?.type === 'array' ? batch.elements().some(isEvent) : isEvent(json);
}

/** An observation as one batch has it. */
interface Part {
  readonly isCreated: boolean;
  readonly observation: JsonView;
}

/** The observations of events: an update adds members to an observation created before. */
function partsOf(events: readonly JsonView[]): readonly Part[] {
  const found = new Map<string, Part>();
  for (const event of events) {
    const type = typeOf(event);
    if (OTHERS.has(type)) continue;
    const body = event.get('body') ?? event;
    const id = body.get('id')?.text() ?? `${found.size}`;
    const known = found.get(id);
    const observation = known === undefined ? withType(body, type) : withMembers(known.observation, body);
    found.set(id, { observation, isCreated: known?.isCreated === true || type.endsWith('-create') });
  }
  return [...found.values()];
}

/** Adds the type of an observation, from that of its event: only newer clients put it into the body. */
function withType(body: JsonView, type: string): JsonView {
  const kind = (INGESTED.exec(type)?.[1] ?? type).toUpperCase();
  return withMembers(new JsonView(objectOf([['type', encode(quote(kind))]])), body);
}

type ReadObservation = (observation: JsonView, context: ReadContext) => ObjectPart;

export class IngestedEvents {
  readonly #split: SplitRuns;
  readonly #observation: ReadObservation;
  /** The session of each trace that has one, as JSON. */
  readonly #sessions = new Map<string, Uint8Array>();

  constructor(split: SplitRuns, observation: ReadObservation) {
    this.#split = split;
    this.#observation = observation;
  }

  *read(json: JsonView, context: ReadContext): Generator<ObjectPart> {
    const events = json.get('batch')?.elements() ?? [json];
    for (const event of events) {
      const trace = typeOf(event) === TRACE ? event.get('body') : undefined;
      const [id, session] = [trace?.get('id')?.text(), trace?.get('sessionId')];
      if (id !== undefined && present(session)) this.#sessions.set(id, session.copy());
    }
    for (const part of partsOf(events)) yield this.#part(part, context);
  }

  /** Reads an observation that has ended. Another one waits for its updates, until the source ends. */
  #part({ observation, isCreated }: Part, context: ReadContext): ObjectPart {
    const id = observation.get('id')?.text();
    if (id === undefined || typeOf(observation) !== CALL) return this.#whole(observation, context);
    const isKept = this.#split.isKept(id);
    const half = isCreated || present(observation.get('input')) ? 'begun' : 'ended';
    if (!isKept && this.#split.hasBegun(id)) return lateUpdate(observation, context);
    if (half === 'begun') this.#split.sawBegin(id);
    if (!isKept && half === 'begun' && hasEnded(observation)) return this.#whole(observation, context);
    this.#split.add(id, half, observation);
    if (isKept) return context.drop('joined-run');
    const time = context.time(observation.get('startTime'));
    return this.#split.wait(id, time, ({ begun, ended }) =>
      this.#whole(ended === undefined ? begun : withMembers(begun, ended), context),
    );
  }

  #whole(observation: JsonView, context: ReadContext): ObjectPart {
    const session = this.#sessions.get(observation.get('traceId')?.text() ?? '');
    const inSession =
      session === undefined
        ? observation
        : withMembers(new JsonView(objectOf([['sessionId', session]])), observation);
    return this.#observation(inSession, context);
  }
}

const hasEnded = (observation: JsonView): boolean =>
  ['input', 'output', 'endTime'].every((key) => present(observation.get(key)));

/** An update of an observation that was read already. */
const lateUpdate = (update: JsonView, context: ReadContext): ObjectPart =>
  firstOf(update, 'input', 'output') === undefined
    ? context.drop('joined-run')
    : context.reject('bad-event', LATE_UPDATE, update);

const LATE_UPDATE = 'an observation gets other messages after its end';
