/**
 * Finds the gzip member that a byte of the content came from, to report it for a rejected line. Queries only move
 * forward, so members before the latest query are dropped.
 */
export interface Members {
  /** Records that the member with this number, from 1, begins at this byte of the content. */
  begin(member: number, offset: number): void;
  /** Returns the number of the member; undefined for a byte before the latest query. */
  at(offset: number): number | undefined;
}

interface Beginning {
  member: number;
  readonly offset: number;
}

export function createMembers(): Members {
  let known: Beginning[] = [];
  return {
    begin(member, offset) {
      const latest = known.at(-1);
      if (latest?.offset === offset)
        latest.member = member; // the member before it is empty
      else known.push({ member, offset });
    },
    at(offset) {
      const after = known.findIndex((beginning) => beginning.offset > offset);
      const index = (after < 0 ? known.length : after) - 1;
      if (index > 0) known = known.slice(index);
      return index < 0 ? undefined : known[0]?.member;
    },
  };
}

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
