/**
 * A checkpoint of a run, encoded as a part after its CRC-32; `--resume` continues from it
 * (docs/contributing/decisions/0012-resume.md).
 */
import { crc32 } from '../crc32.ts';
import type { FileCheckpoint } from '../dataset/checkpoint-file.ts';
import type { ShardCheckpoint } from '../dataset/shards.ts';
import { TurnmillError } from '../errors.ts';
import { PartCodec } from './part.ts';

/** Progress of a run. The files and shards that it names are in its staging folder. */
export interface Checkpoint {
  readonly toolVersion: string;
  /** The settings that decide the bytes of the dataset. */
  readonly settings: object;
  /** Number of completed sources, which is the index of the next one. */
  readonly sources: number;
  readonly shards: readonly ShardCheckpoint[];
  readonly files: readonly FileCheckpoint[];
}

type CheckpointItem =
  | ({ readonly kind: 'checkpoint' } & Omit<Checkpoint, 'shards' | 'files'>)
  | ({ readonly kind: 'staged-shard' } & ShardCheckpoint)
  | ({ readonly kind: 'staged-file' } & FileCheckpoint);

const codec = new PartCodec<CheckpointItem>({
  checkpoint: {},
  'staged-shard': { gathered: true },
  'staged-file': {},
});

const CHECKSUM_BYTES = 4;

/** Encodes a checkpoint. @returns its pieces in order; lines that are still gathered are not copied */
export function encodeCheckpoint({ shards, files, ...head }: Checkpoint): readonly Uint8Array[] {
  const part = codec.encode([
    { kind: 'checkpoint', ...head },
    ...shards.map((shard) => ({ kind: 'staged-shard', ...shard }) as const),
    ...files.map((file) => ({ kind: 'staged-file', ...file }) as const),
  ]);
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(part.reduce((sum, piece) => crc32(piece, sum), 0));
  return [checksum, ...part];
}

/** Decodes a checkpoint. Returns undefined if it is damaged, or was written by another version. */
export function decodeCheckpoint(bytes: Uint8Array): Checkpoint | undefined {
  const part = bytes.subarray(CHECKSUM_BYTES);
  const isWhole =
    bytes.length > CHECKSUM_BYTES &&
    Buffer.from(bytes.buffer, bytes.byteOffset).readUInt32LE() === crc32(part);
  const items = isWhole ? itemsOf(part) : [];
  const head = items.find((item) => item.kind === 'checkpoint');
  if (head === undefined) return undefined;
  const { toolVersion, settings, sources } = head;
  const shards = items.filter((item) => item.kind === 'staged-shard');
  const files = items.filter((item) => item.kind === 'staged-file');
  return { toolVersion, settings, sources, shards, files };
}

function itemsOf(part: Uint8Array): readonly CheckpointItem[] {
  try {
    return codec.decode([part]);
  } catch (error) {
    if (error instanceof TurnmillError) return [];
    throw error;
  }
}
