/** Reports sessions without a record: as an error if lines of them were rejected. */
import type { SessionEnd } from '../model/element.ts';
import type { Found, RejectedLines, SessionCheck } from './check.ts';

function check({ fate }: SessionEnd, { count, unfinished }: RejectedLines): readonly Found[] {
  if (fate !== 'empty') return [];
  const rule = 'no-record';
  if (count === 0 && unfinished !== undefined) {
    const message = `no record: line ${unfinished.line} is not complete, and no other entry is in the session`;
    return [{ rule, severity: 'ERROR', message }];
  }
  if (count === 0)
    return [{ rule, severity: 'WARNING', message: 'no record: cleanup dropped every entry of the session' }];
  const lines = count === 1 ? '1 line' : `${count} lines`;
  return [{ rule, severity: 'ERROR', message: `no record: ${lines} of the session rejected, no entry left` }];
}

const noRecord: SessionCheck = {
  name: 'no-record',
  summary: 'Sessions with no entry left.',
  rules: ['no-record'],
  on: 'session-end',
  check,
};

export default noRecord;
