/** The progress line on a terminal, rewritten in place at most ten times a second. */
import type { RunProgress } from '../job/hooks.ts';
import { showCount, showDuration, showSize } from './sizes.ts';
import { tell, terminalWidth } from './terminal.ts';

const LEAST_GAP_MS = 100;
const CLEAR = '\r\u001b[K';

/** The line of one run. */
export class ProgressLine {
  readonly #write: (text: string) => unknown;
  readonly #now: () => number;
  readonly #started: number;
  #last = Number.NEGATIVE_INFINITY;
  #shown = false;

  constructor(write: (text: string) => unknown = tell, now: () => number = () => performance.now()) {
    this.#write = write;
    this.#now = now;
    this.#started = now();
  }

  show(progress: RunProgress): void {
    const at = this.#now();
    if (at - this.#last < LEAST_GAP_MS) return;
    this.#last = at;
    this.#shown = true;
    const text = progressText(progress, at - this.#started);
    this.#write(`${CLEAR}${text.slice(0, terminalWidth() - 1)}`);
  }

  clear(): void {
    if (this.#shown) this.#write(CLEAR);
    this.#shown = false;
  }
}

/** `12/40 sources  118 MiB/s  1,204 records  3 rejected  12 s left` */
export function progressText(progress: RunProgress, elapsedMs: number): string {
  const { sources, totalSources, readBytes, totalBytes, records, rejections } = progress;
  const speed = elapsedMs > 0 ? readBytes / (elapsedMs / 1000) : 0;
  const left =
    totalBytes === undefined || speed === 0 ? undefined : Math.max(0, totalBytes - readBytes) / speed;
  return [
    `${showCount(sources)}/${showCount(totalSources)} sources`,
    `${showSize(speed)}/s`,
    `${showCount(records)} ${records === 1 ? 'record' : 'records'}`,
    `${showCount(rejections)} rejected`,
    ...(left === undefined ? [showSize(readBytes)] : [`${showDuration(left * 1000)} left`]),
  ].join('  ');
}
