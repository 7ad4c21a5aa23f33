import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineFramer } from '../../../../src/input/framing/lines.ts';
import { createSlab } from '../../../../src/input/framing/slab.ts';
import { type FramedSource, frame } from './drive.ts';

const slab = createSlab();

function framed(text: string | Uint8Array, sizes?: readonly number[], max = 1_000_000): FramedSource {
  return frame(new LineFramer('a.jsonl', max, slab), Buffer.from(text as string), sizes);
}

const texts = (source: FramedSource): (string | undefined)[] =>
  source.elements.map((e) => e.text ?? e.reason);
const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

function expectBalance({ counts, elements }: FramedSource, bytes: number): void {
  expect(counts.bytes).toBe(bytes);
  expect(counts.bomBytes + counts.lineBytes + counts.terminatorBytes).toBe(bytes);
  expect(counts.lineBytes).toBe(elements.reduce((sum, e) => sum + e.length, 0));
  expect(counts.lines).toBe(elements.length);
}

interface Expected {
  readonly text: string;
  readonly offset: number;
}

/** The simplest framer: splits the whole text at LF. */
function split(text: string): { lines: Expected[]; crlf: number; noFinalNewline: boolean } {
  const lines: Expected[] = [];
  let crlf = 0;
  let offset = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  const parts = text.slice(offset).split('\n');
  const last = parts.pop() as string;
  for (const part of parts) {
    const isCrlf = part.endsWith('\r');
    if (isCrlf) crlf++;
    lines.push({ text: isCrlf ? part.slice(0, -1) : part, offset });
    offset += part.length + 1;
  }
  if (last !== '') lines.push({ text: last, offset });
  return { lines, crlf, noFinalNewline: last !== '' };
}

describe('lines', () => {
  test.each<[string, string[], object]>([
    ['', [], { lines: 0, noFinalNewline: false }],
    ['a\nb\n', ['a', 'b'], { noFinalNewline: false, crlf: 0 }],
    ['a\nb', ['a', 'b'], { noFinalNewline: true }],
    ['a\r\n\r\nb\r', ['a', '', 'b\r'], { crlf: 2, noFinalNewline: true }],
    ['\n\n', ['', ''], { lineBytes: 0, terminatorBytes: 2 }],
    ['a\rb\r\r\n', ['a\rb\r'], { crlf: 1, terminatorBytes: 2 }],
    ['\xef\xbb\xbfa\n\xef\xbb\xbfb\n', ['a', '\xef\xbb\xbfb'], { bomBytes: 3 }],
    ['\n\xef\xbb\xbfb\n', ['', '\xef\xbb\xbfb'], { bomBytes: 0 }],
    ['\xef\xbb\xbf', [], { bomBytes: 3, lines: 0, noFinalNewline: false }],
    ['\xef\xbb\xbf\r\n', [''], { bomBytes: 3, crlf: 1 }],
    ['\xef\xbb', ['\xef\xbb'], { bomBytes: 0 }],
  ])('%j', (text, expected, counts) => {
    const bytes = Buffer.from(text, 'latin1');
    for (const sizes of [[100], [1], [2], [1, 3]]) {
      const source = framed(bytes, sizes);
      expect(texts(source)).toEqual(expected);
      expect(source.counts).toMatchObject(counts);
      expectBalance(source, bytes.length);
    }
  });

  test('are the same as from splitting the whole text at LF, in any chunking', () => {
    const piece = fc.constantFrom(
      'a',
      'bc',
      '\n',
      '\r\n',
      '\r',
      '\xef\xbb\xbf',
      '\xff',
      ' ',
      '\u0000',
      '{"x":1}',
    );
    const chunking = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), chunking, (pieces, sizes) => {
        const text = pieces.join('');
        const source = framed(Buffer.from(text, 'latin1'), sizes);
        const { lines, ...counts } = split(text);
        expect(source.elements).toEqual(
          lines.map((line, i) => ({ kind: 'line', line: i + 1, length: line.text.length, ...line })),
        );
        expect(source.counts).toMatchObject(counts);
        expectBalance(source, text.length);
      }),
      { numRuns: 1000 },
    );
  });

  test('longer than the slab are complete, and the following lines have the right offsets', () => {
    const text = `first\n${'x'.repeat(5_000_000)}\n${'y'.repeat(2_000_000)}\r\nlast`;
    const source = framed(text, [300_000], 10_000_000);
    expect(source.elements.map((e) => [e.offset, e.length])).toEqual([
      [0, 5],
      [6, 5_000_000],
      [5_000_007, 2_000_000],
      [7_000_009, 4],
    ]);
    expect(source.elements[1]?.text).toBe('x'.repeat(5_000_000));
    expectBalance(source, text.length);
  });

  test('are the same when a slab is used for source after source', () => {
    const own = createSlab();
    const again = (text: string): FramedSource =>
      frame(new LineFramer('a', 9_000_000, own), Buffer.from(text));
    expect(again(`${'x'.repeat(4_000_000)}\na`).elements.map((e) => e.length)).toEqual([4_000_000, 1]);
    expect(texts(again('b\nc'))).toEqual(['b', 'c']);
    expect(own.bytes.length).toBe(createSlab().bytes.length);
  });
});

describe('lines longer than the limit', () => {
  test('are counted and hashed, and the next line is read', () => {
    const long = 'z'.repeat(3_000_000);
    const source = framed(`a\n${long}\r\nb\n`, [70_000], 1000);
    expect(source.elements).toMatchObject([
      { text: 'a' },
      { line: 2, offset: 2, length: long.length, reason: 'line-too-long', sha256: sha256(long) },
      { text: 'b', line: 3, offset: long.length + 4 },
    ]);
    expectBalance(source, long.length + 6);
  });

  test('are the same in any chunking with BOM, CRLF and no final newline', () => {
    const piece = fc.constantFrom('a', 'bcd', '\n', '\r\n', '\r', '\xef\xbb\xbf', 'eeeeeeeeeeee');
    const chunking = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        chunking,
        (pieces, max, sizes) => {
          const text = pieces.join('');
          const source = framed(Buffer.from(text, 'latin1'), sizes, max);
          const { lines, ...counts } = split(text);
          expect(source.elements).toEqual(
            lines.map(({ text: line, offset }, i) => {
              const place = { line: i + 1, offset, length: line.length };
              if (line.length <= max) return { kind: 'line', ...place, text: line };
              const detail = `${line.length} bytes, over the limit of ${max}`;
              const hash = sha256(Buffer.from(line, 'latin1'));
              return { kind: 'rejection', ...place, reason: 'line-too-long', detail, sha256: hash };
            }),
          );
          expect(source.counts).toMatchObject(counts);
          expectBalance(source, text.length);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('take bounded memory', () => {
    const own = createSlab();
    frame(new LineFramer('a', 100_000, own), Buffer.alloc(30_000_000, 'x'));
    expect(own.bytes.length).toBe(createSlab().bytes.length);
  });
});
