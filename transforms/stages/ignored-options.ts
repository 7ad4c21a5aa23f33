/** The findings about a source on which `--select` or `--strict-time` has no effect. */
import type { Dialect, ReadElement, ReadingOptions } from '../dialects/dialect.ts';
import type { ReadingNote } from '../model/element.ts';
import { withNotes } from '../model/reply.ts';

/**
 * Adds them to an entry, if the user chose conversations although every object of the dialect is a session by itself, or
 * wants times to be checked although they may overlap.
 */
export function withIgnoredOptions(
  element: ReadElement,
  dialect: Dialect | undefined,
  { select, strictTime }: ReadingOptions,
): ReadElement {
  if (element.kind !== 'entry' || dialect === undefined) return element;
  const notes: ReadingNote[] = [];
  if (select !== undefined && dialect.alone === true) {
    const message = `--select has no effect: each conversation of the dialect ${dialect.name} is a session by itself`;
    notes.push({ rule: 'select-ignored', severity: 'WARNING', message });
  }
  if (strictTime === true && element.alone === true) {
    const message = `--strict-time has no effect: conversations of the dialect ${dialect.name} may overlap`;
    notes.push({ rule: 'strict-time-ignored', severity: 'WARNING', message });
  }
  return withNotes(element, notes);
}
