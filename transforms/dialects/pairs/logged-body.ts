/**
 * Bodies of HTTP as recorders write them: a text, possibly in base64, or an object with the text and its encoding. VCR
 * has `string` or `base64_string`, HAR `text` with `encoding`, others `data` or `content` with it.
 */

import type { JsonView } from '../../json/json-view.ts';
import { decoded, textOfBase64 } from '../shared/base64-text.ts';
import { firstOf, present, structured } from '../shared/logged-values.ts';

const BASE64 = 'base64';
/** Members that show that an object is a recorder's, not the body. */
const MARKS = ['encoding', 'mimeType'] as const;

/** The text of a body, as a JSON string; undefined if the body is a value, or was not logged. */
export function bodyText(body: JsonView): JsonView | undefined {
  if (body.type !== 'object') return body.type === 'string' ? body : undefined;
  const encoded = firstOf(body, 'base64_string', BASE64);
  if (encoded?.type === 'string') return textOfBase64(encoded.text() ?? '') ?? encoded;
  const plain = firstOf(body, 'string');
  const text = plain ?? (isRecorded(body) ? firstOf(body, 'text', 'data', 'content') : undefined);
  if (text?.type !== 'string') return undefined;
  const isEncoded = body.get('encoding')?.text()?.toLowerCase() === BASE64;
  return isEncoded ? (textOfBase64(text.text() ?? '') ?? text) : text;
}

/** Is it an object of a recorder, which may lack the body? */
export const isRecorded = (body: JsonView): boolean => MARKS.some((key) => present(body.get(key)));

/** The value of a body: what its text holds as JSON, also in base64, or the value itself. */
export function bodyValue(body: JsonView): JsonView | undefined {
  const text = bodyText(body);
  if (text === undefined) return isRecorded(body) ? undefined : body;
  const value = structured(text);
  return value?.type === 'string' ? structured(decoded(text)) : value;
}
