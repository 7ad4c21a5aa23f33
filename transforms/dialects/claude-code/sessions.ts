/** Finds the session of each line: runs at the same time that print to one log print their lines in turns. */

import type { LineFate, Rejection } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold } from '../fold/fold.ts';
import { TWO_IDS } from '../shared/reading-notes.ts';
import type { ClaudeLine } from './line.ts';
import { ClaudeSource } from './source.ts';

/** With more sessions that have not ended, or more bytes of their lines, the one that was idle the longest ends. */
const MAX_OPEN = 64;
const MAX_OPEN_BYTES = 32 * 1024 * 1024;

export class ClaudeSessions {
  /** Whether a line with another session id is of another session. */
  #splits: boolean;
  #current = new ClaudeSource();
  /** Those that have not ended by their ids, the one that was idle the longest first. */
  readonly #open = new Map<string, ClaudeSource>();

  constructor(splits: boolean) {
    this.#splits = splits;
  }

  read(line: ClaudeLine, context: ReadContext): LineFate {
    const { sessionId } = line;
    if (sessionId !== undefined && sessionId !== this.#current.session)
      this.#enter(sessionId, line.beginsRun, context.fold);
    this.#current.bytes += context.origin.length;
    return this.#current.read(line, context);
  }

  /** Called at the end of the source. */
  end(fold: Fold): Rejection | undefined {
    const all = new Set([...this.#open.values(), this.#current]);
    return [...all].map((session) => session.end(fold)).find((lost) => lost !== undefined);
  }

  #enter(id: string, beginsRun: boolean, fold: Fold): void {
    const before = this.#current;
    const known = this.#open.get(id);
    if (before.session === undefined) before.session = id;
    else if (known === undefined && !this.#splits && !beginsRun) {
      before.notes.push(TWO_IDS);
      return;
    } else {
      before.notes = [];
      this.#splits = true;
      if (known === undefined) this.#makeRoom(fold);
      this.#current = known ?? new ClaudeSource(`${id} `);
      this.#current.session = id;
    }
    this.#open.delete(id);
    this.#open.set(id, this.#current);
  }

  #makeRoom(fold: Fold): void {
    let held = 0;
    for (const { bytes } of this.#open.values()) held += bytes;
    for (const [id, session] of this.#open) {
      if (!session.hasEnded && this.#open.size < MAX_OPEN && held < MAX_OPEN_BYTES) continue;
      session.end(fold);
      fold.closeAll((thread) => session.threads.has(thread));
      this.#open.delete(id);
      held -= session.bytes;
    }
  }
}
