import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createReplyReader } from '../../../transforms/dialects/shared/logged-messages.ts';
import { createPlainScanner } from '../../../transforms/json/plain-scanner.ts';
import { damage, damaged, jsonText } from '../arbitraries.ts';
import { asArray, asBuffer, KINDS, text } from '../bytes.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe.each(KINDS)('a response in a %s', (_kind, make) => {
  const scanner = createPlainScanner();
  const reader = createReplyReader(scanner);

  test.each([
    ['{"choices":[{"message":{"role":"assistant","n":1.0}}]}', '{"role":"assistant","n":1.0}'],
    ['{"choices":[{"message":{"role":"a"}}, {"message":{"role":"b"}}]}', '{"role":"a"}'],
    ['{"choices":[{"message":1,"message":{"role":"a"}}]}', '{"role":"a"}'],
    ['{"choices":[{"message":{"role":"a"},"message":1}]}', undefined],
    ['{"choices":[1,{"message":{"role":"a"}}]}', undefined],
    ['{"choices":[]}', undefined],
    ['{"choices":7}', undefined],
    ['{}', undefined],
    ['null', undefined],
    ['[]', undefined],
  ])('%s', (json, expected) => {
    const line = make(`:${json},`);
    expect(reader.read(line, 1)).toBe(1 + json.length);
    const message = reader.message(line);
    line.fill(0);
    expect(message && text(message.bytes)).toBe(expected);
  });

  it('may be nested as deep as its line', () => {
    const around = (levels: number, wrap: (inner: string) => string) =>
      reader.read(make(wrap(nested(levels))), 0);
    const wraps: readonly (readonly [number, (inner: string) => string])[] = [
      [511, (inner) => inner],
      [510, (inner) => `{"a":${inner}}`],
      [510, (inner) => `{"choices":${inner}}`],
      [508, (inner) => `{"choices":[{"a":${inner}}]}`],
      [508, (inner) => `{"choices":[{"message":${inner}}]}`],
      [507, (inner) => `{"choices":[{"message":{"a":${inner}}}]}`],
      [509, (inner) => `{"choices":[1,${inner}]}`],
    ];
    for (const [levels, wrap] of wraps) {
      expect(around(levels, wrap)).toBeGreaterThan(0);
      expect(around(levels + 1, wrap)).toBe(-1);
      expect(scanner.tooDeep).toBe(true);
    }
  });
});

it('has the verdict and place of the scanner alone', () => {
  const response = fc.oneof(
    jsonText,
    jsonText.map((json) => `{"id":1,"choices":[{"message":${json},"index":0},${json}]}`),
  );
  fc.assert(
    fc.property(response, fc.option(damage), fc.constantFrom(asArray, asBuffer), (json, change, make) => {
      const bytes = make(change === null ? json : damaged(asArray(json), change));
      const [walked, alone] = [createPlainScanner(), createPlainScanner()];
      const end = createReplyReader(walked).read(bytes, 0);
      expect(end).toBe(alone.value(bytes, 0, 1));
      if (end < 0) expect([walked.failedAt, walked.tooDeep]).toEqual([alone.failedAt, alone.tooDeep]);
    }),
    { numRuns: 1000 },
  );
});
