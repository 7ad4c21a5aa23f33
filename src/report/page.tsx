/**
 * The report, as one page without a script: first the fates of the lines, then lists, then how to reproduce the build.
 */
import type { VNode } from 'preact';
import { sumOf } from '../charts/numbers.ts';
import { refusedIn } from '../ledger/refused.ts';
import { ChangesSection, hasChanges, RecordsSection } from './counts.tsx';
import { DriftSection } from './drift-section.tsx';
import { Fates, Lead, nodesOf } from './lead.tsx';
import { FindingsSection, RejectedSection } from './lists.tsx';
import type { ReportData } from './report-data.ts';
import { ReproduceSection, SourcesSection } from './tables.tsx';

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
        <Lead manifest={manifest} rejected={rejected} refused={refusedIn(manifest.ledger)} />
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
        <SourcesSection
          sources={profile.sources}
          dialects={profile.dialects}
          count={sumOf(manifest.ledger.sources)}
        />
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
