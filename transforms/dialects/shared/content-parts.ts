/** Builds the content of messages from its parts: texts, and objects such as images. All values are JSON text. */
import { JsonView } from '../../json/json-view.ts';
import { concat } from '../../json/splice.ts';
import { encode, latin1, NO_TEXT } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { arrayOf, joinStrings, objectOf, typedObject } from './build-messages.ts';
import { keptBlock } from './reading-notes.ts';

/** A text (a JSON string), or any other part (an object). */
export type Part = { readonly text: Uint8Array } | { readonly object: Uint8Array };

const DATA = encode('"data:');
const BASE64 = encode(';base64,');
/** The beginning of a JSON string in base64, without its quote; an escape at the end may be cut. */
const ENCODED = /^(?:[\w+/=-]|\\(?:[/nr]|u00[\dA-Fa-f]{2}))+(?:\\.{0,4})?$/;
const ENCODED_BYTES = 64;

/** One string if all parts are texts, else a list of parts. An empty text adds no line. */
export function contentOfParts(parts: readonly Part[]): Uint8Array {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length < parts.length) return listOfParts(parts);
  const filled = texts.filter(({ length }) => length > NO_TEXT.length);
  return filled.length === 0 ? NO_TEXT : joinStrings(filled);
}

/** The only part, if it is a text, else a list. */
export function textOrParts(parts: readonly Part[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && 'text' in only ? only.text : listOfParts(parts);
}

/** A list of parts, even if all of them are texts. */
export const listOfParts = (parts: readonly Part[]): Uint8Array => arrayOf(parts.map(partBytes));

export function partBytes(part: Part): Uint8Array {
  return 'object' in part ? part.object : typedObject('text', ['text', part.text]);
}

/** Parts of the chat completions API that are not text. */
export const CHAT_PARTS: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'file', 'refusal']);

/** The findings about parts that consumers may not know. @param content JSON text of a content */
export const keptIn = (content: Uint8Array): readonly ReadingNote[] =>
  new JsonView(content).elements().flatMap((part) => {
    const type = part.textOf('type');
    return type === undefined || type === 'text' || CHAT_PARTS.has(type) ? [] : [keptBlock(type)];
  });

/** @param url a JSON string */
export const imagePart = (url: Uint8Array): Uint8Array => imageObject(objectOf([['url', url]]));

/** @param image the JSON text of an object with a `url` */
export const imageObject = (image: Uint8Array): Uint8Array => typedObject('image_url', ['image_url', image]);

/**
 * A `data:` URL, as a JSON string.
 * @param media the media type
 * @param data in base64; both are JSON strings
 * @returns undefined if it is not base64: some clients and tools write the name of a file, or a mark of what they left out
 */
export function dataUrl(media: Uint8Array, data: Uint8Array): Uint8Array | undefined {
  const head = latin1(data.subarray(1, Math.min(data.length - 1, 1 + ENCODED_BYTES)));
  return ENCODED.test(head) ? concat([DATA, media.subarray(1, -1), BASE64, data.subarray(1)]) : undefined;
}

/** An image with its type and data; undefined if the data is not base64. */
export function dataImage(media: Uint8Array, data: Uint8Array): Uint8Array | undefined {
  const url = dataUrl(media, data);
  return url && imagePart(url);
}

/**
 * Converts a part in the format of the Model Context Protocol: a text, or an image with its type and data.
 * @param notes receives a finding about any other part, which stays as it is
 */
export function mcpPart(part: JsonView, notes: ReadingNote[]): Part {
  const type = part.get('type')?.text();
  const text = part.get('text');
  if (type === 'text' && text?.type === 'string') return { text: text.copy() };
  const [media, data] = [part.get('mimeType'), part.get('data')];
  if (type === 'image' && media?.type === 'string' && data?.type === 'string') {
    const image = dataImage(media.bytes, data.bytes);
    if (image !== undefined) return { object: image };
  }
  notes.push(keptBlock(type ?? 'unknown'));
  return { object: part.copy() };
}
