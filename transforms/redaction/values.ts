/** Tells values that are secrets from those that only look like one: checksums, entropy, placeholders. */
import { crc32 } from 'node:zlib';
import type { ValueCheck } from './rule.ts';

/** Texts that documentation has instead of a secret. */
const PLACEHOLDER =
  /x{5,}|\*{3,}|\.{3}|_{4,}|^(?:your|my|the|some|example|sample|changeme|change[-_]me|replace|insert|dummy|fake|test|todo|null|none|undefined|redacted|placeholder|import\.meta|process\.|os\.|env\.|self\.|this\.|config\.|settings\.)|example|placeholder|redacted|changeme|your[-_]|abcdefgh|12345678|01234567|deadbeef/i;
/** Passwords of examples. */
const COMMON_PASSWORD =
  /^(?:pass(?:w(?:or)?d)?|pwd?|secret|user(?:name)?|root|admin|postgres|mysql|mongo|redis|guest|test|token|hunter2|letmein|x-oauth-basic|qwerty|my|db|mypassword|secret\d*|pass(?:w(?:or)?d)?\d{1,4}|\d+)$/i;
/** One character over and over after a prefix. */
const ONE_CHARACTER = /([A-Za-z0-9])\1{7}/;
const RESERVED_DOMAIN =
  /@(?:[A-Za-z0-9-]+\.)*(?:example\.(?:com|org|net|(?:co\.)?[a-z]{2})|(?:example|test|invalid|localhost|local))$|^(?:no-?reply|git)@|^[^@]*@users\.noreply\.|@\d|\.(?:png|jpg|jpeg|gif|svg|webp|js|ts|css|py|json)$/i;

const MIN_RANDOM_BITS = 2.6;
const MIN_SECRET_BITS = 3;
/** A shorter value cannot have that many: of eight characters, two may be the same. */
const MIN_SHARE_OF_BITS = 0.85;
/** A shorter value may be a name of code, such as `b64encode`. */
const SHORT = 10;
const KINDS = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_]/];
const MIN_KINDS = 3;

/** Returns whether the value passes the check of its rule. */
export function isSecret(value: string, check: ValueCheck | undefined): boolean {
  switch (check) {
    case 'checksum':
      return hasChecksum(value) || isRandom(value);
    case 'random':
      return isRandom(value);
    case 'secret':
      return looksSecret(value);
    case 'password':
      return !PLACEHOLDER.test(value) && !COMMON_PASSWORD.test(value);
    case 'card':
      return isCard(value);
    case 'iban':
      return isIban(value);
    case 'email':
      return !RESERVED_DOMAIN.test(value);
    default:
      return true;
  }
}

function isRandom(value: string): boolean {
  return !PLACEHOLDER.test(value) && !ONE_CHARACTER.test(value) && entropy(value) >= MIN_RANDOM_BITS;
}

/** A value whose form says nothing must be mixed: no word, no number, no path, no name of code. */
function looksSecret(value: string): boolean {
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  if (/^[./~@&#]|^_*[A-Za-z]+\d{0,2}(?:[._/-]+(?:[A-Za-z]+\d{0,2}|\d{1,2}))*_*$/.test(value)) return false;
  if (value.length < SHORT && KINDS.filter((kind) => kind.test(value)).length < MIN_KINDS) return false;
  const minBits = Math.min(MIN_SECRET_BITS, MIN_SHARE_OF_BITS * Math.log2(value.length));
  return !PLACEHOLDER.test(value) && !ONE_CHARACTER.test(value) && entropy(value) >= minBits;
}

const counts = new Uint32Array(256);

/** Shannon entropy of the characters, in bits for each. @param value one character for each byte */
export function entropy(value: string): number {
  const { length } = value;
  for (let i = 0; i < length; i++) {
    const byte = value.charCodeAt(i) & 0xff;
    counts[byte] = (counts[byte] as number) + 1;
  }
  let bits = 0;
  for (let i = 0; i < length; i++) {
    const byte = value.charCodeAt(i) & 0xff;
    const share = (counts[byte] as number) / length;
    if (share > 0) bits -= share * Math.log2(share);
    counts[byte] = 0;
  }
  return bits;
}

const CHECKSUM_LENGTH = 6;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns whether the last six characters of a GitHub or npm token are the CRC-32 of those before them, in base 62. */
export function hasChecksum(token: string): boolean {
  const body = token.slice(token.indexOf('_') + 1);
  const random = body.slice(0, -CHECKSUM_LENGTH);
  let sum = crc32(random);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = (BASE62[sum % BASE62.length] as string) + digits;
    sum = Math.floor(sum / BASE62.length);
  }
  return body.endsWith(digits);
}

/** Digits of a payment card by its first ones and its length, with the check digit of ISO/IEC 7812 (Luhn). */
function isCard(value: string): boolean {
  const digits = value.replace(/[ -]/g, '');
  if (
    !/^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[0689]\d{12}|6(?:011|5\d\d|4[4-9]\d)\d{12})$/.test(
      digits,
    )
  )
    return false;
  if (!/^(?:\d+|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{4,5})$/.test(value)) return false;
  if (/^(\d)\1*$/.test(digits.slice(1, -1))) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]) * (i % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** An account number by ISO 13616, with its check digits (ISO 7064, mod 97). */
function isIban(value: string): boolean {
  const text = value.replaceAll(' ', '');
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(text) || !/\d{5}/.test(text.slice(4))) return false;
  let rest = 0;
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const number = Number.parseInt(character, 36);
    rest = (rest * (number > 9 ? 100 : 10) + number) % 97;
  }
  return rest === 1;
}
