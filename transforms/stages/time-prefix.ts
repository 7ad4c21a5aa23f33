/** Recognises the time that collectors write before the object of a line: exports of CloudWatch, logs of containers. */
import { SPACE, ZERO } from '../json/bytes.ts';
import { copyOf } from '../json/keep.ts';
import { latin1 } from '../json/utf8.ts';
import type { Line, StreamElement } from '../model/element.ts';

const NINE = ZERO + 9;
const PREFIX =
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?[ \t]+(?:std(?:out|err) F )?(?=\{)/;
const HALF_PREFIX = /^\d[\d:T .,Z+\t-]*(?:s[tdouer]* ?F? ?)?$/;
const MAX_PREFIX_BYTES = 64;

/** Number of bytes of such a time with the white space after it; 0 if the line has none. */
export function timePrefix({ bytes, created }: Line): number {
  const first = bytes[0] ?? 0;
  if (first < ZERO || first > NINE || created !== undefined) return 0;
  return PREFIX.exec(latin1(bytes.subarray(0, MAX_PREFIX_BYTES)))?.[0].length ?? 0;
}

/** Whether a line is not more than the beginning of such a time. */
export const isHalfTime = (bytes: Uint8Array): boolean =>
  bytes.length < MAX_PREFIX_BYTES && HALF_PREFIX.test(latin1(bytes));

/** Reads a line with blanks in place of the time before its object, so that all positions stay. */
export function* withoutPrefix(
  line: Line,
  prefix: number,
  read: (line: Line) => Iterable<StreamElement>,
): Generator<StreamElement> {
  const bytes = copyOf(line.bytes).fill(SPACE, 0, prefix);
  yield { kind: 'repair', repair: 'time-prefix', origin: line.origin, count: 1 };
  for (const element of read({ ...line, bytes })) {
    const isWhole = element.kind === 'rejection' && element.bytes === bytes;
    yield isWhole ? { ...element, bytes: line.bytes } : element;
  }
}
