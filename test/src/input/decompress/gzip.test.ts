import { readdirSync, readFileSync } from 'node:fs';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceFault } from '../../../../src/errors.ts';
import { gunzip } from '../../../../src/input/decompress/gzip.ts';
import { chunked, type Unpacked, unpackAll } from './chunked.ts';

const unzip = (bytes: Uint8Array, sizes?: readonly number[]): Promise<Unpacked> =>
  unpackAll(gunzip, bytes, sizes);

const A = gzipSync('{"a":1}\n'.repeat(9));
const B = gzipSync('and the second one, {"b":2}\n');
const AB = Buffer.concat([A, B]);
const AB_TEXT = `${'{"a":1}\n'.repeat(9)}and the second one, {"b":2}\n`;

/** Pseudo-random bytes, which deflate cannot compress. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 1;
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
}

/** A member with every optional field of the header. */
function withEveryField(text: string, headerCrc = true): Buffer {
  const flags = 1 | 4 | 8 | 16 | (headerCrc ? 2 : 0);
  const extra = Buffer.alloc(300, 0x1f);
  const header = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3, extra.length & 0xff, extra.length >> 8]),
    extra,
    Buffer.from('name.jsonl\0a comment\0', 'latin1'),
  ]);
  const check = Buffer.alloc(2);
  check.writeUInt16LE(crc32(header) & 0xffff);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(text), 0);
  trailer.writeUInt32LE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, ...(headerCrc ? [check] : []), deflateRawSync(text), trailer]);
}

describe('members', () => {
  test('F070: are read with a boundary at every chunk offset', async () => {
    for (let size = 1; size <= AB.length; size++) {
      const { bytes, counts, fault } = await unzip(AB, [size, AB.length]);
      expect(fault).toBeUndefined();
      expect(bytes.toString()).toBe(AB_TEXT);
      expect(counts).toEqual({ members: 2, memberBytes: AB.length, paddingBytes: 0 });
    }
  });

  test('F070: are read in any number and any chunking', async () => {
    const member = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.constant(new Uint8Array(0)),
      fc.constant(noise(90_000)),
      fc.constant(new Uint8Array(1_500_000)),
    );
    const chunking = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constant(70_000)), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(member, { minLength: 1, maxLength: 5 }),
        chunking,
        fc.nat(200_000),
        async (members, sizes, nuls) => {
          const packed = Buffer.concat([
            ...members.map((m) => gzipSync(m, { level: 1 })),
            Buffer.alloc(nuls),
          ]);
          const ending = await unzip(packed, sizes.some((s) => s > 1000) ? sizes : [...sizes, 65_536]);
          expect(ending.fault).toBeUndefined();
          expect(ending.bytes.equals(Buffer.concat(members))).toBe(true);
          expect(ending.counts).toMatchObject({ members: members.length, paddingBytes: nuls });
        },
      ),
      { numRuns: 60 },
    );
  });

  test('F070: are read when there are ten thousand tiny ones', async () => {
    const many = Buffer.concat(Array.from({ length: 10_000 }, (_, i) => gzipSync(`${i}\n`, { level: 1 })));
    const { bytes, counts } = await unzip(many);
    expect(counts.members).toBe(10_000);
    expect(bytes.toString()).toBe(Array.from({ length: 10_000 }, (_, i) => `${i}\n`).join(''));
  });

  test('yield nothing when empty, alone and between others', async () => {
    const empty = gzipSync('');
    expect((await unzip(empty)).bytes).toHaveLength(0);
    expect((await unzip(Buffer.concat([empty, A, empty, empty, B, empty]), [3])).bytes.toString()).toBe(
      AB_TEXT,
    );
  });

  test('are read with every optional header field, in any chunking', async () => {
    const packed = Buffer.concat([withEveryField('first'), withEveryField('second', false)]);
    for (const size of [1, 7, 11, 12, 100, 1000])
      expect((await unzip(packed, [size])).bytes.toString()).toBe('firstsecond');
  });

  test('are read when small ones follow a large one', async () => {
    const large = noise(2_000_000);
    const packed = Buffer.concat([gzipSync(large), A, gzipSync(large), B]);
    for (const size of [10_000, 1_000_000, packed.length]) {
      const { bytes, counts } = await unzip(packed, [size]);
      expect(counts.members).toBe(4);
      expect(
        bytes.equals(
          Buffer.concat([large, Buffer.from(AB_TEXT.slice(0, 72)), large, Buffer.from(AB_TEXT.slice(72))]),
        ),
      ).toBe(true);
    }
  });
});

describe('damage', () => {
  test.each([[[1]], [[5, 3]], [[65_536]]])(
    'F071: truncation at every byte, in chunks of %j',
    async (sizes) => {
      for (let length = 0; length < AB.length; length++) {
        const { fault, bytes } = await unzip(AB.subarray(0, length), sizes);
        if (length === 0 || length === A.length)
          expect(fault).toBeUndefined(); // only the file's size shows this
        else
          expect(fault).toContain(
            length < A.length ? 'member 1 at compressed byte 0:' : `member 2 at compressed byte ${A.length}:`,
          );
        expect(AB_TEXT.startsWith(bytes.toString())).toBe(true);
      }
    },
  );

  test.each([[[1]], [[65_536]]])(
    'F072: a flipped bit is a fault or changes nothing, in chunks of %j',
    async (sizes) => {
      let faults = 0;
      for (let bit = 0; bit < AB.length * 8; bit++) {
        const damaged = Buffer.from(AB);
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        const { fault, bytes } = await unzip(damaged, sizes);
        if (fault === undefined) expect(bytes.toString()).toBe(AB_TEXT);
        else faults++;
      }
      expect(faults).toBeGreaterThan((AB.length - 2 * 7) * 8); // every bit except time, extra flags and system in two headers
    },
  );

  test('F073: reports a wrong checksum or length, of a small or a large member', async () => {
    for (const packed of [A, gzipSync(noise(2_000_000))]) {
      for (const [back, field] of [
        [8, 'checksum'],
        [4, 'length'],
      ] as const) {
        const damaged = Buffer.concat([B, packed]);
        damaged[damaged.length - back] = (damaged[damaged.length - back] as number) ^ 1;
        expect((await unzip(damaged)).fault).toBe(
          `member 2 at compressed byte ${B.length}: the ${field} of its content is wrong`,
        );
      }
    }
  });

  test('reports a wrong header checksum, method or reserved flag', async () => {
    const packed = withEveryField('text');
    packed[4] = 9;
    expect((await unzip(packed)).fault).toContain('the header checksum is wrong');
    const method = Buffer.from(A);
    method[2] = 7;
    expect((await unzip(method)).fault).toContain('unknown compression method');
    const flags = Buffer.from(A);
    flags[3] = 0x80;
    expect((await unzip(flags)).fault).toContain('reserved header flags');
  });

  test('does not hold an endless name in memory', async () => {
    const packed = Buffer.concat([
      Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]),
      Buffer.alloc(3_000_000, 'n'),
    ]);
    expect((await unzip(packed)).fault).toContain('the header does not end');
  });

  test('an empty file has no content', async () => {
    const { fault, bytes } = await unzip(Buffer.alloc(0));
    expect([fault, bytes.length]).toEqual([undefined, 0]);
  });
});

describe('F074: bytes after the last member', () => {
  test.each([1, 7, 511, 70_000, 200_000])('are padding when they are %i NULs', async (nuls) => {
    for (const size of [50, 65_536, 1_000_000]) {
      const { bytes, counts, fault } = await unzip(Buffer.concat([AB, Buffer.alloc(nuls)]), [size]);
      expect(fault).toBeUndefined();
      expect(bytes.toString()).toBe(AB_TEXT);
      expect(counts).toEqual({ members: 2, memberBytes: AB.length, paddingBytes: nuls });
    }
  });

  const END = `data follows the end of the compressed content at compressed byte ${AB.length}`;
  const PADDED = (nuls: number): string =>
    `data follows the end of the compressed content at compressed byte ${AB.length + nuls} and ${nuls} bytes of padding`;

  test.each<[string, Uint8Array, string]>([
    ['garbage', Buffer.from('garbage'), END],
    ['garbage that begins like gzip', Buffer.from([0x1f, 1, 2]), END],
    [
      'NULs and a member',
      Buffer.concat([Buffer.alloc(9), A]),
      `${PADDED(9)}, and it begins like more compressed content`,
    ],
    [
      'many NULs and a member',
      Buffer.concat([Buffer.alloc(200_000), A]),
      `${PADDED(200_000)}, and it begins`,
    ],
    ['NULs and garbage', Buffer.from('\0\0x'), PADDED(2)],
  ])('are trailing data with their place: %s', async (_, tail, expected) => {
    for (const size of [1, 10, 65_536]) {
      const { fault, reason, bytes } = await unzip(Buffer.concat([AB, tail]), [size]);
      expect(reason).toBe('trailing-data');
      expect(fault).toContain(expected);
      expect(bytes.toString()).toBe(AB_TEXT);
    }
  });

  test('are a truncated member when there is only the first byte of one', async () => {
    for (const size of [1, 65_536]) {
      const { fault, reason } = await unzip(Buffer.concat([AB, Buffer.from([0x1f])]), [size]);
      expect([reason, fault]).toEqual([
        'corrupt-gzip',
        `member 3 at compressed byte ${AB.length}: it ends inside its header`,
      ]);
    }
  });

  test('are not padding when NULs precede the first member', async () => {
    expect((await unzip(Buffer.concat([Buffer.alloc(4), A]))).fault).toBe(
      'member 1 at compressed byte 0: not a gzip header',
    );
  });
});

describe('the consumer', () => {
  const BOMB = gzipSync(Buffer.alloc(300_000_000), { level: 1 });

  test('F076: receives a bomb in small pieces and bounded memory', async () => {
    const before = process.memoryUsage.rss();
    let size = 0;
    let largest = 0;
    let most = 0;
    for await (const piece of gunzip(chunked(BOMB))) {
      size += piece.length;
      largest = Math.max(largest, piece.length);
      most = Math.max(most, process.memoryUsage.rss());
    }
    expect(size).toBe(300_000_000);
    expect(largest).toBeLessThanOrEqual(1024 * 1024);
    expect(most - before).toBeLessThan(150 * 1024 * 1024);
  });

  test('pulls, and no more than one chunk is read ahead', async () => {
    let yielded = 0;
    async function* chunks(): AsyncGenerator<Uint8Array> {
      for (; yielded < AB.length; yielded++) yield AB.subarray(yielded, yielded + 1);
    }
    const stream = gunzip(chunks());
    expect(yielded).toBe(0);
    await stream.next();
    expect(yielded).toBeLessThan(A.length);
    await stream.return();
  });

  test.each([1, 3])('may stop after %i pieces, which closes the source', async (pieces) => {
    for (const packed of [BOMB, Buffer.concat([A, B, A, B])]) {
      const source = chunked(packed);
      let seen = 0;
      for await (const _ of gunzip(source)) if (++seen === pieces) break;
      expect(source.closed).toBe(true);
    }
  });

  test('receives the error of the source unchanged', async () => {
    const failing = {
      async *[Symbol.asyncIterator]() {
        yield AB.subarray(0, 20);
        throw new SourceFault('unreadable', 'EIO');
      },
    };
    const drain = async (): Promise<void> => {
      for await (const _ of gunzip(failing));
    };
    await expect(drain()).rejects.toMatchObject({ reason: 'unreadable' });
  });
});

test('F079: no flush mode accepts truncation anywhere in src/', () => {
  const source = new URL('../../../../src/', import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  expect(files).toContain('input/decompress/gzip.ts');
  const uses = (name: string): number =>
    readFileSync(new URL(name, source), 'utf8').match(/finishFlush|SYNC_FLUSH|e_flush/g)?.length ?? 0;
  const accepting = files.filter((name) => uses(name) > 0);
  // it only recognises a file by its first 4 KiB; the file is then read like any other
  expect(accepting).toEqual(['input/sources/batch-files.ts']);
  expect(uses('input/sources/batch-files.ts')).toBe(2);
});
