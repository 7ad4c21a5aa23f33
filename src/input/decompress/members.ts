/**
 * Finds the gzip member that a byte of the content came from, to report it for a rejected line. Queries only go
 * forward, so members before the latest one are forgotten.
 */

export interface Members {
  /** Records that the member with this number, from 1, begins at this byte of the content. */
  begin(member: number, offset: number): void;
  /** Undefined for a byte before the latest query. */
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
      const behind = known.findIndex((each) => each.offset > offset);
      const here = (behind < 0 ? known.length : behind) - 1;
      if (here > 0) known = known.slice(here);
      return here < 0 ? undefined : known[0]?.member;
    },
  };
}
