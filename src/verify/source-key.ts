/** Which source a line of ledger, quarantine or reports is about, and the order in which sources stand in all of them. */
import { asCount, asText, type JsonObject } from './json-value.ts';

export interface SourceKey {
  /** For a person. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly input: number;
}

/** Undefined when the line names no source. */
export function sourceKey(value: JsonObject): SourceKey | undefined {
  const name = asText(value.source);
  const raw = value.source_b64;
  const input = value.input === undefined ? 0 : asCount(value.input);
  if (name === undefined || input === undefined || (raw !== undefined && asText(raw) === undefined))
    return undefined;
  const bytes = raw === undefined ? Buffer.from(name) : Buffer.from(String(raw), 'base64');
  return { name, bytes, input };
}

/** Bytewise by path, then by input (conversion.md §3, order of records). */
export function compareKeys(a: SourceKey, b: SourceKey): number {
  return Buffer.compare(a.bytes, b.bytes) || a.input - b.input;
}
