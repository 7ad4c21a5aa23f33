/**
 * The account of everything that was seen: sums over sources and sessions, and the identities
 * that must hold before anything is committed. All counts are exact integers.
 */
import type { Counts, LedgerSums } from '../dataset/schema.ts';
import type { Listing } from '../input/sources/source.ts';
import type { KeptOut } from '../settings/error-budget.ts';
import {
  type FindingOutcome,
  fatesOfSession,
  repairsOf,
  type SessionReport,
  type SourceReport,
} from './result.ts';

export interface Ledger {
  source(report: SourceReport): void;
  session(report: SessionReport): void;
  finding(finding: FindingOutcome): void;
  rewrites(changes: readonly (readonly [string, number])[]): void;
  record(format: string): void;
  /** A session has records in this format. */
  wrote(format: string): void;
  /** Sources that were not reached, because the run's limit of sessions was. */
  overLimit(count: number): void;
  /** How much was kept out so far, and of how much. */
  keptOut(): KeptOut;
  /** Of a run that may or can read none of what there is: which of the two. */
  allUnreadable(): 'permission' | 'io' | undefined;
  /** What does not add up; empty when the books balance. */
  imbalances(): readonly string[];
  /** Of all formats, so far. */
  records(): number;
  sums(): LedgerSums;
}

/** Fates that entries have by their session. */
const ENTRY_FATES = ['snapshot', 'superseded', 'truncated'];
const rejectedFate = (fate: string): boolean => fate.startsWith('rejected:');

/** Reasons for passing over a source that lose nothing. */
const HARMLESS = new Set(['symlink', 'duplicate-inode', 'excluded', 'over-limit']);

/** Is a source that is passed over for this reason no rejection? */
export function losesNothing(reason: string): boolean {
  return HARMLESS.has(reason);
}

export function createLedger(listing: Listing, formats: readonly string[]): Ledger {
  const sources = new Map<string, number>();
  const fates = new Map<string, number>();
  const repairs = new Map<string, number>();
  const sessions = new Map<string, number>();
  const tools = new Map<string, number>();
  const rewrites = new Map<string, number>();
  const findings = new Map<string, number>();
  const bytes = new Map<string, number>();
  const ofOpenSource = new Map<string, number>(); // entries of its sessions so far, by fate
  const problems: string[] = [];
  let lines = 0;
  const byFormat = new Map(formats.map((name) => [name, new Map([['records', 0]])]));
  const wroteBy = new Map<string, number>(); // sessions
  let errors = 0;
  let warnings = 0;
  let notReached = 0;
  let rejectedLines = 0;
  const answers: (string | undefined)[] = []; // of the system, where a source could not be read
  let refusedRecords = 0; // by one format, of sessions that another one wrote
  // without a rejected line
  let lostSources = listing.skipped.filter(({ reason }) => !losesNothing(reason)).length;

  const add = (counts: Map<string, number>, key: string, n = 1): void => {
    if (n !== 0) counts.set(key, (counts.get(key) ?? 0) + n);
  };
  const demand = (holds: boolean, problem: () => string): void => {
    if (!holds) problems.push(problem());
  };

  const ofFormat = (name: string): Map<string, number> => byFormat.get(name) as Map<string, number>;
  const records = (): number => formats.reduce((all, name) => all + (ofFormat(name).get('records') ?? 0), 0);

  /** With the sessions, where a format made more records of them than one each. */
  function countsOf(name: string): ReadonlyMap<string, number> {
    const counts = ofFormat(name);
    const wrote = wroteBy.get(name) ?? 0;
    return wrote === counts.get('records') ? counts : new Map([...counts, ['sessions', wrote]]);
  }

  function addSource(report: SourceReport): void {
    const { framing, status } = report;
    const name = listing.sources[report.source]?.name;
    const { bytes: all, bomBytes, lineBytes, terminatorBytes } = framing;
    add(sources, status);
    if (report.rejection?.reason === 'unreadable') answers.push(report.rejection.code);
    add(bytes, 'read', all);
    add(bytes, 'bom', bomBytes);
    add(bytes, 'lines', lineBytes);
    add(bytes, 'terminators', terminatorBytes);
    lines += report.lines;
    const rejectedBefore = rejectedLines;
    for (const [fate, n] of report.fates) {
      add(fates, fate, n);
      if (rejectedFate(fate)) rejectedLines += n;
    }
    if (status === 'rejected' && rejectedLines === rejectedBefore) lostSources++;
    for (const [repair, n] of repairsOf(report)) add(repairs, repair, n);
    checkEntries(name, report);
    if (status !== 'read' && status !== 'empty') return;
    demand(all === bomBytes + lineBytes + terminatorBytes, () => `I1: the bytes of ${name} do not add up`);
    const { packed, readBytes } = report;
    const accounted = packed === undefined ? all : packed.memberBytes + packed.paddingBytes;
    demand(
      readBytes === accounted,
      () => `I1: ${name} gave ${readBytes} bytes, but ${accounted} are accounted for`,
    );
    const split = report.repairs.find(([repair]) => repair === 'split-objects')?.[1] ?? 0;
    const expected = framing.lines + split;
    demand(
      report.lines === expected,
      () => `I2: ${name} has ${expected} lines, but ${report.lines} got a fate`,
    );
  }

  /** I3: the entries that a source's fates speak of are those of its sessions. */
  function checkEntries(name: string | undefined, { status, fates: stated }: SourceReport): void {
    const found = new Map(stated);
    for (const fate of ENTRY_FATES) {
      const [ofSource, ofSessions] = [found.get(fate) ?? 0, ofOpenSource.get(fate) ?? 0];
      demand(
        ofSource === ofSessions || status === 'rejected',
        () => `I3: ${name} has ${ofSource} entries '${fate}', its sessions have ${ofSessions}`,
      );
    }
    ofOpenSource.clear();
  }

  function addSession(report: SessionReport): void {
    add(sessions, 'seen');
    add(sessions, report.outcome);
    for (const [fate, n] of fatesOfSession(report)) add(ofOpenSource, fate, n);
    const { toolCounts, refusals = [] } = report;
    for (const { format, reason } of refusals) add(ofFormat(format), `refused:${reason}`);
    refusedRecords += refusals.length;
    if (toolCounts === undefined) return;
    const { seen, kept, duplicateSame, duplicateConflict } = toolCounts;
    demand(
      seen === kept + duplicateSame + duplicateConflict,
      () => `I7: session ${report.sessionId} has ${seen} tool definitions that do not add up`,
    );
    add(tools, 'seen', seen);
    add(tools, 'kept', kept);
    add(tools, 'duplicate-same', duplicateSame);
    add(tools, 'duplicate-conflict', duplicateConflict);
  }

  function checkSums(): void {
    const of = (counts: ReadonlyMap<string, number>, key: string): number => counts.get(key) ?? 0;
    const sum = (counts: ReadonlyMap<string, number>): number =>
      [...counts.values()].reduce((a, b) => a + b, 0);
    const ended = of(sessions, 'written') + of(sessions, 'rejected') + of(sessions, 'empty');
    demand(sum(fates) === lines, () => `I2: ${lines} lines, but ${sum(fates)} fates`);
    demand(
      of(sessions, 'seen') === ended,
      () => `I4: ${of(sessions, 'seen')} sessions, but ${ended} have an outcome`,
    );
    const written = of(sessions, 'written');
    for (const [name, counts] of byFormat) {
      const accounted = sum(counts) - of(counts, 'records') + of(wroteBy, name);
      demand(
        accounted === written,
        () => `I4: ${written} written sessions, ${accounted} accounted for in ${name}`,
      );
    }
    demand(
      of(fates, 'snapshot') === written,
      () => `I3: ${of(fates, 'snapshot')} snapshots, ${written} written`,
    );
    const definitions = of(tools, 'kept') + of(tools, 'duplicate-same') + of(tools, 'duplicate-conflict');
    demand(
      of(tools, 'seen') === definitions,
      () => `I7: ${of(tools, 'seen')} tool definitions, ${definitions} accounted for`,
    );
    const accounted = sum(sources) + notReached;
    demand(
      accounted === listing.sources.length,
      () => `I6: ${listing.sources.length} sources, ${accounted} accounted for`,
    );
  }

  return {
    source: addSource,
    session: addSession,
    finding({ rule, severity, count = 1 }) {
      add(findings, rule, count);
      if (severity === 'ERROR') errors += count;
      else warnings += count;
    },
    rewrites(changes) {
      for (const [rule, n] of changes) add(rewrites, rule, n);
    },
    record(format) {
      add(ofFormat(format), 'records');
    },
    wrote(format) {
      add(wroteBy, format);
    },
    overLimit(count) {
      notReached += count;
    },
    keptOut() {
      const beside = lostSources + refusedRecords;
      return { rejections: rejectedLines + beside, all: lines + beside };
    },
    allUnreadable() {
      const shut = listing.skipped.filter(({ reason }) => reason === 'unreadable').length;
      if (listing.sources.length > answers.length || answers.length + shut === 0) return undefined;
      return shut > 0 || answers.some((code) => code === 'EACCES' || code === 'EPERM') ? 'permission' : 'io';
    },
    imbalances() {
      checkSums();
      return problems;
    },
    records,
    sums() {
      const skipped = new Map<string, number>();
      for (const { reason } of listing.skipped) if (reason !== 'excluded') add(skipped, reason);
      add(skipped, 'excluded', listing.excluded);
      add(skipped, 'over-limit', notReached);
      const plain = {
        sources: sorted(sources),
        skipped: sorted(skipped),
        extensions: listing.extensions,
        fates: sorted(fates),
        repairs: sorted(repairs),
        sessions: sorted(sessions),
        tools: sorted(tools),
        rewrites: sorted(rewrites),
        findings: sorted(findings),
        bytes: sorted(bytes),
      };
      const perFormat = Object.fromEntries(formats.map((name) => [name, sorted(countsOf(name))]));
      return { ...plain, lines, records: records(), formats: perFormat, errors, warnings };
    },
  };
}

function sorted(counts: ReadonlyMap<string, number>): Counts {
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
