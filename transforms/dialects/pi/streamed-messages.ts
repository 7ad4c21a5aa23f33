/**
 * Answers in the events of `pi --mode json` that announce a message or list messages again. `message_end` has each
 * message as a whole.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { Rejection } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold } from '../fold/fold.ts';
import { OpenPieces } from '../shared/open-pieces.ts';
import { says } from '../shared/unread-text.ts';

const MAIN = 'main';

export class StreamedMessages {
  readonly #open = new OpenPieces();
  /** Whether the run, and its turn, have an answer as a whole, which their last events list again. */
  #isRunAnswered = false;
  #isTurnAnswered = false;

  add(type: string, event: JsonView, { fold, origin }: ReadContext): void {
    if (type === 'agent_start' || type === 'turn_start') {
      this.settle(fold);
      this.#isTurnAnswered = false;
      if (type === 'agent_start') this.#isRunAnswered = false;
    } else if (type === 'agent_end') {
      const isListed = event.get('messages')?.elements().some(isAnswer);
      if (isListed === true && !this.#isRunAnswered) this.#open.add(MAIN, 'run', origin);
    } else if (type === 'turn_end') {
      if (isAnswer(event.get('message')) && !this.#isTurnAnswered) this.#open.add(MAIN, 'turn', origin);
    } else if (isAnswer(event.get('message'))) {
      if (type === 'message_start') this.settle(fold);
      this.#open.add(MAIN, 'streamed', origin);
    }
  }

  /** Called for a whole answer. */
  repeat(): void {
    this.#open.forget(MAIN);
    this.#isRunAnswered = this.#isTurnAnswered = true;
  }

  settle(fold: Fold): void {
    this.#open.settle(MAIN, fold);
  }

  /** Called at the end of the source. */
  end(fold: Fold): Rejection | undefined {
    return this.#open.end(fold);
  }
}

const isAnswer = (message: JsonView | undefined): boolean =>
  message?.textOf('role') === 'assistant' && says(message.get('content'));
