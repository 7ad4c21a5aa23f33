/**
 * Detects a period without any activity. Activity is not missed while the thread is busy: a timer that fires late is
 * started again, and even after one that is on time, pending input is processed first.
 */

/** A timer that is later than this fraction of its period has fired late. */
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
