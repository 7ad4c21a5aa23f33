/**
 * Reports written sessions whose last line was rejected: the end of the conversation may be missing, because the log
 * was truncated or its writer was killed.
 */
import type { SessionEnd } from '../model/element.ts';
import { placesOf } from '../model/entry-log.ts';
import type { Found, RejectedLines, SessionCheck } from './check.ts';

function check({ fate, entries, alone }: SessionEnd, { last }: RejectedLines): readonly Found[] {
  if (fate !== 'written' || alone === true || last === undefined || entries === undefined) return [];
  for (const { offset } of placesOf(entries)) if (offset > last.offset) return [];
  const message = `line ${last.line}, after the last entry, was rejected: the end of the conversation may be missing`;
  return [{ rule: 'damaged-tail', severity: 'ERROR', message }];
}

const damagedTail: SessionCheck = {
  name: 'damaged-tail',
  summary: 'Sessions whose last line was rejected.',
  rules: ['damaged-tail'],
  on: 'session-end',
  check,
};

export default damagedTail;
