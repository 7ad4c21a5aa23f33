/**
 * Bar charts: shares of a whole, one value per name, histograms. They are plain SVG of fixed size, so that the browser
 * does not have to measure any layout.
 */
import type { ComponentChildren, VNode } from 'preact';
import { showNumber } from './numbers.ts';

/** One segment of a bar, coloured by the class `f-CLS`. */
export interface Segment {
  readonly key: string;
  readonly cls: string;
  readonly value: number;
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Address of its rows. */
  readonly href?: string | undefined;
}

/** A small square in the colour of a segment. */
export function Dot({ cls }: { readonly cls: string }): VNode {
  return (
    <svg width="9" height="9" aria-hidden="true">
      <rect width="9" height="9" rx="2" class={`f-${cls}`} />
    </svg>
  );
}

const MIN_PART = 2;

/** A bar of several segments; every segment that is not empty is wide enough to be seen. */
export function Stack(props: {
  readonly parts: readonly Segment[];
  readonly label: string;
  readonly width?: number;
  readonly height?: number;
}): VNode {
  const { parts, label, width = 300, height = 10 } = props;
  const shown = parts.filter(({ value }) => value > 0);
  const total = shown.reduce((sum, { value }) => sum + value, 0) || 1;
  const wanted = shown.map(({ value }) => Math.max(MIN_PART, (value / total) * width));
  const scale = width / (wanted.reduce((sum, share) => sum + share, 0) || 1);
  const numbers = shown.map(({ key, value }) => `${key} ${showNumber(value)}`).join(', ');
  let x = 0;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`${label}: ${numbers}`}
    >
      {shown.map(({ key, cls, value }, i) => {
        const at = x;
        const segment = (wanted[i] as number) * scale;
        x += segment;
        return (
          <rect x={at} y="0" width={Math.max(1, segment - 1)} height={height} rx="1.5" class={`f-${cls}`}>
            <title>{`${key}: ${showNumber(value)}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

const BAR_WIDTH = 200;

export interface BarRow {
  readonly key: string;
  readonly value: number;
  /** Address of its rows. */
  readonly href?: string | undefined;
}

/** A table of names with a bar each. */
export function Bars(props: {
  readonly rows: readonly BarRow[];
  readonly label: string;
  readonly cls?: string;
  /** Value of a full-length bar; defaults to the largest value. */
  readonly most?: number;
}): VNode {
  const { rows, label, cls = 'bar', most = Math.max(1, ...rows.map(({ value }) => value)) } = props;
  return (
    <table class="bars">
      <caption class="sr">{label}</caption>
      <tbody>
        {rows.map(({ key, value, href }) => (
          <tr>
            <th scope="row">
              <bdi>{href === undefined ? key : <a href={href}>{key}</a>}</bdi>
            </th>
            <td class="barcell">
              <svg viewBox={`0 0 ${BAR_WIDTH} 8`} preserveAspectRatio="none" height="8" aria-hidden="true">
                <rect
                  x="0"
                  y="0"
                  height="8"
                  width={Math.max(1.5, (value / most) * BAR_WIDTH)}
                  rx="1.5"
                  class={`f-${cls}`}
                />
              </svg>
            </td>
            <td class="num">{showNumber(value)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const HISTOGRAM = { width: 310, height: 104, base: 86, rise: 66, labels: 6 };

/** A histogram of values that have already been counted into bins. */
export function Histogram(props: {
  readonly id: string;
  readonly title: string;
  readonly bins: readonly Bin[];
  readonly format?: (value: number) => string;
}): VNode {
  const { id, title, bins, format = showNumber } = props;
  const { width, height, base, labels } = HISTOGRAM;
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const step = width / Math.max(1, bins.length);
  const every = Math.ceil(bins.length / labels);
  const texts = bins.map(({ from }, i) => (i % every === 0 ? format(from) : undefined));
  const last = texts.findLastIndex((text) => text !== undefined);
  // the last label ends at the edge if it would be clipped there, and the one before it may have no room then
  if (last > 0 && (last - every) * step + widthOf(texts[last - every]) > width - widthOf(texts[last]))
    texts[last - every] = undefined;
  const numbers = bins
    .filter(({ count }) => count > 0)
    .map(({ from, to, count }) => `${format(from)} to ${format(to)}: ${showNumber(count)}`);
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role={roleOf(bins)} aria-labelledby={`${id}-title`}>
      <title id={`${id}-title`}>{`${title}: ${numbers.join('; ')}`}</title>
      {bins.map(({ count, from, to, href }, i) => (
        <HistogramBar
          href={count > 0 ? href : undefined}
          name={`${format(from)} to ${format(to)}: ${showNumber(count)}`}
          left={i * step}
          step={step}
          count={count}
          most={most}
          label={texts[i]}
        />
      ))}
      <line x1="0" x2={width} y1={base + 0.5} y2={base + 0.5} class="axis" />
    </svg>
  );
}

/** A picture can have no links inside. */
const roleOf = (parts: readonly { readonly href?: string | undefined }[]): 'img' | 'group' =>
  parts.some(({ href }) => href !== undefined) ? 'group' : 'img';

/** A part of a chart that leads to its rows. */
function Part(props: {
  readonly href: string | undefined;
  readonly name: string;
  readonly children: ComponentChildren;
}): VNode {
  const { href, name, children } = props;
  if (href === undefined) return <g>{children}</g>;
  return (
    <a href={href}>
      <title>{name}</title>
      {children}
    </a>
  );
}

function HistogramBar(props: {
  readonly href: string | undefined;
  readonly name: string;
  readonly left: number;
  readonly step: number;
  readonly count: number;
  readonly most: number;
  readonly label: string | undefined;
}): VNode {
  const { href, name, left, step, count, most, label } = props;
  const { base, rise } = HISTOGRAM;
  const tall = count === 0 ? 0 : Math.max(2, (count / most) * rise);
  return (
    <Part href={href} name={name}>
      {href === undefined ? null : <rect x={left} y="0" width={step} height={base} class="hit" />}
      <rect x={left + 1} y={base - tall} width={Math.max(1, step - 2)} height={tall} rx="1.5" class="f-bar" />
      {count > 0 && step > 16 ? (
        <text x={left + step / 2} y={base - tall - 4} font-size="10" text-anchor="middle" class="t2">
          {showNumber(count)}
        </text>
      ) : null}
      {label === undefined ? null : (
        <AxisLabel x={left + 1} y={base + 13} text={label} width={HISTOGRAM.width} />
      )}
    </Part>
  );
}

/** Average width of a character at this size. */
const LABEL = { size: 10, character: 6 };
const widthOf = (label = ''): number => label.length * LABEL.character;

/** A label below an axis, which ends at the edge if it would be clipped there. */
function AxisLabel(props: {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly width: number;
}): VNode {
  const { x, y, text, width } = props;
  const isLast = x + widthOf(text) > width;
  return (
    <text
      x={isLast ? width : x}
      y={y}
      font-size={LABEL.size}
      class="t3"
      text-anchor={isLast ? 'end' : undefined}
    >
      {text}
    </text>
  );
}

const COLUMNS = { height: 116, base: 92, rise: 68, widest: 96, label: 90 };
/** Widths of the picture; the second is for a phone, on which the text of the first would be too small. */
export const COLUMN_WIDTHS = { wide: 630, narrow: 312 } as const;

export interface GroupColumn {
  readonly name: string;
  readonly parts: readonly Segment[];
  /** Address of its rows. */
  readonly href?: string | undefined;
}

/** Groups side by side, each as a stacked column. */
export function Columns(props: {
  readonly id: string;
  readonly columns: readonly GroupColumn[];
  readonly width: number;
}): VNode {
  const { id, columns, width } = props;
  const { height, base, widest, label } = COLUMNS;
  const labels = Math.floor(width / label);
  const step = Math.min(widest, width / Math.max(1, columns.length));
  const totals = columns.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const most = Math.max(1, ...totals);
  const numbers = columns.map(
    ({ name, parts }) =>
      `${name}: ${parts.map(({ key, value }) => `${key} ${showNumber(value)}`).join(', ')}`,
  );
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role={roleOf(columns)} aria-labelledby={`${id}-title`}>
      <title id={`${id}-title`}>{numbers.join('; ')}</title>
      {columns.map(({ name, parts, href }, i) => (
        <Column
          href={href}
          title={numbers[i] as string}
          x={i * step}
          step={step}
          width={width}
          parts={parts}
          most={most}
          name={i % Math.ceil(columns.length / labels) === 0 ? name : undefined}
        />
      ))}
      <line x1="0" x2={width} y1={base + 0.5} y2={base + 0.5} class="axis" />
    </svg>
  );
}

function Column(props: {
  readonly href: string | undefined;
  readonly title: string;
  readonly x: number;
  readonly step: number;
  readonly width: number;
  readonly parts: readonly Segment[];
  readonly most: number;
  readonly name: string | undefined;
}): VNode {
  const { href, title, x, step, width, parts, most, name } = props;
  const { base, rise } = COLUMNS;
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  let y = base;
  return (
    <Part href={href} name={title}>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ cls, value }) => {
          const tall = Math.max(2, (value / most) * rise);
          y -= tall;
          return (
            <rect
              x={x + 2}
              y={y}
              width={Math.max(1, step - 6)}
              height={Math.max(1, tall - 1)}
              rx="1.5"
              class={`f-${cls}`}
            />
          );
        })}
      {step > 24 ? (
        <text x={x + step / 2 - 1} y={y - 4} font-size="10.5" text-anchor="middle" class="t2">
          {showNumber(total)}
        </text>
      ) : null}
      {name === undefined ? null : <AxisLabel x={x + 2} y={base + 14} text={name} width={width} />}
    </Part>
  );
}
