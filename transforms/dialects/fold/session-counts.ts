/** Counts what was written of each session: its conversations, and the branches that were abandoned. */
export class SessionCounts {
  readonly #maxBranches: number;
  #conversations = new Map<string, number>();
  #branches = new Map<string, number>();

  /** @param maxBranches conversations that are written of a session in which the user went back */
  constructor(maxBranches: number) {
    this.#maxBranches = maxBranches;
  }

  /** The id of the next conversation: the second one of a session is named `ID#2`. */
  nextName(sessionId: string): string {
    const count = (this.#conversations.get(sessionId) ?? 0) + 1;
    this.#conversations.set(sessionId, count);
    return count === 1 ? sessionId : `${sessionId}#${count}`;
  }

  /** Counts one more abandoned branch that is written. @returns false if that is more than the limit */
  takeBranch(sessionId: string): boolean {
    const count = (this.#branches.get(sessionId) ?? 1) + 1; // the last state is one
    if (count > this.#maxBranches) return false;
    this.#branches.set(sessionId, count);
    return true;
  }

  clear(): void {
    this.#conversations = new Map();
    this.#branches = new Map();
  }
}
