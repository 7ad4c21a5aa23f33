/**
 * Reports conversations of event logs that lost a line: one between their lines, or next to them, was rejected, or one
 * before the first conversation, such as the header of the log. A log of calls loses nothing so, because each call repeats
 * the messages before it.
 */
import type { SessionEnd } from '../model/element.ts';
import { type Place, placesOf } from '../model/entry-log.ts';
import type { Found, RejectedLines, SessionCheck } from './check.ts';

function check(
  { fate, entries, isFolded }: SessionEnd,
  { inSource, firstLine }: RejectedLines,
): readonly Found[] {
  if (fate !== 'written' || isFolded !== true || entries === undefined || inSource.length === 0) return [];
  if (entries.count === 1) return []; // a document among others
  const lines = linesOf(placesOf(entries));
  const from = lines.first <= (firstLine ?? lines.first) ? 0 : lines.first - 1;
  const lost = inSource.filter(({ line }) => line >= from && line <= lines.last + 1);
  const [first] = lost;
  if (first === undefined) return [];
  const others =
    lost.length === 1 ? '' : `, and so ${lost.length === 2 ? 'was' : 'were'} ${lost.length - 1} more`;
  const message = `line ${first.line}, in the conversation, was rejected${others}: a part of the conversation may be missing`;
  return [{ rule: 'line-lost', severity: 'WARNING', message }];
}

/** The first and the last line; lines of a call may come later than those of its result. */
function linesOf(places: Iterable<Place>): { readonly first: number; readonly last: number } {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { line } of places) [first, last] = [Math.min(first, line), Math.max(last, line)];
  return { first, last };
}

const lineLost: SessionCheck = {
  name: 'line-lost',
  summary: 'Conversations of event logs with a rejected line in them or next to them.',
  rules: ['line-lost'],
  on: 'session-end',
  check,
};

export default lineLost;
