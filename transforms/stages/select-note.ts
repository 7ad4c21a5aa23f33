/** The finding about a source on which `--select` has no effect. */
import type { Dialect, FoldSelect, ReadElement } from '../dialects/dialect.ts';
import { withNotes } from '../model/reply.ts';

/** Adds it to an entry, if the user chose conversations although every object of the dialect is a session by itself. */
export function withSelectNote(
  element: ReadElement,
  dialect: Dialect | undefined,
  select: FoldSelect | undefined,
): ReadElement {
  if (select === undefined || dialect?.alone !== true || element.kind !== 'entry') return element;
  const message = `--select has no effect: each conversation of the dialect ${dialect.name} is a session by itself`;
  return withNotes(element, [{ rule: 'select-ignored', severity: 'WARNING', message }]);
}
