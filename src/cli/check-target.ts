/** `turnmill check --target`: prints a line for each record that a consumer of the format would drop, alter or refuse. */

import type { Effect } from '../../transforms/consumers/consumer-rule.ts';
import { consumerRules, effectOf } from '../../transforms/consumers/consumer-rules.ts';
import { formats } from '../../transforms/formats/index.ts';
import { namedWords } from '../charts/words.ts';
import type { Listing } from '../input/sources/source.ts';
import { check } from '../job/build.ts';
import { remedyText } from '../ledger/remedies.ts';
import type { Result, SessionReport } from '../ledger/result.ts';
import { printable } from '../printable.ts';
import { showCount } from '../sizes.ts';
import type { Request } from './commands/command.ts';
import { REJECTIONS, SUCCESS } from './faults.ts';
import { settingsOf } from './options/settings-of.ts';
import { hasColors, painted, SUMMARY_STYLES, VERDICT_STYLES } from './paint.ts';
import { pathOf, RunNotes } from './run-notes.ts';
import { summaryOf } from './summary.ts';

/** Verdicts of a rule that are shown as text, except refusals: as a rule, further records have the same parts. */
const MAX_SHOWN = 3;

interface Verdict {
  readonly source: string;
  /** Absent for standard input. */
  readonly path: string | undefined;
  readonly line: number;
  readonly effect: Effect;
  readonly rule: string;
  readonly message: string;
}

/** @returns the exit status: 3 if a consumer would refuse a record, or if something was rejected */
export async function checkTarget({ words: inputs, values, signal, host }: Request): Promise<number> {
  const heap = host.prepareRun();
  const targets = values.target as readonly string[];
  const rules = new Set([
    ...formats.filter(({ name }) => targets.includes(name)).flatMap((format) => format.rules),
    ...consumerRules.map(({ name }) => name),
  ]);
  const notes = new RunNotes(values);
  let source = '';
  let path: string | undefined;
  const place = (line: number) => ({ source, path, line });
  let refused = false;
  const counts = new Map<string, number>();
  const isOn = hasColors(values.color, host.helpColumns !== undefined);

  function printVerdict(verdict: Verdict): Promise<void> | undefined {
    refused ||= verdict.effect === 'refuses';
    const { path: file = '-', line, effect, rule, message } = verdict;
    const count = (counts.get(rule) ?? 0) + (effect === 'refuses' ? 0 : 1);
    counts.set(rule, count);
    if (count > MAX_SHOWN && values.json !== true) return undefined;
    const text = printable(`${file}:${line}: ${effect}: ${namedWords(rule)}: ${message}`);
    return host.print(values.json === true ? JSON.stringify(verdict) : painted(text, VERDICT_STYLES, isOn));
  }

  function see(result: Result, listing: Listing): Promise<void> | undefined {
    notes.see(result, listing);
    if (result.kind === 'source-begin') {
      source = listing.sources.at(result.source)?.name ?? '';
      path = pathOf(listing, result.source);
    }
    if (result.kind === 'session') return printRejections(result);
    if (result.kind !== 'finding' || !rules.has(result.rule)) return undefined;
    const { line, rule, message } = result;
    return printVerdict({ ...place(line), effect: effectOf(rule), rule, message });
  }

  async function printRejections({
    rejection,
    recordRejections = [],
    snapshot,
  }: SessionReport): Promise<void> {
    const line = rejection?.line ?? snapshot?.line ?? 0;
    const all = rejection?.stage === 'format' ? [rejection] : recordRejections;
    for (const { reason: rule, detail: message } of all) {
      const remedy = remedyText(rule);
      const text = remedy === undefined ? message : `${message} (${remedy})`;
      await printVerdict({ ...place(line), effect: 'refuses', rule, message: text });
    }
  }

  const settings = { ...settingsOf(inputs, { ...values, format: targets }), consumers: true };
  const onSettings = (): void => host.checkStdin(inputs, values.allowEmpty === true);
  const summary = await check(settings, { signal, onSettings, onResult: see, heap });
  for (const [rule, count] of counts)
    if (count > MAX_SHOWN && values.json !== true)
      await host.print(
        printable(`${showCount(count - MAX_SHOWN)} more: ${namedWords(rule)} (--json lists all)`),
      );
  await host.endPrinting();
  if (values.logLevel !== 'silent' && values.quiet !== true) {
    const onTerminal = hasColors(values.color, host.isTerminal);
    host.tell(painted(summaryOf(summary, notes), SUMMARY_STYLES, onTerminal));
  }
  const isRejected = summary.rejections > 0 && values.exitZero !== true;
  return refused || isRejected ? REJECTIONS : SUCCESS;
}
