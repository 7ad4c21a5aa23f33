/** Finds the session of each line: runs at the same time that print to one log print their lines in turns. */

import type { LineFate, Rejection } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import type { Fold } from '../fold/fold.ts';
import { OpenSessions } from '../shared/open-sessions.ts';
import { TWO_IDS } from '../shared/reading-notes.ts';
import type { ClaudeLine } from './line.ts';
import { ClaudeSource } from './source.ts';

export class ClaudeSessions {
  /** Whether a line with another session id is of another session. */
  #splits: boolean;
  #current = new ClaudeSource();
  readonly #open = new OpenSessions<ClaudeSource>();

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
    const all = new Set([...this.#open.all, this.#current]);
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
      if (known === undefined) this.#open.makeRoom(fold);
      this.#current = known ?? new ClaudeSource(`${id} `);
      this.#current.session = id;
    }
    this.#open.put(id, this.#current);
  }
}
