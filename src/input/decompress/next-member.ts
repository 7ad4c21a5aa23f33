/**
 * Checks what follows a complete gzip member or zstd frame: the next one, NULs up to the end, or other data. Other data
 * is a fault and never skipped, because it may contain a whole member.
 */
import { SourceFault } from '../../errors.ts';
import type { ChunkCursor } from './chunk-cursor.ts';
import { MAGIC_BYTES, type StartsLike } from './magic.ts';
import type { PackedCounts } from './members.ts';

/**
 * @returns false at the end of the source, after the padding
 * @throws SourceFault `trailing-data`
 */
export async function nextMember(
  cursor: ChunkCursor,
  counts: PackedCounts,
  startsLike: StartsLike,
): Promise<boolean> {
  await need(cursor, MAGIC_BYTES);
  if (cursor.rest().length === 0) return false;
  if (startsLike(cursor.rest())) return true;
  const start = cursor.taken();
  await takeNuls(cursor);
  counts.paddingBytes = cursor.taken() - start;
  await need(cursor, MAGIC_BYTES);
  if (cursor.rest().length === 0) return false;
  const padding = counts.paddingBytes === 0 ? '' : ` and ${counts.paddingBytes} bytes of padding`;
  const like = startsLike(cursor.rest()) ? ', and it begins like more compressed content' : '';
  throw new SourceFault(
    'trailing-data',
    `data follows the end of the compressed content at compressed byte ${cursor.taken()}${padding}${like}`,
  );
}

/** Waits until that many bytes are available, or the source ends. */
export async function need(cursor: ChunkCursor, count: number): Promise<void> {
  while (cursor.rest().length < count && (await cursor.more()));
}

/** Takes NULs up to the first other byte, or to the end. */
async function takeNuls(cursor: ChunkCursor): Promise<void> {
  do {
    const bytes = cursor.rest();
    let nuls = 0;
    while (bytes[nuls] === 0) nuls++;
    cursor.take(nuls);
  } while (cursor.rest().length === 0 && (await cursor.more()));
}
