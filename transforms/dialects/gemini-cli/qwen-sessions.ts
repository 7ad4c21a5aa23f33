/** Finds the session of each line of Qwen Code, which a log of several sessions may have in turns. */

import type { JsonView } from '../../json/json-view.ts';
import type { LineFate } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import { OpenSessions } from '../shared/open-sessions.ts';
import { ContentsSource } from './contents.ts';

export class QwenSessions {
  #current: ContentsSource | undefined;
  #id: string | undefined;
  readonly #open = new OpenSessions<ContentsSource>();

  read(line: JsonView, context: ReadContext): LineFate {
    const source = this.#sourceOf(line, context);
    source.bytes += context.origin.length;
    return source.readLine(line, context);
  }

  /** The session of a line. Another id begins one only at a first line: a fork may go on under its own id. */
  #sourceOf(line: JsonView, { fold }: ReadContext): ContentsSource {
    const id = line.textOf('sessionId');
    const before = this.#current;
    if (before !== undefined && (id === undefined || id === this.#id)) return before;
    const known = id === undefined ? undefined : this.#open.get(id);
    const isFirst = line.get('parentUuid')?.type === 'null';
    if (before !== undefined && known === undefined && !isFirst) return before;
    if (known === undefined) this.#open.makeRoom(fold);
    this.#current = known ?? new ContentsSource(this.#id === undefined ? undefined : id);
    this.#id = id;
    if (id !== undefined) this.#open.put(id, this.#current);
    return this.#current;
  }
}
