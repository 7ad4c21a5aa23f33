/**
 * Reads parts of other clients where messages of the chat completions API are expected. Calls, results and thoughts of the
 * AI SDK, LangChain, the Responses API and Azure become the blocks of the Messages API that say the same; images become
 * `image_url`. Other parts stay as they are.
 */
import { OPEN_ARRAY, OPEN_OBJECT } from '../../json/bytes.ts';
import { JsonView } from '../../json/json-view.ts';
import { valueBytes } from '../../json/members.ts';
import { quote } from '../../json/respace.ts';
import { replaceValue } from '../../json/splice.ts';
import { NO_TEXT } from '../../json/utf8.ts';
import { stringValue } from '../../model/message.ts';
import { arrayOf, type Piece, typedObject } from './build-messages.ts';
import { foreignKind } from './known-parts.ts';
import { blocksOf, type MessageBlock } from './message-parts.ts';
import { imageOf } from './part-images.ts';
import { withMarks } from './sdk-parts.ts';

/** Types of images, in other forms than that of the chat completions API, and of files that may be one. */
const IMAGES: ReadonlySet<string> = new Set(['image', 'input_image', 'media', 'file']);

/** Whether a part, as JSON text, is converted. @param isOfModel whether the model speaks: only it thinks and calls */
export function isForeignPart(part: Uint8Array, isOfModel: boolean): boolean {
  const type = part[0] === OPEN_OBJECT ? stringValue(part, 'type') : undefined;
  if (type === undefined || type === 'text') return false;
  if (IMAGES.has(type)) return imageOf(new JsonView(part)) !== undefined;
  const kind = foreignKind(part, type);
  return kind === 'result' || (isOfModel && kind !== undefined);
}

/** The message with blocks of the Messages API in place of such parts; the same bytes if it has none. */
export function withoutForeignParts(message: Uint8Array): Uint8Array {
  const content = valueBytes(message, 'content');
  if (content?.[0] !== OPEN_ARRAY) return message;
  const list = new JsonView(content);
  const blocks = blocksOfContent(list, stringValue(message, 'role') === 'assistant');
  return blocks === list ? message : (replaceValue(message, 'content', blocks.bytes) ?? message);
}

/** The same for its list of parts. */
export function blocksOfContent(logged: JsonView, isOfModel: boolean): JsonView {
  const content = withMarks(logged);
  const parts = content.elements();
  if (!parts.some(({ bytes }) => isForeignPart(bytes, isOfModel))) return content;
  const blocks = parts.flatMap((part) =>
    isForeignPart(part.bytes, isOfModel)
      ? blocksOf(part).flatMap((block) => blockOf(block, part))
      : [part.copy()],
  );
  return new JsonView(arrayOf(blocks));
}

function blockOf(block: MessageBlock, part: JsonView): readonly Uint8Array[] {
  switch (block.kind) {
    case 'call':
      return [blockWith('tool_use', ['id', block.id], ['name', block.name], ['input', block.args])];
    case 'result':
      return [
        blockWith(
          'tool_result',
          ['tool_use_id', block.id],
          ['content', block.content],
          ['is_error', failed(block)],
        ),
      ];
    case 'thought':
      return block.text.length <= NO_TEXT.length ? [] : [blockWith('thinking', ['thinking', block.text])];
    case 'sealed':
      return [blockWith('redacted_thinking', ['data', valueBytes(block.detail, 'data')])];
    case 'part':
      return [block.object];
    default:
      return [part.copy()];
  }
}

const failed = ({ isError }: { readonly isError?: boolean }): Uint8Array | undefined =>
  isError === true ? TRUE : undefined;
const TRUE = Buffer.from('true');

/** @param members those without a value are left out; a text is an id or a name, bytes are JSON text */
function blockWith(
  type: string,
  ...members: readonly (readonly [key: string, value: string | Uint8Array | undefined])[]
): Uint8Array {
  const given = members.flatMap(([key, value]): Piece[] =>
    value === undefined ? [] : [[key, typeof value === 'string' ? quote(value) : value]],
  );
  return typedObject(type, ...given);
}
