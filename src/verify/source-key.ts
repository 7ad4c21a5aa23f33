/** Which source a line of ledger, quarantine or reports is about, and the order in which sources stand in all of them. */
import { asCount, asObject, asText, type JsonObject } from './json-value.ts';

export interface SourceKey {
  /** For a person. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly input: number;
}

/** Of a line of ledger or reports. Undefined when it names no source. */
export function sourceKey(value: JsonObject): SourceKey | undefined {
  return keyOf(value.source, value.source_b64, value.input);
}

/** Of a line of quarantine. */
export function quarantineKey({ source }: JsonObject): SourceKey | undefined {
  const named = asObject(source);
  return named && keyOf(named.uri, named.uri_b64, named.input);
}

function keyOf(source: unknown, raw: unknown, number: unknown): SourceKey | undefined {
  const name = asText(source);
  const input = number === undefined ? 0 : asCount(number);
  if (name === undefined || input === undefined || (raw !== undefined && asText(raw) === undefined))
    return undefined;
  const bytes = raw === undefined ? Buffer.from(name) : Buffer.from(String(raw), 'base64');
  return { name, bytes, input };
}

/** Bytewise by path, then by input: the order of the sources in every file of a dataset. */
export function compareKeys(a: SourceKey, b: SourceKey): number {
  return Buffer.compare(a.bytes, b.bytes) || a.input - b.input;
}
