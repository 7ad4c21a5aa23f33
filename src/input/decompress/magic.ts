/** Recognises packed data by its first bytes. JSON cannot begin with any of these magic numbers. */

/** Compares as many bytes as there are: a single byte of a magic number matches. */
export type StartsLike = (bytes: Uint8Array) => boolean;

/** Number of bytes that are enough to decide. */
export const MAGIC_BYTES = 4;

export const startsLikeGzip: StartsLike = (bytes) => begins(bytes, [0x1f, 0x8b]);

/** Matches a frame with content, or a skippable one. */
export const startsLikeZstd: StartsLike = (bytes) =>
  begins(bytes, [0x28, 0xb5, 0x2f, 0xfd]) || startsLikeSkippedFrame(bytes);

/** Matches a zstd frame without content; four bits of its first byte may have any value. */
export const startsLikeSkippedFrame: StartsLike = (bytes) =>
  bytes.length > 0 && ((bytes[0] as number) & 0xf0) === 0x50 && begins(bytes.subarray(1), [0x2a, 0x4d, 0x18]);

function begins(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => i >= bytes.length || bytes[i] === byte);
}
