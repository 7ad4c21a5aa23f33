/**
 * Converts content blocks of the Messages API to texts, parts, calls, results and thoughts. Values keep their JSON
 * text;
 * `cache_control` is dropped.
 */

import { LETTER_N, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { elementsOf, valuesOf } from '../../json/members.ts';
import { dropMembers } from '../../json/splice.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { objectBytes, stringValue, TEXT_TYPES } from '../../model/message.ts';
import {
  blockOfPart,
  type CallPiece,
  callBlock,
  type FoldBlock,
  sealedBlock,
} from '../fold/assistant-draft.ts';
import { arrayOf, joinStrings } from './build-messages.ts';
import { argumentsOf } from './call-arguments.ts';
import { CHAT_PARTS, dataUrl, imagePart, type Part, partBytes } from './content-parts.ts';
import { imageData } from './part-images.ts';
import { isPrintedAnswer } from './printed-value.ts';
import { keptBlock } from './reading-notes.ts';

/** Tells the server what to cache. It moves from request to request and is not part of the conversation. */
export const CACHE_MARK = 'cache_control';

/** A content block. `kept` is the type of a part that consumers may not know. */
export type Block =
  | { readonly kind: 'part'; readonly part: Part; readonly kept?: string }
  | CallPiece
  | { readonly kind: 'thought'; readonly text: Uint8Array }
  /** Encrypted reasoning, a JSON string. */
  | { readonly kind: 'sealed'; readonly data: Uint8Array }
  | { readonly kind: 'result'; readonly block: Uint8Array };

/** @param isOfModel whether the model speaks: a result in its message stays a part, for which the message is rejected */
export function readBlock(block: Uint8Array, isOfModel: boolean): Block {
  const type = block[0] === OPEN_OBJECT ? stringValue(block, 'type') : undefined;
  if (type === 'tool_use') return readCall(block);
  if (type === 'tool_result' && !isOfModel) return { kind: 'result', block };
  const [logged, signature] = type === 'thinking' ? valuesOf(block, ['thinking', 'signature']) : [];
  const thinking = logged?.[0] === OPEN_ARRAY ? (textsOf(logged) ?? logged) : logged;
  const data = type === 'redacted_thinking' ? valuesOf(block, ['data'])[0] : sealedIn(thinking, signature);
  if (data?.[0] === QUOTE) return { kind: 'sealed', data };
  if (thinking?.[0] === QUOTE) return { kind: 'thought', text: thinking };
  return { kind: 'part', ...readPart(block, type) };
}

/** The texts of a list of parts, joined, as Mistral writes a thought; undefined for any other list. */
function textsOf(list: Uint8Array): Uint8Array | undefined {
  const texts = elementsOf(list).flatMap((part) => {
    const text =
      part[0] === OPEN_OBJECT && stringValue(part, 'type') === 'text'
        ? valuesOf(part, ['text'])[0]
        : undefined;
    return text?.[0] === QUOTE ? [text] : [];
  });
  return texts.length < elementsOf(list).length ? undefined : joinStrings(texts);
}

/** A thought without text has its signature only, which is the reasoning in encrypted form. */
function sealedIn(
  thinking: Uint8Array | undefined,
  signature: Uint8Array | undefined,
): Uint8Array | undefined {
  const hasText = thinking !== undefined && thinking[0] !== LETTER_N && thinking.length > NO_TEXT.length;
  return hasText || signature === undefined || signature.length <= NO_TEXT.length ? undefined : signature;
}

/**
 * Reads a block of an answer. A call is read from the logged bytes: `copy` would replace line breaks with blanks, after
 * which the indentation of its arguments could not be removed.
 */
export function readBlockOf(block: JsonView): Block {
  return readBlock(block.textOf('type') === 'tool_use' ? block.bytes : block.copy(), true);
}

/** A block of an answer as a fold takes it; a result, which does not belong there, stays a part. */
export function foldedBlock(block: Block): FoldBlock {
  if (block.kind === 'call' || block.kind === 'thought') return block;
  if (block.kind === 'sealed') return sealedBlock(block.data);
  if (block.kind === 'result') return { kind: 'part', object: block.block, kept: 'tool_result' };
  const { part, kept } = block;
  return kept === undefined || 'text' in part
    ? blockOfPart(part)
    : { kind: 'part', object: part.object, kept };
}

/** Converts a part. `kept` is its type if the canonical format has no equivalent. */
function readPart(
  block: Uint8Array,
  type: string | undefined,
): { readonly part: Part; readonly kept?: string } {
  if (TEXT_TYPES.has(type)) {
    const [text, ...sources] = valuesOf(block, ['text', 'citations', 'annotations']);
    const isPlain = sources.every((list) => list === undefined || list[0] === LETTER_N || isEmptyList(list));
    if (text?.[0] === QUOTE) return { part: isPlain ? { text } : { object: unmarked(block) } };
  }
  if (block[0] === QUOTE && !isPrintedAnswer(new JsonView(block))) return { part: { text: block } };
  const image = type === 'image' ? imageIn(block) : undefined;
  if (image !== undefined) return { part: { object: image } };
  return { part: { object: block[0] === OPEN_OBJECT ? unmarked(block) : block }, kept: type ?? 'unknown' };
}

function isEmptyList(json: Uint8Array): boolean {
  return json[0] === OPEN_ARRAY && elementsOf(json).length === 0;
}

function unmarked(block: Uint8Array): Uint8Array {
  return dropMembers(block, ({ key }) => key === CACHE_MARK);
}

/** The image in its source, or beside its type as Cline's command logs it; undefined for any other. */
function imageIn(block: Uint8Array): Uint8Array | undefined {
  const source = objectBytes(block, 'source');
  if (source === undefined) return imageData(new JsonView(block));
  const url = imageUrl(source);
  return url && imagePart(url);
}

/** The URL of an image, as a JSON string; undefined if it has none, because it is a file elsewhere. */
function imageUrl(source: Uint8Array): Uint8Array | undefined {
  const [media, data, url] = valuesOf(source, ['media_type', 'data', 'url']);
  if (url?.[0] === QUOTE) return url;
  if (media?.[0] !== QUOTE || data?.[0] !== QUOTE) return undefined;
  return dataUrl(media, data);
}

/**
 * Converts a call. Its arguments become a string with the JSON text of the input. An input that already is a string was
 * truncated.
 */
function readCall(block: Uint8Array): CallPiece {
  const [input] = valuesOf(block, ['input']);
  return callBlock(stringValue(block, 'id'), stringValue(block, 'name'), input && argumentsOf(input));
}

/** The content of a tool's result: a string stays, blocks become a list of parts. */
export function resultContent(
  content: Uint8Array | undefined,
  note: (note: ReadingNote) => void,
): Uint8Array {
  if (content === undefined || content[0] === LETTER_N) return NO_TEXT;
  if (content[0] !== OPEN_ARRAY) return content;
  return arrayOf(
    elementsOf(content).map((block) => {
      const { part, kept } = readPart(
        block,
        block[0] === OPEN_OBJECT ? stringValue(block, 'type') : undefined,
      );
      if (kept !== undefined && !CHAT_PARTS.has(kept)) note(keptBlock(kept));
      return partBytes(part);
    }),
  );
}
