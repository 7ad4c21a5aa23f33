/**
 * Finds the span that another one continues in traces of GitHub Copilot CLI, whose spans have only the messages since the
 * span before: the turns of a request of the user have numbers, and the requests follow each other in time.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { SpanAttributes } from './span-attributes.ts';
import { idOf, traceOf } from './span-ids.ts';

/** A turn of a conversation. Spans of sub-agents have none. */
export interface LoggedTurn {
  readonly conversation: string;
  readonly trace: string | undefined;
  /** From 0 for each request. */
  readonly number: number;
  /** Id of the span. */
  readonly id: string;
  readonly start: bigint | undefined;
}

const NUMBER = /^\d+$/;
const MAX_CONVERSATIONS = 10_000;

export function turnOf(
  attributes: SpanAttributes,
  span: JsonView,
  start: bigint | undefined,
): LoggedTurn | undefined {
  const number = attributes.at('github.copilot.turn_id').text();
  if (number === undefined || !NUMBER.test(number)) return undefined;
  const conversation = attributes.at('gen_ai.conversation.id').text();
  const [trace, id] = [traceOf(span), idOf(span)];
  if (conversation === undefined || id === undefined) return undefined;
  return { conversation, trace, number: Number(number), id: `${trace} ${id}`, start };
}

interface LastTurn extends LoggedTurn {
  readonly previous: string | undefined;
}

/** Remembers the last turn of each conversation of a source. */
export class LoggedTurns {
  readonly #last = new Map<string, LastTurn>();

  /** The id of the turn before; undefined if that is not in the source, or not before this one. */
  before(turn: LoggedTurn): string | undefined {
    const last = this.#last.get(turn.conversation);
    if (last === undefined) return undefined;
    if (last.id === turn.id) return last.previous;
    return isNext(turn, last) ? last.id : undefined;
  }

  add(turn: LoggedTurn, previous: string | undefined): void {
    this.forget(turn);
    this.#last.set(turn.conversation, { ...turn, previous });
    if (this.#last.size <= MAX_CONVERSATIONS) return;
    const [oldest] = this.#last.keys();
    this.#last.delete(oldest as string);
  }

  /** Ends a conversation of which a turn is missing: what comes after does not continue what was before. */
  forget({ conversation }: LoggedTurn): void {
    this.#last.delete(conversation);
  }
}

function isNext({ trace, number, start }: LoggedTurn, last: LoggedTurn): boolean {
  if (start !== undefined && last.start !== undefined && start < last.start) return false;
  return number === 0 || (trace === last.trace && number === last.number + 1);
}
