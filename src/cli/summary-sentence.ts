/** The sentence that begins the summary of a run, and what consumers refuse. */
import { NO_ANSWER } from '../../transforms/formats/shared-rules.ts';
import { sumOf } from '../charts/numbers.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import type { RunSummary } from '../job/run.ts';
import { type Refused, refusedIn } from '../ledger/refused.ts';
import { plural, showCount } from '../sizes.ts';

/** `32 conversations from 26 logs; 2 have no answer; 10 have reasoning, which OpenAI refuses (--reasoning drop).` */
export function sentenceOf({ sums, rejections }: RunSummary): string {
  const { sessions, sources, formats, findings } = sums;
  // formats report conversations without an answer one by one
  const unanswered = Object.keys(formats).length === 1 ? (findings[NO_ANSWER] ?? 0) : 0;
  const [refused, ...more] = refusedIn(sums);
  return `${[
    `${plural(sessions.written ?? 0, 'conversation')} from ${plural(sumOf(sources), 'log')}`,
    ...(unanswered === 0 ? [] : [`${have(unanswered)} no answer`]),
    ...(refused === undefined ? [] : [refusedText(refused, more.length)]),
    ...(rejections === 0 ? [] : [plural(rejections, 'rejection')]),
  ].join('; ')}.`;
}

function refusedText({ consumer, count, what, remedy }: Refused, more: number): string {
  const others = more === 0 ? '' : `; ${plural(more, 'more reason')} below, at "refused"`;
  return `${have(count)} ${what}, which ${consumer} refuses (${remedy})${others}`;
}

const have = (count: number): string => `${showCount(count)} ${count === 1 ? 'has' : 'have'}`;

/** A line for each reason: `10 with reasoning, by OpenAI (--reasoning drop)`. */
export function refusedLines(sums: LedgerSums): readonly string[] {
  return refusedIn(sums).map(
    ({ consumer, count, what, remedy }) => `${showCount(count)} with ${what}, by ${consumer} (${remedy})`,
  );
}
