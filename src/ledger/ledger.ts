/**
 * The account of a run: sums over sources and sessions, and the identities that must hold before anything is published
 * (docs/contributing/faults.md). All counts are exact integers.
 */
import type { Counts } from '../dataset/schema/ledger.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import { isPassedOver, type Listing, PASSED_OVER } from '../input/sources/source.ts';
import type { RejectionCounts } from '../settings/error-budget.ts';
import { answersIn, PATH_HASH_BYTES } from './compared-path.ts';
import { type CountList, Tally } from './counts.ts';
import { type FormatCounts, FormatSums } from './format-sums.ts';
import {
  CONTAINED_ENTRY,
  eachFate,
  type FindingResult,
  type RecordRejection,
  repairsOf,
  type SessionReport,
  type SourceReport,
} from './result.ts';

const NO_PATH = new Uint8Array(0);
/** Fates that entries get from their session. */
const ENTRY_FATES = ['snapshot', 'superseded', 'truncated', CONTAINED_ENTRY];

/** Begins the names of the counts of records that a consumer refuses. */
export const BY_CONSUMER = 'consumer:';

/** Reasons for skipping a source by which no content is lost. */
const HARMLESS = new Set<string>(['symlink', 'duplicate-inode', ...PASSED_OVER, 'over-limit']);

/** Returns whether a source that was skipped for this reason does not count as rejected. */
export function losesNothing(reason: string): boolean {
  return HARMLESS.has(reason);
}

/** The counts of a ledger as plain data, without findings. */
export interface LedgerCounts {
  readonly tallies: Readonly<Record<string, CountList>>;
  readonly formats: readonly FormatCounts[];
  readonly lines: number;
  readonly problems: readonly string[];
}

export class Ledger {
  readonly #listing: Listing;
  readonly #formats: ReadonlyMap<string, FormatSums>;
  readonly #sources = new Tally();
  readonly #fates = new Tally();
  readonly #repairs = new Tally();
  readonly #sessions = new Tally();
  readonly #tools = new Tally();
  readonly #rewrites = new Tally();
  readonly #findings = new Tally();
  readonly #bytes = new Tally();
  readonly #tallies = {
    sources: this.#sources,
    fates: this.#fates,
    repairs: this.#repairs,
    sessions: this.#sessions,
    tools: this.#tools,
    rewrites: this.#rewrites,
    bytes: this.#bytes,
  };
  /** Entries of the current source's sessions, by fate. */
  readonly #openFates = new Tally();
  readonly #addOpen = (fate: string, entries: number): void => this.#openFates.add(fate, entries);
  /** Whether answers are counted. */
  readonly #marksContext: boolean;
  readonly #problems: string[] = [];
  /** Error code of each source that could not be read, if it has one. */
  readonly #unreadable: (string | undefined)[] = [];
  #lines = 0;
  #errors = 0;
  #warnings = 0;
  #notReached = 0;
  #rejectedLines = 0;
  /** Records that one format refused while another one wrote the session. */
  #refusedRecords = 0;
  /** Sources rejected without a rejected line. */
  #lostSources: number;

  /** @param marksContext whether answers that are context are marked (`--copies mark`) */
  constructor(listing: Listing, formats: readonly string[], marksContext: boolean = false) {
    this.#listing = listing;
    this.#marksContext = marksContext;
    this.#formats = new Map(formats.map((name) => [name, new FormatSums()]));
    this.#lostSources = listing.skipped.filter(({ reason }) => !losesNothing(reason)).length;
  }

  /** Adds a source, after its sessions. */
  source(report: SourceReport): void {
    const { framing, status, rejection } = report;
    this.#sources.add(status);
    if (rejection?.reason === 'unreadable') this.#unreadable.push(rejection.code);
    this.#bytes.add('read', framing.bytes);
    this.#bytes.add('bom', framing.bomBytes);
    this.#bytes.add('lines', framing.lineBytes);
    this.#bytes.add('terminators', framing.terminatorBytes);
    this.#lines += report.lines;
    const rejectedBefore = this.#rejectedLines;
    for (const [fate, n] of report.fates) {
      this.#fates.add(fate, n);
      if (fate.startsWith('rejected:')) this.#rejectedLines += n;
    }
    if (status === 'rejected' && this.#rejectedLines === rejectedBefore) this.#lostSources++;
    this.#repairs.addAll(repairsOf(report));
    this.#checkEntries(report);
    if (status === 'read' || status === 'empty') this.#checkBytesAndLines(report);
  }

  /** Adds a session, before its source. */
  session(report: SessionReport): void {
    this.#sessions.add('seen');
    this.#sessions.add(report.fate);
    eachFate(report, this.#addOpen);
    const { toolCounts, recordRejections = [] } = report;
    for (const { format, reason } of recordRejections) this.#format(format).counts.add(`refused:${reason}`);
    this.#refusedRecords += recordRejections.length;
    if (report.fate === 'contained') this.#addContained(recordRejections);
    if (report.fate === 'written' && this.#marksContext) this.#addAnswers(report);
    if (toolCounts === undefined) return;
    const { seen, kept, duplicateSame, duplicateConflict } = toolCounts;
    this.#assert(
      seen === kept + duplicateSame + duplicateConflict,
      () => `I7: session ${report.sessionId} has ${seen} tool definitions that do not add up`,
    );
    this.#tools.add('seen', seen);
    this.#tools.add('kept', kept);
    this.#tools.add('duplicate-same', duplicateSame);
    this.#tools.add('duplicate-conflict', duplicateConflict);
  }

  /** Counts a contained session in each format that would have written it. */
  #addContained(refused: readonly RecordRejection[]): void {
    for (const [name, { counts }] of this.#formats)
      if (!refused.some(({ format }) => format === name)) counts.add('contained');
  }

  /** Counts the answers of a session in each format that has its record. */
  #addAnswers({ path = NO_PATH, context, recordRejections = [] }: SessionReport): void {
    const answers = answersIn(path);
    const trained = answersIn(path.subarray((context?.messages ?? 0) * PATH_HASH_BYTES));
    for (const [name, sums] of this.#formats) {
      if (recordRejections.some(({ format }) => format === name)) continue;
      sums.answers += answers;
      sums.context += context?.answers ?? 0;
      sums.trained += trained;
    }
  }

  finding({ rule, severity, count = 1 }: FindingResult): void {
    this.#findings.add(rule, count);
    if (severity === 'ERROR') this.#errors += count;
    else this.#warnings += count;
  }

  rewrites(changes: CountList): void {
    this.#rewrites.addAll(changes);
  }

  /** @param refusals rules by which the usual consumer of the format refuses the record */
  record(format: string, refusals: readonly string[] = []): void {
    const { counts, refused } = this.#format(format);
    counts.add('records');
    for (const rule of refusals) refused.add(`${BY_CONSUMER}${rule}`);
  }

  /** Counts a session that has records in this format. */
  wrote(format: string): void {
    this.#format(format).sessions++;
  }

  /** Returns the counts so far, for `add`. */
  counts(): LedgerCounts {
    const tallies = Object.entries(this.#tallies).map(([name, tally]) => [name, tally.sorted()] as const);
    const formats = [...this.#formats].map(([name, sums]) => sums.toCounts(name));
    const problems = this.#problems;
    return { tallies: Object.fromEntries(tallies), formats, lines: this.#lines, problems };
  }

  /** Adds the counts of another ledger, of whose sources none was rejected. */
  add({ tallies, formats, lines, problems }: LedgerCounts): void {
    for (const [name, tally] of Object.entries(this.#tallies)) tally.addAll(tallies[name] ?? []);
    for (const counts of formats) this.#format(counts.name).add(counts);
    this.#lines += lines;
    this.#problems.push(...problems);
  }

  /** Counts sources that were not read because of the run's limit of sessions. */
  overLimit(count: number): void {
    this.#notReached += count;
  }

  /** Number of contained sessions so far. */
  get contained(): number {
    return this.#sessions.get('contained');
  }

  /** Returns the number of rejections so far, and of lines. */
  rejectionCounts(): RejectionCounts {
    const others = this.#lostSources + this.#refusedRecords;
    return { rejections: this.#rejectedLines + others, all: this.#lines + others };
  }

  /** Returns why not a single source could be read; undefined if one could. */
  allUnreadable(): 'permission' | 'io' | undefined {
    const codes = this.#unreadable;
    const skipped = this.#listing.skipped.filter(({ reason }) => reason === 'unreadable').length;
    if (this.#listing.sources.length > codes.length || codes.length + skipped === 0) return undefined;
    return skipped > 0 || codes.some((code) => code === 'EACCES' || code === 'EPERM') ? 'permission' : 'io';
  }

  /** Returns a message for each sum that does not add up; none if all do. */
  imbalances(): readonly string[] {
    this.#checkSums();
    return this.#problems;
  }

  /** Returns the number of records of all formats so far. */
  records(): number {
    let records = 0;
    for (const { counts } of this.#formats.values()) records += counts.get('records');
    return records;
  }

  sums(): LedgerSums {
    const plain = {
      sources: this.#sources.toObject(),
      skipped: this.#skipped().toObject(),
      extensions: this.#listing.extensions,
      fates: this.#fates.toObject(),
      repairs: this.#repairs.toObject(),
      sessions: this.#sessions.toObject(),
      tools: this.#tools.toObject(),
      rewrites: this.#rewrites.toObject(),
      findings: this.#findings.toObject(),
      bytes: this.#bytes.toObject(),
    };
    const formats = Object.fromEntries(
      [...this.#formats].map(([name, sums]) => [name, sums.toObject(this.#marksContext)]),
    );
    return {
      ...plain,
      lines: this.#lines,
      records: this.records(),
      formats,
      errors: this.#errors,
      warnings: this.#warnings,
    };
  }

  #skipped(): Tally {
    const skipped = new Tally();
    for (const { reason } of this.#listing.skipped) if (!isPassedOver(reason)) skipped.add(reason);
    for (const [reason, count] of Object.entries(this.#listing.passedOver)) skipped.add(reason, count);
    skipped.add('over-limit', this.#notReached);
    return skipped;
  }

  #format(name: string): FormatSums {
    return this.#formats.get(name) as FormatSums;
  }

  #assert(holds: boolean, problem: () => string): void {
    if (!holds) this.#problems.push(problem());
  }

  /** I3: checks that the fates of a source count the same entries as its sessions do. */
  #checkEntries({ source, status, fates }: SourceReport): void {
    for (const fate of ENTRY_FATES) {
      let bySource = 0;
      for (const [stated, n] of fates) if (stated === fate) bySource = n;
      const bySessions = this.#openFates.get(fate);
      this.#assert(
        bySource === bySessions || status === 'rejected',
        () =>
          `I3: ${this.#nameOf(source)} has ${bySource} entries '${fate}', its sessions have ${bySessions}`,
      );
    }
    this.#openFates.clear();
  }

  /** I1 and I2: checks that every byte and every line of a source that was read to its end is accounted for. */
  #checkBytesAndLines(report: SourceReport): void {
    const problem = sourceMismatch(report, String(this.#nameOf(report.source)));
    this.#assert(problem === undefined, () => problem as string);
  }

  #nameOf(source: number): string | undefined {
    return this.#listing.sources.at(source)?.name;
  }

  /** Checks the identities of the whole run. */
  #checkSums(): void {
    const fates = this.#fates.sum();
    this.#assert(fates === this.#lines, () => `I2: ${this.#lines} lines, but ${fates} fates`);
    const written = this.#sessions.get('written');
    const contained = this.#sessions.get('contained');
    const ended = written + contained + this.#sessions.get('rejected') + this.#sessions.get('empty');
    const seen = this.#sessions.get('seen');
    this.#assert(seen === ended, () => `I4: ${seen} sessions, but ${ended} have a result`);
    for (const [name, { counts, sessions, answers, context, trained }] of this.#formats) {
      this.#assert(
        answers === context + trained,
        () => `I4: ${answers} answers in ${name}, but ${context} are context and ${trained} trained`,
      );
      const accounted = counts.sum() - counts.get('records') + sessions;
      this.#assert(
        accounted === written + contained,
        () => `I4: ${written + contained} written sessions, ${accounted} accounted for in ${name}`,
      );
    }
    const snapshots = this.#fates.get('snapshot');
    this.#assert(snapshots === written, () => `I3: ${snapshots} snapshots, ${written} written`);
    this.#checkTools();
    const sources = this.#sources.sum() + this.#notReached;
    const listed = this.#listing.sources.length;
    this.#assert(sources === listed, () => `I6: ${listed} sources, ${sources} accounted for`);
  }

  #checkTools(): void {
    const tools = this.#tools;
    const accounted = tools.get('kept') + tools.get('duplicate-same') + tools.get('duplicate-conflict');
    this.#assert(
      tools.get('seen') === accounted,
      () => `I7: ${tools.get('seen')} tool definitions, ${accounted} accounted for`,
    );
  }
}

/**
 * Says what does not add up in a source that was read to its end; undefined if all does.
 * @param name names the source in the text
 */
export function sourceMismatch(
  { framing, packed, readBytes, repairs, lines }: SourceReport,
  name: string,
): string | undefined {
  const { bytes, bomBytes, lineBytes, terminatorBytes } = framing;
  if (bytes !== bomBytes + lineBytes + terminatorBytes) return `I1: the bytes of ${name} do not add up`;
  const accounted = packed === undefined ? bytes : packed.memberBytes + packed.paddingBytes;
  if (readBytes !== accounted)
    return `I1: ${readBytes} bytes of ${name} were read, but ${accounted} are accounted for`;
  const split = repairs.find(([repair]) => repair === 'split-objects')?.[1] ?? 0;
  const expected = framing.lines + split;
  return lines === expected ? undefined : `I2: ${name} has ${expected} lines, but ${lines} got a fate`;
}

/**
 * Counts the rejections of a dataset.
 * @param lostSources sources that were rejected without a rejected line
 */
export function rejectionsIn(
  { lines: all, fates, formats, skipped }: LedgerSums,
  lostSources: number,
): RejectionCounts {
  const sumOf = (counts: Counts, matches: (name: string) => boolean): number =>
    Object.entries(counts).reduce((sum, [name, n]) => sum + (matches(name) ? n : 0), 0);
  const lines = sumOf(fates, (fate) => fate.startsWith('rejected:'));
  const refused = Object.values(formats).map((counts) =>
    sumOf(counts, (name) => name.startsWith('refused:')),
  );
  const lost = sumOf(skipped, (reason) => !losesNothing(reason)) + lostSources;
  const others = refused.reduce((sum, n) => sum + n, lost);
  return { rejections: lines + others, all: all + others };
}
