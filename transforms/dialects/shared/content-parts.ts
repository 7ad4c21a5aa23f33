/** Parts of a content: texts, and objects such as images. Every value is JSON text; a logged string stays the same string. */
import type { JsonView } from '../../json/json-view.ts';
import { concat } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { arrayOf, joinStrings, objectOf } from './build-messages.ts';
import { keptBlock } from './reading-notes.ts';

/** A part of a content: only a text (a JSON string), or an object. */
export type Part = { readonly text: Uint8Array } | { readonly object: Uint8Array };

const EMPTY = encode('""');
const DATA = encode('"data:');
const BASE64 = encode(';base64,');

/** Joins parts to a content: one string if all of them are text, else a list. */
export function contentOfParts(parts: readonly Part[]): Uint8Array {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length < parts.length) return listOfParts(parts);
  return texts.length === 0 ? EMPTY : joinStrings(texts);
}

/** The content as a list, also of texts only. */
export const listOfParts = (parts: readonly Part[]): Uint8Array => arrayOf(parts.map(partBytes));

export function partBytes(part: Part): Uint8Array {
  return 'object' in part
    ? part.object
    : objectOf([
        ['type', '"text"'],
        ['text', part.text],
      ]);
}

/** @param url a JSON string */
export const imagePart = (url: Uint8Array): Uint8Array => imageObject(objectOf([['url', url]]));

/** @param image the JSON text of an object with a `url` */
export function imageObject(image: Uint8Array): Uint8Array {
  return objectOf([
    ['type', '"image_url"'],
    ['image_url', image],
  ]);
}

/** The URL that holds data, a JSON string. @param media its type, and `data` in base64: JSON strings */
export function dataUrl(media: Uint8Array, data: Uint8Array): Uint8Array {
  return concat([DATA, media.subarray(1, -1), BASE64, data.subarray(1)]);
}

/**
 * A part in the words of the Model Context Protocol: a text, or an image with its type and data.
 * @param notes gets a finding about any other part, which stays as it is
 */
export function mcpPart(part: JsonView, notes: ReadingNote[]): Part {
  const type = part.get('type')?.text();
  const text = part.get('text');
  if (type === 'text' && text?.type === 'string') return { text: text.copy() };
  const [media, data] = [part.get('mimeType'), part.get('data')];
  if (type === 'image' && media?.type === 'string' && data?.type === 'string')
    return { object: imagePart(dataUrl(media.bytes, data.bytes)) };
  notes.push(keptBlock(type ?? 'unknown'));
  return { object: part.copy() };
}
