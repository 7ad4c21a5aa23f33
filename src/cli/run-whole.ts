/** Runs a whole build or check with a progress line, a summary and a profile. */
import type { Listing } from '../input/sources/source.ts';
import { build } from '../job/build.ts';
import type { RunHooks, RunProgress } from '../job/hooks.ts';
import type { RunSummary } from '../job/run.ts';
import type { FindingResult, Result } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import { FIRST_SEGMENTS, LAST_SEGMENTS, type ProfileFigures } from '../profile.ts';
import { plural, showCount, showDuration, showSize } from '../sizes.ts';
import type { Request } from './commands/command.ts';
import { DialectTable } from './dialect-table.ts';
import { REJECTIONS, SUCCESS, tellFault } from './faults.ts';
import type { Host } from './host.ts';
import { settingsOf } from './options/settings-of.ts';
import { hasColors, painted, SUMMARY_STYLES } from './paint.ts';
import { ReadTable } from './read-table.ts';
import { RunNotes } from './run-notes.ts';
import { summaryOf } from './summary.ts';

/**
 * @param isCheck show a table of the dialects after the sentence, and how much of the text was read
 * @returns the exit status
 */
export async function runWhole(request: Request, isCheck: boolean = false): Promise<number> {
  const { words: inputs, values, host } = request;
  const settings = { ...settingsOf(inputs, values), measures: isCheck, looksForSecrets: isCheck };
  const onSettings = (): void => host.checkStdin(inputs, values.allowEmpty === true);
  return runShown(request, (hooks) => build(settings, { ...hooks, onSettings }), isCheck);
}

/** Runs a job with a progress line, a summary and a profile. @returns the exit status */
export async function runShown(
  { values, signal, host, plugInCalls }: Request,
  run: (hooks: RunHooks) => Promise<RunSummary>,
  isCheck: boolean = false,
  notes: RunNotes = new RunNotes(values),
): Promise<number> {
  const heap = host.prepareRun();
  const level = values.logLevel ?? 'warn';
  const silent = level === 'silent' || values.quiet === true;
  const progress = host.isTerminal && !silent ? new ProgressLine(host) : undefined;
  const table = new DialectTable();
  const texts = new ReadTable();
  const onResult = (result: Result, listing: Listing): Promise<void> | undefined => {
    notes.see(result, listing);
    if (!isCheck) return undefined;
    table.see(result);
    const read = texts.see(result, listing);
    return read !== undefined && values.json === true ? host.print(JSON.stringify(read)) : undefined;
  };
  const onFindings = (findings: readonly FindingResult[]): void => notes.add(findings);
  const onProgress = progress && { onProgress: (now: RunProgress): void => progress.show(now) };
  const onNote = (message: string): boolean => {
    progress?.clear();
    return silent || host.tell(`turnmill: ${printable(message)}\n`);
  };
  try {
    const summary = await run({ signal, onResult, onFindings, onNote, heap, plugInCalls, ...onProgress });
    progress?.clear();
    const shown = `${summaryOf(summary, notes, host.isTerminal, table.text())}${texts.text()}`;
    const onStdout = isCheck && values.json !== true;
    const isOn = hasColors(values.color, onStdout ? host.helpColumns !== undefined : host.isTerminal);
    const text = painted(shown, SUMMARY_STYLES, isOn);
    if (!silent) await (onStdout ? host.print(text.trimEnd()) : host.tell(text));
    if (isCheck) await host.endPrinting();
    if (summary.profile !== undefined) host.tell(profileTable(summary.profile, summary.elapsedMs));
    for (const message of summary.problems) await tellFault(host, { code: 'leftover', message }, level);
    return summary.rejections > 0 && values.exitZero !== true ? REJECTIONS : SUCCESS;
  } finally {
    progress?.clear();
  }
}

const MIN_GAP_MS = 100;
const CLEAR = '\r\u001b[K';

/** The progress line on a terminal, rewritten in place at most ten times a second. */
export class ProgressLine {
  readonly #host: Pick<Host, 'tell' | 'columns'>;
  readonly #now: () => number;
  readonly #started: number;
  #last = Number.NEGATIVE_INFINITY;
  #shown = false;

  constructor(host: Pick<Host, 'tell' | 'columns'>, now: () => number = () => performance.now()) {
    this.#host = host;
    this.#now = now;
    this.#started = now();
  }

  show(progress: RunProgress): void {
    const at = this.#now();
    if (at - this.#last < MIN_GAP_MS) return;
    this.#last = at;
    this.#shown = true;
    const text = progressText(progress, at - this.#started);
    this.#host.tell(`${CLEAR}${text.slice(0, this.#host.columns - 1)}`);
  }

  clear(): void {
    if (this.#shown) this.#host.tell(CLEAR);
    this.#shown = false;
  }
}

/** `[######..............]  30 %  12/40 sources  118 MiB/s  1,204 records  3 rejected  12 s left` */
export function progressText(progress: RunProgress, elapsedMs: number): string {
  const { sources, totalSources, readBytes, totalBytes, records, rejections } = progress;
  const speed = elapsedMs > 0 ? readBytes / (elapsedMs / 1000) : 0;
  const left =
    totalBytes === undefined || speed === 0 ? undefined : Math.max(0, totalBytes - readBytes) / speed;
  return [
    ...(totalBytes === undefined || totalBytes === 0 ? [] : [bar(Math.min(1, readBytes / totalBytes))]),
    `${showCount(sources)}/${showCount(totalSources)} sources`,
    `${showSize(speed)}/s`,
    plural(records, 'record'),
    `${showCount(rejections)} rejected`,
    ...(left === undefined ? [showSize(readBytes)] : [`${showDuration(left * 1000)} left`]),
  ].join('  ');
}

const BAR_WIDTH = 20;

/** The bar of a run of known size, by the bytes read: it moves inside a single large log too. */
function bar(share: number): string {
  const done = Math.floor(share * BAR_WIDTH);
  return `[${'#'.repeat(done)}${'.'.repeat(BAR_WIDTH - done)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}

/** Explains the segments whose names are not clear. */
const SEGMENT_TEXTS: Readonly<Record<string, string>> = {
  list: 'listing the sources',
  read: 'opening, reading and closing the sources',
  frame: 'finding the ends of the lines',
  shortcut: 'reading plain exchanges in one pass, without the stages',
  parse: 'comparing and scanning the lines',
  collect: 'counting the elements that leave the last stage',
  record: 'writing the records, the ledger and the reports',
  sync: 'publishing: syncs, the manifest, the rename',
  'read-back': 'reading the output back and hashing it',
  wait: 'waiting for input or for another thread',
  other: 'everything else',
};

/**
 * Returns the table of `--profile`: how the time of all threads is divided among segments, and how many bytes were
 * compared instead of scanned. The rows add up to the time of all threads.
 */
export function profileTable({ ms, bytes }: ProfileFigures, elapsedMs: number): string {
  const known = [...FIRST_SEGMENTS, ...LAST_SEGMENTS];
  const stages = Object.keys(ms).filter((name) => !known.includes(name));
  const names = [...FIRST_SEGMENTS, ...stages, ...LAST_SEGMENTS];
  const whole = Object.values(ms).reduce((sum, part) => sum + part, 0);
  const width = Math.max(...names.map((name) => name.length));
  const row = (name: string, part: number, what = ''): string =>
    `  ${name.padEnd(width)}  ${seconds(part).padStart(9)} s  ${percent(part, whole).padStart(6)}  ${what}`.trimEnd();
  const { read, framed, compared, scanned } = bytes;
  return [
    `profile: ${seconds(elapsedMs)} s, ${seconds(whole)} s in all threads`,
    ...names.map((name) => row(name, ms[name] ?? 0, SEGMENT_TEXTS[name])),
    `  bytes: ${showCount(read)} read, ${showCount(framed)} framed; by the stages ${showCount(compared)} compared, ` +
      `${showCount(scanned)} scanned: ${percent(compared, compared + scanned)} compared`,
    '',
  ].join('\n');
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const percent = (part: number, whole: number): string =>
  `${(whole === 0 ? 0 : (100 * part) / whole).toFixed(1)} %`;
