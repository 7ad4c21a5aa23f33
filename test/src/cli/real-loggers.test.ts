/** Logs with values that real loggers write although JSON or RFC 3339 does not allow them. */
import { describe, expect, test } from 'vitest';
import { buildLogs, entryLine } from '../../support/build-logs.ts';

const GOOD = entryLine();
const withMember = (text: string, line = GOOD): string => line.replace(/^\{/, `{${text},`);

describe('NaN and Infinity', () => {
  const args = ['--quarantine-content', 'raw'];
  const build = (log: string) => buildLogs({ files: { 's.jsonl': log } }, args);

  test('a line with NaN or Infinity in a member that is not read is an entry', async () => {
    const strict = await build(GOOD);
    const log = withMember('"loss":NaN,"x":{"y":[ Infinity , -Infinity],"NaN":"NaN \\" Infinity,"}');
    const { status, sums, records } = await build(log);
    expect([status, sums.fates, sums.repairs]).toEqual([
      0,
      { snapshot: 1 },
      { 'bare-nan': 1, 'no-final-newline': 1 },
    ]);
    expect(records).toEqual(strict.records);
  });

  test('so is the first line of a source, and a line of several objects', async () => {
    const line = withMember('"loss":NaN');
    const { status, sums } = await build(`${line} ${withMember('"loss":1', entryLine({ at: 2 }))}`);
    expect([status, sums.fates, sums.repairs]).toEqual([
      0,
      { snapshot: 1, superseded: 1 },
      { 'bare-nan': 1, 'no-final-newline': 1, 'split-objects': 1 },
    ]);
  });

  const spoiled: readonly (readonly [string, (word: string) => string])[] = [
    ['a message', (word) => entryLine().replace('"role"', `"score":${word},"role"`)],
    ['a tool', (word) => entryLine({ tools: [{ name: 'f', default: 77 }] }).replace('77', word)],
    ['the reply', (word) => entryLine().replace(/"assistant"/, `"assistant","score":[0,${word}]`)],
    ['the time', (word) => entryLine().replace(/"timestamp":"[^"]*"/, `"timestamp":${word}`)],
  ];
  test.each(spoiled)('in %s they reject the line with its position and keep its bytes', async (_, make) => {
    for (const word of ['NaN', 'Infinity', '-Infinity']) {
      const bad = withMember('"a":NaN,"b":[NaN,NaN]', withMember('"c":-Infinity', make(word)));
      const { status, sums, quarantine } = await build(`${GOOD}\n${bad}\n`);
      expect([status, sums.fates, sums.repairs]).toEqual([
        3,
        { 'rejected:invalid-json': 1, snapshot: 1 },
        {},
      ]);
      const at = bad.indexOf(word, bad.indexOf('"timestamp"'));
      const [{ line, raw_b64, error } = {} as never] = quarantine;
      expect(line).toBe(2);
      expect(Buffer.from(raw_b64 ?? '', 'base64').toString()).toBe(bad);
      const where = `at byte ${at} of the line (${GOOD.length + 1 + at} of the source)`;
      expect(error?.message).toBe(`NaN or Infinity in a value that turnmill reads ${where}`);
    }
  });

  test.each([
    '{"a":NaN}',
    'NaN',
    '[NaN]',
    withMember('"a":nan'),
    withMember('"a":NaNs'),
    withMember('NaN:1'),
    withMember('"a":-NaN'),
    withMember('"a":NaN,"b":tru'),
    withMember('"a":NaN').slice(0, -3),
  ])('%s is rejected as before', async (bad) => {
    const { status, sums } = await build(`${GOOD}\n${bad}\n`);
    expect([status, sums.fates]).toEqual([3, { 'rejected:invalid-json': 1, snapshot: 1 }]);
  });
});

describe('times', () => {
  const instant = [
    '"2026-01-01T02:00:00+0200"',
    '"2026-01-01 00:00:00,000"',
    '"2026-01-01"',
    '"1767225600"',
    '"1767225600000"',
    '"1767225600.0"',
  ];
  const timed = (time: string): string => entryLine().replace(/"timestamp":"[^"]*"/, `"timestamp":${time}`);

  test.each(instant)('%s is the first of January 2026', async (time) => {
    const later = entryLine({ at: '2026-01-01T00:00:00.000000001Z' });
    const { status, sums } = await buildLogs({ files: { 's.jsonl': `${timed(time)}\n${later}` } });
    expect([status, sums.fates]).toEqual([0, { snapshot: 1, superseded: 1 }]);
    const equal = entryLine({ at: '2026-01-01T00:00:00Z' });
    const same = await buildLogs({ files: { 's.jsonl': `${timed(time)}\n${equal}` } }, ['--strict-time']);
    expect(same.sums.fates).toEqual({ 'rejected:timestamp-not-increasing': 2 });
  });

  test.each([
    ['"2026-01-32 00:00:00,5 +02:00"', '"2026-01-32 00:00:00,5 +02:00"'],
    ['"a secret of the log"', 'a string of 19 characters'],
    ['"2026-01-01T00:00:00 token"', 'a string of 25 characters'],
    ['{"secret":1}', 'an object of 12 bytes'],
  ])('the message about %s shows no content', async (time, shown) => {
    const { quarantine, stderr } = await buildLogs({ files: { 's.jsonl': timed(time) } });
    expect(quarantine[0]?.error?.message).toContain(`timestamp is not a readable time: ${shown} at byte`);
    expect(stderr).not.toMatch(/secret|token/);
  });
});
