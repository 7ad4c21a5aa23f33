/** The sessions of one log whose lines alternate: clients that write to one log at the same time write their lines in turns. */

import type { Fold } from '../fold/fold.ts';

/** With more sessions that have not ended, or more bytes of their lines, the one that was idle the longest ends. */
const MAX_OPEN = 64;
const MAX_OPEN_BYTES = 32 * 1024 * 1024;

export interface LoggedSession {
  /** Bytes of its lines. */
  readonly bytes: number;
  /** Whether the log says that it has ended. */
  readonly hasEnded?: boolean;
  /** The names of its threads. */
  readonly threads: ReadonlySet<string>;
  /** Called at its end. */
  end?(fold: Fold): unknown;
}

export class OpenSessions<Session extends LoggedSession> {
  /** By their ids, the one that was idle the longest first. */
  readonly #open = new Map<string, Session>();

  get(id: string): Session | undefined {
    return this.#open.get(id);
  }

  get all(): readonly Session[] {
    return [...this.#open.values()];
  }

  /** Puts a session behind all that were read before it. */
  put(id: string, session: Session): void {
    this.#open.delete(id);
    this.#open.set(id, session);
  }

  /** Called before a session begins: ends those that the log says have ended, and others if there are too many. */
  makeRoom(fold: Fold): void {
    let held = 0;
    for (const { bytes } of this.#open.values()) held += bytes;
    for (const [id, session] of this.#open) {
      if (session.hasEnded !== true && this.#open.size < MAX_OPEN && held < MAX_OPEN_BYTES) continue;
      session.end?.(fold);
      fold.closeAll((thread) => session.threads.has(thread));
      this.#open.delete(id);
      held -= session.bytes;
    }
  }
}
