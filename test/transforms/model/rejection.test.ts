import { expect, it, test } from 'vitest';
import { sessionReasons } from '../../../transforms/formats/format-rules.ts';
import { LINE_REASONS } from '../../../transforms/model/reasons.ts';
import { rejectLine, rejectSession } from '../../../transforms/model/rejection.ts';
import { originOf } from '../checks/samples.ts';
import { lineOf, why } from '../log-lines.ts';

test('exactly these reasons exist', () => {
  expect(Object.keys(LINE_REASONS).sort()).toEqual(
    [
      ...['invalid-json', 'invalid-utf8', 'not-an-object', 'duplicate-key', 'too-deep', 'line-too-long'],
      ...['too-many-messages', 'too-many-elements'],
      ...[
        'bad-timestamp',
        'bad-session-id',
        'bad-messages',
        'bad-tools',
        'bad-response',
        'bad-event',
        'bad-stream',
        'unknown-part',
        'unknown-speaker',
      ],
      ...['bad-sample', 'invalid-toml', 'unknown-content', 'body-elsewhere'],
    ].sort(),
  );
  expect(Object.keys(sessionReasons)).toEqual(
    expect.arrayContaining(['session-id-mismatch', 'session-reopened', 'timestamp-not-increasing']),
  );
});

test.each(Object.entries({ ...LINE_REASONS, ...sessionReasons }))(
  '%s is explained in a sentence',
  (_reason, text) => {
    expect(text).toMatch(/^[A-Za-z].+[.)]$/);
  },
);

it('a line is rejected with its origin, its bytes and the position in line and source', () => {
  const line = lineOf('{"a":1}', undefined, 3, 100);
  const rejection = rejectLine('parse', line, 'bad-timestamp', 'no time', 5);
  expect(rejection).toEqual({
    ...{ kind: 'rejection', scope: 'line', stage: 'parse', reason: 'bad-timestamp' },
    ...{
      detail: 'no time at byte 5 of the line (105 of the source)',
      at: 5,
      origin: line.origin,
      bytes: line.bytes,
    },
  });
  expect(rejection.bytes).toBe(line.bytes);
});

it('a line is rejected without a position when there is none', () => {
  expect(why(rejectLine('parse', lineOf('{}'), 'bad-timestamp', 'no time'))).toBe('bad-timestamp: no time');
  expect(why(rejectLine('parse', lineOf('x'), 'invalid-json', 'not JSON', 0))).toContain(
    ' at byte 0 of the line',
  );
});

it('a session is rejected because of an entry', () => {
  expect(rejectSession('validate', originOf(2), 's', 'session-reopened', 'x')).toEqual({
    ...{ kind: 'rejection', scope: 'session', stage: 'validate', reason: 'session-reopened' },
    ...{ detail: 'x', origin: originOf(2), sessionId: 's' },
  });
});
