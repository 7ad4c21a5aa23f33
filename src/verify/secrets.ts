/**
 * Searches all files of a dataset for values that look like secrets: each rule over each line, one after the other. The
 * rules are those of `--redact`, but the code that finds their matches is not.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Form, Redaction, Rule } from '../../transforms/redaction/rule.ts';
import { isSecret } from '../../transforms/redaction/values.ts';
import { readTexts } from './line-reader.ts';
import { Problems } from './problems.ts';

/** Files that are not text. */
const BINARY = /\.bin$/;
const QUARANTINE = 'quarantine/rejected.jsonl';
const RAW = /"raw_b64":"([A-Za-z0-9+/=]+)"/;

export type SecretRules = Pick<Redaction, 'rules' | 'allow'>;

/** Adds a problem for each value that was found: its place and its rule, never a part of it. */
export async function findSecrets(
  root: string,
  { rules, allow }: SecretRules,
  problems: Problems,
): Promise<void> {
  const unreadable = new Problems(); // verify reports them anyway
  const hashes = new Set(allow.hashes);
  const patterns = allow.patterns.map((pattern) => new RegExp(pattern));
  const stays = (value: string): boolean =>
    patterns.some((pattern) => pattern.test(value)) || (hashes.size > 0 && hashes.has(sha256(value)));
  for (const file of filesIn(root)) {
    for await (const { line, text } of readTexts(join(root, file), file, unreadable)) {
      const { plain, place } = withPlainEscapes(Buffer.from(textIn(file, text)).toString('latin1'));
      for (const { rule, at, value } of secretsIn(plain, rules))
        if (!stays(value)) problems.add(file, `line ${line}: ${rule} at byte ${place(at)}`);
    }
  }
}

function filesIn(root: string): readonly string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !BINARY.test(entry.name));
  return files.map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1)).sort();
}

/** Returns a line as text; the bytes that the quarantine keeps are unpacked. */
function textIn(file: string, text: string): string {
  if (file !== QUARANTINE) return text;
  return text.replace(RAW, (_, raw: string) => Buffer.from(raw, 'base64').toString());
}

/** Slashes with backslashes, and escapes of bytes of ASCII that most encoders write as they are, or with one letter. */
const OTHER_ESCAPE = /(?<!\\)(\\+)(?:\/|u00(09|0a|0d|[2-7][0-9a-f]))/gi;
const LETTERS: Readonly<Record<string, string>> = { '\t': 't', '\n': 'n', '\r': 'r', '"': '"' };

/** Returns the text without these escapes, which hide values, and what tells where its parts were. */
function withPlainEscapes(text: string): { plain: string; place: (at: number) => number } {
  const shifts: { readonly end: number; readonly length: number }[] = [];
  const plain = text.replace(
    OTHER_ESCAPE,
    (found, backslashes: string, digits: string | undefined, at: number) => {
      const byte = digits === undefined ? '/' : String.fromCharCode(Number.parseInt(digits, 16));
      const letter = LETTERS[byte];
      if (byte === '\\' || byte === '\x7f') return found;
      const left = letter === undefined ? byte : backslashes + letter;
      shifts.push({ end: at + found.length, length: found.length - left.length });
      return left;
    },
  );
  const place = (at: number): number => {
    let original = at;
    for (const { end, length } of shifts) {
      if (end > original + length) break;
      original += length;
    }
    return original;
  };
  return { plain, place };
}

interface Found {
  readonly rule: string;
  readonly at: number;
  readonly value: string;
}

/** @param text one character for each byte */
export function* secretsIn(text: string, rules: readonly Rule[]): Generator<Found> {
  for (const { name, forms } of rules) {
    if (name === 'private-key') yield* privateKeysIn(text);
    if (name === 'email') yield* addressesIn(text);
    for (const form of forms)
      if (form.pattern !== '')
        for (const [at, value] of matchesOf(form, text)) yield { rule: name, at, value };
  }
}

function* matchesOf(form: Form, text: string): Generator<readonly [at: number, value: string]> {
  if (form.anchors.length > 0 && !form.anchors.some((anchor) => text.includes(anchor))) return;
  const pattern = new RegExp(form.pattern, 'gd');
  const isWhole = form.back === undefined && form.group === undefined;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [start, end] = match.indices?.[form.group ?? 0] ?? [0, 0];
    const before = text.slice(Math.max(0, start - 6), start);
    const isInside = /\\$/.test(before) || /\\u[0-9A-Fa-f]{0,3}$/.test(before);
    if (isInside || (isWhole && isWord(before))) {
      pattern.lastIndex = match.index + 1;
      continue;
    }
    const value = beforeQuote(text.slice(start, end));
    if (isSecret(value, form.check)) yield [start, value.replace(/\\+[nrt]|\\+|\s/g, '')];
  }
}

/** The text before its first quotation mark and the backslashes of that. */
function beforeQuote(text: string): string {
  const quote = text.indexOf('"');
  if (quote < 0) return text;
  let end = quote;
  while (text[end - 1] === '\\') end--;
  return text.slice(0, end);
}

/** Whether the text ends in a letter, a digit or `_` that is not part of an escape. */
const isWord = (text: string): boolean => /\w$/.test(text) && !/\\(?:[bfnrt]|u[0-9A-Fa-f]{4})$/.test(text);

function* privateKeysIn(text: string): Generator<Found> {
  for (const match of text.matchAll(/-----BEGIN [A-Z0-9 ]{0,36}PRIVATE KEY(?: BLOCK)?-----/g)) {
    const from = match.index + match[0].length;
    const [body = ''] = text.slice(from, from + 4096).split('-----');
    const key = body
      .replace(/\\+[nrt]/g, '\n')
      .replace(
        /^\s*(?:(?:[\w./-]{1,80}:)?L?\d+(?:\xe2\x86\x92|\t|: ?| ?\| ?)|[-+>#] ?)?(?:[A-Z][A-Za-z-]+: .*$)?/gm,
        '',
      );
    const [base64 = ''] = /^[A-Za-z0-9+/=\s]*/.exec(key) ?? [];
    if (base64.replace(/\s/g, '').length >= 48) yield { rule: 'private-key', at: match.index, value: base64 };
  }
}

function* addressesIn(text: string): Generator<Found> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const [local] = /[A-Za-z0-9._%+-]+$/.exec(text.slice(Math.max(0, at - 64), at)) ?? [];
    const [domain = ''] = /^[A-Za-z0-9.-]+/.exec(text.slice(at + 1, at + 256)) ?? [];
    if (local === undefined) continue;
    const start = at - local.length;
    const before = text.slice(Math.max(0, start - 64), start);
    const own = /\\$/.test(before) ? local.replace(/^(?:u....|[bfnrt])/, '') : local;
    const value = `${own}@${domain.replace(/[.-]+$/, '')}`;
    const isAddress = own !== '' && /@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}$/.test(value);
    if (isAddress && !/:\/\/[^\s"'\\/]*$/.test(before) && isSecret(value, 'email'))
      yield { rule: 'email', at: start, value };
  }
}

const sha256 = (value: string): string => createHash('sha256').update(value, 'latin1').digest('hex');
