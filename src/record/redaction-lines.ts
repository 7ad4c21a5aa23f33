/** The lines of `reports/redactions.jsonl`: where the names that `--redact` wrote are, never a part of a value. */
import type { RedactionLine } from '../dataset/schema/reports.ts';

const NAME = /<([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*):[A-Z2-7]{10}>/y;
const OPEN = 0x3c;
/** Longer than the name of any rule. */
const MAX_NAME_BYTES = 200;

/**
 * Returns a line for each name in a record. They are read from its bytes, so that records that are read again, taken from a
 * dataset or merged have the same lines.
 */
export function redactionLines(
  bytes: Uint8Array,
  { shard, line }: Pick<RedactionLine, 'shard' | 'line'>,
): readonly string[] {
  const lines: string[] = [];
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let start = record.indexOf(OPEN); start >= 0; start = record.indexOf(OPEN, start + 1)) {
    if (!isCapital(record[start + 1])) continue;
    NAME.lastIndex = 0;
    const [placeholder, kind] = NAME.exec(record.toString('latin1', start, start + MAX_NAME_BYTES)) ?? [];
    if (placeholder === undefined || kind === undefined) continue;
    const rule = kind.toLowerCase().replaceAll('_', '-');
    const end = start + placeholder.length;
    const redaction: RedactionLine = { shard, line, rule, start, end, placeholder };
    lines.push(JSON.stringify(redaction));
  }
  return lines;
}

const isCapital = (byte = 0): boolean => byte >= 0x41 && byte <= 0x5a;
