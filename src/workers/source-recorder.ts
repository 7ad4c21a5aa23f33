/**
 * Records the sources of a worker thread as far as other sources do not matter (recorded-sources.ts), so that the main
 * thread, which everything goes through, only appends. Results stay as they are if a source has rejections, because the
 * quarantine has room for a limited number of bytes; if its records are large, because they would be copied; or if the
 * main thread may already have a part of them.
 */
import { type UsageByGroup, usageRows } from '../../transforms/model/tool-usage.ts';
import { LINE_FILES, WORK_FILES } from '../dataset/layout.ts';
import type { Listing, SourceRef } from '../input/sources/source.ts';
import { ProfileCounter } from '../ledger/dataset-profile.ts';
import { Ledger } from '../ledger/ledger.ts';
import type { FindingResult, RecordResult, Result, SourceBegin } from '../ledger/result.ts';
import type { SeenSession } from '../record/earlier-sources.ts';
import { type Location, NOWHERE, NoOutput } from '../record/output.ts';
import type { WrittenPath } from '../record/path-writer.ts';
import type {
  HandedOver,
  PathRow,
  RecordedSources,
  RecordSeries,
  SourceNotes,
} from '../record/recorded-sources.ts';
import { Recorder } from '../record/result-writer.ts';
import type { RecordSettings } from '../settings/settings.ts';

/** Longest records that are copied together, in bytes. */
const MAX_RECORD_BYTES = 256 * 1024;

/** Returns the source with an index of the listing. */
export type SourceAt = (index: number) => SourceRef;

/**
 * Replaces the results of sources by what is recorded of them, in order.
 * @param mayRecord whether a source may be recorded
 */
export function recordSources(
  results: readonly Result[],
  settings: RecordSettings,
  sourceAt: SourceAt,
  mayRecord: (index: number) => boolean,
): readonly HandedOver[] {
  const handed: HandedOver[] = [];
  let open: OpenSources | undefined;
  const close = (): void => {
    if (open !== undefined) handed.push(open.end());
    open = undefined;
  };
  for (let at = 0; at < results.length; at++) {
    const first = results[at] as Result;
    const end = first.kind === 'source-begin' && mayRecord(first.source) ? endOf(results, at) : undefined;
    if (end === undefined) {
      close();
      handed.push(first);
      continue;
    }
    const { source } = first as SourceBegin;
    if (open?.next !== source) close();
    open ??= new OpenSources(source, settings, sourceAt);
    open.take(results, at, end);
    at = end;
  }
  close();
  return handed;
}

/** Returns the index of the report of a source that can be recorded, whose results begin at an index. */
function endOf(results: readonly Result[], begin: number): number | undefined {
  const { mayReopen, again } = results[begin] as SourceBegin;
  if (mayReopen === true || again === true) return undefined;
  let at = begin + 1;
  while (isRecordable(results[at])) at++;
  const report = results[at];
  return report?.kind === 'source' && (report.status === 'read' || report.status === 'empty')
    ? at
    : undefined;
}

function isRecordable(result: Result | undefined): boolean {
  if (result?.kind === 'record') return result.bytes.length <= MAX_RECORD_BYTES;
  if (result?.kind === 'session')
    return result.rejection === undefined && result.recordRejections === undefined;
  return result?.kind === 'finding';
}

/** Consecutive sources that are being recorded. */
class OpenSources {
  readonly #first: number;
  readonly #output = new TextOutput();
  readonly #recorder: Recorder;
  readonly #ledger: Ledger;
  readonly #usage: UsageByGroup = new Map();
  readonly #profile: ProfileCounter;
  readonly #notes: SourceNotes[] = [];
  #findings: FindingResult[] = [];
  #sessions: SeenSession[] = [];
  #readBytes = 0;

  constructor(first: number, settings: RecordSettings, sourceAt: SourceAt) {
    const sources = { at: sourceAt } as Listing['sources'];
    const listing: Listing = { sources, skipped: [], passedOver: {}, extensions: {} };
    this.#first = first;
    this.#ledger = new Ledger(listing, settings.format, settings.copies === 'mark');
    this.#profile = new ProfileCounter(settings.groupBy, false);
    this.#recorder = new Recorder({
      ...{ settings, listing, destination: this.#output, ledger: this.#ledger, usage: this.#usage },
      profile: this.#profile,
      earlier: { see: (_source, session) => this.#sessions.push(session), take: () => [] },
    });
  }

  /** Index of the source after those so far. */
  get next(): number {
    return this.#first + this.#notes.length;
  }

  /** Records the source whose results lie from `begin` to `end`. */
  take(results: readonly Result[], begin: number, end: number): void {
    for (let at = begin; at <= end; at++) {
      const result = results[at] as Result;
      if (result.kind === 'finding') this.#findings.push(result);
      // the report is known, so nothing has to be held until it comes
      else if (result.kind === 'source-begin') this.#recorder.accept({ ...result, provisional: false });
      else this.#recorder.accept(result);
      if (result.kind === 'source') this.#readBytes += result.readBytes;
    }
    this.#notes.push({ findings: this.#findings, sessions: this.#sessions });
    this.#findings = [];
    this.#sessions = [];
  }

  end(): RecordedSources {
    return {
      kind: 'recorded',
      first: this.#first,
      readBytes: this.#readBytes,
      notes: this.#notes,
      ...this.#output.take(),
      counts: this.#ledger.counts(),
      usage: usageRows(this.#usage),
      profile: this.#profile.counts(),
    };
  }
}

/** Keeps records and lines. */
class TextOutput extends NoOutput {
  readonly #texts = new Map<string, string>();
  readonly #records: Uint8Array[] = [];
  readonly #series: (RecordSeries & { readonly lengths: number[] })[] = [];
  readonly #paths: Uint8Array[] = [];
  readonly #pathRows: PathRow[] = [];
  /** Number of records that came before the conversation that is being recorded. */
  #before = 0;

  override record({ group, format, bytes }: RecordResult): Location {
    const last = this.#series.at(-1);
    if (last?.group === group && last.format === format) last.lengths.push(bytes.length);
    else this.#series.push({ group, format, lengths: [bytes.length] });
    this.#records.push(bytes);
    return NOWHERE;
  }

  override line(file: string, json: string): void {
    this.#texts.set(file, `${this.#texts.get(file) ?? ''}${json}\n`);
  }

  override path({ hashes, formats }: WrittenPath): void {
    this.#paths.push(hashes);
    this.#pathRows.push([hashes.length, formats, this.#before]);
    this.#before = this.#records.length;
  }

  take(): Omit<RecordedSources, 'kind' | 'first' | 'readBytes' | 'notes' | 'counts' | 'usage' | 'profile'> {
    const textOf = (file: string): Uint8Array => Buffer.from(this.#texts.get(file) ?? '');
    return {
      series: this.#series,
      records: Buffer.concat(this.#records),
      paths: Buffer.concat(this.#paths),
      pathRows: this.#pathRows,
      sessions: textOf(LINE_FILES.sessions),
      sources: textOf(LINE_FILES.sources),
      fingerprints: textOf(WORK_FILES.fingerprints),
    };
  }
}
