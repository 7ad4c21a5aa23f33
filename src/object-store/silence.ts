/**
 * Detects a period without any activity. A busy thread notices nothing: a timer that fires late starts again, and even
 * after a timely one, pending input is processed first.
 */

/** Fraction of the period by which a timer may be late. */
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

  /** Reports activity. */
  break(): void {
    this.#isOver = false;
    this.#begun = performance.now();
    this.#timer.refresh();
  }

  /** Stops waiting. */
  end(): void {
    this.#isOver = false;
    clearTimeout(this.#timer);
  }
}
