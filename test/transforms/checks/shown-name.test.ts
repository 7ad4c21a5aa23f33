import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shownName } from '../../../transforms/checks/shown-name.ts';

describe('shownName', () => {
  it.each([
    ['read_file', '"read_file"'],
    ['', '""'],
    ['caf\u00e9 \u{1f600}', '"caf\u00e9 \u{1f600}"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['a\nb\u001b[2J', '"a\\u{a}b\\u{1b}[2J"'],
    ['\u202eabc\u2028\ud800', '"\\u{202e}abc\\u{2028}\\u{d800}"'],
    ['x'.repeat(80), `"${'x'.repeat(80)}"`],
    ['x'.repeat(81), `"${'x'.repeat(80)}..."`],
    ['\u{1f600}'.repeat(80), `"${'\u{1f600}'.repeat(80)}"`],
    ['\u{1f600}'.repeat(81), `"${'\u{1f600}'.repeat(80)}..."`],
  ])('shows %j as %s', (name, shown) => {
    expect(shownName(name)).toBe(shown);
  });

  it('shows an absent name as none', () => {
    expect(shownName(undefined)).toBe('(no name)');
  });

  it('is one short printable line for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const shown = shownName(name);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(shown.length).toBeLessThanOrEqual(80 * 10 + 5);
      }),
    );
  });
});
