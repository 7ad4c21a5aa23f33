import { describe, expect, it } from 'vitest';
import { plainJson } from '../../../transforms/json/plain-json.ts';
import { LONG } from '../../support/long.ts';
import { randomFrom } from '../../support/plain-logs.ts';

function plain(json: string): string {
  const written = plainJson(Buffer.from(json));
  if (written instanceof Uint8Array) return Buffer.from(written).toString();
  const copies: Uint8Array[] = [];
  for (const piece of written) copies.push(Uint8Array.from(piece)); // each is valid until the next one
  return Buffer.concat(copies).toString();
}

const escapeOf = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
const UNITS = [
  'a',
  'u',
  '/',
  '"',
  '\\',
  '\n',
  '\b',
  '\u0000',
  '\u001b',
  '\u007f',
  'é',
  '\u2028',
  '\ud83d',
  '\ude00',
  '\ud800',
];

describe('a JSON string', () => {
  it.each([
    ['"a\\/b"', '"a/b"'],
    ['"\\u00e9\\u20AC\\uD83D\\uDE00"', '"é€😀"'],
    ['"\\ud83d\\u0041 \\ude00"', '"\\ud83dA \\ude00"'],
    ['"\\u0022\\u005c\\u000A\\u001B"', '"\\"\\\\\\n\\u001b"'],
    ['"C:\\\\users\\\\\\u0041\\\\/"', '"C:\\\\users\\\\A\\\\/"'],
    ['""', '""'],
  ])('%s is written as %s', (json, expected) => {
    expect(plain(json)).toBe(expected);
  });

  it('is written as JSON.stringify does, however it was escaped', () => {
    const random = randomFrom(5);
    for (let n = 0; n < (LONG ? 100_000 : 2000); n++) {
      const units = Array.from(
        { length: Math.floor(random() * 12) },
        () => UNITS[Math.floor(random() * UNITS.length)] as string,
      );
      const text = units.join('');
      const long = n % 200 === 0 ? text.padEnd(70_000, 'words ') + text : text;
      const escaped = [...long.split('')].map((unit) => {
        const isSurrogate = unit >= '\ud800' && unit < '\ue000';
        if (unit === '/' && random() < 0.5) return '\\/';
        return isSurrogate || random() < 0.3 ? escapeOf(unit) : JSON.stringify(unit).slice(1, -1);
      });
      expect(plain(`"${escaped.join('')}"`)).toBe(JSON.stringify(long));
    }
  });

  it('of many escapes takes time that grows with it', () => {
    for (const piece of ['\\u00e9', '\\/', '\\\\', '\\\\u', '\\ud83d']) {
      const json = `"${piece.repeat(200_000)}"`;
      expect(plain(json)).toBe(JSON.stringify(JSON.parse(json)));
    }
  });
});
