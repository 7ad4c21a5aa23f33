/**
 * How large a source was, by its line in ledger/sources.jsonl: its bytes and lines must add up, and every place in
 * it that another file names must lie inside.
 */
import { sumOf } from './counts.ts';
import { asCount, asCounts, asObject, type JsonObject } from './json-value.ts';
import type { Problems } from './problems.ts';
import type { SourceLine } from './source-lines.ts';

/** Of a source that is not described, nothing is outside. */
export interface SourceExtent {
  readonly bytes: number;
  /** As they were cut: a line of several objects is one. */
  readonly lines: number;
  /** Of the file. */
  readonly size: unknown;
  /** Up to the last one that was read, when it is gzip. */
  readonly members: number | undefined;
}

/** A place in a source; a wrong type is no number. */
export interface Place {
  readonly line: unknown;
  readonly start: unknown;
  readonly end: unknown;
}

const FILE = 'ledger/sources.jsonl';
const PARTS = 'bom lines terminators rest';
const BOM_BYTES = 3;
/** A document, by its name or the repair, has its own framing: what is between its elements is no line feed. */
const DOCUMENT = /\.(?:json|toml)(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;

export function extentOf(value: JsonObject): SourceExtent {
  const { status, bytes, framed, size, compression, packed } = value;
  const begun = status === 'read' ? 0 : 1; // the one that the reading stopped in
  return {
    bytes: asCount(bytes) ?? Infinity,
    lines: asCount(framed) ?? Infinity,
    size,
    members: compression === 'gzip' ? (asCount(asObject(packed)?.members) ?? Infinity) + begun : undefined,
  };
}

/** Is it outside, or not behind the one before it? Returns what was expected. */
export function placeProblem(extent: SourceExtent, place: Place, after: number): string | undefined {
  const [line, start, end] = [place.line, place.start, place.end].map((n) => asCount(n) ?? Number.NaN);
  if (!((line as number) >= 1 && (start as number) <= (end as number))) return 'a line, a start and an end';
  if ((line as number) > extent.lines) return `a line up to ${extent.lines}`;
  if ((end as number) > extent.bytes) return `an end up to byte ${extent.bytes}`;
  return (start as number) >= after ? undefined : `a start from byte ${after} on`;
}

/** A source that was read to its end: its bytes are those of its lines, its lines those that have a fate. */
export function checkExtent({ line, value }: SourceLine, problems: Problems): void {
  const equal = (what: string, expected: unknown, found: unknown): void =>
    problems.equal(FILE, line, what, expected, found);
  const parts = asCounts(value.parts) ?? new Map<string, number>();
  const repairs = asCounts(value.repairs) ?? new Map<string, number>();
  const repaired = (name: string): number => repairs.get(name) ?? 0;
  const lines = asCount(value.framed) ?? Number.NaN;
  equal('parts', PARTS, [...parts.keys()].join(' '));
  equal('bytes, by the sum of the parts', sumOf(parts), value.bytes);
  equal("parts 'bom', by the repair", repaired('bom') * BOM_BYTES, parts.get('bom'));
  if (value.status !== 'read' && value.status !== 'empty') return;
  equal("parts 'rest' of a source that was read", 0, parts.get('rest'));
  equal('lines, by framed + split-objects', lines + repaired('split-objects'), value.lines);
  if (value.compression === 'none') equal('bytes, by the size', value.size, value.bytes);
  if (DOCUMENT.test(String(value.source)) || repaired('json-document') > 0) return;
  const terminators = lines + repaired('crlf') - repaired('no-final-newline');
  equal("parts 'terminators', by lines and repairs", terminators, parts.get('terminators'));
}
