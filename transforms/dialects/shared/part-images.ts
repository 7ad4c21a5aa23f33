/** Finds the image in a part of a message of any client, and writes it as the chat completions API has it. */
import type { JsonView } from '../../json/json-view.ts';
import { encode, latin1 } from '../../json/utf8.ts';
import { dataImage, imagePart } from './content-parts.ts';
import { firstOf } from './logged-values.ts';

const ADDRESS = /^"(?:data:image\/|https?:\/\/)/;
const ADDRESS_BYTES = 32;
/** Members that hold the address of an image. */
const IMAGES = ['image', 'image_url', 'url'] as const;

/** Is it a text that begins like the address of an image? It may be a giant one, so only its first bytes are decoded. */
const isAddress = (view: JsonView | undefined): boolean =>
  view?.type === 'string' &&
  ADDRESS.test(latin1(view.bytes.subarray(0, ADDRESS_BYTES)).replaceAll('\\/', '/'));

/**
 * The image of Inspect or the AI SDK (an address), of LangChain or Pydantic AI (an address or data), or of OpenTelemetry, as
 * the JSON text of a part; undefined for any other part.
 */
export function imageOf(part: JsonView): Uint8Array | undefined {
  const address = IMAGES.map((key) => part.get(key)).find(isAddress);
  const type = part.get('type')?.text() ?? '';
  if (address !== undefined && (/image/.test(type) || part.get('image') === address))
    return imagePart(address.copy());
  const uri = part.get('modality')?.text() === 'image' ? part.get('uri') : undefined;
  return uri?.type === 'string' ? imagePart(uri.copy()) : imageData(part);
}

/** An image that is its type and its data in base64. */
export function imageData(part: JsonView): Uint8Array | undefined {
  const media = firstOf(part, 'mime_type', 'mimeType', 'media_type', 'mediaType');
  const data = firstOf(part, 'data', 'content', 'base64', 'image');
  if (media?.text()?.startsWith('image/') !== true || data?.type !== 'string') return undefined;
  return isAddress(data) ? imagePart(data.copy()) : dataImage(media.bytes, data.bytes);
}

/** An image of Converse with its data; one in S3 is kept as it is. */
export function converseImage(image: JsonView | undefined): Uint8Array | undefined {
  const format = image?.textOf('format');
  const data = image?.get('source')?.get('bytes');
  if (data?.type !== 'string' || format === undefined) return undefined;
  return dataImage(encode(JSON.stringify(`image/${format}`)), data.bytes);
}

/** How the data of images begins in base64, with their types. */
const DATA_STARTS: readonly (readonly [start: string, media: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** An image that is only an address or its data in base64, as Ollama has them; undefined for any other text. */
export function imageOfText(text: JsonView): Uint8Array | undefined {
  if (isAddress(text)) return imagePart(text.copy());
  const head = latin1(text.bytes.subarray(1, ADDRESS_BYTES)).replaceAll('\\/', '/');
  const media = DATA_STARTS.find(([start]) => head.startsWith(start))?.[1];
  return media === undefined ? undefined : dataImage(encode(JSON.stringify(media)), text.copy());
}
