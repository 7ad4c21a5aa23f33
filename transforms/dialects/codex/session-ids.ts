/** The ids in the headers of a rollout: of its session, and of those that it was forked from. */
import type { JsonView } from '../../json/json-view.ts';

/**
 * Whose id a header has: that of the session itself, of one whose history the session copied, of another
 * one, or of one that begins here.
 */
export type HeaderKind = 'own' | 'parent' | 'other' | 'new';

export class SessionIds {
  #own: string | undefined;
  /** The session that it was forked from, the one that this one was forked from, and so on. */
  readonly #parents = new Set<string>();
  /** Others before the first item: a fork of some versions copies a header that it does not name. */
  readonly #others = new Set<string>();

  get own(): string | undefined {
    return this.#own;
  }

  get parent(): string | undefined {
    return [...this.#parents][0];
  }

  /** @param splits whether a header with another id begins a session: a fork copies headers before all items */
  read(id: string, header: JsonView, splits: boolean): HeaderKind {
    if (this.#own === undefined) return this.#enter(id, header);
    if (id === this.#own) return 'own';
    if (this.#parents.has(id)) {
      this.#addParents(header);
      return 'parent';
    }
    if (splits && !this.#others.has(id)) return this.#enter(id, header);
    this.#others.add(id);
    return 'other';
  }

  #enter(id: string, header: JsonView): HeaderKind {
    this.#own = id;
    this.#parents.clear();
    this.#others.clear();
    this.#addParents(header);
    return 'new';
  }

  #addParents(header: JsonView): void {
    const spawn = header.get('source')?.get('subagent')?.get('thread_spawn');
    const base = header.get('history_base')?.get('thread_id');
    const parents = [header.get('forked_from_id'), header.get('parent_thread_id'), base];
    for (const parent of [...parents, spawn?.get('parent_thread_id')]) {
      const name = parent?.text();
      if (name !== undefined && name !== this.#own) this.#parents.add(name);
    }
  }
}
