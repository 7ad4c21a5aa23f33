/** Reads results of calls in the Responses API, and the parts of contents. */

import { BACKSLASH, OPEN_OBJECT, SPACE } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { encode, NO_TEXT } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { TEXT_TYPES } from '../../model/message.ts';
import { arrayOf, copiesOf, makeMessage, objectOf, type Piece, typedObject } from './build-messages.ts';
import { imageObject, listOfParts, type Part } from './content-parts.ts';
import { keptBlock, SEALED_CONTEXT } from './reading-notes.ts';
import { isUnsaid, saidIn } from './said-texts.ts';
import { holdsWords } from './unread-text.ts';

export interface ResponseResult {
  readonly kind: 'result';
  readonly callId: string | undefined;
  readonly message: Message;
  readonly changes: readonly string[];
  readonly notes: readonly ReadingNote[];
}

const NOT_ASCII = 0x80;
const TYPE: ReadonlySet<string> = new Set(['type']);

export interface Parts {
  readonly parts: readonly Part[];
  readonly notes: readonly ReadingNote[];
  /** The joined texts; undefined if there are other parts, or if the texts were not requested. */
  readonly text: string | undefined;
}

/** @param wantsText whether to decode the texts */
export function partsOf(content: JsonView | undefined, wantsText = false): Parts {
  const text = content?.text();
  if (text !== undefined) return { parts: [{ text: (content as JsonView).copy() }], notes: [], text };
  const notes: ReadingNote[] = [];
  // any other value stays a part of no known type, so that its message is rejected
  const isValue = content !== undefined && content.type !== 'array' && content.type !== 'null';
  const elements = isValue ? [content] : (content?.elements() ?? []);
  const parts = elements.flatMap((part) => {
    if (part.textOf('type') !== 'encrypted_content') return [partOf(part, notes)];
    notes.push(SEALED_CONTEXT);
    return [];
  });
  if (!wantsText) return { parts, notes, text: undefined };
  const texts = elements.map((part) => part.textOf('text'));
  return { parts, notes, text: texts.includes(undefined) ? undefined : texts.join('\n') };
}

function partOf(part: JsonView, notes: ReadingNote[]): Part {
  const type = part.textOf('type');
  const text = part.get('text');
  if (TEXT_TYPES.has(type) && text?.type === 'string') {
    const annotations = part.get('annotations');
    if (annotations === undefined || annotations.elements().length === 0) return { text: text.copy() };
    return {
      object: typedObject('text', ['text', text.copy()], ['annotations', annotations.copy()]), // as in the chat API
    };
  }
  if (type === 'input_image') {
    const image = imageOf(part);
    if (image !== undefined) return { object: image };
  }
  if (type === 'input_file')
    return { object: typedObject('file', ['file', objectOf(copiesOf(part.others(TYPE)))]) };
  if (type !== 'refusal') notes.push(keptBlock(type ?? 'unknown'));
  return { object: part.copy() };
}

/** An image of a message, or a screenshot; undefined if it has no URL. */
function imageOf(part: JsonView): Uint8Array | undefined {
  const url = part.get('image_url');
  if (url?.type === 'object') return imageObject(url.copy());
  if (url?.type !== 'string') return undefined;
  const detail = part.get('detail');
  const others: Piece[] = detail?.type === 'string' ? [['detail', detail.copy()]] : [];
  return imageObject(objectOf([['url', url.copy()], ...others]));
}

/** Reads a result: the `output` of a call, or the `tools` that a search for tools found. */
export function readResult(item: JsonView): ResponseResult {
  const id = item.get('call_id');
  const callId = id?.text();
  const found = item.get('tools');
  const { content, changes, notes } =
    found?.type === 'array' ? plain(inString(found.bytes)) : contentOf(item.get('output'));
  const answers: Piece[] = callId === undefined ? [] : [['tool_call_id', (id as JsonView).copy()]];
  const message = makeMessage('tool', [...answers, ['content', content]]);
  return { kind: 'result', callId, message, changes, notes };
}

const SCREENSHOT = 'computer_screenshot';

const isOfShell = (part: JsonView): boolean =>
  part.get('stdout')?.type === 'string' || part.get('stderr')?.type === 'string';

interface ResultContent {
  readonly content: Uint8Array;
  readonly changes: readonly string[];
  readonly notes: readonly ReadingNote[];
}

const plain = (content: Uint8Array): ResultContent => ({ content, changes: [], notes: [] });

/**
 * Reads an output: a text, which may be JSON of `{"output", "metadata"}`; a list of parts; an object with a `content`.
 * Anything else stays as it is: it cannot be the content of a message, so its conversation is rejected.
 */
function contentOf(output: JsonView | undefined): ResultContent {
  if (output === undefined || output.type === 'null') return plain(NO_TEXT);
  if (output.type === 'object') {
    const content = output.get('content');
    if (content !== undefined) return saysMore(output, content) ? plain(output.bytes) : contentOf(content);
    const image = imageOf(output);
    if (image !== undefined) return plain(listOfParts([{ object: image }]));
    return plain(output.textOf('type') === SCREENSHOT ? arrayOf([output.copy()]) : output.bytes);
  }
  if (output.type === 'array') {
    const elements = output.elements();
    // outputs of a shell are objects in the API, which shows them to the model
    if (elements.length > 0 && elements.every(isOfShell)) return plain(inString(output.bytes));
    if (elements.some((part) => part.get('type') === undefined)) return plain(output.bytes);
    const { parts, notes } = partsOf(output);
    return { content: listOfParts(parts), changes: [], notes };
  }
  const inner = mayBeWrapped(output.bytes) ? unwrapped(output.text()) : undefined;
  return inner === undefined
    ? plain(output.bytes)
    : { content: encode(JSON.stringify(inner)), changes: ['unwrapped-output'], notes: [] };
}

/** Has an output words beside its content, which this lacks? */
function saysMore(output: JsonView, content: JsonView): boolean {
  const others = output.others(BESIDE).filter(([, value]) => holdsWords(value));
  if (others.length === 0) return false;
  const said = saidIn(content.parsed());
  const textsOf = (value: JsonView): readonly string[] =>
    value.type === 'object' ? saidIn(value.parsed()).split('\n') : partTexts(value);
  return others.some(([, value]) => textsOf(value).some((text) => isUnsaid(text, said)));
}

/** A text, or the texts of a list of parts of any type. */
const partTexts = (value: JsonView): readonly string[] =>
  [value.text(), ...value.elements().map((part) => part.text() ?? part.textOf('text'))].filter(
    (text) => text !== undefined,
  );

const BESIDE: ReadonlySet<string> = new Set(['content', 'metadata']);

/** Whether a JSON string may begin with a brace or white space. Most results do not, so they are not decoded. */
function mayBeWrapped(json: Uint8Array): boolean {
  const first = json[1] as number;
  return first === OPEN_OBJECT || first === BACKSLASH || first <= SPACE || first >= NOT_ASCII;
}

/** The inner text of a result that is wrapped as JSON with metadata; undefined for any other. */
function unwrapped(text: string | undefined): string | undefined {
  if (text === undefined || !/^\s*\{/.test(text) || !text.includes('"metadata"')) return undefined;
  try {
    const { output, metadata, ...others } = JSON.parse(text);
    const isWrapper = typeof output === 'string' && metadata !== undefined;
    return isWrapper && Object.keys(others).length === 0 ? output : undefined;
  } catch {
    return undefined;
  }
}
