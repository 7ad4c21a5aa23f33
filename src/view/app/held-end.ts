/**
 * A scrolling box that stays at its end while it grows, until the user scrolls up in any way. Scrolling down to the end
 * makes it stay there again.
 */
import { createRef, type RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countOf, type Log } from './live-log.ts';

/** Within this distance the user counts as being at the end. */
const NEAR_PX = 50;
const UP_KEYS = new Set(['PageUp', 'ArrowUp', 'Home']);

const isAtEnd = (box: HTMLElement): boolean => box.scrollTop + box.clientHeight >= box.scrollHeight - NEAR_PX;

class HeldEnd {
  readonly box: RefObject<HTMLElement | null> = createRef();
  #isHeld = true;
  /** Scroll position after the last movement. */
  #top = 0;

  get isHeld(): boolean {
    return this.#isHeld;
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  toEnd(): void {
    const { current } = this.box;
    if (current === null) return;
    current.scrollTop = current.scrollHeight;
    this.#top = current.scrollTop;
  }

  /** Browsers keep visible content in place when something is added above it, except at the very top. */
  leaveTop(): void {
    if (this.box.current !== null) this.box.current.scrollTop = Math.max(1, this.box.current.scrollTop);
  }

  /** Returns whether the user has come back to the end. Call it after each movement. */
  hasComeBack(): boolean {
    const { current } = this.box;
    if (current === null) return false;
    // only a downward movement counts, because the browser itself moves the position too
    const isBack = !this.#isHeld && current.scrollTop > this.#top && isAtEnd(current);
    this.#top = current.scrollTop;
    return isBack;
  }

  /**
   * Keeps the box at its end when the content changes its size, such as after an image has loaded. @returns a function
   * that stops watching
   */
  watchSize(): (() => void) | undefined {
    const content = this.box.current?.firstElementChild;
    if (content == null) return undefined;
    const watch = new ResizeObserver(() => {
      if (this.#isHeld) this.toEnd();
    });
    watch.observe(content);
    return () => watch.disconnect();
  }
}

/**
 * Keeps a box at the end of a log. `unseen` is the number of entries, or messages of an event log, that have arrived
 * since the user scrolled away.
 */
export function useHeldEnd(log: Log): {
  readonly end: HeldEnd;
  readonly unseen: number;
  /** Makes the box stay at the end of the current log, so that nothing in it is unseen. */
  readonly hold: () => void;
} {
  const [end] = useState(() => new HeldEnd());
  /** Number of entries when the user scrolled away. */
  const seen = useRef(0);
  const [unseen, setUnseen] = useState(0);
  const count = countOf(log) - log.earlier;
  const hold = (): void => {
    end.hold();
    seen.current = count;
    setUnseen(0);
  };
  useLayoutEffect(() => {
    seen.current = 0;
  }, [log.beginnings]);
  useLayoutEffect(() => {
    if (end.isHeld) {
      end.toEnd();
      hold();
    } else setUnseen(Math.max(0, count - seen.current));
  }, [log.entries, count]);
  useEffect(() => end.watchSize(), []);
  return { end, unseen, hold };
}

/** Returns handlers for all ways of scrolling up: the wheel, touch, keys, the scroll bar. */
export function handlersOf(end: HeldEnd): {
  readonly onWheel: (event: WheelEvent) => void;
  readonly onTouchMove: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onPointerDown: (event: PointerEvent) => void;
} {
  return {
    onWheel({ deltaY }) {
      if (deltaY < 0) end.release();
    },
    onTouchMove() {
      end.release();
    },
    onKeyDown({ key }) {
      if (UP_KEYS.has(key)) end.release();
    },
    onPointerDown({ target, offsetX }) {
      const { current } = end.box;
      if (current !== null && target === current && offsetX > current.clientWidth) end.release();
    },
  };
}
