/** Keeps the events of model calls that are logged apart from their spans, until the source ends. */
import { JsonView } from '../../json/json-view.ts';
import { HashedSet, shortHash } from '../../model/hashed-set.ts';
import { arrayOf, objectOf, type Piece } from '../shared/build-messages.ts';

interface Call {
  /** Members of its span: ids and time. */
  readonly place: readonly Piece[];
  readonly events: { readonly json: Uint8Array; readonly time: bigint | undefined }[];
  /** The attributes of its span, if the span is in the source too. */
  attributes?: Uint8Array;
  /** Time of its last event, and whether that was a copy. */
  time?: bigint | undefined;
  isCopying?: boolean;
  /** Was an event left out, because there was no room for it? */
  isLost?: true;
}

export const EVENTS_MISSING =
  'an event of the call has a form that turnmill does not know, or did not fit into --max-conversation';

export class JoinedEvents {
  readonly #maxBytes: number;
  readonly #calls = new Map<string, Call>();
  /** Ids of spans with a record that may be an event, but could not be read. */
  readonly #doubtful = new HashedSet();
  /** The events that have a time. */
  readonly #known = new HashedSet();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns whether the call is a new one, and whether the event is a copy: exporters may send a batch twice */
  keep(
    id: string,
    place: readonly Piece[],
    event: JsonView,
    time: bigint | undefined,
  ): 'new' | 'more' | 'copy' {
    const known = this.#calls.get(id);
    const call: Call = known ?? { place, events: [] };
    this.#calls.set(id, call);
    const isSame = time !== undefined && !this.#known.add(`${id} ${time} ${shortHash(event.bytes)}`);
    // all events of a call may have one time, and a person may say the same twice
    call.isCopying = isSame && (call.isCopying === true || call.time !== time);
    call.time = time;
    if (call.isCopying) return 'copy';
    if (this.#fits(event)) call.events.push({ json: event.copy(), time });
    else call.isLost = true;
    return known === undefined ? 'new' : 'more';
  }

  /** Remembers that a record of a span may be an event, but could not be read: a call without it is not whole. */
  doubt(id: string): void {
    this.#doubtful.add(id);
  }

  /** Adds what the span says about a call. @returns false if the call has no events so far */
  describe(id: string, attributes: JsonView | undefined): boolean {
    const call = this.#calls.get(id);
    if (call !== undefined && attributes !== undefined && this.#fits(attributes))
      call.attributes = attributes.copy();
    return call !== undefined;
  }

  /** The call as a span with all its events; undefined if one had to be left out or could not be read. */
  span(id: string): JsonView | undefined {
    const call = this.#calls.get(id);
    if (call === undefined || call.isLost || this.#doubtful.has(id)) return undefined;
    const { place, attributes = '{}' } = call;
    const events = arrayOf(inOrder(call.events));
    return new JsonView(objectOf([...place, ['attributes', attributes], ['events', events]]));
  }

  #fits(value: JsonView): boolean {
    const fits = this.#bytes + value.length <= this.#maxBytes;
    if (fits) this.#bytes += value.length;
    return fits;
  }
}

/** Sorts by time, if all events have one. A log may begin with the newest; those of one time then are reversed too. */
function inOrder(events: Call['events']): readonly Uint8Array[] {
  const [first, last] = [events[0]?.time, events.at(-1)?.time];
  const isReversed = first !== undefined && last !== undefined && first > last;
  const list = isReversed ? events.toReversed() : [...events];
  if (list.every(({ time }) => time !== undefined))
    list.sort((a, b) => Number((a.time as bigint) - (b.time as bigint)));
  return list.map(({ json }) => json);
}
