/**
 * Reads messages of the AI SDK where messages of the chat completions API are expected: its calls, results and thoughts
 * become the blocks of the Messages API that say the same. Other parts stay as they are.
 */
import { OPEN_ARRAY, OPEN_OBJECT } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { valueBytes } from '../../json/members.ts';
import { replaceValue } from '../../json/splice.ts';
import { stringValue } from '../../model/message.ts';
import { arrayOf, objectOf, type Piece } from './build-messages.ts';
import { isSdkCall } from './known-parts.ts';
import { firstOf } from './logged-values.ts';
import { blocksOf } from './message-parts.ts';
import { sealedOptions } from './sealed-options.ts';

/** Whether a part is a thought whose words are where the AI SDK has them. */
const isSdkThought = (part: Uint8Array): boolean =>
  stringValue(part, 'type') === 'reasoning' && stringValue(part, 'text') !== undefined;

export const isSdkPart = (part: Uint8Array): boolean =>
  part[0] === OPEN_OBJECT && (isSdkCall(part) || isSdkThought(part));

/** The message with blocks of the Messages API in place of the SDK's parts; the same bytes if it has none. */
export function messageWithoutSdkParts(message: Uint8Array): Uint8Array {
  const content = valueBytes(message, 'content');
  const list = content?.[0] === OPEN_ARRAY ? new JsonView(content) : undefined;
  const blocks = list && withoutSdkParts(list);
  return blocks === list
    ? message
    : (replaceValue(message, 'content', (blocks as JsonView).bytes) ?? message);
}

/** The same for its list of parts. Encrypted reasoning is put first. */
export function withoutSdkParts(content: JsonView): JsonView {
  const parts = content.elements();
  if (!parts.some(({ bytes }) => isSdkPart(bytes))) return content;
  const seals = parts.flatMap(sealedOptions).map(({ detail }) => redacted(detail));
  const blocks = parts.flatMap((part) => (isSdkPart(part.bytes) ? blockOf(part) : [part.copy()]));
  return new JsonView(arrayOf([...seals, ...blocks]));
}

const redacted = (detail: Uint8Array): Uint8Array =>
  objectOf([
    ['type', '"redacted_thinking"'],
    ['data', valueBytes(detail, 'data') as Uint8Array],
  ]);

function blockOf(part: JsonView): readonly Uint8Array[] {
  const id = part.get('toolCallId')?.copy() as Uint8Array;
  const type = part.textOf('type');
  if (type === 'reasoning') {
    const thinking = part.get('text')?.copy() as Uint8Array;
    return part.textOf('text') === ''
      ? []
      : [
          objectOf([
            ['type', '"thinking"'],
            ['thinking', thinking],
          ]),
        ];
  }
  if (type === 'tool-call') {
    const [name, input] = [part.get('toolName'), firstOf(part, 'input', 'args')];
    const named: Piece[] = name?.type === 'string' ? [['name', name.copy()]] : [];
    const given: Piece[] = input === undefined ? [] : [['input', input.copy()]];
    return [objectOf([['type', '"tool_use"'], ['id', id], ...named, ...given])];
  }
  const [result] = blocksOf(part);
  if (result?.kind !== 'result') return [part.copy()];
  const failed: Piece[] = result.isError === true ? [['is_error', 'true']] : [];
  return [objectOf([['type', '"tool_result"'], ['tool_use_id', id], ['content', result.content], ...failed])];
}
