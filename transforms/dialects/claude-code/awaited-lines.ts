/**
 * Lines that others name and that have not occurred: as their parent, or as kept by a compaction. A line whose parent
 * comes after it is read in the order of the log, which is then not that of the conversation.
 */
import type { ReadingNote } from '../../model/element.ts';
import { keyOf } from '../../model/hashed-set.ts';
import type { Fold, FoldPlace } from '../fold/fold.ts';
import { warning } from '../shared/reading-notes.ts';

const PARENT_LATER = warning(
  'parent-missing',
  'the parent of a line comes after it: both are read in the order of the log',
);

interface Awaited {
  readonly thread: string;
  /** Reported if the line never occurs. */
  readonly note: ReadingNote;
  /** The first message that names it as its parent. */
  child?: FoldPlace;
}

export class AwaitedLines {
  readonly #lines = new Map<string, Awaited>();

  expect(uuid: string, thread: string, note: ReadingNote): void {
    const key = keyOf(uuid);
    if (!this.#lines.has(key)) this.#lines.set(key, { thread, note });
  }

  /** Records the message of a line that has a parent. */
  addChild(parent: string | null | undefined, place: FoldPlace): void {
    if (this.#lines.size === 0 || typeof parent !== 'string') return;
    const awaited = this.#lines.get(keyOf(parent));
    if (awaited !== undefined) awaited.child ??= place;
  }

  /** Notes that a line has occurred. @param isMessage whether it begins a message, which its children should follow */
  occur(uuid: string, isMessage: boolean, fold: Fold): void {
    if (this.#lines.size === 0) return;
    const key = keyOf(uuid);
    if (isMessage && saysSomething(this.#lines.get(key)?.child)) fold.note(PARENT_LATER);
    this.#lines.delete(key);
  }

  /** Called at the end of the source: reports the lines that did not occur. */
  end(fold: Fold): void {
    for (const { thread, note } of this.#lines.values()) {
      if (!fold.has(thread)) continue;
      fold.open(thread, '');
      fold.note(note);
    }
  }
}

/** Is it a text or an answer? A result that comes before its call is moved to it, so its place says nothing. */
const saysSomething = (place: FoldPlace | undefined): boolean =>
  place?.content !== undefined && !('role' in place.content && place.content.role === 'tool');
