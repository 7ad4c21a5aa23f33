/** The types of the rules of `--redact`. */

/** Which values a match must have, besides its pattern (values.ts). */
export type ValueCheck = 'checksum' | 'random' | 'secret' | 'password' | 'card' | 'iban' | 'email';

/** One form of a rule's values. */
export interface Form {
  /** Texts of at least 3 bytes, one of which every match contains. */
  readonly anchors: readonly string[];
  /** A linear regular expression. It starts at the anchor, or at most `back` characters before it. */
  readonly pattern: string;
  readonly back?: number;
  /** Most bytes from the anchor to the end of a match; 400 if undefined. */
  readonly reach?: number;
  /** The capture group that is replaced; 0 or undefined for the whole match. */
  readonly group?: number;
  readonly check?: ValueCheck;
  /** How a match begins, if one may be longer than a first look. */
  readonly head?: string;
  /** Whether the anchor is part of a name, which `:`, `=`, `,`, `>`, `|` or `?` follows soon. */
  readonly isName?: true;
}

/** A kind of secret. Its placeholder has the name in capitals. */
export interface Rule {
  readonly name: string;
  /** A form without anchors is found by its digits; an e-mail address, which has no form, by `@` (scan.ts). */
  readonly forms: readonly Form[];
}

/** How a run redacts. Plain data: workers get a copy. */
export interface Redaction {
  /** `look`: only count what looks like a secret. */
  readonly mode: 'replace' | 'look';
  readonly key: string;
  readonly rules: readonly Rule[];
  /** Values that stay, by their SHA-256 or by a pattern. */
  readonly allow: { readonly hashes: readonly string[]; readonly patterns: readonly string[] };
}
