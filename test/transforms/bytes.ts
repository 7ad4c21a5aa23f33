/** The two kinds of byte arrays that a line may be, both as views into a larger buffer, as from the framer. */
import { encode } from '../../transforms/json/utf8.ts';

/** @param bytes text (as UTF-8), or the bytes themselves */
export type MakeBytes = (bytes: string | Uint8Array) => Uint8Array;

const BEFORE = '{"x":1}"';
const AFTER = '"}],0e+\\u00';

const raw = (bytes: string | Uint8Array): Uint8Array => (typeof bytes === 'string' ? encode(bytes) : bytes);

/** A Buffer: its slice() is a view. */
export const asBuffer: MakeBytes = (bytes) => {
  const whole = Buffer.concat([Buffer.from(BEFORE), raw(bytes), Buffer.from(AFTER)]);
  return whole.subarray(BEFORE.length, whole.length - AFTER.length);
};

/** A plain Uint8Array: its slice() is a copy. */
export const asArray: MakeBytes = (bytes) => {
  const whole = Uint8Array.from(asBuffer(`${BEFORE}${AFTER}`));
  const content = raw(bytes);
  const slab = new Uint8Array(whole.length + content.length);
  slab.set(whole);
  slab.set(content, BEFORE.length);
  slab.set(encode(AFTER), BEFORE.length + content.length);
  return slab.subarray(BEFORE.length, BEFORE.length + content.length);
};

/** For `describe.each`. */
export const KINDS: readonly (readonly [string, MakeBytes])[] = [
  ['Buffer', asBuffer],
  ['Uint8Array', asArray],
];

/** Decodes bytes, with U+FFFD for invalid UTF-8. */
export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Decodes bytes as Latin-1. */
export const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** Encodes a Latin-1 string. */
export const fromLatin1 = (characters: string): Uint8Array =>
  Uint8Array.from(Buffer.from(characters, 'latin1'));
