/** The line that tells how far a run is, on a terminal: rewritten in place, at most ten times a second. */
import type { RunProgress } from '../job/hooks.ts';
import { showCount, showDuration, showSize } from './sizes.ts';
import { tell, terminalWidth } from './terminal.ts';

const LEAST_GAP_MS = 100;
const CLEAR = '\r\u001b[K';

export interface Progress {
  readonly show: (progress: RunProgress) => void;
  readonly clear: () => void;
}

export function createProgress(
  write: (text: string) => unknown = tell,
  now: () => number = () => performance.now(),
): Progress {
  const started = now();
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    show(progress) {
      const at = now();
      if (at - last < LEAST_GAP_MS) return;
      last = at;
      shown = true;
      write(`${CLEAR}${progressText(progress, at - started).slice(0, terminalWidth() - 1)}`);
    },
    clear() {
      if (shown) write(CLEAR);
      shown = false;
    },
  };
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
