/**
 * The part that a worker thread posts. Most results come from plain files that have one record and few findings. These
 * are encoded as lists of values, with the names of their tools only once: encoding and parsing objects took a quarter
 * of the time of a run with two workers.
 */
import type { CountList } from './counts.ts';
import { PartCodec, RESULT_BYTES } from './part.ts';
import type {
  FindingResult,
  RecordResult,
  Result,
  SessionReport,
  SourceBegin,
  SourceReport,
} from './result.ts';

/** A finding about the session of the record. */
type FindingValues = readonly [
  ...[severity: FindingResult['severity'], rule: string, line: number, message: string],
  count?: number,
];

const NO_FINDINGS: readonly FindingValues[] = [];

interface PlainFile {
  readonly kind: 'plain-file';
  readonly begin: readonly [source: number, provisional: boolean, identity: string];
  /** Absent if there are none. */
  readonly findings?: readonly FindingValues[];
  readonly record: readonly [
    ...[group: string, format: string, refusals: RecordResult['refusals'] | null],
    shape?: NonNullable<RecordResult['shape']>,
  ];
  readonly session: readonly [
    ...[sessionId: string, line: number, offset: number, length: number],
    ...[entries: number, superseded: number, truncated: number, changes: CountList],
  ];
  readonly tools: readonly [
    ...[seen: number, kept: number, duplicateSame: number, duplicateConflict: number],
    ...[toolCalls: number, clientTurns: number, assistantTurns: number, assistantTurnsWithTools: number],
    /** A number is the index of an earlier list of names in this part. */
    names: readonly string[] | number,
  ];
  readonly framing: readonly [
    ...[bytes: number, bomBytes: number, lineBytes: number, terminatorBytes: number],
    ...[lines: number, crlf: number, noFinalNewline: boolean],
  ];
  readonly report: readonly [
    ...[
      fingerprint: string,
      readBytes: number,
      lines: number,
      fates: CountList,
      repairs: CountList,
      dialect?: string,
    ],
  ];
  /** The record. */
  readonly bytes: Uint8Array;
  /** The path of its conversation, if the run compares them. */
  readonly path?: Uint8Array | undefined;
}

const codec = new PartCodec<Result | PlainFile>({
  ...RESULT_BYTES,
  'plain-file': { bytes: true, path: true },
});

/** Encodes results as one part, for `decodeThreadPart`. */
export function encodeThreadPart(results: readonly Result[]): readonly Uint8Array[] {
  const known = new Map<readonly string[], number>();
  const items: (Result | PlainFile)[] = [];
  for (let at = 0; at < results.length; at++) {
    const begin = results[at] as Result;
    const last = begin.kind === 'source-begin' ? placeOfReport(results, at) : undefined;
    const packed = last === undefined ? undefined : pack(results.slice(at, last + 1), known);
    items.push(packed ?? begin);
    if (packed !== undefined) at = last as number;
  }
  return codec.encode(items);
}

/**
 * Decodes a part from `encodeThreadPart`.
 * @throws TurnmillError `invalid-dataset` if it is damaged
 */
export function decodeThreadPart(pieces: readonly Uint8Array[]): Result[] {
  const results: Result[] = [];
  const known: (readonly string[])[] = [];
  for (const item of codec.decode(pieces)) {
    if (item.kind === 'plain-file') unpack(item, known, results);
    else results.push(item);
  }
  return results;
}

/** Returns the index of a source's report, if the source has only findings, a record and its session. */
function placeOfReport(results: readonly Result[], begin: number): number | undefined {
  let at = begin + 1;
  while (results[at]?.kind === 'finding') at++;
  const isPlain = results[at]?.kind === 'record' && results[at + 1]?.kind === 'session';
  return isPlain && results[at + 2]?.kind === 'source' ? at + 2 : undefined;
}

/**
 * Encodes the results of one source as values.
 * @param results in the order that `placeOfReport` expects
 * @returns undefined if a member cannot be expressed as a value
 */
function pack(results: readonly Result[], known: Map<readonly string[], number>): PlainFile | undefined {
  const begin = results[0] as SourceBegin;
  const findings = results.slice(1, -3) as FindingResult[];
  const [{ group, format, bytes, shape, refusals = null, seal }, session, report] = results.slice(-3) as [
    RecordResult,
    SessionReport,
    SourceReport,
  ];
  const { source, provisional, identity } = begin;
  const { sessionId, snapshot, toolCounts, usage } = session;
  const { fingerprint, readBytes, lines, fates, repairs, dialect } = report;
  if (identity === undefined || fingerprint === undefined || sessionId === undefined) return undefined;
  if (snapshot === undefined || toolCounts === undefined || usage === undefined) return undefined;
  if (findings.some((finding) => finding.sessionId !== sessionId || finding.acrossSources)) return undefined;
  if (
    seal !== undefined ||
    begin.mayReopen !== undefined ||
    begin.again !== undefined ||
    report.source !== source
  )
    return undefined;
  if (session.fate !== 'written' || hasOtherMembers(session)) return undefined;
  if (report.status !== 'read' || report.compression !== 'none') return undefined;
  if (report.rejection !== undefined || report.packed !== undefined || report.text !== undefined)
    return undefined;
  return {
    kind: 'plain-file',
    begin: [source, provisional, identity],
    ...(findings.length > 0 && { findings: findings.map(valuesOf) }),
    record: shape === undefined ? [group, format, refusals] : [group, format, refusals, shape],
    session: sessionValues(sessionId, snapshot, session),
    tools: toolValues(toolCounts, usage, known),
    framing: framingValues(report.framing),
    report:
      dialect === undefined
        ? [fingerprint, readBytes, lines, fates, repairs]
        : [fingerprint, readBytes, lines, fates, repairs, dialect],
    bytes,
    ...(session.path !== undefined && { path: session.path }),
  };
}

function sessionValues(
  sessionId: string,
  { line, offset, length }: NonNullable<SessionReport['snapshot']>,
  { entries, superseded, truncated, changes }: SessionReport,
): PlainFile['session'] {
  return [sessionId, line, offset, length, entries, superseded, truncated, changes];
}

function toolValues(
  counts: NonNullable<SessionReport['toolCounts']>,
  usage: NonNullable<SessionReport['usage']>,
  known: Map<readonly string[], number>,
): PlainFile['tools'] {
  const { seen, kept, duplicateSame, duplicateConflict } = counts;
  const { toolCalls, clientTurns, assistantTurns, assistantTurnsWithTools, definitions } = usage;
  const names = known.get(definitions);
  if (names === undefined) known.set(definitions, known.size);
  return [
    ...([seen, kept, duplicateSame, duplicateConflict] as const),
    ...([toolCalls, clientTurns, assistantTurns, assistantTurnsWithTools] as const),
    names ?? definitions,
  ];
}

function framingValues(framing: SourceReport['framing']): PlainFile['framing'] {
  const { bytes, bomBytes, lineBytes, terminatorBytes, lines, crlf, noFinalNewline } = framing;
  return [bytes, bomBytes, lineBytes, terminatorBytes, lines, crlf, noFinalNewline];
}

function valuesOf({ severity, rule, line, message, count }: FindingResult): FindingValues {
  return count === undefined ? [severity, rule, line, message] : [severity, rule, line, message, count];
}

const hasOtherMembers = ({ folded, root, recordRejections, entryLog, rejection }: SessionReport): boolean =>
  folded !== undefined ||
  root !== undefined ||
  recordRejections !== undefined ||
  entryLog !== undefined ||
  rejection !== undefined;

/** Appends the results of a plain file to `into`. */
function unpack(file: PlainFile, known: (readonly string[])[], into: Result[]): void {
  const [source, provisional, identity] = file.begin;
  const [group, format, refusals, shape] = file.record;
  const [sessionId] = file.session;
  into.push({ kind: 'source-begin', source, provisional, identity });
  for (const [severity, rule, line, message, count] of file.findings ?? NO_FINDINGS) {
    const finding = { kind: 'finding', severity, rule, sessionId, line, message } as const;
    into.push(count === undefined ? finding : { ...finding, count });
  }
  into.push(
    {
      kind: 'record',
      group,
      format,
      bytes: file.bytes,
      ...(refusals && { refusals }),
      ...(shape && { shape }),
    },
    sessionOf(file, known),
    reportOf(file),
  );
}

function sessionOf({ session, tools, path }: PlainFile, known: (readonly string[])[]): SessionReport {
  const [sessionId, line, offset, length, entries, superseded, truncated, changes] = session;
  const [seen, kept, duplicateSame, duplicateConflict, ...others] = tools;
  const [toolCalls, clientTurns, assistantTurns, assistantTurnsWithTools, names] = others;
  if (typeof names !== 'number') known.push(names);
  const definitions = typeof names === 'number' ? (known[names] as readonly string[]) : names;
  return {
    kind: 'session',
    sessionId,
    fate: 'written',
    snapshot: { line, offset, length },
    entries,
    superseded,
    truncated,
    changes,
    toolCounts: { seen, kept, duplicateSame, duplicateConflict },
    usage: { toolCalls, definitions, clientTurns, assistantTurns, assistantTurnsWithTools },
    ...(path !== undefined && { path }),
  };
}

function reportOf({ begin: [source], framing, report }: PlainFile): SourceReport {
  const [bytes, bomBytes, lineBytes, terminatorBytes, framedLines, crlf, noFinalNewline] = framing;
  const [fingerprint, readBytes, lines, fates, repairs, dialect] = report;
  return {
    kind: 'source',
    source,
    status: 'read',
    compression: 'none',
    fingerprint,
    readBytes,
    framing: { bytes, bomBytes, lineBytes, terminatorBytes, lines: framedLines, crlf, noFinalNewline },
    lines,
    fates,
    repairs,
    ...(dialect !== undefined && { dialect }),
  };
}
