/**
 * Texts in base64, as recorders write bodies of HTTP: with line breaks, in the alphabet of URLs, or without padding, and
 * often still compressed.
 */

import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode, invalidUtf8At, latin1 } from '../../json/utf8.ts';
import { jsonIn, structured } from './logged-values.ts';

const ENCODED = /^[A-Za-z0-9+/_-]{16,}={0,2}$/;
const LINE_BREAKS = /[\r\n]/g;
/** The first letters of an object, a list, a stream or a gzip file. */
const HEADS: ReadonlySet<string> = new Set([
  ...['eyJ', 'eyA', 'ewo', 'ew0', 'ewk', 'W3s', 'WyJ', 'WyA', 'Wwo', 'Ww0', 'ZGF', 'ZXZ', 'H4s'],
]);
const HEAD_LETTERS = 3;
const GZIP = 'H4sI';
const BODY = /^\s*(?:[[{]|data:|event:)/;

/** Whether a text begins like a body of an API: JSON, or a stream of events. */
export const isBody = (view: JsonView): boolean => BODY.test(view.text() ?? '');

/** The text that a string holds in base64; undefined if it is anything else. */
export function decoded(view: JsonView): JsonView | undefined {
  const text = encodedIn(view);
  return text === undefined ? undefined : textOfBase64(text);
}

/** The text of bytes, which HTTP may have compressed; undefined if they are none: an image, a body that was cut. */
export function textOfBase64(text: string): JsonView | undefined {
  const sent = bytesIn(text);
  const bytes = isText(sent) ? sent : decompressed(sent);
  return bytes && new JsonView(encode(quote(bytes.toString())));
}

const isText = (bytes: Uint8Array): boolean => invalidUtf8At(bytes) < 0;

/** Polly (HAR) writes a compressed body as a list of texts, one for each chunk that came. */
function bytesIn(text: string): Buffer {
  const chunks = text.startsWith('["') ? jsonIn(text)?.elements() : undefined;
  const texts = chunks?.map((chunk) => chunk.text() ?? '') ?? [text];
  return Buffer.concat(texts.map((one) => Buffer.from(one, 'base64')));
}

const DECOMPRESSED = { maxOutputLength: 2 ** 26 };

/** The text that bytes were compressed from; undefined if it is none, or was cut. */
function decompressed(bytes: Buffer): Buffer | undefined {
  for (const decompress of [unzipSync, brotliDecompressSync])
    try {
      const whole = decompress(bytes, DECOMPRESSED);
      return isText(whole) ? whole : undefined;
    } catch {} // in another format, or cut
  return undefined;
}

/**
 * The body of an API that a text holds in base64, as JSON or as the text of a stream. `packed` if it is
 * compressed and was cut; undefined for any other text.
 */
export function bodyInBase64(view: JsonView): JsonView | 'packed' | undefined {
  if (!HEADS.has(latin1(view.bytes.subarray(1, 1 + HEAD_LETTERS)))) return undefined;
  const text = encodedIn(view);
  if (text === undefined) return undefined;
  const body = textOfBase64(text);
  if (body === undefined) return text.startsWith(GZIP) ? 'packed' : undefined;
  return isBody(body) ? structured(body) : undefined;
}

function encodedIn(view: JsonView): string | undefined {
  const text = view.text()?.trim().replaceAll(LINE_BREAKS, '') ?? '';
  return text.length % 4 !== 1 && ENCODED.test(text) ? text : undefined;
}
