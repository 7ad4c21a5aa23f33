import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { expect, test } from 'vitest';
import { Histogram } from '../../../src/charts/bars.tsx';

const labelsOf = (bins: number): readonly string[] => {
  const shown = Array.from({ length: bins }, (_, i) => ({ from: 1000 + i, to: 1001 + i, count: 1 }));
  const format = (value: number): string => `${value} KiB`;
  const html = render(h(Histogram, { id: 'x', title: 'Size', bins: shown, format }));
  return [...html.matchAll(/class="t3"[^>]*>([^<]*)</g)].map(([, text = '']) => text);
};

test('the label before a last one that ends at the edge is left out if they would overlap', () => {
  expect(labelsOf(3)).toEqual(['1000 KiB', '1001 KiB', '1002 KiB']);
  expect(labelsOf(21)).toEqual(['1000 KiB', '1004 KiB', '1008 KiB', '1012 KiB', '1020 KiB']);
});
