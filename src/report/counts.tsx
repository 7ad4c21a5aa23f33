/** The sections Records and Changes: counts as charts, each with its numbers beside it. */
import type { VNode } from 'preact';
import { Bars, type Bin, COLUMN_WIDTHS, Columns, Dot, Histogram, Stack } from '../charts/bars.tsx';
import { Linked, useLinks } from '../charts/links.tsx';
import { fitted, fittedName, showBytes, showCount, showNumber, showShare, sumOf } from '../charts/numbers.ts';
import { namedWords } from '../charts/words.ts';
import type { Counts } from '../dataset/schema/ledger.ts';
import type { DatasetProfile, LedgerSums, RecordsProfile } from '../dataset/schema/reports.ts';
import { binOf, binRange } from '../ledger/counts.ts';
import type { SummedUp } from './lead.tsx';
import { OutsideName } from './outside.tsx';
import { MAX_SHOWN_TOOLS } from './report-data.ts';

const MAX_COLUMNS = 22;
const MIN_COLUMNS = 8;
const MAX_LABEL = 14;
const MAX_SHOWN_ROLES = 8;
const MAX_SHOWN_RULES = 20;
const MAX_IN_A_COLUMN = 8;
const KNOWN_ROLES = ['system', 'user', 'assistant', 'tool'];

export function RecordsSection(props: {
  readonly manifest: SummedUp;
  readonly profile: DatasetProfile;
}): VNode {
  const { manifest, profile } = props;
  const { records, branches = 0 } = profile;
  const hrefOf = useLinks();
  const { contained = 0 } = manifest.ledger.sessions;
  const { copies } = settingsOf(manifest);
  const [{ answers = 0, context = 0 } = {}] = Object.values(manifest.ledger.formats);
  const tools = byCount(records.tools).slice(0, MAX_SHOWN_TOOLS);
  const shown =
    records.tool_count > tools.length ? `, ${tools.length} of ${showNumber(records.tool_count)}` : '';
  return (
    <section id="records">
      <h2>Records</h2>
      <p>
        {`${showCount(manifest.totals.records, 'record')}, ${showCount(records.messages, 'message')}, ${showCount(records.calls, 'tool call')}.`}
      </p>
      <Sizes records={records} count={manifest.ledger.formats[firstFormat(manifest)]?.records ?? 0} />
      <Copies contained={contained} repeated={records.repeated ?? 0} isCounted={copies !== undefined} />
      {context === 0 ? null : (
        <p>{`${showNumber(context)} of ${showCount(answers, 'answer')} ${context === 1 ? 'is' : 'are'} context: trained in an earlier record only.`}</p>
      )}
      {branches === 0 ? null : (
        <p>{`${showCount(branches, 'session')} ${branches === 1 ? 'is a further branch' : 'are further branches'} of another one.`}</p>
      )}
      <CountsBy what="model" counts={records.models} total={records.model_count} />
      <div class="grid3">
        {(
          [
            ['messages', 'Messages in a record', binsOf(records.by_messages, 'messages', hrefOf), showNumber],
            ['sizes', 'Size of a record', binsOf(records.by_bytes, 'bytes', hrefOf), showBytes],
            ['calls', 'Tool calls in a record', binsOf(records.by_calls, 'calls', hrefOf), showNumber],
          ] as const
        ).map(([id, title, bins, format]) => (
          <Card title={title}>
            <Histogram id={id} title={title} bins={bins} format={format} />
          </Card>
        ))}
        <Card title={isByDay(profile) ? 'Sessions per day' : 'Sessions by group'} size="span2">
          <Groups profile={profile} />
        </Card>
        <Card title="Roles">
          <Roles roles={records.roles} />
        </Card>
        <Card title={`Tools called${shown}`} size="span3">
          <Tools tools={tools} />
        </Card>
      </div>
    </section>
  );
}

/**
 * @param contained sessions that lie inside the record of another one
 * @param repeated records that equal an earlier one
 * @param isCounted whether contained sessions were looked for
 */
function Copies(props: {
  readonly contained: number;
  readonly repeated: number;
  readonly isCounted: boolean;
}): VNode {
  const { contained, repeated, isCounted } = props;
  const equal = `${showCount(repeated, 'record')} ${repeated === 1 ? 'equals an earlier one' : 'equal earlier ones'} byte for byte.`;
  if (contained > 0)
    return (
      <p>{`${showCount(contained, 'session')} left out, because the record of another session contains ${contained === 1 ? 'it' : 'them'}.${repeated > 0 ? ` ${equal}` : ''}`}</p>
    );
  if (isCounted) return <p>{repeated > 0 ? equal : 'No record repeats another one, or its beginning.'}</p>;
  return (
    <p>
      {repeated > 0 ? equal : 'No record equals another one.'} To leave out{' '}
      {repeated > 0 ? 'such records, and those' : 'records'} that lie inside others, build with{' '}
      <code>--copies drop</code>.
    </p>
  );
}

const settingsOf = ({
  settings,
}: SummedUp): {
  readonly format?: readonly string[];
  readonly copies?: string;
} => settings;

const firstFormat = (manifest: SummedUp): string => settingsOf(manifest).format?.[0] ?? '';

/** A sentence with the counts of names, the largest first. @param props.total of names, if only some are listed */
export function CountsBy(props: {
  readonly what: string;
  readonly counts?: Counts | undefined;
  readonly total?: number | undefined;
}): VNode | null {
  const { what, counts = {}, total = 0 } = props;
  const shown = byCount(counts).map(([name, n]) => `${fittedName(name)} ${showNumber(n)}`);
  if (shown.length === 0) return null;
  const others = total > shown.length ? `, and ${showCount(total - shown.length, 'other')}` : '';
  return <p>{`By ${what}: ${shown.join(', ')}${others}.`}</p>;
}

const CHARACTERS_PER_TOKEN = 4;

/** Tokens, and how long the records are. @param count records in the first format */
function Sizes({
  records,
  count,
}: {
  readonly records: RecordsProfile;
  readonly count: number;
}): VNode | null {
  const { bytes, characters, longest, roles, by_bytes: sizes } = records;
  if (characters === undefined || count === 0) return null;
  const tokensPerByte = characters / Math.max(1, bytes) / CHARACTERS_PER_TOKEN;
  const tokens = (size: number): string => showNumber(roundedTo2(size * tokensPerByte));
  const facts = [
    ['tokens, estimated', tokens(bytes)],
    ['in a record, median', tokens(quantile(sizes, 0.5))],
    ['in a record, 95 %', tokens(quantile(sizes, 0.95))],
    ['in the longest', tokens(longest)],
    ['turns of users', showNumber(roles.user ?? roles.human ?? 0)],
    ['turns of the model', showNumber(roles.assistant ?? roles.gpt ?? 0)],
  ] as const;
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="dim">
        The number of tokens is an estimate: characters of the records divided by 4. Your tokenizer counts
        otherwise.
      </p>
    </>
  );
}

/** Rounds to two digits: 12,345 is 12,000. */
function roundedTo2(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 1);
  return Math.round(value / unit) * unit;
}

/** Returns about the size that a share of the records does not exceed: the middle of its bin. */
function quantile(bins: Counts, share: number): number {
  const sorted = Object.entries(bins).sort(([a], [b]) => Number(a) - Number(b));
  let left = share * sumOf(bins);
  for (const [from, n] of sorted) {
    left -= n;
    if (left > 0) continue;
    const [first, last] = binRange(binOf(Number(from)));
    return (first + last) / 2;
  }
  return 0;
}

/** The tools, in two columns if there are many. */
function Tools({ tools }: { readonly tools: readonly (readonly [string, number])[] }): VNode {
  if (tools.length === 0) return <span class="dim">none</span>;
  const hrefOf = useLinks();
  const half = tools.length > MAX_IN_A_COLUMN ? Math.ceil(tools.length / 2) : tools.length;
  return (
    <div class={half < tools.length ? 'two' : undefined}>
      {[tools.slice(0, half), tools.slice(half)]
        .filter(({ length }) => length > 0)
        .map((column) => (
          <Bars
            cls="tool"
            label="Tools called"
            most={tools[0]?.[1] ?? 1}
            rows={column.map(([name, value]) => ({
              key: fittedName(name),
              value,
              href: hrefOf({ list: 'records', field: 'tool', value: name }),
            }))}
          />
        ))}
    </div>
  );
}

/** Whether all groups are days: sessions without a date are a group too. */
const isByDay = ({ groups }: DatasetProfile): boolean =>
  groups.every(({ group }) => /^\d{4}-\d{2}-\d{2}$/.test(group));

function Card(props: {
  readonly title: string;
  readonly size?: 'span2' | 'span3';
  readonly children: VNode;
}): VNode {
  return (
    <div class={`card ${props.size ?? ''}`.trim()}>
      <h3>{props.title}</h3>
      {props.children}
    </div>
  );
}

function Roles({ roles }: { readonly roles: Counts }): VNode {
  const all = sumOf(roles);
  const known = KNOWN_ROLES.map((role) => ({ key: role, cls: role, value: roles[role] ?? 0 }));
  const others = all - known.reduce((sum, { value }) => sum + value, 0);
  return (
    <>
      <Stack
        height={16}
        label="Messages by role"
        parts={[...known, { key: 'other', cls: 'blank', value: others }]}
      />
      <table class="bars">
        <caption class="sr">Messages by role</caption>
        <tbody>
          {byCount(roles)
            .slice(0, MAX_SHOWN_ROLES)
            .map(([role, value]) => (
              <tr>
                <th scope="row" class="role">
                  <Dot cls={KNOWN_ROLES.includes(role) ? role : 'blank'} />
                  <Linked rows={{ list: 'records', field: 'role', value: role }}>
                    <OutsideName text={role} />
                  </Linked>
                </th>
                <td class="num">{showNumber(value)}</td>
                <td class="num dim">{showShare(value, all)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </>
  );
}

/** The fates of sessions in the chart of groups, with their colours. */
const GROUP_FATES = [
  ['written', 'snapshot'],
  ['contained', 'superseded'],
  ['without a record', 'blank'],
  ['rejected', 'rejected'],
] as const;

function Groups({ profile }: { readonly profile: DatasetProfile }): VNode {
  const { groups, group_count: count } = profile;
  const hasContained = groups.some(({ contained = 0 }) => contained > 0);
  const hrefOf = useLinks();
  const columns = groups.map(({ group, written, empty, rejected, contained = 0 }) => ({
    name: fitted(group, MAX_LABEL),
    href: written === 0 ? undefined : hrefOf({ list: 'records', field: 'group', value: group }),
    parts: [
      { key: 'written', cls: 'snapshot', value: written },
      ...(hasContained ? [{ key: 'contained', cls: 'superseded', value: contained }] : []),
      { key: 'without a record', cls: 'blank', value: empty },
      { key: 'rejected', cls: 'rejected', value: rejected },
    ],
  }));
  return (
    <>
      {(['wide', 'narrow'] as const).map((size) => (
        <div class={size}>
          <Columns
            id={size === 'wide' ? 'groups' : 'groups-narrow'}
            columns={columns}
            width={COLUMN_WIDTHS[size]}
          />
        </div>
      ))}
      <div class="legend">
        {GROUP_FATES.filter(([, cls]) => hasContained || cls !== 'superseded').map(([name, cls]) => (
          <span>
            <Dot cls={cls} />
            {name}
          </span>
        ))}
        {count > groups.length ? (
          <span class="dim">{`${groups.length} of ${showNumber(count)} groups`}</span>
        ) : null}
      </div>
    </>
  );
}

/** Whether a rule, a repair or a union of tools changed anything. */
export const hasChanges = ({ rewrites, repairs, tools }: LedgerSums): boolean =>
  [rewrites, repairs, tools].some((counts) => Object.keys(counts).length > 0);

export function ChangesSection({ ledger }: { readonly ledger: LedgerSums }): VNode {
  const { seen: _seen, ...tools } = ledger.tools;
  return (
    <section id="changes">
      <h2>Changes</h2>
      <p>Nothing is changed except by a named rule; every change is counted.</p>
      <div class="grid3">
        {(
          [
            ['Rewrites', 'Messages that a rule changed', ledger.rewrites],
            ['Repairs', 'Repairs made so that a line could be read', ledger.repairs],
            ['Tool definitions', 'Tool definitions by fate', tools],
          ] as const
        )
          .filter(([, , counts]) => Object.keys(counts).length > 0)
          .map(([title, label, counts]) => (
            <Changes title={title} label={label} counts={counts} isOfSessions={counts === ledger.rewrites} />
          ))}
      </div>
    </section>
  );
}

function Changes(props: {
  readonly title: string;
  readonly label: string;
  readonly counts: Readonly<Record<string, number>>;
  /** Whether sessions name these changes. */
  readonly isOfSessions: boolean;
}): VNode {
  const hrefOf = useLinks();
  const rows = byCount(props.counts)
    .slice(0, MAX_SHOWN_RULES)
    .map(([name, value]) => ({
      key: fittedName(namedWords(name)),
      value,
      href: props.isOfSessions ? hrefOf({ list: 'sessions', value: name }) : undefined,
    }));
  return (
    <div class="card">
      <h3>{props.title}</h3>
      <Bars label={props.label} cls="dropped" rows={rows} />
    </div>
  );
}

function byCount(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(counts).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
}

/** Returns the bins from the first to the last that is not empty, merged into 8 to 22 columns. */
function binsOf(counts: Counts, field: string, hrefOf: ReturnType<typeof useLinks>): readonly Bin[] {
  const numbers = Object.keys(counts).map((from) => binOf(Number(from)));
  if (numbers.length === 0) return [];
  const first = Math.min(...numbers);
  const last = Math.max(...numbers, first + MIN_COLUMNS - 1);
  const joined = Math.ceil((last - first + 1) / MAX_COLUMNS);
  const bins: Bin[] = [];
  for (let bin = first; bin <= last; bin += joined) {
    const end = Math.min(last, bin + joined - 1);
    let count = 0;
    for (let i = bin; i <= end; i++) count += counts[String(binRange(i)[0])] ?? 0;
    const [from, to] = [binRange(bin)[0], binRange(end)[1]];
    bins.push({ from, to, count, href: hrefOf({ list: 'records', field, value: `${from}..${to}` }) });
  }
  return bins;
}
