/**
 * Finds the data in a part of a message (an image, a recording, a file), which is a `data:` URI or base64. Recognises
 * the parts of the chat completions API, the Responses API, the Messages API, Gemini and the Model Context Protocol.
 */
import { COMMA, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { type Member, membersOf } from '../json/members.ts';
import { decode } from '../json/utf8.ts';
import { stringValue } from './message.ts';
import { wordSet } from './words.ts';

export interface PartData {
  /** The data is the inside of a JSON string in `json[start, end)`, without the head of a `data:` URI. */
  readonly json: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Whether it may be base64, and not the text of a `data:` URI. */
  readonly mayBeBase64: boolean;
  readonly mediaType: string | undefined;
}

/** Objects in a part that may have its data. */
const HOLDERS: ReadonlySet<string> = wordSet(`
  image_url video_url audio_url input_audio file source inlineData inline_data resource
`);
/** Members of these objects, or of the part, that are data. */
const DATA: ReadonlySet<string> = new Set(['data', 'file_data', 'blob']);
/** Members that may be a `data:` URI. */
const ADDRESSES: ReadonlySet<string> = wordSet('url uri image_url video_url audio_url image');
/** Types of objects whose `data` is text or encrypted reasoning. */
const OTHER_TYPES: ReadonlySet<string> = new Set(['text', 'redacted_thinking']);
const MEDIA_TYPES: ReadonlySet<string> = new Set(['media_type', 'mediaType', 'mime_type', 'mimeType']);

/** Bytes in which the comma after the head of a `data:` URI must be. */
const HEAD_BYTES = 1024;
const URI = /^data:([^;]*)(?:;.*)?$/is;
const BASE64 = /;\s*base64\s*$/i;
/** A media type that may be shown; anything else could be content. */
const SHOWN = /^[\w.+-]{1,40}\/[\w.+-]{1,80}$/;

/**
 * The data of a part.
 * @param part JSON text of an object
 * @param most length in bytes, as logged, up to which data is ignored
 * @returns undefined if no data in it is longer
 */
export function dataLongerThan(part: Uint8Array, most: number): PartData | undefined {
  const own = heldIn(part, most);
  if (own !== undefined) return own;
  for (const { key, valueStart, end } of membersOf(part)) {
    if (end - valueStart <= most || !HOLDERS.has(key) || part[valueStart] !== OPEN_OBJECT) continue;
    const held = heldIn(part.subarray(valueStart, end), most);
    if (held !== undefined) return { ...held, mediaType: held.mediaType ?? mediaTypeIn(part) };
  }
  return undefined;
}

function heldIn(object: Uint8Array, most: number): PartData | undefined {
  const isLong = ({ valueStart, end }: Member): boolean =>
    object[valueStart] === QUOTE && end - valueStart - 2 > most;
  for (const member of membersOf(object)) {
    const { key, valueStart, end } = member;
    const isData = DATA.has(key);
    if ((!isData && !ADDRESSES.has(key)) || !isLong(member)) continue;
    const uri = uriAt(object, valueStart + 1, end - 1);
    if (uri !== undefined) return { ...uri, mediaType: uri.mediaType ?? mediaTypeIn(object) };
    if (!isData || OTHER_TYPES.has(stringValue(object, 'type') ?? '')) continue;
    const mediaType = mediaTypeIn(object);
    return { json: object, start: valueStart + 1, end: end - 1, mayBeBase64: true, mediaType };
  }
  return undefined;
}

/** The data of the URI in `json[start, end)`, the inside of a JSON string; undefined if it is not a `data:` URI. */
function uriAt(json: Uint8Array, start: number, end: number): PartData | undefined {
  const comma = json.subarray(start, Math.min(end, start + HEAD_BYTES)).indexOf(COMMA);
  if (comma < 0) return undefined;
  const head = JSON.parse(`"${decode(json.subarray(start, start + comma))}"`) as string;
  const mediaType = URI.exec(head)?.[1]?.trim();
  if (mediaType === undefined) return undefined;
  return { json, start: start + comma + 1, end, mayBeBase64: BASE64.test(head), mediaType: shown(mediaType) };
}

/** The media type that an object names beside its data. Recordings of the chat completions API have only a format. */
function mediaTypeIn(object: Uint8Array): string | undefined {
  const named = membersOf(object).find(({ key }) => MEDIA_TYPES.has(key));
  if (named !== undefined) return shown(stringValue(object, named.key));
  const format = stringValue(object, 'format');
  return format === undefined ? undefined : shown(`audio/${format}`);
}

const shown = (mediaType: string | undefined): string | undefined =>
  mediaType !== undefined && SHOWN.test(mediaType) ? mediaType : undefined;
