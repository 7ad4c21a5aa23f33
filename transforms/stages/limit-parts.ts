/**
 * Stage: conversation -> conversation. Replaces parts whose data (an image, a recording, a file) is too long by a text
 * with its media type, its size and its SHA-256. Texts stay, however long they are.
 */
import { decodeBase64 } from '../json/base64.ts';
import { OPEN_ARRAY, OPEN_OBJECT } from '../json/bytes.ts';
import { elementsOf, membersOf } from '../json/members.ts';
import { quote } from '../json/respace.ts';
import { type Splice, spliced } from '../json/splice.ts';
import { encode, textPieces } from '../json/utf8.ts';
import type { Conversation, Message, ReadingNote } from '../model/element.ts';
import { createSha256 } from '../model/hashed-set.ts';
import { dataLongerThan, type PartData } from '../model/part-data.ts';
import type { OptionSpecs, PlacedStage } from '../stage.ts';

export interface LimitPartsOptions {
  /** Most bytes of the data of a part, as logged; 0 for any number. */
  readonly maxPart: number;
}

/** Default of `maxPart`. */
export const MAX_PART_BYTES: number = 1024 * 1024;

const options: OptionSpecs<LimitPartsOptions> = {
  maxPart: {
    describe:
      'Replace an image, recording or file in a message whose data is longer than SIZE by a text with its SHA-256; 0 for no limit',
    default: MAX_PART_BYTES,
  },
};

const RULE = 'part-too-big';
/** Members of a message, or of a part, that are lists of parts (`images` is that of OpenRouter). */
const LISTS: ReadonlySet<string> = new Set(['content', 'images']);

/** A part to replace. */
interface BigPart {
  readonly splice: Splice;
  readonly note: ReadingNote;
}

function limited(conversation: Conversation, most: number): Conversation {
  const { messages, changes } = conversation;
  if (!messages.some(({ bytes }) => bytes.length > most)) return conversation;
  const replaced = messages.map((message) =>
    message.bytes.length > most ? replaceIn(message, most) : message,
  );
  const count = replaced.filter((message, i) => message !== messages[i]).length;
  return count === 0
    ? conversation
    : { ...conversation, messages: replaced, changes: new Map([...changes, [RULE, count]]) };
}

/** The message without the data of its big parts; the same object if it has none. */
function replaceIn(message: Message, most: number): Message {
  const { bytes, notes = [] } = message;
  const found = bigPartsIn(bytes, '', most, bytes.byteOffset);
  if (found.length === 0) return message;
  const rest = spliced(
    bytes,
    found.map(({ splice }) => splice),
  );
  return { ...message, bytes: rest, notes: [...notes, ...found.map(({ note }) => note)] };
}

/**
 * @param object a message or a part
 * @param path its place in the message, with a dot at the end, for findings
 * @param base offset of the message in the memory that they share
 */
function bigPartsIn(object: Uint8Array, path: string, most: number, base: number): readonly BigPart[] {
  return membersOf(object).flatMap(({ key, valueStart, end }) => {
    if (!LISTS.has(key) || object[valueStart] !== OPEN_ARRAY) return [];
    return elementsOf(object.subarray(valueStart, end)).flatMap((part, i) => {
      if (part.length <= most || part[0] !== OPEN_OBJECT) return [];
      const place = `${path}${key}[${i}]`;
      const data = dataLongerThan(part, most);
      if (data === undefined) return bigPartsIn(part, `${place}.`, most, base);
      const start = part.byteOffset - base;
      return [bigPart(data, place, start, start + part.length)];
    });
  });
}

function bigPart(data: PartData, place: string, start: number, end: number): BigPart {
  const { length, sha256 } = sumOf(data);
  const { mediaType = 'unknown type' } = data;
  const text = `[${RULE}: ${mediaType}, ${length} bytes, SHA-256 ${sha256}]`;
  const message = `${place}: ${length} bytes of data (${mediaType}) are replaced by their SHA-256 (--max-part)`;
  return {
    splice: { start, end, by: encode(`{"type":"text","text":${quote(text)}}`) },
    note: { rule: RULE, severity: 'WARNING', message },
  };
}

interface Sum {
  readonly length: number;
  readonly sha256: string;
}

/** Length and SHA-256 of the decoded data, or of its text in UTF-8 if it is not base64. */
function sumOf({ json, start, end, mayBeBase64 }: PartData): Sum {
  const decoded = createSha256();
  const length = mayBeBase64 ? decodeBase64(json, start, end, (piece) => decoded.update(piece)) : -1;
  if (length >= 0) return { length, sha256: decoded.digest('hex') };
  const all = createSha256();
  let bytes = 0;
  for (const piece of textPieces(json.subarray(start - 1, end + 1))) {
    const text = encode(piece);
    all.update(text);
    bytes += text.length;
  }
  return { length: bytes, sha256: all.digest('hex') };
}

const limitParts: PlacedStage<LimitPartsOptions> = {
  name: 'limit-parts',
  after: 'snapshot-select',
  summary: 'Replaces images, recordings and files that are too long by their SHA-256.',
  options,
  takes: 'conversation',
  create: ({ maxPart }) =>
    maxPart === 0 ? {} : { conversation: (conversation) => [limited(conversation, maxPart)] },
};

export default limitParts;
