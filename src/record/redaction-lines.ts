/** The lines of `reports/redactions.jsonl`: where the names that `--redact` wrote are, never a part of a value. */
import type { RedactionLine } from '../dataset/schema/reports.ts';

const NAME = /<([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*):[A-Z2-7]{10}>/g;

/**
 * Returns a line for each name in a record. They are read from its bytes, so that records that are read again, taken from a
 * dataset or merged have the same lines.
 */
export function redactionLines(
  bytes: Uint8Array,
  { shard, line }: Pick<RedactionLine, 'shard' | 'line'>,
): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const lines: string[] = [];
  for (const { 0: placeholder, 1: kind = '', index: start } of text.matchAll(NAME)) {
    const rule = kind.toLowerCase().replaceAll('_', '-');
    const redaction: RedactionLine = {
      shard,
      line,
      rule,
      start,
      end: start + placeholder.length,
      placeholder,
    };
    lines.push(JSON.stringify(redaction));
  }
  return lines;
}
