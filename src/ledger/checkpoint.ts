/** A checkpoint of a run, encoded as a part; `--resume` continues from it (docs/contributing/decisions/0012-resume.md). */
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

/** Encodes a checkpoint as a part. @returns its pieces in order; lines that are still gathered are not copied */
export function encodeCheckpoint({ shards, files, ...head }: Checkpoint): readonly Uint8Array[] {
  return codec.encode([
    { kind: 'checkpoint', ...head },
    ...shards.map((shard) => ({ kind: 'staged-shard', ...shard }) as const),
    ...files.map((file) => ({ kind: 'staged-file', ...file }) as const),
  ]);
}

/** Decodes a checkpoint. Returns undefined if it is damaged, or was written by another version. */
export function decodeCheckpoint(part: Uint8Array): Checkpoint | undefined {
  const items = itemsOf(part);
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
