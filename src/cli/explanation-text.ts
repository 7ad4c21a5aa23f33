/** What became of a line, in words. */
import type { Explanation, FindingNote } from '../job/line-trail.ts';
import { printable } from '../printable.ts';
import type { RecordPlace } from './find-record.ts';
import { showCount } from './sizes.ts';

const LABEL_WIDTH = 11;

/** Several lines, without a newline at the end. */
export function explanationText(found: Explanation, records: readonly RecordPlace[] | undefined): string {
  const { source, line, offset, length, messages, changes, findings, sessionFindings } = found;
  const bytes = offset === undefined ? '' : `, bytes ${offset} to ${offset + (length ?? 0)}`;
  const rules = Object.entries(changes);
  return [
    `${printable(source)}, line ${line}${bytes}: ${printable(found.fate)}`,
    row('why', whyOf(found)),
    row('session', found.session === undefined ? undefined : `${printable(found.session)}, ${found.outcome}`),
    row('group', found.group === undefined ? undefined : printable(found.group)),
    row('record', records && recordText(records)),
    ...refusalRows(found),
    row('messages', messages && messagesText(messages)),
    row(
      'changes',
      rules.length === 0 ? undefined : rules.map(([rule, count]) => `${rule} ${showCount(count)}`).join(', '),
    ),
    ...notes('findings', findings, line),
    ...notes(findings.length === 0 ? 'findings' : '', sessionFindings, line),
  ]
    .filter((text) => text !== undefined)
    .join('\n');
}

function row(label: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `  ${label.padEnd(LABEL_WIDTH)}${text}`;
}

function notes(label: string, findings: readonly FindingNote[], own: number): (string | undefined)[] {
  return findings.map(({ severity, rule, message, line }, i) =>
    row(
      i === 0 ? label : '',
      printable(`${severity} ${rule}${line === own ? '' : ` (line ${line})`}: ${message}`),
    ),
  );
}

function whyOf({ fate, detail, stage, violationLine, snapshotLine }: Explanation): string {
  if (fate === 'snapshot') return 'it is the last entry with the most messages: the record is made from it';
  if (fate === 'superseded')
    return `line ${snapshotLine} repeats the conversation and goes on: the record is made from that line`;
  if (fate === 'truncated')
    return `it has fewer messages than line ${snapshotLine} before it, from which the record is made`;
  if (fate === 'blank') return 'there is nothing on it';
  if (fate.startsWith('dropped:'))
    return `the cleanup rule ${printable(fate.slice('dropped:'.length))} takes such entries out`;
  const by = `${printable(detail ?? '')} (${stage})`;
  if (violationLine === undefined) return by;
  return `the whole session was rejected because of line ${violationLine}: ${by}`;
}

function refusalRows({ refusals = [] }: Explanation): (string | undefined)[] {
  return refusals.map(({ detail, reason }, i) =>
    row(i === 0 ? 'refused' : '', printable(`${reason}: ${detail}`)),
  );
}

function messagesText({ logged, kept }: { readonly logged: number; readonly kept: number }): string {
  return logged === kept
    ? showCount(logged)
    : `${showCount(logged)}, of which cleanup left ${showCount(kept)}`;
}

function recordText(records: readonly RecordPlace[]): string {
  if (records.length === 0) return 'none in that dataset';
  return records.map(({ shard, line }) => `${printable(shard)}, line ${line}`).join('; ');
}
