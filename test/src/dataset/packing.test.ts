import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gzipMember, zstdFrame } from '../../../src/dataset/packing.ts';
import { walkFrame } from '../../../src/input/decompress/zstd-frame.ts';
import { packWithProgram } from '../../../src/input/decompress/zstd-program.ts';
import { hasZstd } from '../../support/zstd.ts';

const text = Buffer.from('{"role":"user"}\n'.repeat(100_000));

test('a gzip member holds no time and no platform', () => {
  const member = gzipMember(text);
  expect([...member.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  expect(gunzipSync(member).equals(text)).toBe(true);
});

test.skipIf(!hasZstd)(
  'a zstd frame has its checksum and its size, and is the same for any number of threads',
  () => {
    for (const pack of [zstdFrame, packWithProgram]) {
      process.env.ZSTD_NBTHREADS = '4';
      process.env.ZSTD_CLEVEL = '1';
      const frame = pack(text);
      delete process.env.ZSTD_NBTHREADS;
      delete process.env.ZSTD_CLEVEL;
      expect(pack(text)).toEqual(frame);
      const walk = walkFrame((_, message) => new Error(message));
      expect([walk.take(frame), walk.ended, walk.contentBytes]).toEqual([frame.length, true, text.length]);
      expect(Buffer.from(frame).readUInt8(4) & 4).toBe(4); // checksum flag
      expect(execFileSync('zstd', ['-dcq'], { input: frame, maxBuffer: 2 ** 24 }).equals(text)).toBe(true);
    }
  },
);
