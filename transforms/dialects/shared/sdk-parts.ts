/** Parts of the AI SDK: calls that its provider ran, and the texts of an answer, which it logs joined. */
import { JsonView } from '../../json/json-view.ts';
import { concat } from '../../json/splice.ts';
import { arrayOf, copiesOf, objectOf } from './build-messages.ts';
import { isTrue } from './logged-values.ts';

const MARK = 'providerExecuted';

/** A list of parts in which the results of calls that the provider ran have its mark, as they have in answers. */
export function withMarks(content: JsonView): JsonView {
  const parts = content.elements();
  const ofProvider = parts.filter(isMarked);
  if (ofProvider.length === 0) return content;
  const ran = new Set(ofProvider.map((part) => part.textOf('toolCallId')));
  const isBare = (part: JsonView): boolean =>
    part.type === 'object' &&
    part.textOf('type') === 'tool-result' &&
    ran.has(part.textOf('toolCallId')) &&
    !isMarked(part);
  if (!parts.some(isBare)) return content;
  return new JsonView(arrayOf(parts.map((part) => (isBare(part) ? marked(part) : part).bytes)));
}

/** Is it a call that the provider ran, or the result of one? */
export const isMarked = (part: JsonView): boolean => part.type === 'object' && isTrue(part.get(MARK));

const marked = (part: JsonView): JsonView =>
  new JsonView(objectOf([...copiesOf(part.others(new Set([MARK]))), [MARK, 'true']]));

/** A call that the provider ran, as it is in later requests. */
export const markedCall = (call: JsonView): JsonView =>
  new JsonView(
    objectOf([['type', '"tool-call"'], ...copiesOf(call.others(new Set(['type', MARK]))), [MARK, 'true']]),
  );

/** Is it an answer with several parts? */
export function hasTexts(message: JsonView): boolean {
  const content = message.get('content');
  return message.textOf('role') === 'assistant' && content?.type === 'array' && content.elements().length > 1;
}

/** A block of a message (message-parts.ts). */
interface Block {
  readonly kind: string;
  readonly text?: Uint8Array;
}

/** The texts between two parts of another kind as one, without a separator, at the place of the last one. */
export function withJoinedTexts<Some extends Block>(blocks: readonly Some[]): readonly Some[] {
  const joined: Some[] = [];
  let before: Some | undefined;
  for (const block of blocks) {
    const isText = block.kind === 'text' && block.text !== undefined;
    if (isText && before?.text !== undefined) {
      joined.splice(joined.indexOf(before), 1);
      before = { ...block, text: concat([before.text.subarray(0, -1), block.text.subarray(1)]) };
    } else if (isText) before = block;
    else if (block.kind === 'part') before = undefined;
    joined.push(isText && before !== undefined ? before : block);
  }
  return joined;
}
