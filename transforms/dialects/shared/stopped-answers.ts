/**
 * Answers that failed or were stopped, and that the client does not send to the model again: the next answer was not
 * given after them. At the end of a conversation such an answer stays.
 */
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { noteItem } from '../fold/thread.ts';

export class StoppedAnswers {
  readonly #places = new WeakSet<FoldPlace>();

  add(place: FoldPlace): void {
    this.#places.add(place);
  }

  /** Called before the model's next answer or summary: empties those after its last one. A call that ran stays. */
  leaveOut(fold: Fold): void {
    const isOther = ({ content }: FoldPlace): boolean => content !== undefined && 'role' in content;
    let place = fold.last;
    while (place.index >= 0 && (isOther(place) || this.#places.has(place))) {
      const hasRun = place.calls.some(({ result }) => result !== undefined);
      if (this.#places.delete(place) && !hasRun) noteItem(fold.reset(place), { changes: ['not-by-model'] });
      place = place.before;
    }
  }
}
