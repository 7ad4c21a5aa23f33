/** Where the bytes of a packed source went: members, padding, and what belongs to neither are all of them. */
import { asCount, asObject, type JsonObject } from './json-value.ts';
import type { Problems } from './problems.ts';

const PACKED: ReadonlySet<unknown> = new Set(['gzip', 'zstd']);

/** Of a source that was read to its end, or of which the end is known. */
export function checkPackedBytes(file: string, line: number, value: JsonObject, problems: Problems): void {
  const { status, compression, reason } = value;
  const packed = asObject(value.packed);
  const complete = status === 'read' || status === 'empty' || reason === 'trailing-data';
  if (!PACKED.has(compression)) problems.equal(file, line, 'packed', undefined, value.packed);
  else if (complete) {
    const parts = [packed?.member_bytes, packed?.padding_bytes, packed?.trailing_bytes].map(asCount);
    const sum = parts.reduce<number>((total, part) => total + (part ?? Number.NaN), 0);
    problems.equal(file, line, 'size, as the sum of the packed bytes', sum, value.size);
  }
}
