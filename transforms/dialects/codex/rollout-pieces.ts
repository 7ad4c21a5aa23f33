/** Answers of a rollout that only events about the client have: pieces (deltas), and the last text of a finished task. */
import type { JsonView } from '../../json/json-view.ts';
import { parseJson } from '../../json/utf8.ts';
import type { Rejection } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold } from '../fold/fold.ts';
import { OpenPieces } from '../shared/open-pieces.ts';
import { isUnsaid, saidIn } from '../shared/said-texts.ts';
import { says } from '../shared/unread-text.ts';

const THREADS = ['events', 'main'] as const;
const PIECES: ReadonlySet<string> = new Set(['agent_message_delta', 'agent_message_content_delta']);
const ENDS: ReadonlySet<string> = new Set(['task_complete', 'turn_complete', 'turn_completed']);

export class RolloutPieces {
  readonly #open = new OpenPieces();
  #hasPieces = false;
  /** Contents of the answers of the current task; undefined if a compaction may have taken some. */
  #answers: Uint8Array[] | undefined = [];

  /** Called for each line of a rollout, unless it was rejected. */
  see(type: string, payload: JsonView, context: ReadContext): void {
    if (type === 'event_msg') this.#seeEvent(payload, context);
    else if (type === 'compacted') this.#answers = undefined;
    else if (payload.textOf('role') === 'assistant') this.#repeat(payload.get('content'));
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
    } else if (type === 'agent_message') this.#repeat(event.get('message'));
    else if (event.get('item')?.textOf('type') === 'AgentMessage') this.#repeat(event.get('item'));
    else if (ENDS.has(type)) {
      this.#settle(fold);
      if (!this.#lacks(event.textOf('last_agent_message') ?? '')) return;
      this.#open.add(threadOf(fold), 'last', origin);
      this.#settle(fold);
    }
  }

  /** Ends a task. @returns whether no answer of it has a line of its last text, from which the client cuts parts */
  #lacks(last: string): boolean {
    const said = this.#answers?.map((content) => saidIn(parseJson(content))).join('\n');
    this.#answers = [];
    if (said === undefined) return false;
    const lines = last.split('\n').filter((line) => line.trim() !== '');
    return lines.length > 0 && lines.every((line) => isUnsaid(line, said));
  }

  #settle(fold: Fold): void {
    for (const thread of THREADS) this.#open.settle(thread, fold);
    this.#hasPieces = false;
  }

  #repeat(content: JsonView | undefined): void {
    if (content !== undefined) this.#answers?.push(content.copy());
    if (!this.#hasPieces) return;
    for (const thread of THREADS) this.#open.forget(thread);
    this.#hasPieces = false;
  }
}

/** The conversation of the events, if the rollout has no items. */
const threadOf = (fold: Fold): string => THREADS.find((thread) => fold.has(thread)) ?? 'main';
