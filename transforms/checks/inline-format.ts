/** Which formats write calls and results as tags in the text: other checks hold for their rows. */
import type { Row } from '../model/element.ts';

const INLINE_FORMATS: ReadonlySet<string> = new Set(['chat-inline']);

export function isInline(row: Row): boolean {
  return INLINE_FORMATS.has(row.format);
}
