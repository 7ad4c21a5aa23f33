/** A list of rows of equal height; only the visible ones are in the page. */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const OVERSCAN = 8;

export interface RowsProps {
  readonly count: number;
  readonly height: number;
  readonly label: string;
  readonly render: (row: number) => ComponentChildren;
  /** The row to scroll to. */
  readonly reveal: number | undefined;
  readonly onRange: (from: number, to: number) => void;
}

export function Rows({ count, height, label, render, reveal, onRange }: RowsProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [, again] = useState(0);
  const virtualizer = useRef<Virtualizer<HTMLDivElement, Element>>(undefined);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => again((n) => n + 1),
  };
  virtualizer.current ??= new Virtualizer<HTMLDivElement, Element>(options);
  const virtual = virtualizer.current;
  virtual.setOptions({ ...virtual.options, ...options });
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  useLayoutEffect(() => {
    if (reveal !== undefined && reveal >= 0 && reveal < count)
      virtual.scrollToIndex(reveal, { align: 'auto' });
  }, [reveal, count, virtual]);
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index, items.at(-1)?.index];
  useLayoutEffect(() => {
    if (first !== undefined && last !== undefined) onRange(first, last);
  });
  const size = (element: HTMLElement | null): void => {
    if (element !== null) element.style.height = `${virtual.getTotalSize()}px`;
  };
  return (
    <nav class="rows" ref={box} aria-label={label}>
      <div class="space" ref={size}>
        {items.map(({ index, start }) => (
          <Slot key={index} start={start} height={height}>
            {render(index)}
          </Slot>
        ))}
      </div>
    </nav>
  );
}

/** Positions the row through the DOM, because the page's policy allows no style attributes. */
function Slot(props: {
  readonly start: number;
  readonly height: number;
  readonly children: ComponentChildren;
}): VNode {
  const put = (element: HTMLElement | null): void => {
    if (element === null) return;
    element.style.transform = `translateY(${props.start}px)`;
    element.style.height = `${props.height}px`;
  };
  return (
    <div class="slot" ref={put}>
      {props.children}
    </div>
  );
}
