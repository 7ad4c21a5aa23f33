/**
 * Runs the oracle on a few handwritten files in a temporary folder. `entryText` writes a well-formed entry, so that a case shows only its
 * subject.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recordText } from './record-text.ts';
import { type OracleResult, type OracleSettings, runOracle } from './run-oracle.ts';

const DEFAULTS: OracleSettings = { inline: false, sessionBy: 'file', groupBy: 'none', cleanup: true };

export function runCase(
  files: Readonly<Record<string, string | Buffer>>,
  settings: Partial<OracleSettings> = {},
): OracleResult {
  const root = mkdtempSync(join(tmpdir(), 'turnmill-case-'));
  try {
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), bytes);
    }
    return runOracle(root, { ...DEFAULTS, ...settings });
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** The fates of the first source, in line order. */
export function fatesOf(bytes: string | Buffer, settings: Partial<OracleSettings> = {}): string[] {
  return runCase({ 'a.jsonl': bytes }, settings).sources.flatMap((s) => s.lines.map((l) => l.fate));
}

/** The text of every record, groups in order. */
export function recordsOf(result: OracleResult): string[] {
  return [...result.groups.values()].flat().map((record) => recordText(record.tree));
}

/** `messages`, `tools` and `reply` are JSON text; `second` is the second of the timestamp. */
export function entryText(
  second: number,
  messages: string,
  options: { readonly id?: string; readonly tools?: string; readonly reply?: string } = {},
): string {
  const tools = options.tools === undefined ? '' : `,"tools":${options.tools}`;
  const reply = options.reply === undefined ? '' : `,"response":{"choices":[{"message":${options.reply}}]}`;
  const id = JSON.stringify(options.id ?? 's');
  return `{"timestamp":${second},"session_id":${id},"request":{"messages":${messages}${tools}}${reply}}`;
}

/** The messages of the record of a single entry with these messages. */
export function messagesOf(messages: string, settings: Partial<OracleSettings> = {}): string {
  const [record] = recordsOf(runCase({ 'a.jsonl': entryText(1, messages) }, settings));
  return record?.replace(/^\{"messages":/, '').replace(/,"tools":\[\]\}$/, '') ?? '(no record)';
}
