/**
 * Marks answers of a written record as context: they are trained in an earlier record that begins with the same messages
 * (docs/copies.md). Which ones is known only at the end of a run, so the bytes of the record are edited.
 */
import { OPEN_OBJECT } from '../json/bytes.ts';
import { valueBytes, valueSpan } from '../json/members.ts';
import { addMember, editElements, replaceValue, spliced } from '../json/splice.ts';
import { decode, encode } from '../json/utf8.ts';
import { stringValue } from '../model/message.ts';
import type { Columns } from './columns.ts';

export interface ContextMarks {
  /** How a record says it: a sentence for docs/reference/formats.md. */
  readonly meaning: string;
  /** Whether records without context are rewritten too, because loaders expect the same members in all. */
  readonly inAll?: true;
  /** Returns the columns of a record with marks, if they are not those of the format. */
  readonly columns?: (columns: Columns) => Columns;
  /**
   * Returns the record with marks.
   * @param record as the format wrote it, without marks
   * @param answers number of answers, from the first, that are context
   */
  mark(record: Uint8Array, answers: number): Uint8Array;
}

export const isAnswer = (message: Uint8Array): boolean =>
  message[0] === OPEN_OBJECT && stringValue(message, 'role') === 'assistant';

/** Edits the answers among the messages of a record, which are counted from 0; undefined keeps one. */
export function editAnswers(
  record: Uint8Array,
  edit: (answer: Uint8Array, i: number) => Uint8Array | undefined,
): Uint8Array {
  let i = 0;
  return editList(record, 'messages', (message) => (isAnswer(message) ? edit(message, i++) : undefined));
}

/** Edits the elements of a list in a record; undefined keeps one. */
export function editList(
  record: Uint8Array,
  list: string,
  edit: (element: Uint8Array) => Uint8Array | undefined,
): Uint8Array {
  const span = valueSpan(record, list);
  if (span === undefined) return record;
  const { valueStart: start, end } = span;
  return spliced(record, [{ start, end, by: editElements(record.subarray(start, end), edit) }]);
}

export function withMember(object: Uint8Array, key: string, json: string): Uint8Array {
  const known = valueBytes(object, key);
  if (known === undefined) return addMember(object, key, encode(json));
  return decode(known) === json ? object : (replaceValue(object, key, encode(json)) as Uint8Array);
}
