/** The section Drift. */
import type { VNode } from 'preact';
import { showNumber } from '../charts/numbers.ts';
import type { Drift, DriftRow } from './drift.ts';
import { OutsideName } from './outside.tsx';
import { PlainTable } from './tables.tsx';

export function DriftSection({ drift }: { readonly drift: Drift }): VNode {
  const { rows, shifts, appeared, gone } = drift;
  return (
    <section id="drift">
      <h2>Drift</h2>
      <p>
        Compared with the earlier dataset, in shares. Marked are shares that differ by more than one point and
        more than a quarter, and, from 500 records on, histograms with a stability index over 0.2.
      </p>
      <PlainTable
        label="Shares before and now"
        columns={['share of', { num: 'before' }, { num: 'now' }, { num: 'change' }]}
        rows={rows.map((row) => <Row row={row} />)}
      />
      <PlainTable
        label="Histograms before and now"
        columns={['histogram', { num: 'stability index' }]}
        rows={shifts.map(({ name, index, isMarked }) => (
          <tr>
            <th scope="row">{name}</th>
            <td class={isMarked ? 'num flag' : 'num dim'}>
              {index === undefined ? 'fewer than 500 records' : index.toFixed(2)}
            </td>
          </tr>
        ))}
      />
      <Names title="New" names={appeared} />
      <Names title="Gone" names={gone} />
    </section>
  );
}

function Row({ row }: { readonly row: DriftRow }): VNode {
  const { name, was, now, isShare, isMarked } = row;
  const show = (value: number): string => (isShare ? `${(100 * value).toFixed(1)} %` : showNumber(value));
  const change = now - was;
  const size = isShare ? `${(100 * Math.abs(change)).toFixed(1)} pt` : showNumber(Math.abs(change));
  return (
    <tr>
      <th scope="row">
        <OutsideName text={name} />
      </th>
      <td class="num">{show(was)}</td>
      <td class="num">{show(now)}</td>
      <td class={isMarked ? 'num flag' : 'num dim'}>
        {change === 0 ? '·' : `${change > 0 ? '+' : '−'}${size}`}
      </td>
    </tr>
  );
}

function Names(props: { readonly title: string; readonly names: readonly string[] }): VNode | null {
  if (props.names.length === 0) return null;
  return (
    <p>
      <b>{props.title}:</b>{' '}
      {props.names.map((name, i) => (
        <>
          {i === 0 ? '' : ', '}
          <OutsideName text={name} />
        </>
      ))}
    </p>
  );
}
