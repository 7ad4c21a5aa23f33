/** The first page: the numbers of the report, each with a link to the rows that it counts. */
import type { ComponentProps, VNode } from 'preact';
import { Bars } from '../../charts/bars.tsx';
import { Links, type ShownRows, useLinks } from '../../charts/links.tsx';
import { fittedName, showCount, showNumber } from '../../charts/numbers.ts';
import { wordsFor } from '../../charts/words.ts';
import { ChangesSection, hasChanges, RecordsSection } from '../../report/counts.tsx';
import { Fates, Lead, nodesOf } from '../../report/lead.tsx';
import { useAnswer } from './answer.ts';
import { isStatic } from './api.ts';
import { type Field, filterText, phraseText } from './query.ts';
import { Nothing } from './record.tsx';
import { summary } from './state.ts';

type Profile = ComponentProps<typeof RecordsSection>['profile'];

/** Response of the server. */
export interface OverviewAnswer {
  readonly manifest: ComponentProps<typeof Lead>['manifest'];
  readonly refused: ComponentProps<typeof Lead>['refused'];
  /** Absent from datasets without `reports/summary.json`. */
  readonly profile?: Profile;
  /** Rules of findings that no record has, only sessions without one. */
  readonly withoutRecord: readonly string[];
}

export function Overview(): VNode {
  const { value, error } = useAnswer<OverviewAnswer>('overview');
  if (value === undefined) return <Nothing>{error ?? '…'}</Nothing>;
  return (
    <section class="pane overview" tabIndex={0} aria-label="Overview">
      <div class="wrap">
        <Links.Provider value={(rows) => hrefOf(rows, value)}>
          {value.profile === undefined ? <Uncounted /> : <Sections answer={value} profile={value.profile} />}
        </Links.Provider>
      </div>
    </section>
  );
}

/** Returns the address of rows. An exported page may have fewer than are counted; it has all sessions only if each has a record. */
function hrefOf(
  { list, field, value = '', sort }: ShownRows,
  { manifest }: OverviewAnswer,
): string | undefined {
  const isWhole = value === '' && sort === undefined;
  const isExported = list === 'records' && summary.value?.records === manifest.ledger.records;
  if (isStatic && !isWhole && !isExported) return undefined;
  const { format = [] } = manifest.settings as { readonly format?: readonly string[] };
  const isCountedOnce = format.length > 1 && list === 'records' && field !== 'bytes' && field !== 'finding';
  const text = [
    ...(value === '' ? [] : [field === undefined ? phraseText(value) : filterText(field as Field, value)]),
    ...(isCountedOnce && value !== '' ? [filterText('format', format[0] ?? '')] : []),
  ].join(' ');
  const query = new URLSearchParams({ ...(text && { q: text }), ...(sort && { sort }) }).toString();
  return `#/${list}${query === '' ? '' : `?${query}`}`;
}

function Uncounted(): VNode {
  const { records = 0, sessions = 0, rejected = 0 } = summary.value ?? {};
  return (
    <div class="lead">
      <h1>
        <a href="#/records">{showCount(records, 'record')}</a> of{' '}
        <a href="#/sessions">{showCount(sessions, 'session')}</a>,{' '}
        <a href="#/rejected">{showCount(rejected, 'rejection')}</a>
      </h1>
      <p>
        This dataset has no <code>reports/summary.json</code>. <code>turnmill report</code> counts the rest.
      </p>
    </div>
  );
}

function Sections({
  answer,
  profile,
}: {
  readonly answer: OverviewAnswer;
  readonly profile: Profile;
}): VNode {
  const { manifest, refused } = answer;
  const nodes = nodesOf(manifest.ledger.fates);
  const rejected = nodes.find(({ fate }) => fate === 'rejected')?.value ?? 0;
  return (
    <>
      <Lead manifest={manifest} rejected={rejected} refused={refused} />
      <Fates total={manifest.totals.lines} nodes={nodes} />
      <RecordsSection manifest={manifest} profile={profile} />
      <Problems profile={profile} withoutRecord={answer.withoutRecord} />
      {hasChanges(manifest.ledger) ? <ChangesSection ledger={manifest.ledger} /> : null}
    </>
  );
}

function Problems(props: { readonly profile: Profile; readonly withoutRecord: readonly string[] }): VNode {
  const { rejections, findings, sources } = props.profile;
  const href = useLinks();
  // a long name is cut in the middle, and cannot be searched for
  const hrefOfSource = (source: string): string | undefined =>
    source.includes('…') ? undefined : href({ list: 'rejected', value: source });
  const bySeverity = (wanted: string) =>
    findings
      .filter(({ severity }) => severity === wanted)
      .map(({ rule, count }) => ({
        key: fittedName(wordsFor(rule)),
        value: count,
        href: href({
          list: props.withoutRecord.includes(rule) ? 'sessions' : 'records',
          field: 'finding',
          value: rule,
        }),
      }));
  const tables = [
    {
      title: 'Errors inside sessions',
      cls: 'rejected',
      rows: bySeverity('ERROR'),
    },
    { title: 'Warnings', cls: 'dropped', rows: bySeverity('WARNING') },
    {
      title: 'Rejected, by reason',
      cls: 'rejected',
      rows: rejections.map(({ reason, count }) => ({
        key: fittedName(wordsFor(reason)),
        value: count,
        href: href({ list: 'rejected', field: 'reason', value: reason }),
      })),
    },
    {
      title: 'Rejected lines, by log',
      cls: 'rejected',
      rows: sources.flatMap(({ source, fates: { rejected = 0 } }) =>
        rejected === 0 ? [] : [{ key: fittedName(source), value: rejected, href: hrefOfSource(source) }],
      ),
    },
  ].filter(({ rows }) => rows.length > 0);
  return (
    <section id="problems" hidden={tables.length === 0}>
      <h2>Problems</h2>
      <p>
        {`${showNumber(findings.reduce((sum, { count }) => sum + count, 0))} findings, `}
        {showCount(
          rejections.reduce((sum, { count }) => sum + count, 0),
          'rejection',
        )}
        .
      </p>
      <div class="grid2">
        {tables.map(({ title, cls, rows }) => (
          <div class="card">
            <h3>{title}</h3>
            <Bars label={title} cls={cls} rows={rows} />
          </div>
        ))}
      </div>
    </section>
  );
}
