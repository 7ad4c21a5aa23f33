import { describe, expect, it, test } from 'vitest';
import { decodeBase64 } from '../../../transforms/json/base64.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import { text } from '../bytes.ts';

/** Decodes the inside of a JSON string, between other bytes; undefined if it is not base64. */
function decoded(inside: string): Buffer | undefined {
  const pieces: Uint8Array[] = [];
  const json = encode(`AAAA"${inside}"AAAA`);
  const length = decodeBase64(json, 5, json.length - 5, (piece) => pieces.push(Uint8Array.from(piece)));
  const whole = Buffer.concat(pieces);
  if (length < 0) return undefined;
  expect(length).toBe(whole.length);
  return whole;
}

/** Bytes whose base64 has all 64 digits. */
const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 37 + (i >> 8)) % 256));

test.each([0, 1, 2, 3, 4, 5, 255, 49_151, 49_152, 49_153, 49_154, 200_000])('decodes %i bytes', (length) => {
  const bytes = bytesOf(length);
  const base64 = bytes.toString('base64');
  const forms = [
    base64,
    base64.replaceAll('=', ''),
    bytes.toString('base64url'),
    base64.replaceAll('/', '\\/'),
    base64.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
    base64.replaceAll(/.{76}/g, '$&\\r\\n'),
  ];
  expect(forms.map((form) => decoded(form)?.equals(bytes))).toEqual(forms.map(() => true));
});

it('pieces are of bounded size', () => {
  const sizes: number[] = [];
  const json = encode('A'.repeat(400_000));
  expect(decodeBase64(json, 0, json.length, (piece) => sizes.push(piece.length))).toBe(300_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(64 * 1024);
});

describe('accepts', () => {
  test.each([' SGk= ', 'S\\tG\\nk', 'SGk', 'S\\u0047k=', 'SGk= \\f'])('%s', (inside) => {
    expect(text(decoded(inside) ?? new Uint8Array())).toBe('Hi');
  });
});

describe('rejects', () => {
  test.each([
    'SGk=a',
    'SGk==',
    'S',
    'SGkhA',
    '=',
    '====',
    'SG=k',
    'SGk!',
    'SG\\\\k',
    'SG\\bk',
    'SGké',
    'SG\\u0147k',
    'SG%6B',
  ])('%s', (inside) => {
    expect(decoded(inside)).toBeUndefined();
  });
});
