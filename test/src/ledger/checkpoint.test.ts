import { expect, it } from 'vitest';
import type { ShardCheckpoint } from '../../../src/dataset/shards.ts';
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { encodePart } from '../../../src/ledger/part.ts';
import { record } from '../../support/results.ts';

const CHECKPOINT: Checkpoint = {
  toolVersion: '1.2.3',
  settings: { format: ['chat'], sessionBy: undefined },
  sources: 7,
  shards: [
    { path: 'data/a.jsonl', group: 'a', records: 3, bytes: 90, crc32: 1, gathered: new Uint8Array(0) },
    { path: 'data/b.jsonl', group: '', records: 1, bytes: 0, crc32: 0, gathered: Buffer.from('{"x":1}\n') },
  ],
  files: [{ path: 'ledger/sources.jsonl', bytes: 2 ** 40, crc32: 0xffffffff }],
};

const whole = (checkpoint: Checkpoint): Buffer => Buffer.concat(encodeCheckpoint(checkpoint));

it('decodes to the same value, including the lines in memory', () => {
  const found = decodeCheckpoint(whole(CHECKPOINT));
  expect(found).toMatchObject({ toolVersion: '1.2.3', settings: { format: ['chat'] }, sources: 7 });
  expect(found?.files).toMatchObject(CHECKPOINT.files);
  expect(
    found?.shards.map(({ gathered, ...rest }) => ({ ...rest, gathered: Buffer.from(gathered) })),
  ).toMatchObject(
    CHECKPOINT.shards.map(({ gathered, ...rest }) => ({ ...rest, gathered: Buffer.from(gathered) })),
  );
});

it('decodes if a shard has just written all its lines, so that its memory is a view of an empty buffer', () => {
  const [first, second] = CHECKPOINT.shards as [ShardCheckpoint, ShardCheckpoint];
  const shards = [first, { ...second, gathered: Buffer.alloc(0).subarray(0, 0) }, second];
  expect(decodeCheckpoint(whole({ ...CHECKPOINT, shards }))?.shards).toHaveLength(3);
});

it('does not copy the lines in memory', () => {
  expect(encodeCheckpoint(CHECKPOINT)).toContain(CHECKPOINT.shards[1]?.gathered);
});

it('is invalid with any bit flipped or truncated anywhere', () => {
  const bytes = whole(CHECKPOINT);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = bytes.with(bit >> 3, (bytes[bit >> 3] as number) ^ (1 << (bit & 7)));
    expect(decodeCheckpoint(changed), `bit ${bit}`).toBeUndefined();
  }
  for (let length = 0; length < bytes.length; length++)
    expect(decodeCheckpoint(bytes.subarray(0, length)), `${length} bytes`).toBeUndefined();
});

it('cannot be decoded from a part of results or from nothing', () => {
  expect(decodeCheckpoint(Buffer.concat(encodePart([record('x')])))).toBeUndefined();
  expect(decodeCheckpoint(Buffer.concat(encodePart([])))).toBeUndefined();
});
