import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPlainScanner } from '../../../transforms/json/plain-scanner.ts';
import { trustingScanner } from '../../../transforms/json/trusting-scanner.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import { jsonText } from '../arbitraries.ts';

describe('trustingScanner', () => {
  it('ends valid values where the plain scanner ends them', () => {
    const plain = createPlainScanner();
    fc.assert(
      fc.property(jsonText, fc.constantFrom('', ' ', ',1', ']', '}', '\n'), (json, after) => {
        const bytes = encode(`[${json}${after}`);
        expect(trustingScanner.value(bytes, 1, 1)).toBe(plain.value(bytes, 1, 1));
      }),
    );
  });

  it.each([
    ['quotes near and far', `"${'x'.repeat(47)}\\"${'y'.repeat(100)}\\\\"`],
    ['backslashes at the end of the near part', `"${'x'.repeat(46)}\\\\\\\\"`],
    ['a run of backslashes far away', `"${'x'.repeat(200)}${'\\\\'.repeat(33)}"`],
    ['an escaped quote after a run', `"${'x'.repeat(200)}${'\\\\'.repeat(33)}\\" and on"`],
    ['brackets inside strings', '{"a":"]}","b":["{"]}'],
  ])('%s', (_what, json) => {
    const bytes = encode(`${json},"next"`);
    expect(JSON.parse(json)).toBeDefined();
    expect(trustingScanner.value(bytes, 0, 0)).toBe(encode(json).length);
  });

  it('ends within the bytes, also if they are not JSON', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat({ max: 199 }), (bytes, from) => {
        const at = Math.min(from, bytes.length - 1);
        const end = trustingScanner.value(bytes, at, 0);
        expect(end).toBeGreaterThanOrEqual(at);
        expect(end).toBeLessThanOrEqual(bytes.length + 1);
      }),
    );
  });
});
