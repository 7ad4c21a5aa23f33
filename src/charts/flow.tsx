/** Shows all lines as one column that splits into one band per fate. */
import type { VNode } from 'preact';
import { showNumber, showShare } from './numbers.ts';

export interface FlowNode {
  /** Fate of the lines in the band; sets its colour through the class `f-FATE`. */
  readonly fate: string;
  readonly label: string;
  readonly note: string;
  readonly value: number;
  /** Address of its rows. */
  readonly href?: string | undefined;
}

interface Band {
  readonly node: FlowNode;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  label: number;
}

const WIDTH = 960;
const TOP = 6;
const MIN_HEIGHT = 190;
const NODE_HEIGHT = 44;
const LEFT = 96;
const RIGHT = 452;
const BAR = 9;
const GAP = 9;
/** Least height of a band, so that one line in a million can still be seen. */
const MIN_BAND = 2.5;
const LABEL_DISTANCE = 37;

export function Flow(props: {
  readonly total: number;
  readonly nodes: readonly FlowNode[];
  readonly unit: string;
}): VNode {
  const { total, nodes, unit } = props;
  const height = Math.max(MIN_HEIGHT, nodes.length * NODE_HEIGHT);
  const room = height - GAP * Math.max(0, nodes.length - 1);
  const top = TOP + (height - room) / 2;
  const numbers = nodes.map(({ label, value }) => `${label} ${showNumber(value)}`).join(', ');
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${height + TOP * 2 + 14}`}
      role={nodes.some(({ href }) => href !== undefined) ? 'group' : 'img'}
      aria-labelledby="flow-title"
      class="flow"
    >
      <title id="flow-title">{`${showNumber(total)} ${unit}: ${numbers}`}</title>
      <text x={LEFT - 16} y={top + room / 2 - 6} text-anchor="end" font-size="25" font-weight="620">
        {showNumber(total)}
      </text>
      <text x={LEFT - 16} y={top + room / 2 + 14} text-anchor="end" font-size="12.5" class="t2">
        {`${unit} read`}
      </text>
      <rect x={LEFT} y={top} width={BAR} height={room} rx="1.5" class="f-lines" />
      {bandsOf(nodes, total, height, room).map((band) => (
        <BandView band={band} total={total} />
      ))}
    </svg>
  );
}

function bandsOf(nodes: readonly FlowNode[], total: number, height: number, room: number): readonly Band[] {
  const wanted = nodes.map(({ value }) => Math.max(MIN_BAND, (value / Math.max(1, total)) * room));
  const scale = room / (wanted.reduce((sum, share) => sum + share, 0) || 1);
  let left = TOP + (height - room) / 2;
  let right = TOP;
  const bands = nodes.map((node, i): Band => {
    const bandHeight = (wanted[i] as number) * scale;
    const band = { node, height: bandHeight, left, right, label: right + bandHeight / 2 };
    left += bandHeight;
    right += bandHeight + GAP;
    return band;
  });
  spread(bands, TOP + height - 12);
  return bands;
}

/** Moves overlapping labels apart: first downwards, then back up from the lower end. */
function spread(bands: readonly Band[], end: number): void {
  let before = Number.NEGATIVE_INFINITY;
  for (const band of bands) {
    band.label = Math.max(band.label, before + LABEL_DISTANCE);
    before = band.label;
  }
  let limit = end;
  for (const band of bands.toReversed()) {
    band.label = Math.min(band.label, limit);
    limit = band.label - LABEL_DISTANCE;
  }
}

function BandView({ band, total }: { readonly band: Band; readonly total: number }): VNode {
  const { node, height, left, right, label } = band;
  const from = LEFT + BAR;
  const middle = (from + RIGHT) / 2;
  const text = RIGHT + BAR + 78;
  return (
    <g>
      <path
        class={`band f-${node.fate}`}
        d={`M${from},${left} C${middle},${left} ${middle},${right} ${RIGHT},${right} L${RIGHT},${right + height} C${middle},${right + height} ${middle},${left + height} ${from},${left + height} Z`}
      />
      <rect x={RIGHT} y={right} width={BAR} height={height} rx="1.5" class={`f-${node.fate}`} />
      <path
        d={`M${RIGHT + BAR + 3},${right + height / 2} L${RIGHT + BAR + 13},${label}`}
        class="axis"
        fill="none"
      />
      <text x={text - 12} y={label + 1} text-anchor="end" font-size="15" font-weight="600">
        {showNumber(node.value)}
      </text>
      <text x={text} y={label + 1} font-size="13.5" font-weight="550">
        {node.href === undefined ? node.label : <a href={node.href}>{node.label}</a>}
        <tspan class="t3" font-weight="400">{` \u00a0 ${showShare(node.value, total)}`}</tspan>
      </text>
      <text x={text} y={label + 17} font-size="12" class="t2">
        {node.note}
      </text>
    </g>
  );
}
