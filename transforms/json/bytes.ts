/** Names of the bytes that have a meaning in JSON. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const SPACE = 0x20;
export const LF = 0x0a;
export const CR = 0x0d;
export const ZERO = 0x30;
/** The first bytes of `null`, `true` and `false`. */
export const LETTER_N = 0x6e;
export const LETTER_T = 0x74;
export const LETTER_F = 0x66;
/** The letter of an escape with four digits. */
export const LETTER_U = 0x75;
/** The first byte above visible ASCII. */
export const DELETE = 0x7f;

export const isSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
