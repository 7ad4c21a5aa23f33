/** Answers of a rollout that only events about the client have: pieces (deltas), and the last text of a finished task. */
import type { JsonView } from '../../json/json-view.ts';
import type { Rejection } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { OpenPieces } from '../shared/open-pieces.ts';
import { says } from '../shared/unread-text.ts';

const THREADS = ['events', 'main'] as const;
const PIECES: ReadonlySet<string> = new Set(['agent_message_delta', 'agent_message_content_delta']);
const ENDS: ReadonlySet<string> = new Set(['task_complete', 'turn_complete', 'turn_completed']);

export class RolloutPieces {
  readonly #open = new OpenPieces();
  #hasPieces = false;
  /** Whether the last text of a task is known to be in the log. */
  #isAnswered = false;

  /** Called for each line of a rollout, unless it was rejected. */
  see(type: string, payload: JsonView, context: ReadContext): void {
    if (type === 'event_msg') this.#seeEvent(payload, context);
    else if (type === 'compacted') this.#isAnswered = true;
    else if (this.#hasPieces && payload.textOf('role') === 'assistant') this.#repeat();
  }

  /** Called at the end of the source. */
  end(fold: Fold): Rejection | undefined {
    return this.#open.end(fold);
  }

  #seeEvent(event: JsonView, { fold, origin }: ReadContext): void {
    const type = event.textOf('type') ?? '';
    if (PIECES.has(type) && says(event.get('delta'))) {
      this.#hasPieces = true;
      this.#open.add(threadOf(fold), 'text', origin);
    } else if (type === 'agent_message' || event.get('item')?.textOf('type') === 'AgentMessage') {
      this.#isAnswered = true;
      this.#repeat();
    } else if (ENDS.has(type)) {
      this.#settle(fold);
      if (this.#isAnswered || !says(event.get('last_agent_message'))) return;
      this.#isAnswered = hasAnswer(fold);
      if (this.#isAnswered) return;
      this.#open.add(threadOf(fold), 'last', origin);
      this.#settle(fold);
    }
  }

  #settle(fold: Fold): void {
    for (const thread of THREADS) this.#open.settle(thread, fold);
    this.#hasPieces = false;
  }

  #repeat(): void {
    for (const thread of THREADS) this.#open.forget(thread);
    this.#hasPieces = false;
  }
}

/** The conversation of the events, if the rollout has no items. */
const threadOf = (fold: Fold): string => THREADS.find((thread) => fold.has(thread)) ?? 'main';

function hasAnswer(fold: Fold): boolean {
  if (!fold.has('main')) return false;
  fold.open('main', '');
  return fold.findLast(isAnswer) !== undefined;
}

const isAnswer = ({ content }: FoldPlace): boolean => content !== undefined && !('role' in content);
