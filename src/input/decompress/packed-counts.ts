/** Counts the gzip members or zstd frames of a packed source, up to the current position. */

export interface PackedCounts {
  /** Complete members or frames with content. Skippable frames are not counted, but their bytes are. */
  members: number;
  /** Bytes of all complete members or frames. */
  memberBytes: number;
  /** NULs after the last one. If the source has no fault, this and `memberBytes` add up to its size. */
  paddingBytes: number;
}

export function createPackedCounts(): PackedCounts {
  return { members: 0, memberBytes: 0, paddingBytes: 0 };
}
