/**
 * Names the session that a conversation belongs to: branches have its id with `#2`, `#3` and so on, sub-agents go on with `/` and a
 * name. An id of the log may look alike (`owner/repo#7`, `EVAL/1`), so one counts as a part only of a session that exists.
 */
import { HashedSet } from '../../transforms/model/hashed-set.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import { sessionOfBranch } from './branch-id.ts';

/** An id with more places where another one may end is not divided: it may be as long as a line. */
const MAX_PARTS = 100;

export class SessionNames {
  /** Ids of sessions that others continue. */
  readonly #parents = new HashedSet();

  /** @param read reads all sessions; called twice */
  constructor(read: () => Iterable<Pick<SessionLine, 'id'>>) {
    const wanted = new HashedSet();
    for (const { id } of read()) for (const before of beginningsOf(id ?? '')) wanted.add(before);
    if (wanted.size === 0) return;
    for (const { id } of read()) if (id !== null && wanted.has(id)) this.#parents.add(id);
  }

  /** Returns the id of the session that a session is a part of, or its own. */
  nameOf(id: string): string {
    if (this.#parents.size === 0) return id;
    return beginningsOf(id).findLast((before) => this.#parents.has(before)) ?? id;
  }

  /** Returns the id without the number of a branch, if no session has it. */
  missingBaseOf(id: string): string | undefined {
    const base = sessionOfBranch(id);
    return base === undefined || this.#parents.has(base) ? undefined : base;
  }
}

/** Returns `a/b#2/c`, `a/b#2`, `a/b` and `a` for `a/b#2/c#3`. */
function beginningsOf(id: string): readonly string[] {
  const beginnings: string[] = [];
  for (let rest = id; beginnings.length <= MAX_PARTS; beginnings.push(rest)) {
    rest = sessionOfBranch(rest) ?? rest.slice(0, Math.max(0, rest.lastIndexOf('/')));
    if (rest === '') return beginnings;
  }
  return [];
}
