/**
 * Notices that nothing has been heard for a while. A busy thread hears nothing: a timer that is late begins again, and even after a
 * timely one what has come by then is looked at first.
 */

/** Part of the time by which a timer may be late. */
const LATE = 0.25;

export class Silence {
  readonly #timer: NodeJS.Timeout;
  #begun = performance.now();
  #isOver = false;

  constructor(ms: number, onSilence: () => void) {
    this.#timer = setTimeout(() => {
      if (performance.now() - this.#begun > ms * (1 + LATE)) return this.break();
      this.#isOver = true;
      setImmediate(() => {
        if (this.#isOver) onSilence();
      });
    }, ms);
  }

  /** Something was heard. */
  break(): void {
    this.#isOver = false;
    this.#begun = performance.now();
    this.#timer.refresh();
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.#isOver = false;
    clearTimeout(this.#timer);
  }
}
