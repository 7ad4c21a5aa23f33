/**
 * Pieces of answers, which clients print before the whole answer. They are dropped because a later line has the answer
 * as a whole; the pieces that no line repeated are reported, because the record would lack what they say.
 */
import type { Origin, ReadingNote, Rejection } from '../../model/element.ts';
import type { Fold } from '../fold/fold.ts';
import { unreadText } from './reading-notes.ts';

export class OpenPieces {
  /** The first piece of each answer that is not whole yet, by thread and name. */
  readonly #open = new Map<string, Map<string, Origin>>();
  /** The first piece that no line repeated and that belongs to no conversation. */
  #lost: Origin | undefined;

  add(thread: string, name: string, origin: Origin): void {
    const own = this.#open.get(thread) ?? new Map<string, Origin>();
    this.#open.set(thread, own);
    if (!own.has(name)) own.set(name, origin);
  }

  /** Called for a line that has an answer as a whole. */
  repeat(thread: string, name: string): void {
    const own = this.#open.get(thread);
    if (own?.delete(name) === true && own.size === 0) this.#open.delete(thread);
  }

  /** Drops the pieces of a thread. */
  forget(thread: string): void {
    this.#open.delete(thread);
  }

  /** Reports the pieces of a thread: none of the lines that follow can repeat them. */
  settle(thread: string, fold: Fold): void {
    const [first] = this.#open.get(thread)?.values() ?? [];
    if (first === undefined) return;
    this.#open.delete(thread);
    this.#report(thread, first, fold);
  }

  /** Called at the end of the source. @returns the rejection of a source with pieces that belong to no conversation */
  end(fold: Fold): Rejection | undefined {
    for (const thread of [...this.#open.keys()]) this.settle(thread, fold);
    const origin = this.#lost;
    if (origin === undefined) return undefined;
    const detail = `line ${origin.line}: ${UNREPEATED}`;
    return { kind: 'rejection', scope: 'source', stage: 'parse', reason: 'nothing-read', detail, origin };
  }

  #report(thread: string, first: Origin, fold: Fold): void {
    const isOpen = fold.has(thread);
    if (isOpen) fold.open(thread, '');
    if (isOpen && fold.last.index >= 0) fold.note(unrepeated(first));
    else this.#lost ??= first;
  }
}

const UNREPEATED = 'an answer is only in pieces or in a summary of the run: no line has it as a whole';

const unrepeated = ({ line }: Origin): ReadingNote => unreadText(`line ${line}: ${UNREPEATED}`);
