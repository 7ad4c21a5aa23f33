/**
 * The report, as one page without a script: first the fates of the lines, then lists, then how to reproduce the build.
 */
import type { VNode } from 'preact';
import { Dot, Stack } from '../charts/bars.tsx';
import { Flow, type FlowNode } from '../charts/flow.tsx';
import { fitted, showBytes, showCount, showNumber, showShare, sumOf } from '../charts/numbers.ts';
import { wordsFor } from '../charts/words.ts';
import { refusedIn } from '../ledger/refused.ts';
import { ChangesSection, hasChanges, RecordsSection } from './counts.tsx';
import { DriftSection } from './drift-section.tsx';
import { FindingsSection, RejectedSection } from './lists.tsx';
import { FATES, type ReportData } from './report-data.ts';
import { ReproduceSection, SourcesSection } from './tables.tsx';

/** Characters of a note that are not clipped. */
const MAX_NOTE = 62;
const MAX_DETAIL = 40;

export function Page({ data }: { readonly data: ReportData }): VNode {
  const { manifest, profile, run, drift, dataset = 'DATASET' } = data;
  const nodes = nodesOf(manifest.ledger.fates);
  const rejected = nodes.find(({ fate }) => fate === 'rejected')?.value ?? 0;
  return (
    <body>
      <a class="skip" href="#main">
        Skip to the report
      </a>
      <Top data={data} />
      <main id="main" class="wrap">
        <Lead manifest={manifest} rejected={rejected} />
        <Fates total={manifest.totals.lines} nodes={nodes} />
        <RecordsSection manifest={manifest} profile={profile} />
        {profile.rejections.length === 0 ? null : (
          <RejectedSection
            rejections={profile.rejections}
            rejected={rejected}
            lines={manifest.totals.lines}
            dataset={dataset}
          />
        )}
        {profile.findings.length === 0 ? null : <FindingsSection findings={profile.findings} />}
        {hasChanges(manifest.ledger) ? <ChangesSection ledger={manifest.ledger} /> : null}
        {drift === undefined ? null : <DriftSection drift={drift} />}
        <SourcesSection sources={profile.sources} count={sumOf(manifest.ledger.sources)} />
        <ReproduceSection manifest={manifest} run={run} dataset={dataset} />
      </main>
      <footer class="wrap">
        Written by turnmill {manifest.tool.version}. One file, no network, no script.
      </footer>
    </body>
  );
}

/** Names the sections that the page has: empty ones are left out. */
function Top({ data: { manifest, profile, drift } }: { readonly data: ReportData }): VNode {
  const sections = [
    'records',
    ...(profile.rejections.length > 0 ? ['rejected'] : []),
    ...(profile.findings.length > 0 ? ['findings'] : []),
    ...(hasChanges(manifest.ledger) ? ['changes'] : []),
    ...(drift === undefined ? [] : ['drift']),
    'sources',
  ];
  return (
    <header class="top">
      <div class="wrap">
        <b>turnmill report</b>
        <nav aria-label="Sections">
          {sections.map((name) => (
            <a href={`#${name}`}>{`${name[0]?.toUpperCase()}${name.slice(1)}`}</a>
          ))}
          <a href="#reproduce">Reproduce</a>
        </nav>
      </div>
    </header>
  );
}

function Lead(props: { readonly manifest: ReportData['manifest']; readonly rejected: number }): VNode {
  const { manifest, rejected } = props;
  const { totals, ledger, shards, settings } = manifest;
  const accounted = sumOf(ledger.fates);
  const format = (settings as { readonly format?: readonly string[] }).format ?? [];
  const bytes = shards.reduce((sum, shard) => sum + shard.bytes, 0);
  return (
    <div class="lead">
      <h1>
        {showCount(totals.lines, 'line')} of {showCount(sumOf(ledger.sources), 'log')} became{' '}
        <em>{showCount(totals.records, 'record')}</em>
        {rejected === 0 ? (
          '; none was rejected.'
        ) : (
          <>
            ; <em class="bad">{showCount(rejected, 'line')}</em> {rejected === 1 ? 'was' : 'were'} rejected.
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
          <span class="tag bad">{showCount(ledger.errors, 'error')} inside sessions</span>
        ) : null}
        {ledger.warnings > 0 ? <span class="tag warn">{showCount(ledger.warnings, 'warning')}</span> : null}
        {refusedIn(ledger).map(({ consumer, count, what, remedy }) => (
          <span class="tag bad">{`${showNumber(count)} with ${what}: ${consumer} refuses them (${remedy})`}</span>
        ))}
        <span class="tag">{format.join(', ')}</span>
        <span class="tag">
          {showBytes(bytes)} in {showCount(shards.length, 'shard')}
        </span>
      </p>
    </div>
  );
}

function Fates({ total, nodes }: { readonly total: number; readonly nodes: readonly FlowNode[] }): VNode {
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
            {nodes.map(({ label, fate, value }) => (
              <tr>
                <th scope="row" class="role">
                  <Dot cls={fate} />
                  {label}
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
function nodesOf(fates: Readonly<Record<string, number>>): readonly FlowNode[] {
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
