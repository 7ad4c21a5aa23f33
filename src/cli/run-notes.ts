/** Notes about a run for its summary, besides the sums of the ledger: the first rejections, and the findings that are errors. */
import type { Listing } from '../input/sources/source.ts';
import type { FindingResult, Result, SessionReport, SourceBegin, SourceReport } from '../ledger/result.ts';
import { flagNames, type NamedOption } from '../settings/option.ts';
import { s3ReadOptions, settingsOptions, type Values } from './options/values.ts';

/** The path of a source, for another command; undefined for standard input. */
export function pathOf({ sources }: Pick<Listing, 'sources'>, source: number): string | undefined {
  const path = sources.at(source)?.path;
  return path === undefined ? undefined : Buffer.from(path, 'latin1').toString('utf8');
}

/** A rejection that the summary shows as an example. */
export interface Example {
  /** FILE:LINE, or FILE for a whole source. */
  readonly where: string;
  readonly reason: string;
  readonly detail: string;
}

const MAX_EXAMPLES = 3;

function countError(errors: Map<string, number>, { severity, rule, count = 1 }: FindingResult): void {
  if (severity === 'ERROR') errors.set(rule, (errors.get(rule) ?? 0) + count);
}

/**
 * Collects what the summary reports besides the ledger's sums, from the results in the order of the sources: the first
 * rejections as arguments for `turnmill explain`, and the severities of findings.
 */
export class RunNotes {
  /** Options that `explain` needs to read the logs as this run does. */
  readonly reading: readonly string[];
  /** Whether the dataset has a page that a browser opens. */
  readonly hasReport: boolean;
  readonly #examples: Example[] = [];
  readonly #errors = new Map<string, number>();
  /** Sources that were rejected because they have several session ids. */
  #mixedSources = 0;
  #source = -1;
  /** Number of examples from earlier sources; the rest is dropped if the results of the source are withdrawn. */
  #examplesBefore = 0;
  /** Whether the results of the current source are withdrawn if it is rejected. */
  #isProvisional = false;
  readonly #isFinal: boolean;
  /** Errors of the current source, by rule; dropped if its results are withdrawn. */
  readonly #pending = new Map<string, number>();

  readonly #isMerge: boolean;

  /** @param isMerge whether the sources are not read, so that they are looked for in the dataset */
  constructor(values: Values = {}, isMerge: boolean = false) {
    this.hasReport = values.report ?? true;
    this.#isFinal = values.out === '-';
    this.#isMerge = isMerge;
    this.reading = readingWords(values);
  }

  get examples(): readonly Example[] {
    return this.#examples;
  }

  get mixedSources(): number {
    return this.#mixedSources;
  }

  /** Findings of severity ERROR, by rule. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  see(result: Result, listing: Listing): void {
    if (result.kind === 'source-begin') this.#begin(result);
    else if (result.kind === 'rejected-line') this.#note(listing, result.line, result.reason, result.detail);
    else if (result.kind === 'session') this.#noteSession(result, listing);
    else if (result.kind === 'finding') countError(this.#pending, result);
    else if (result.kind === 'source') this.#endSource(result, listing);
  }

  /** Adds the findings of sources that count. */
  add(findings: readonly FindingResult[]): void {
    for (const finding of findings) countError(this.#errors, finding);
  }

  #begin({ source, again, provisional }: SourceBegin): void {
    if (this.#source !== source) this.#examplesBefore = this.#examples.length;
    else if (again === true) this.#examples.length = this.#examplesBefore;
    this.#source = source;
    this.#isProvisional = provisional;
    this.#settle(false);
  }

  #endSource({ rejection }: SourceReport, listing: Listing): void {
    const isWithdrawn = rejection !== undefined && this.#isProvisional && !this.#isFinal;
    if (isWithdrawn) this.#examples.length = this.#examplesBefore;
    if (rejection !== undefined) this.#note(listing, undefined, rejection.reason, rejection.detail);
    this.#settle(!isWithdrawn);
  }

  #noteSession({ rejection, snapshot, recordRejections = [] }: SessionReport, listing: Listing): void {
    if (rejection !== undefined) this.#note(listing, rejection.line, rejection.reason, rejection.detail);
    if (rejection?.reason === 'session-id-mismatch') this.#mixedSources++;
    for (const { reason, detail } of recordRejections) this.#note(listing, snapshot?.line, reason, detail);
  }

  #note({ sources }: Listing, line: number | undefined, reason: string, detail: string): void {
    const ref = sources.at(this.#source);
    if (ref === undefined || this.#examples.length >= MAX_EXAMPLES) return;
    const path = this.#isMerge ? ref.name : (pathOf({ sources }, this.#source) ?? '-');
    this.#examples.push({ where: line === undefined ? path : `${path}:${line}`, reason, detail });
  }

  #settle(counts: boolean): void {
    if (this.#pending.size === 0) return;
    if (counts)
      for (const [rule, n] of this.#pending) this.#errors.set(rule, (this.#errors.get(rule) ?? 0) + n);
    this.#pending.clear();
  }
}

/** Returns the options with which `explain` reads the logs as the run did: those of the dataset that it wrote, or its own. */
function readingWords(values: Values): readonly string[] {
  const { out, update, dryRun, plugin = [] } = values;
  const written = dryRun === true ? '-' : (update ?? out ?? '-');
  const options = written === '-' ? settingsOptions('reading') : s3ReadOptions;
  return [
    ...options.flatMap((option) => wordsOf(option, values[option.name as keyof Values])),
    ...plugin.flatMap((file) => ['--plugin', file]),
    ...(written === '-' ? [] : ['--in', written]),
  ];
}

/** The value of a file is its text, so that its name is not known any more. */
function wordsOf(option: NamedOption, value: unknown): readonly string[] {
  const names = flagNames(option);
  const name = names[0];
  if (value === undefined || option.type.placeholder === 'FILE') return [];
  if (value === true) return [`--${name}`];
  const words = isPairs(value) ? Object.entries(value).map((pair) => pair.join('=')) : [value].flat();
  if (value === false || words.length === 0) return [`--${names.at(-1)}`];
  const texts = option.type.repeatable === true ? words : [words.join(',')];
  return texts.flatMap((text) => [`--${name}`, String(text)]);
}

const isPairs = (value: unknown): value is object => typeof value === 'object' && !Array.isArray(value);
