/** The beginning of the report: one sentence, and the fate of every line. */
import type { VNode } from 'preact';
import { Dot, Stack } from '../charts/bars.tsx';
import { Flow, type FlowNode } from '../charts/flow.tsx';
import { Linked, type ShownRows, useLinks } from '../charts/links.tsx';
import { fitted, showBytes, showCount, showNumber, showShare, sumOf } from '../charts/numbers.ts';
import { wordsFor } from '../charts/words.ts';
import { FATES, type ReportData } from './report-data.ts';

/** Characters of a note that are not clipped. */
const MAX_NOTE = 62;
const MAX_DETAIL = 40;

/** The sums of a build, and how large its shards are. */
export type SummedUp = Pick<ReportData['manifest'], 'totals' | 'ledger' | 'settings'> & {
  readonly shards: readonly { readonly bytes: number }[];
};

export function Lead(props: {
  readonly manifest: SummedUp;
  readonly rejected: number;
  /** Records that the consumer of a format refuses, for one reason each. */
  readonly refused: readonly {
    readonly consumer: string;
    readonly count: number;
    readonly what: string;
    readonly remedy: string;
  }[];
}): VNode {
  const { manifest, rejected, refused } = props;
  const { totals, ledger, shards, settings } = manifest;
  const accounted = sumOf(ledger.fates);
  const format = (settings as { readonly format?: readonly string[] }).format ?? [];
  const bytes = shards.reduce((sum, shard) => sum + shard.bytes, 0);
  return (
    <div class="lead">
      <h1>
        {showCount(totals.lines, 'line')} of {showCount(sumOf(ledger.sources), 'log')} became{' '}
        <em>
          <Linked rows={{ list: 'records' }}>{showCount(totals.records, 'record')}</Linked>
        </em>
        {rejected === 0 ? (
          '; none was rejected.'
        ) : (
          <>
            ;{' '}
            <em class="bad">
              <Linked rows={{ list: 'rejected' }}>{showCount(rejected, 'line')}</Linked>
            </em>{' '}
            {rejected === 1 ? 'was' : 'were'} rejected.
          </>
        )}
      </h1>
      <p>
        {accounted === totals.lines ? (
          <span class="tag good">every line accounted for</span>
        ) : (
          <span class="tag bad">{`${showCount(totals.lines, 'line')} read, ${showNumber(accounted)} accounted for`}</span>
        )}
        {ledger.errors > 0 ? (
          <span class="tag bad">
            <Linked rows={{ list: 'sessions', sort: 'errors' }}>
              {showCount(ledger.errors, 'error')} inside sessions
            </Linked>
          </span>
        ) : null}
        {ledger.warnings > 0 ? <span class="tag warn">{showCount(ledger.warnings, 'warning')}</span> : null}
        {refused.map(({ consumer, count, what, remedy }) => (
          <span class="tag bad">{`${showNumber(count)} with ${what}: ${consumer} refuses ${count === 1 ? 'it' : 'them'} (${remedy})`}</span>
        ))}
        <span class="tag">{format.join(', ')}</span>
        <span class="tag">
          {showBytes(bytes)} in {showCount(shards.length, 'shard')}
        </span>
      </p>
    </div>
  );
}

/** Fates of lines that have a list. */
const LISTS: Readonly<Record<string, ShownRows>> = {
  snapshot: { list: 'records' },
  rejected: { list: 'rejected' },
};

export function Fates(props: { readonly total: number; readonly nodes: readonly FlowNode[] }): VNode {
  const { total } = props;
  const hrefOf = useLinks();
  const nodes = props.nodes.map((node) => {
    const rows = LISTS[node.fate];
    return rows === undefined ? node : { ...node, href: hrefOf(rows) };
  });
  return (
    <figure class="card" aria-label="Fate of every line">
      <div class="wide">
        <Flow total={total} nodes={nodes} unit="lines" />
      </div>
      <div class="narrow">
        <Stack
          width={320}
          height={18}
          label="Lines by fate"
          parts={nodes.map(({ label, fate, value }) => ({ key: label, cls: fate, value }))}
        />
        <table class="bars">
          <caption class="sr">Lines by fate</caption>
          <tbody>
            {nodes.map(({ label, fate, value, href }) => (
              <tr>
                <th scope="row" class="role">
                  <Dot cls={fate} />
                  {href === undefined ? label : <a href={href}>{label}</a>}
                </th>
                <td class="num">{showNumber(value)}</td>
                <td class="num dim">{showShare(value, total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Returns the fates without their details; a note shows the most frequent details. */
export function nodesOf(fates: Readonly<Record<string, number>>): readonly FlowNode[] {
  return FATES.flatMap(([fate, label, meaning]) => {
    const parts = Object.entries(fates).filter(([name]) => name.split(':', 1)[0] === fate);
    if (parts.length === 0) return [];
    const details = parts
      .filter(([name]) => name.includes(':'))
      .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
      .map(([name, n]) => `${fitted(wordsFor(name.slice(fate.length + 1)), MAX_DETAIL)} ${showNumber(n)}`);
    const note = details.length === 0 ? meaning : fittedList(details);
    return [{ fate, label, note, value: parts.reduce((sum, [, n]) => sum + n, 0) }];
  });
}

/** Returns as many of the details as fit into a note, and the number of the others. */
function fittedList(details: readonly string[]): string {
  const [first = '', ...others] = details;
  let text = first;
  let left = others.length;
  for (const detail of others) {
    if (text.length + detail.length > MAX_NOTE) break;
    text += ` · ${detail}`;
    left -= 1;
  }
  return left === 0 ? text : `${text} · ${left} more`;
}
