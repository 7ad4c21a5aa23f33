/** Replaces secrets in finished records by names that are the same in the whole dataset (docs/publish.md). */
import { createHmac } from 'node:crypto';
import { redactBytes } from '../../transforms/redaction/redact-bytes.ts';
import type { Redaction, Rule } from '../../transforms/redaction/rule.ts';
import { SecretScan } from '../../transforms/redaction/scan.ts';
import { sha256 } from '../sha256.ts';
import { PATH_HASH_BYTES } from './compared-path.ts';
import type { CountList } from './counts.ts';

/** Changes of a session that only say what a build with `--redact` would replace. */
export const LOOKS_SECRET = 'looks-secret:';
const REDACT = 'redact:';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const NAME_LENGTH = 10; // 50 bits
const MAX_NAMES = 10_000;
/** Escapes and white space inside a value: line breaks of a key, slashes of an address. */
const LAYOUT = /\\+[nrt]|\\+|\s/g;

export class Redactor {
  readonly #redaction: Redaction;
  readonly #scan: SecretScan;
  readonly #allowedHashes: ReadonlySet<string>;
  readonly #allowed: readonly RegExp[];
  /** The names of the latest values: most are in many records. */
  readonly #names = new Map<string, string | undefined>();

  constructor(redaction: Redaction) {
    const { rules, allow } = redaction;
    this.#redaction = redaction;
    this.#scan = new SecretScan(rules);
    this.#allowedHashes = new Set(allow.hashes);
    this.#allowed = allow.patterns.map((pattern) => new RegExp(pattern));
  }

  /**
   * Returns the bytes without secrets: the same array if there are none, or if the run only looks for them.
   * @param counts gets how many values were replaced
   */
  redact(bytes: Uint8Array, counts?: Map<string, number>): Uint8Array {
    const { mode, rules } = this.#redaction;
    if (this.#names.size > MAX_NAMES) this.#names.clear();
    const redacted = redactBytes(bytes, this.#scan, rules, (rule, value) => this.#nameOf(rule, value));
    const prefix = mode === 'look' ? LOOKS_SECRET : REDACT;
    for (const [name, n] of redacted.counts) {
      const change = `${prefix}${name}`;
      counts?.set(change, (counts.get(change) ?? 0) + n);
    }
    return mode === 'look' ? bytes : redacted.bytes;
  }

  /** Returns a message without secrets, which are not counted. */
  redactText(text: string): string {
    const bytes = Buffer.from(text);
    const redacted = this.redact(bytes);
    return redacted === bytes ? text : Buffer.from(redacted).toString();
  }

  /** Keys the hashes of a path: those of a short message can be guessed. */
  keyPath(path: Uint8Array): Uint8Array {
    const keyed = new Uint8Array(path.length);
    for (let at = 0; at < path.length; at += PATH_HASH_BYTES) {
      const hash = path.subarray(at, at + PATH_HASH_BYTES);
      const mac = createHmac('sha256', this.#redaction.key).update('path\0').update(hash).digest();
      keyed.set(mac.subarray(0, PATH_HASH_BYTES), at);
      const last = at + PATH_HASH_BYTES - 1;
      keyed[last] = ((keyed[last] as number) & ~1) | ((path[last] as number) & 1); // whether it is an answer
    }
    return keyed;
  }

  #nameOf(rule: Rule, written: string): string | undefined {
    const key = `${rule.name} ${written}`;
    if (!this.#names.has(key)) this.#names.set(key, this.#newName(rule, written));
    return this.#names.get(key);
  }

  #newName({ name }: Rule, written: string): string | undefined {
    const value = written.replace(LAYOUT, '');
    if (this.#allowed.some((pattern) => pattern.test(value))) return undefined;
    if (this.#allowedHashes.size > 0 && this.#allowedHashes.has(sha256(value))) return undefined;
    const kind = name.toUpperCase().replaceAll('-', '_');
    const mac = createHmac('sha256', this.#redaction.key).update(`${kind}\0${value}`, 'latin1').digest();
    return `<${kind}:${base32(mac)}>`;
  }
}

/** Returns the first 50 bits. */
function base32(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < NAME_LENGTH; i++) {
    const bit = i * 5;
    const two = ((bytes[bit >> 3] as number) << 8) | (bytes[(bit >> 3) + 1] as number);
    text += ALPHABET[(two >> (11 - (bit & 7))) & 31];
  }
  return text;
}

/** Adds the counts of a redaction to the changes of a session, sorted by name. */
export function withRedactions(changes: CountList, counts: ReadonlyMap<string, number>): CountList {
  if (counts.size === 0) return changes;
  return [...changes, ...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
