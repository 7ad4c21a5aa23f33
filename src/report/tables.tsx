/** The sections Sources and Reproduce. */
import type { ComponentChildren, VNode } from 'preact';
import { Dot, Stack } from '../charts/bars.tsx';
import { fittedName, shellWord, showBytes, showCount, showNumber } from '../charts/numbers.ts';
import type { Counts } from '../dataset/schema/ledger.ts';
import type { ManifestShard, RunFacts } from '../dataset/schema/manifest.ts';
import type { SourceProfile } from '../dataset/schema/reports.ts';
import { CountsBy } from './counts.tsx';
import { Outside, OutsideName } from './outside.tsx';
import { FATES, MAX_SHARDS, type ReportData } from './report-data.ts';

const SHOWN_HASH = 16;
const MAX_INPUTS = 10;

export function SourcesSection(props: {
  readonly sources: readonly SourceProfile[];
  readonly dialects: Counts;
  readonly count: number;
}): VNode {
  const { sources, dialects, count } = props;
  return (
    <section id="sources">
      <h2>Sources</h2>
      <CountsBy what="dialect" counts={dialects} />
      <p>
        {count > sources.length
          ? `The ${sources.length} of ${showNumber(count)} with the most rejected lines; all are in ledger/sources.jsonl.`
          : 'Sources with rejected lines come first.'}
      </p>
      <PlainTable
        label="Sources"
        columns={['log', 'fates of its lines', { num: 'lines' }, { num: 'size' }]}
        rows={sources.map((source) => <SourceRow source={source} />)}
      />
      <div class="legend">
        {FATES.map(([fate, title]) => (
          <span>
            <Dot cls={fate} />
            {title.toLowerCase()}
          </span>
        ))}
      </div>
    </section>
  );
}

function SourceRow({ source }: { readonly source: SourceProfile }): VNode {
  const { source: name, lines, size, fates } = source;
  return (
    <tr>
      <th scope="row">
        <OutsideName text={name} mono />
      </th>
      <td>
        <Stack
          width={190}
          height={9}
          label={`Lines of ${fittedName(name)}`}
          parts={FATES.map(([fate, title]) => ({ key: title, cls: fate, value: fates[fate] ?? 0 }))}
        />
      </td>
      <td class="num">{showNumber(lines)}</td>
      <td class="num">{showBytes(size)}</td>
    </tr>
  );
}

export function ReproduceSection(props: {
  readonly manifest: ReportData['manifest'];
  readonly run: RunFacts | undefined;
  readonly dataset: string;
}): VNode {
  const { manifest, run, dataset } = props;
  const { tool, settings_sha256, shards } = manifest;
  const shown = shards.slice(0, MAX_SHARDS);
  return (
    <section id="reproduce">
      <h2>Reproduce</h2>
      <p>The same input and settings give the same bytes, with any number of workers.</p>
      <div class="card">
        <dl class="kv">
          <dt>turnmill</dt>
          <dd>{tool.version}</dd>
          <dt>settings</dt>
          <dd class="mono">{settings_sha256}</dd>
          {run === undefined ? null : <RunRows run={run} />}
          <dt>check</dt>
          <dd>
            <code class="cmd">{`turnmill verify ${shellWord(dataset)}`}</code>
          </dd>
        </dl>
      </div>
      <PlainTable
        label="Shards"
        columns={['shard', { wide: 'SHA-256' }, { num: 'records' }, { num: 'size' }]}
        rows={shown.map((shard) => <ShardRow shard={shard} />)}
      >
        {shards.length > shown.length ? (
          <p class="dim">{`${showNumber(shards.length - shown.length)} more in manifest.json`}</p>
        ) : null}
      </PlainTable>
    </section>
  );
}

function ShardRow({ shard }: { readonly shard: ManifestShard }): VNode {
  const { path, sha256, records, bytes } = shard;
  return (
    <tr>
      <th scope="row">
        <OutsideName text={path} mono />
      </th>
      <td class="mono dim wide">{`${sha256.slice(0, SHOWN_HASH)}…`}</td>
      <td class="num">{showNumber(records)}</td>
      <td class="num">{showBytes(bytes)}</td>
    </tr>
  );
}

function RunRows({ run }: { readonly run: RunFacts }): VNode {
  const { started, elapsed_ms, node, workers, inputs } = run;
  return (
    <>
      <dt>ran</dt>
      <dd>
        {`${started}, ${showNumber(Math.round(elapsed_ms))} ms, Node ${node}, ${showCount(workers, 'worker')}`}
      </dd>
      <dt>inputs</dt>
      <dd>
        <Outside mono text={inputs.slice(0, MAX_INPUTS).join(' ')} />
      </dd>
    </>
  );
}

/** The heading of a column; in an object if its cells are numbers, or if a phone has no room for it. */
type Column = string | { readonly num: string } | { readonly wide: string };

/** A table in a card, which scrolls sideways if it is too wide for the page. */
export function PlainTable(props: {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly rows: readonly VNode[];
  /** Shown below the table, in the same card. */
  readonly children?: ComponentChildren;
}): VNode {
  const { label, columns, rows, children } = props;
  return (
    <section class="card scroll" tabIndex={0} aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {columns.map((column) => {
              if (typeof column === 'string') return <th scope="col">{column}</th>;
              const [[cls, text] = []] = Object.entries(column);
              return (
                <th scope="col" class={cls}>
                  {text}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
      {children}
    </section>
  );
}
