/**
 * Joins the pieces of a streamed answer that a tracer logged as a list of messages: the OpenTelemetry instrumentation of
 * Google's client (google-genai) appends one for each chunk. Only the last one says why the model stopped.
 */
import { JsonView } from '../../json/json-view.ts';
import { GrowingText } from '../streams/growing-text.ts';
import { arrayOf, objectOf, type Piece } from './build-messages.ts';
import { structured } from './logged-values.ts';

const EMPTY_TYPES: ReadonlySet<string> = new Set(['string', 'null']);

/** Are they the pieces of one answer? */
export function arePieces(messages: readonly JsonView[]): boolean {
  const stops = messages.map((one) => one.get('finish_reason'));
  const last = stops.pop();
  const areOpen = stops.every((stop) => stop !== undefined && EMPTY_TYPES.has(stop.type) && !stop.text());
  return areOpen && Boolean(last?.text());
}

/** Members that a piece of a streamed answer has, and a choice or a message has others. */
const OF_PIECE: ReadonlySet<string> = new Set(['content', 'text', 'delta']);

/** Are they several objects with nothing but a text? They may be pieces of one answer, or several answers. */
export const mayBePieces = (list: readonly JsonView[]): boolean =>
  list.length > 1 &&
  list.every((one) => {
    const keys = structured(one)?.keys() ?? [];
    return keys.length > 0 && keys.every((key) => OF_PIECE.has(key));
  });

/** The answer that the pieces make: texts of one kind that follow each other become one. Undefined if one has no parts. */
export function joinedPieces(messages: readonly JsonView[]): JsonView | undefined {
  if (messages.some((one) => one.get('parts')?.type !== 'array')) return undefined;
  const parts: Uint8Array[] = [];
  let type: string | undefined;
  let growing: GrowingText | undefined;
  const endText = (): void => {
    if (growing !== undefined)
      parts.push(
        objectOf([
          ['type', JSON.stringify(type)],
          ['content', growing.json()],
        ]),
      );
    growing = undefined;
  };
  for (const part of messages.flatMap((one) => one.get('parts')?.elements() ?? [])) {
    const text = part.get('content');
    const own = part.textOf('type');
    const isText = own !== undefined && text?.type === 'string' && part.keys().length === 2;
    if (!isText || own !== type) endText();
    type = own;
    if (isText) {
      growing ??= new GrowingText();
      growing.add(text.bytes);
    } else parts.push(part.copy());
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
