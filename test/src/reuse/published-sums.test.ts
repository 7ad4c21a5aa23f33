import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BLOCK_BYTES } from '../../../src/reuse/block-sums.ts';
import { CheckedLines } from '../../../src/reuse/checked-lines.ts';
import { PublishedSums } from '../../../src/reuse/published-sums.ts';
import { temporaryFolder } from '../../support/folder.ts';

const LINES = Array.from({ length: 500 }, (_, i) => `${i} `.repeat(200));

/** A file of several blocks, with its hash before `change`. */
function published(change: (bytes: Buffer) => unknown = () => {}): {
  readonly path: string;
  readonly lines: CheckedLines;
} {
  const path = join(temporaryFolder(), 'shard.jsonl');
  const bytes = Buffer.from(`${LINES.join('\n')}\n`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  change(bytes);
  writeFileSync(path, bytes);
  const file = { bytes: bytes.length, sha256 };
  return { path, lines: new CheckedLines(path, bytes.length, new PublishedSums(path, file)) };
}

function readAll(lines: CheckedLines): string[] {
  const found: string[] = [];
  for (let line = lines.next(); line !== undefined; line = lines.next()) found.push(line.toString());
  return found;
}

it('yields the lines of a file with the hash of the manifest', () => {
  expect(readAll(published().lines)).toEqual(LINES);
});

it.each([0, BLOCK_BYTES, 3 * BLOCK_BYTES + 7])('refuses a file with another bit in byte %i', (at) => {
  const { lines } = published((bytes) => bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at));
  expect(() => readAll(lines)).toThrow('does not match the manifest');
});

it('compares what is read again after a pause with the first reading', () => {
  const { lines } = published();
  for (const expected of LINES) {
    expect(lines.next()?.toString()).toBe(expected);
    lines.park();
  }
  expect(lines.next()).toBeUndefined();
});

it('refuses a byte that changes during a pause', () => {
  const { path, lines } = published();
  lines.next();
  lines.park();
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
  writeFileSync(path, bytes);
  expect(() => lines.next()).toThrow('had other bytes when it was read again');
});
