import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  dayNumber,
  parseEpoch,
  parseTimestamp,
  timeOf,
  utcDate,
} from '../../../transforms/model/timestamp.ts';

const NS = 1_000_000_000n;
const at = (iso: string): bigint => BigInt(Date.parse(iso)) * 1_000_000n;

describe('parseTimestamp', () => {
  test.each<[string, bigint]>([
    ['2026-01-13T22:14:03.120394+00:00', at('2026-01-13T22:14:03Z') + 120_394_000n],
    ['2026-01-13T22:14:03Z', at('2026-01-13T22:14:03Z')],
    ['2026-01-13t22:14:03z', at('2026-01-13T22:14:03Z')],
    ['2026-01-13 22:14:03', at('2026-01-13T22:14:03Z')],
    ['2026-01-13T22:14:03', at('2026-01-13T22:14:03Z')],
    ['2026-01-13T22:14:03.5', at('2026-01-13T22:14:03Z') + 500_000_000n],
    ['2026-01-13T22:14:03.123456789Z', at('2026-01-13T22:14:03Z') + 123_456_789n],
    ['2026-01-13T22:14:03.1234567899999Z', at('2026-01-13T22:14:03Z') + 123_456_789n],
    ['2026-01-13T22:14:03.000000001', at('2026-01-13T22:14:03Z') + 1n],
    ['2026-01-13T22:14:03+05:30', at('2026-01-13T16:44:03Z')],
    ['2026-01-13T22:14:03-12:00', at('2026-01-14T10:14:03Z')],
    ['2026-01-13T22:14:03-00:00', at('2026-01-13T22:14:03Z')],
    ['2026-01-13T22:14:03+23:59', at('2026-01-12T22:15:03Z')],
    ['2026-01-01T02:00:00+0200', at('2026-01-01T00:00:00Z')],
    ['2026-01-01T02:00:00.5-0230', at('2026-01-01T04:30:00Z') + 500_000_000n],
    ['2026-01-01 00:00:00,123', at('2026-01-01T00:00:00Z') + 123_000_000n],
    ['2026-01-01T00:00:00,123456789Z', at('2026-01-01T00:00:00Z') + 123_456_789n],
    ['2026-01-01 02:00:00,5+0200', at('2026-01-01T00:00:00Z') + 500_000_000n],
    ['2026-01-01 00:00:00 UTC', at('2026-01-01T00:00:00Z')],
    ['2026-01-01 00:00:00.123456 UTC', at('2026-01-01T00:00:00Z') + 123_456_000n],
    ['2026-01-01T00:00:00UTC', at('2026-01-01T00:00:00Z')],
    ['2026-01-01 02:00:00+02', at('2026-01-01T00:00:00Z')],
    ['2026-01-01 00:00:00.5-03', at('2026-01-01T03:00:00Z') + 500_000_000n],
    ['2026-01-01 02:30:00 +0230', at('2026-01-01T00:00:00Z')],
    ['2026-01-01 00:00:00.123456789 +0000 UTC', at('2026-01-01T00:00:00Z') + 123_456_789n],
    ['2026-01-01', at('2026-01-01T00:00:00Z')],
    ['2024-02-29', at('2024-02-29T00:00:00Z')],
    ['0001-01-01', at('0001-01-01T00:00:00Z')],
    ['1767225600', at('2026-01-01T00:00:00Z')],
    ['1767225600000', at('2026-01-01T00:00:00Z')],
    ['1767225600000000', at('2026-01-01T00:00:00Z')],
    ['1767225600000000000', at('2026-01-01T00:00:00Z')],
    ['1767225600.123', at('2026-01-01T00:00:00Z') + 123_000_000n],
    ['1767225600123.5', at('2026-01-01T00:00:00Z') + 123_500_000n],
    ['2016-12-31 23:59:60,5', at('2017-01-01T00:00:00Z') + 500_000_000n],
    ['2016-12-31T23:59:60Z', at('2017-01-01T00:00:00Z')],
    ['2024-02-29T00:00:00Z', at('2024-02-29T00:00:00Z')],
    ['2000-02-29T00:00:00Z', at('2000-02-29T00:00:00Z')],
    ['1970-01-01T00:00:00Z', 0n],
    ['1969-12-31T23:59:59.999999999Z', -1n],
    ['2038-01-19T03:14:08Z', 2_147_483_648n * NS],
    ['2100-03-01T00:00:00Z', at('2100-03-01T00:00:00Z')],
    ['0001-01-01T00:00:00Z', at('0001-01-01T00:00:00Z')],
    ['9999-12-31T23:59:59.999999999Z', 253_402_300_799n * NS + 999_999_999n],
  ])('%s is exact', (text, ns) => {
    expect(parseTimestamp(text)).toBe(ns);
  });

  test.each([
    '',
    'now',
    '2024-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-32T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:61Z',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00+00:60',
    '2024-01-01T00:00:00+2400',
    '2024-01-01T00:00:00+0060',
    '2024-01-01T00:00:00+24',
    '2024-01-01T00:00:00+0',
    '2024-01-01T00:00:00+000',
    '2024-01-01T00:00:00  UTC',
    '2024-01-01 00:00:00 CET',
    '2024-01-01T00:00:00Z UTC',
    '2024-01-01 UTC',
    '2024-01-01T00:00:00+00000',
    '2024-01-01T00:00:00+0:000',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00:00,Z',
    '2024-01-01T00:00:00.5,5Z',
    '2024-01-01T00:00Z',
    '2024-02-30',
    '2023-02-29',
    '2024-01-01Z',
    '2024-01-01T',
    '20240101',
    '20240101000000',
    '20240101T000000Z',
    '176722560',
    '17672256000',
    '-1767225600',
    '1767225600,123',
    '1767225600.',
    '1767225600e0',
    '1767225600 ',
    '999999999999999',
    '2024-1-1T0:0:0Z',
    '+275760-09-13T00:00:00Z',
    '-0001-01-01T00:00:00Z',
    '12024-01-01T00:00:00Z',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z ',
    '2024-01-01T00:00:00Z\n',
    '2024-01-01\n00:00:00Z',
    '\uff12\uff10\uff12\uff14-01-01T00:00:00Z',
  ])('%j is not a timestamp', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('accepts year 0, as RFC 3339 does', () => {
    expect(parseTimestamp('0000-03-01T00:00:00Z')).toBe(at('0000-03-01T00:00:00Z'));
  });

  it('agrees with Date and BigInt for every valid timestamp', () => {
    const millisecond = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    });
    const zone = fc.option(fc.integer({ min: -1439, max: 1439 }), { nil: undefined });
    const fraction = fc
      .array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 })
      .map((digits) => digits.join(''));
    fc.assert(
      fc.property(millisecond, fraction, zone, fc.constantFrom('T', 't', ' '), (date, digits, minutes, t) => {
        const second = date.toISOString().slice(0, 19);
        const [hours, rest] = [Math.floor(Math.abs(minutes ?? 0) / 60), Math.abs(minutes ?? 0) % 60];
        const two = (n: number) => String(n).padStart(2, '0');
        const suffix = minutes === undefined ? '' : `${minutes < 0 ? '-' : '+'}${two(hours)}:${two(rest)}`;
        const text = `${second.replace('T', t)}${digits === '' ? '' : `.${digits}`}${suffix}`;
        const offset = BigInt(minutes ?? 0) * 60n * NS;
        expect(parseTimestamp(text)).toBe(
          at(`${second}Z`) + BigInt(digits.slice(0, 9).padEnd(9, '0')) - offset,
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('reads 5 million digits in linear time', () => {
    const digits = '1'.repeat(5_000_000);
    expect(parseTimestamp(`2024-01-01T00:00:00.${digits}Z`)).toBe(at('2024-01-01T00:00:00Z') + 111_111_111n);
    expect(parseTimestamp(`2024-01-01T00:00:00.${digits}x`)).toBeUndefined();
  });
});

describe('parseEpoch', () => {
  test.each<[string, bigint]>([
    ['0', 0n],
    ['-0', 0n],
    ['-0.0e5', 0n],
    ['0e99', 0n],
    ['1', NS],
    ['1768342443', 1_768_342_443n * NS],
    ['1768342443.120394', 1_768_342_443_120_394_000n],
    ['1768342443.1234567891', 1_768_342_443_123_456_789n],
    ['1768342443120', 1_768_342_443_120_000_000n],
    ['1768342443120.394', 1_768_342_443_120_394_000n],
    ['1.768342443e9', 1_768_342_443n * NS],
    ['1.768342443120e+12', 1_768_342_443_120_000_000n],
    ['17683424430E-1', 1_768_342_443n * NS],
    ['0.0000001768342443e16', 1_768_342_443n * NS],
    ['1768342443000000000000e-12', 1_768_342_443n * NS],
    [`1768342443.${'0'.repeat(100)}1`, 1_768_342_443n * NS],
    [`1.768342443${'0'.repeat(100)}e9`, 1_768_342_443n * NS],
    ['1e-9', 1n],
    ['1e-10', 0n],
    ['123e-30', 0n],
    ['99999999999', 99_999_999_999n * NS],
    ['100000000000', 100_000_000n * NS],
    ['253402300799999', 253_402_300_799_999_000_000n],
    ['253402300800000', 253_402_300_800_000_000n],
    ['1768342443120394', 1_768_342_443_120_394_000n],
    ['1768342443120394.25', 1_768_342_443_120_394_250n],
    ['1768342443120394123', 1_768_342_443_120_394_123n],
    ['1.768342443120394123e18', 1_768_342_443_120_394_123n],
    ['253402300799999999999', 253_402_300_799_999_999_999n],
  ])('%s is exact', (text, ns) => {
    expect(parseEpoch(text)).toBe(ns);
  });

  test.each([
    '-1',
    '-1e-9',
    '253402300800000000000',
    '1e21',
    '1e400',
    '1e99999',
    '1e10000000',
    '9'.repeat(400),
    'null',
    'true',
    '[1]',
    '{}',
    '',
  ])('%s is not a time', (text) => {
    expect(parseEpoch(text)).toBeUndefined();
  });

  it('agrees with BigInt for any position of the decimal point', () => {
    const ns = fc.bigInt({ min: 0n, max: 99_999_999_999n * NS });
    fc.assert(
      fc.property(
        ns,
        fc.integer({ min: -25, max: 25 }),
        fc.integer({ min: 0, max: 15 }),
        (time, shift, zeros) => {
          // time = digits * 10^-9; moves the point by `shift` and undoes that with the exponent
          const digits = time.toString().padStart(10, '0');
          const point = digits.length - 9 + shift;
          const padded = '0'.repeat(Math.max(1 - point, 0)) + digits.padEnd(Math.max(point, 0), '0');
          const place = Math.max(point, 1);
          const fraction = `${padded.slice(place)}${'0'.repeat(zeros)}`;
          const whole = padded.slice(0, place).replace(/^0+(?=\d)/, '');
          const text = `${whole}${fraction === '' ? '' : `.${fraction}`}e${-shift}`;
          expect([text, parseEpoch(text)]).toEqual([text, time]);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('reads 5 million digits in linear time', () => {
    expect(parseEpoch('1'.repeat(5_000_000))).toBeUndefined();
    expect(parseEpoch(`1.${'0'.repeat(5_000_000)}`)).toBe(NS);
  });
});

test('dayNumber counts every day of the calendar', () => {
  let expected = dayNumber(1896, 12, 31) as number;
  for (let year = 1897; year <= 2105; year++) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 1; day <= 32; day++) {
        const exists = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
        if (exists) expected++;
        if (dayNumber(year, month, day) !== (exists ? expected : undefined))
          expect.fail(`${year}-${month}-${day}`);
      }
    }
  }
  expect(dayNumber(1970, 1, 1)).toBe(0);
});

test.each<[bigint, string]>([
  [0n, '1970-01-01'],
  [-1n, '1969-12-31'],
  [-1_000_000n, '1969-12-31'],
  [86_400n * NS - 1n, '1970-01-01'],
  [86_400n * NS, '1970-01-02'],
  [-86_400n * NS, '1969-12-31'],
  [-86_400n * NS - 1n, '1969-12-30'],
  [253_402_300_799n * NS + 999_999_999n, '9999-12-31'],
])('the UTC date of %d ns is %s', (ns, date) => {
  expect(utcDate(ns)).toBe(date);
});

test.each([
  ['{"$date":"2026-01-13T22:14:03.120Z"}', 1_768_342_443_120_000_000n],
  ['{ "$date" : 1768342443120 }', 1_768_342_443_120_000_000n],
  ['{"$date":{"$numberLong":"1768342443120"}}', 1_768_342_443_120_000_000n],
  ['{"$date":"yesterday"}', undefined],
  ['{"$date":"2026-01-13","zone":1}', undefined],
  ['{}', undefined],
  [`{"$date":"${' '.repeat(100)}"}`, undefined],
])('the time of the export %s is %s', (json, time) => {
  expect(timeOf(new TextEncoder().encode(json))).toBe(time);
});
