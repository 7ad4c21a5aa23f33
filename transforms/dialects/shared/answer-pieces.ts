/**
 * Joins the pieces of a streamed answer that a tracer logged as a list of messages: the OpenTelemetry instrumentation of
 * Google's client (google-genai) appends one for each chunk. Only the last one says why the model stopped.
 */
import { QUOTE } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { concat } from '../../json/splice.ts';
import { arrayOf, objectOf, type Piece } from './build-messages.ts';

const EMPTY_TYPES: ReadonlySet<string> = new Set(['string', 'null']);
const QUOTE_BYTES = Uint8Array.of(QUOTE);

/** Are they the pieces of one answer? */
export function arePieces(messages: readonly JsonView[]): boolean {
  const stops = messages.map((one) => one.get('finish_reason'));
  const last = stops.pop();
  const areOpen = stops.every((stop) => stop !== undefined && EMPTY_TYPES.has(stop.type) && !stop.text());
  return areOpen && Boolean(last?.text());
}

/** The answer that the pieces make: texts of one kind that follow each other become one. Undefined if one has no parts. */
export function joinedPieces(messages: readonly JsonView[]): JsonView | undefined {
  if (messages.some((one) => one.get('parts')?.type !== 'array')) return undefined;
  const parts: Uint8Array[] = [];
  let type: string | undefined;
  let texts: Uint8Array[] = [];
  const endText = (): void => {
    if (texts.length > 0) {
      const members: Piece[] = [
        ['type', JSON.stringify(type)],
        ['content', concat([QUOTE_BYTES, ...texts, QUOTE_BYTES])],
      ];
      parts.push(objectOf(members));
    }
    texts = [];
  };
  for (const part of messages.flatMap((one) => one.get('parts')?.elements() ?? [])) {
    const text = part.get('content');
    const own = part.textOf('type');
    const isText = own !== undefined && text?.type === 'string' && part.keys().length === 2;
    if (!isText || own !== type) endText();
    type = own;
    if (isText) texts.push(text.bytes.subarray(1, -1));
    else parts.push(part.copy());
  }
  endText();
  const finish = messages.at(-1)?.get('finish_reason') as JsonView;
  const members: Piece[] = [
    ['role', '"assistant"'],
    ['parts', arrayOf(parts)],
    ['finish_reason', finish.copy()],
  ];
  return new JsonView(objectOf(members));
}
