/** The text of `turnmill explain` about a line. */
import { DROPS } from '../../transforms/model/drops.ts';
import { fateWords, namedWords } from '../charts/words.ts';
import type { Explanation, FindingNote, MessageTrail } from '../job/line-trail.ts';
import { EMPTY_REMEDY, remedyOfPlace } from '../ledger/remedies.ts';
import { CONTAINED_ENTRY, rejectionReason } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import type { Location } from '../record/output.ts';
import { showCount } from '../sizes.ts';
import { labelled } from './source-account.ts';

/** The record that contains a session, and the session that it was made from. */
export interface Container extends Location {
  readonly session: string | null;
  readonly source: string;
}

/** The records of a session in a dataset, or the record that contains it. */
export interface Found {
  readonly records: readonly Location[];
  readonly in?: Container;
  /** Number of its first messages that are context. */
  readonly context?: number;
  /** Its fates in the dataset, if it has no record there. */
  readonly listed?: readonly string[];
}

/** Returns several lines, without a newline after the last one. */
export function explanationText(explanation: Explanation, found: Found | undefined, out: string): string {
  const { source, line, offset, length, messages, changes, findings, sessionFindings } = explanation;
  const { fate, session, sessionFate, group } = explanation;
  const bytes = offset === undefined ? '' : `, bytes ${offset} to ${offset + (length ?? 0)}`;
  const place = explanation.stage === 'source' ? '' : `, line ${line}${bytes}`;
  const rules = Object.entries(changes);
  return [
    `${printable(source)}${place}: ${printable(fateWords(fate))}`,
    labelled('why', whyOf(explanation)),
    labelled('to do', remedyOf(explanation)),
    labelled('session', session === undefined ? undefined : `${printable(session)}, ${sessionFate}`),
    labelled('group', group === undefined ? undefined : printable(group)),
    labelled('record', found && recordText(found, out)),
    labelled('context', found?.context === undefined ? undefined : contextText(found.context)),
    ...recordRejectionLines(explanation),
    labelled('messages', messages && messagesText(messages)),
    labelled(
      'changes',
      rules.length === 0 ? undefined : rules.map(([rule, count]) => `${rule} ${showCount(count)}`).join(', '),
    ),
    ...notes('findings', findings, line),
    ...notes(findings.length === 0 ? 'findings' : '', sessionFindings, line),
  ]
    .filter((text) => text !== undefined)
    .join('\n');
}

function notes(label: string, findings: readonly FindingNote[], own: number): (string | undefined)[] {
  return findings.map(({ severity, rule, message, line }, i) =>
    labelled(
      i === 0 ? label : '',
      printable(`${severity} ${namedWords(rule)}${line === own ? '' : ` (line ${line})`}: ${message}`),
    ),
  );
}

function whyOf(explanation: Explanation): string {
  const { fate, detail, stage, violationLine, snapshotLine, isFolded, findings } = explanation;
  if (isFolded === true)
    return 'the conversation begins with this event; the record is made from it and the events after it';
  if (fate === 'snapshot')
    return 'this is the last entry with the most messages, so the record is made from it';
  if (fate === 'folded') return `it is part of the conversation that begins in line ${snapshotLine}`;
  if (fate === 'superseded' && findings.some(({ rule }) => rule === 'not-a-prefix'))
    return `line ${snapshotLine} has at least as many messages, so the record is made from that line`;
  if (fate === 'superseded')
    return `line ${snapshotLine} repeats and continues this conversation, so the record is made from that line`;
  if (fate === 'truncated')
    return `it has fewer messages than the earlier line ${snapshotLine}, so the record is made from that line`;
  if (fate === 'blank') return 'the line is blank';
  if (fate === CONTAINED_ENTRY)
    return `its conversation, made from line ${snapshotLine}, lies inside the record of another one`;
  const dropped: string | undefined = (DROPS as Readonly<Record<string, string>>)[
    fate.replace('dropped:', '')
  ];
  if (fate.startsWith('dropped:') && dropped !== undefined) return dropped;
  if (fate.startsWith('dropped:'))
    return `the cleanup rule ${printable(fate.slice('dropped:'.length))} drops such entries`;
  if (stage === 'source') return `the whole source was rejected: ${printable(detail ?? '')}`;
  const by = `${printable(detail ?? '')} (${stage})`;
  if (violationLine === undefined) return by;
  return `the whole session was rejected because of line ${violationLine}: ${by}`;
}

/** Says what to type about a rejection. */
function remedyOf({ fate, sessionFate, recordRejections = [] }: Explanation): string | undefined {
  const [refused] = recordRejections;
  const reason = rejectionReason(fate) ?? refused?.reason;
  if (reason === undefined) return sessionFate === 'empty' ? EMPTY_REMEDY : undefined;
  return remedyOfPlace(reason);
}

function recordRejectionLines({ recordRejections = [] }: Explanation): (string | undefined)[] {
  return recordRejections.map(({ detail, reason }, i) =>
    labelled(i === 0 ? 'refused' : '', printable(`${namedWords(reason)}: ${detail}`)),
  );
}

/** Counts the messages of the request, without the reply. */
function messagesText(messages: readonly MessageTrail[]): string {
  const request = messages.filter(({ isReply }) => isReply !== true);
  const logged = request.length;
  const kept = request.filter((message) => message.kept !== null).length;
  return logged === kept ? showCount(logged) : `${showCount(logged)}, ${showCount(kept)} after cleanup`;
}

function contextText(messages: number): string {
  const first = messages === 1 ? 'the first message is' : `the first ${showCount(messages)} messages are`;
  return `${first} in an earlier record too, which trains the answers among them`;
}

/** @param out the dataset, so that the paths are those of files */
function recordText({ records, in: container, listed }: Found, out: string): string {
  const placeOf = ({ shard, line }: Location): string =>
    printable(`${out.replace(/\/$/, '')}/${shard}:${line}`);
  if (container !== undefined) {
    const { session, source } = container;
    return `none; it lies inside ${placeOf(container)} (session ${printable(session ?? '')} of ${printable(source)})`;
  }
  if (records.length === 0)
    return `none in that dataset${listed === undefined ? '' : differenceText(listed)}`;
  return records.map(placeOf).join('; ');
}

/** Says why a line that makes a record now has none in the dataset. */
function differenceText(listed: readonly string[]): string {
  if (listed.length > 0)
    return `, which lists this session as ${printable(listed.map(fateWords).join(', '))}: the log or turnmill has changed since, or you passed other options`;
  return ', which does not list this session: its build did not read it (--limit, --slice, --exclude or --since), or the log has changed since';
}
