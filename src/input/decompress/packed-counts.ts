/** Counts of a packed source, up to the current position: members of gzip, frames of zstd. */

export interface PackedCounts {
  /** Complete members or frames with content. Frames to skip are not counted, but their bytes are. */
  members: number;
  /** Bytes of all complete members or frames. */
  memberBytes: number;
  /** NULs after the last one. If the source ended well, this and `memberBytes` add up to its size. */
  paddingBytes: number;
}

export function createPackedCounts(): PackedCounts {
  return { members: 0, memberBytes: 0, paddingBytes: 0 };
}
