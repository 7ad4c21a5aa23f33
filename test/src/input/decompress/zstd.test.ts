import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unzstd, WITH_PROGRAM, WITH_ZLIB } from '../../../../src/input/decompress/zstd.ts';
import { zlibHasZstd } from '../../../../src/input/decompress/zstd-zlib.ts';
import { LONG } from '../../../support/long.ts';
import { hasZstd, zstd } from '../../../support/zstd.ts';
import { chunked, type Unpacked, unpackAll } from './chunked.ts';

/** A skippable frame. */
function skipped(content: string, nibble = 3): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(0x184d2a50 + nibble);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, Buffer.from(content)]);
}

/** Pseudo-random bytes, which cannot be compressed. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
}

const A_TEXT = '{"a":1}\n'.repeat(9);
const B_TEXT = 'and the second one, {"b":2}\n';
const A = zstd(A_TEXT);
const B = zstd(B_TEXT, '--no-check');
const AB = Buffer.concat([A, B]);
const AB_TEXT = A_TEXT + B_TEXT;

const decoders = { 'the program': WITH_PROGRAM, ...(zlibHasZstd() ? { 'node:zlib': WITH_ZLIB } : {}) };

describe.skipIf(!hasZstd).each(Object.entries(decoders))('zstd with %s', (_name, decoding) => {
  const unzip = (bytes: Uint8Array, sizes?: readonly number[]): Promise<Unpacked> =>
    unpackAll((chunks, counts) => unzstd(chunks, counts, decoding), bytes, sizes);

  test('F077 reads frames and skippable frames in any chunks', async () => {
    const packed = Buffer.concat([
      skipped('x'),
      skipped('', 15),
      A,
      skipped('between'),
      B,
      skipped('end', 0),
    ]);
    for (const size of [1, 3, 4, 7, 8, 19, packed.length]) {
      const { bytes, counts, fault } = await unzip(packed, [size]);
      expect([fault, bytes.toString()]).toEqual([undefined, AB_TEXT]);
      expect(counts).toEqual({ members: 2, memberBytes: packed.length, paddingBytes: 0 });
    }
  });

  test('F077 reads every kind of frame that zstd writes', async () => {
    const contents = [Buffer.alloc(0), Buffer.from('x'), noise(300), noise(70_000), Buffer.alloc(300_000)];
    const options = [[], ['--no-check'], ['-19'], ['--long=27'], ['--fast=5', '--stream-size=']];
    for (const content of contents) {
      for (const option of options) {
        const { bytes, fault } = await unzip(
          zstd(content, ...option.map((o) => (o.endsWith('size=') ? o + content.length : o))),
        );
        expect(fault).toBeUndefined();
        expect(bytes.equals(content)).toBe(true);
      }
    }
  });

  test('reads any frames in any chunks', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.constant(noise(90_000)),
      fc.constant(new Uint8Array(1_500_000)),
    );
    const sizes = fc.array(fc.oneof(fc.integer({ min: 20, max: 60 }), fc.constant(70_000)), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 4 }),
        sizes,
        fc.nat(200_000),
        async (all, cuts, nuls) => {
          const packed = Buffer.concat([...all.map((bytes) => zstd(bytes)), Buffer.alloc(nuls)]);
          const { bytes, counts, fault } = await unzip(packed, [...cuts, 65_536]);
          expect(fault).toBeUndefined();
          expect(bytes.equals(Buffer.concat(all))).toBe(true);
          expect(counts).toMatchObject({ members: all.length, paddingBytes: nuls });
        },
      ),
      { numRuns: 15 },
    );
  });

  test('F077 reports truncation at every byte except between two frames', async () => {
    for (let length = 0; length < AB.length; length++) {
      const { fault, reason, bytes } = await unzip(AB.subarray(0, length), [17]);
      expect(AB_TEXT.startsWith(bytes.toString())).toBe(true);
      if (length === 0 || length === A.length)
        expect([fault, bytes.toString()]).toEqual([undefined, length === 0 ? '' : A_TEXT]);
      else {
        expect(reason).toBe('corrupt-zstd');
        const place =
          length < A.length ? 'frame 1 at compressed byte 0: ' : `frame 2 at compressed byte ${A.length}: `;
        expect(fault).toMatch(new RegExp(`^${place}it ends inside`));
      }
    }
  });

  test('F077 yields everything that is complete before the damage, the same every time', async () => {
    const content = noise(1_000_000);
    const packed = zstd(content);
    const damaged: [Buffer, number][] = [
      [Buffer.concat([packed, Buffer.from('garbage')]), content.length],
      [packed.subarray(0, -3), 700_000],
      [packed.subarray(0, packed.length / 2), 300_000],
    ];
    for (const [bytes, atLeast] of damaged) {
      const lengths = new Set<number>();
      for (let again = 0; again < 5; again++) {
        const unpacked = await unzip(bytes, [70_000]);
        expect(unpacked.fault).toBeDefined();
        expect(content.subarray(0, unpacked.bytes.length).equals(unpacked.bytes)).toBe(true);
        lengths.add(unpacked.bytes.length);
      }
      expect(lengths.size).toBe(1);
      expect([...lengths][0]).toBeGreaterThanOrEqual(atLeast);
    }
  });

  test('F077 a flipped bit is a fault or changes nothing if there is a checksum', async () => {
    // each bit takes a process: every fifth one covers all eight positions within a byte
    const step = decoding === WITH_PROGRAM && !LONG ? 5 : 1;
    let faults = 0;
    for (let bit = 0; bit < A.length * 8; bit += step) {
      const damaged = Buffer.from(A);
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      const { fault, bytes } = await unzip(damaged);
      if (fault === undefined) expect(bytes.toString()).toBe(A_TEXT);
      else faults++;
    }
    expect(faults).toBeGreaterThan((A.length * 7) / step);
  });

  test("F077 reports a wrong checksum in zstd's words, with the place of its frame", async () => {
    const wrong = Buffer.from(A);
    wrong[wrong.length - 1] = (wrong.at(-1) as number) ^ 1;
    expect((await unzip(wrong)).fault).toBe(
      "frame 1 at compressed byte 0: Restored data doesn't match checksum",
    );
    const { fault } = await unzip(Buffer.concat([B, wrong]));
    expect(fault).toMatch(
      /^frame (?:1 at compressed byte 0 or one of those up to 2|2 at compressed byte \d+): Rest/,
    );
  });

  test('F077 takes bytes after the last frame for padding, or for trailing data with its place', async () => {
    const padded = await unzip(Buffer.concat([AB, Buffer.alloc(200_000)]), [50_000]);
    expect([padded.fault, padded.counts.paddingBytes]).toEqual([undefined, 200_000]);
    for (const [tail, at, like] of [
      [Buffer.from('garbage'), AB.length, false],
      [Buffer.concat([Buffer.alloc(9), A]), AB.length + 9, true],
      [Buffer.from([0x28, 0xb5, 0x2f, 0xfe]), AB.length, false],
    ] as const) {
      const { reason, fault } = await unzip(Buffer.concat([AB, tail]), [11]);
      expect(reason).toBe('trailing-data');
      expect(fault).toContain(`data follows the end of the compressed content at compressed byte ${at}`);
      expect(fault?.endsWith('begins like more compressed content')).toBe(like);
    }
  });

  test('F077 refuses a dictionary and names its number', async () => {
    const frame = Buffer.concat([
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x21, 0x7b, 0x00]),
      Buffer.from([1, 0, 0]),
    ]);
    expect(await unzip(frame)).toMatchObject({
      reason: 'unsupported-compression',
      fault: 'frame 1 at compressed byte 0: it needs dictionary 123, and dictionaries are not supported',
    });
  });

  test('F076 refuses a window of 2^31 bytes and reads one of 2^27', async () => {
    expect(await unzip(zstd(Buffer.alloc(10_000), '--long=31'))).toMatchObject({
      reason: 'decompression-limit',
      fault: expect.stringContaining('its window of 2147483648 bytes is over 134217728'),
    });
    expect((await unzip(zstd(Buffer.alloc(10_000), '--long=27'))).bytes).toHaveLength(10_000);
  });

  test('F070 reads a thousand tiny frames', async () => {
    const text = (i: number): string => `${i}\n`;
    const tiny = Array.from({ length: 10 }, (_, i) => zstd(text(i)));
    const packed = Buffer.concat(Array.from({ length: 1000 }, (_, i) => tiny[i % 10] as Buffer));
    const { bytes, counts } = await unzip(packed);
    expect(bytes.toString()).toBe(Array.from({ length: 1000 }, (_, i) => text(i % 10)).join(''));
    expect(counts.members).toBe(1000);
  });

  test('reports a header whose size is not that of the content', async () => {
    const frame = zstd('four', '--stream-size=4');
    expect(frame[5]).toBe(4); // in a single-segment frame the byte after the flags is the size
    frame[5] = 5;
    expect((await unzip(frame)).reason).toBe('corrupt-zstd');
  });

  test('closes the source when its consumer stops', async () => {
    const source = chunked(zstd(Buffer.alloc(30_000_000)), [100]);
    for await (const piece of unzstd(source, undefined, decoding)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(source.closed).toBe(true);
  });
});
