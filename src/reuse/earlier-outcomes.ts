/**
 * The outcomes of a source, once more, from what an earlier run wrote about it: the recorder makes the same of them as of those that
 * a worker would find in the source itself (docs/decisions/0013-update.md).
 */
import { createEntryLog } from '../../transforms/model/entry-log.ts';
import type { PackedCounts } from '../input/decompress/packed-counts.ts';
import { stampOfProof } from '../input/fingerprint.ts';
import type {
  FindingOutcome,
  Outcome,
  Refusal,
  RejectedLine,
  RowOutcome,
  SessionReport,
  SourceReport,
} from '../ledger/result.ts';
import type { EarlierCursor, EarlierLedger, SourceKey } from './earlier-ledger.ts';
import type { EarlierLine } from './earlier-lines.ts';
import type { EarlierRecords } from './earlier-records.ts';

export interface EarlierSource extends SourceKey {
  /** Index in the listing of this run. */
  readonly index: number;
  /** Which file it is, for the next run. */
  readonly proof: string;
}

export interface EarlierParts {
  readonly ledger: EarlierLedger;
  readonly records: EarlierRecords;
  /** Of a shard. */
  readonly groupOf: (shard: string) => string;
  /** Of a record whose line does not name it: there is one only. */
  readonly format: string;
}

const REJECTED = 'rejected:';
/** The recorder writes the line of a session's violation behind the detail. */
const VIOLATION = /^(.*) \(line (\d+)\)$/s;

/** Sources come in the order of the listing. */
export async function* earlierOutcomes(
  source: EarlierSource,
  { ledger, records, groupOf, format: only }: EarlierParts,
): AsyncGenerator<Outcome> {
  const { sources, sessions, quarantine, integrity } = ledger;
  for (const cursor of [sources, sessions, quarantine, integrity]) cursor.seek(source);
  const stamp = stampOfProof(source.proof);
  yield { kind: 'source-begin', source: source.index, provisional: false, ...(stamp && { stamp }) };
  for (let line = integrity.take(); line !== undefined; line = integrity.take()) yield findingOf(line);

  // rejected lines, sessions and records keep their order, which is that of the quarantine
  for (
    let line = quarantine.peek();
    line !== undefined && line.scope !== 'source';
    line = quarantine.peek()
  ) {
    if (line.scope === 'line') yield rejectedLineOf(quarantine.take());
    else yield* nextSession();
  }
  while (sessions.peek() !== undefined) yield* nextSession();
  quarantine.take(); // of the source itself
  yield reportOf(sources.take(), source);

  async function* nextSession(): AsyncGenerator<Outcome> {
    const line = sessions.take();
    for (const place of line.records ?? (line.shard === undefined ? [] : [line])) yield await rowOf(place);
    yield sessionOf(line, quarantine);
  }

  async function rowOf({ shard, line, format = only }: EarlierLine): Promise<RowOutcome> {
    return { kind: 'row', group: groupOf(shard), format, bytes: await records.at(shard, line) };
  }
}

function findingOf({ severity, rule, session, entry, message, count }: EarlierLine): FindingOutcome {
  const finding = { severity, rule, sessionId: session ?? undefined, line: entry, message };
  return { kind: 'finding', ...finding, ...(count !== undefined && { count }) };
}

function rejectedLineOf(line: EarlierLine): RejectedLine {
  const { reason, stage, error, byte_start: offset, byte_end, member, raw_sha256: sha256, raw_b64 } = line;
  const detail = error.message;
  const raw = raw_b64 === undefined ? {} : { raw: Buffer.from(raw_b64, 'base64') };
  const rest = line.rest === undefined ? {} : { rest: Object.entries<number>(line.rest) };
  const place = { line: line.line, offset, length: byte_end - offset };
  return {
    kind: 'rejected-line',
    reason,
    stage,
    detail,
    ...(error.at !== undefined && { at: error.at }),
    ...place,
    ...(member && { member }),
    sha256,
    ...raw,
    ...rest,
  };
}

function sessionOf(line: EarlierLine, quarantine: EarlierCursor): SessionReport {
  const { id, fate, origin, entries, superseded, truncated, changes, tools, usage, refused } = line;
  const rejected = fate.startsWith(REJECTED);
  return {
    kind: 'session',
    sessionId: id ?? undefined,
    outcome: rejected ? 'rejected' : fate,
    ...(origin && { snapshot: origin }),
    ...{ entries, superseded, truncated, changes: Object.entries(changes) },
    ...(tools && { toolCounts: tools }),
    ...(usage && { usage }),
    ...(refused && { refusals: refusalsOf(refused.length, quarantine) }),
    ...(rejected && { rejection: rejectionOf(fate.slice(REJECTED.length), entries, quarantine) }),
  };
}

/** Quarantine holds a line for each format that refused the session. */
function refusalsOf(count: number, quarantine: EarlierCursor): readonly Refusal[] {
  return Array.from({ length: count }, () => {
    const { format, reason, stage, error } = quarantine.take();
    return { format, reason, stage, detail: error.message };
  });
}

/** Quarantine holds a line for each entry of a rejected session. */
function rejectionOf(
  reason: string,
  entries: number,
  quarantine: EarlierCursor,
): NonNullable<SessionReport['rejection']> {
  const log = createEntryLog();
  let stage = '';
  let detail = '';
  let violation = 0;
  for (let n = 0; n < entries; ) {
    const { line, byte_start: offset, byte_end, error, stage: where, rest } = quarantine.take();
    const count = 1 + (rest?.[reason] ?? 0);
    // of those that were only counted no more is known than that they are of this line: they are counted again
    for (let i = 0; i < count; i++) log.add({ source: '', line, offset, length: byte_end - offset });
    n += count;
    const [, what = '', at] = VIOLATION.exec(error.message) ?? [];
    [stage, detail, violation] = [where, what, Number(at)];
  }
  return { reason, stage, detail, line: violation, log: log.take() };
}

function reportOf(line: EarlierLine, { index, proof }: EarlierSource): SourceReport {
  const { status, reason, detail, size, compression, packed, bytes, parts, framed, lines, fates, repairs } =
    line;
  const { bom, crlf = 0, 'no-final-newline': noFinalNewline = 0, ...ofLines } = repairs;
  return {
    kind: 'source',
    source: index,
    status,
    ...(reason !== undefined && { rejection: { reason, detail } }),
    ...{ compression, proof, lines },
    ...(packed && { packed: packedOf(packed) }),
    readBytes: size,
    framing: {
      bytes,
      bomBytes: parts.bom,
      lineBytes: parts.lines,
      terminatorBytes: parts.terminators,
      lines: framed,
      crlf,
      noFinalNewline: noFinalNewline > 0,
    },
    fates: Object.entries(fates),
    repairs: Object.entries(ofLines),
  };
}

function packedOf({ members, member_bytes, padding_bytes }: EarlierLine): PackedCounts {
  return { members, memberBytes: member_bytes, paddingBytes: padding_bytes };
}
