/**
 * Joins the rows in which Azure API Management logs a call (the table ApiManagementGatewayLlmLog): one with the model,
 * and one or more with the messages of the request and of the answer, cut at 32 KB, in any order. All rows of a call
 * have its correlation id; they are joined when the source ends.
 */

import { isSameBytes } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import type { ReadingOptions } from '../dialect.ts';
import { MAX_CONVERSATION_BYTES } from '../dialect.ts';
import type { EntryFields, FirstObject, ObjectPart, ReadContext } from '../dialect-spec.ts';
import type { CallReader } from '../pairs/call-reader.ts';
import { arrayOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { present, structured } from '../shared/logged-values.ts';

const SIDES = ['RequestMessages', 'ResponseMessages'] as const;
type Side = (typeof SIDES)[number];

/** A part of the messages of one side: a list, or a text that is a part of one. */
interface Part {
  readonly sequence: number;
  readonly value: JsonView;
}

interface Call {
  readonly parts: Readonly<Record<Side, Part[]>>;
  model?: JsonView;
}

export const isRow = (object: FirstObject): boolean =>
  object.get('CorrelationId')?.type === 'string' && object.get('SequenceNumber')?.type === 'number';

export class JoinedRows {
  readonly #reader: CallReader;
  readonly #maxBytes: number;
  readonly #calls = new Map<string, Call>();
  #held = 0;

  constructor(reader: CallReader, { maxConversation = MAX_CONVERSATION_BYTES }: ReadingOptions) {
    this.#reader = reader;
    this.#maxBytes = maxConversation;
  }

  /** The first row of a call becomes its entry; the others are dropped. */
  read(row: JsonView, context: ReadContext): ObjectPart {
    const id = row.get('CorrelationId')?.text() ?? '';
    const known = this.#calls.get(id);
    const call = known ?? { parts: { RequestMessages: [], ResponseMessages: [] } };
    this.#held += row.length;
    if (this.#held > this.#maxBytes)
      return context.reject('bad-event', 'the rows of the calls hold more than --max-conversation', row);
    this.#calls.set(id, call);
    const sequence = Number(row.get('SequenceNumber')?.parsed());
    let [isNew, isCopy] = [false, false];
    for (const side of SIDES) {
      const value = row.get(side);
      if (!present(value) || value.isEmptyText) continue;
      const parts = call.parts[side];
      const isKnown = parts.some(
        (part) => part.sequence === sequence && isSameBytes(part.value.bytes, value.bytes),
      );
      if (!isKnown) parts.push({ sequence, value: new JsonView(value.copy()) });
      isCopy ||= isKnown;
      isNew ||= !isKnown;
    }
    const model = row.get('ModelName');
    if (present(model) && !model.isEmptyText) call.model = new JsonView(model.copy());
    if (known !== undefined) return context.drop(isCopy && !isNew ? 'copied-line' : 'joined-row');
    const timestamp = context.time(row.get('TimeGenerated'));
    return {
      ...{ messages: [], alone: true, timestamp, lacks: ['tools'] },
      refused: { reason: 'context-missing', detail: 'a row with a part of this call is missing' },
      later: () => this.#entryOf(call, timestamp, context),
    };
  }

  #entryOf(call: Call, timestamp: bigint | undefined, context: ReadContext): EntryFields | undefined {
    const [messages, response] = SIDES.map((side) => joined(call.parts[side]));
    if (messages === undefined || (response === undefined && call.parts.ResponseMessages.length > 0))
      return undefined;
    const model: Piece[] = call.model === undefined ? [] : [['model', call.model.copy()]];
    const request = new JsonView(objectOf([...model, ['messages', messages.copy()]]));
    const entry = this.#reader.read({ request, response, timestamp }, context, request);
    return 'kind' in entry ? undefined : { ...entry, lacks: ['tools'] };
  }
}

/** The list of messages in the parts of one side; undefined if a part is missing. */
function joined(parts: readonly Part[]): JsonView | undefined {
  const sorted = parts.toSorted((a, b) => a.sequence - b.sequence).map(({ value }) => value);
  const texts = sorted.map((value) => value.text());
  const lists = texts.every((text) => text !== undefined)
    ? [structured(new JsonView(encode(quote(texts.join('')))))]
    : sorted.map(structured);
  const elements = lists.map((list) => (list?.type === 'array' ? list.elements() : undefined));
  if (elements.length === 0 || elements.some((list) => list === undefined)) return undefined;
  return new JsonView(arrayOf(elements.flatMap((list) => (list ?? []).map((one) => one.copy()))));
}
