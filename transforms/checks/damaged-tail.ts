/**
 * Reports written sessions whose last line was rejected or is not complete: the end of the conversation may be missing,
 * because the log was truncated, its writer was killed, or it is still being written.
 */
import type { SessionEnd } from '../model/element.ts';
import { placesOf } from '../model/entry-log.ts';
import type { Found, RejectedLines, SessionCheck } from './check.ts';

function check({ fate, entries, alone }: SessionEnd, { last, unfinished }: RejectedLines): readonly Found[] {
  if (fate === 'written' && unfinished !== undefined)
    return found(
      `line ${unfinished.line}, the last one, is not complete: it was still being written, or the log was cut`,
    );
  if (fate !== 'written' || alone === true || last === undefined || entries === undefined) return [];
  for (const { offset } of placesOf(entries)) if (offset > last.offset) return [];
  return found(
    `line ${last.line}, after the last entry, was rejected: the end of the conversation may be missing`,
  );
}

const found = (message: string): readonly Found[] => [{ rule: 'damaged-tail', severity: 'ERROR', message }];

const damagedTail: SessionCheck = {
  name: 'damaged-tail',
  summary: 'Sessions whose last line was rejected or is not complete.',
  rules: ['damaged-tail'],
  on: 'session-end',
  check,
};

export default damagedTail;
