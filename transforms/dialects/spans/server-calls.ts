/**
 * Calls that ran on the server, in traces of OpenInference: the attributes of a message have only a part of them, so the
 * whole request and answer are read from `input.value` and `output.value`.
 */
import { JsonView } from '../../json/json-view.ts';
import { arrayOf, copiesOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { isBuiltInCall } from '../shared/known-parts.ts';

/**
 * A whole request of the Messages API with results, or with calls that ran on the server. The attributes of a message
 * have room for one result, and none for such calls. A client's own objects, which some programs write as text, are not
 * read.
 */
export function wholeRequest(request: JsonView | undefined): JsonView | undefined {
  const messages = request?.get('messages')?.elements() ?? [];
  const blocks = messages.flatMap((message) => message.get('content')?.elements() ?? []);
  const isWhole = blocks.some((block) => block.textOf('type') === 'tool_result') || messages.some(isOfServer);
  if (request === undefined || !isWhole || !blocks.every(hasType)) return undefined;
  if (!messages.some(isOfServer)) return request;
  const list = arrayOf(messages.map((one) => (isOfServer(one) ? withoutNullsOf(one) : one).bytes));
  return new JsonView(objectOf([...copiesOf(request.others(MESSAGES)), ['messages', list]]));
}

/** An answer with calls that ran on the server: an object of the Messages API, or items of the Responses API. */
export const wholeAnswer = (answer: JsonView | undefined): JsonView | undefined =>
  itemsOfServer(answer?.get('output')) ?? (isOfServer(answer) ? withoutNullsOf(answer) : undefined);

const MESSAGES: ReadonlySet<string> = new Set(['messages']);

/** Type of a call that ran on the server of the Messages API, or of its result, which is in the same message. */
const SERVER_BLOCK = /^(?:server|mcp)_tool_use$|._tool_result$/;

/** Has a message of the Messages API a call that ran on the server? */
function isOfServer(message: JsonView | undefined): message is JsonView {
  const blocks = message?.get('content')?.elements() ?? [];
  return blocks.some((block) => SERVER_BLOCK.test(block.textOf('type') ?? '')) && blocks.every(hasType);
}

/** The message without null members of these calls: clients log them in answers, and do not send all of them again. */
function withoutNullsOf(message: JsonView): JsonView {
  const blocks = message.get('content')?.elements() ?? [];
  const content = arrayOf(
    blocks.map((block) =>
      SERVER_BLOCK.test(block.textOf('type') ?? '') ? withoutNulls(block) : block.bytes,
    ),
  );
  return new JsonView(objectOf([...copiesOf(message.others(CONTENT)), ['content', content]]));
}

const CONTENT: ReadonlySet<string> = new Set(['content']);

/**
 * Items of the Responses API with a call that ran on the server, of which the attributes of a message have only a part;
 * undefined for any other list. Members of these calls that are null are left out, because clients log them in answers
 * and do not send them again.
 */
export function itemsOfServer(list: JsonView | undefined): JsonView | undefined {
  const items = list?.type === 'array' ? list.elements() : [];
  const ofServer = items.map((item) => item.type === 'object' && isBuiltInCall(item.textOf('type') ?? ''));
  if (!ofServer.includes(true) || items.some(({ type }) => type !== 'object')) return undefined;
  return new JsonView(
    arrayOf(items.map((item, i) => (ofServer[i] === true ? withoutNulls(item) : item.bytes))),
  );
}

/** @param depth of the members that may be left out */
function withoutNulls(value: JsonView, depth = 8): Uint8Array {
  if (depth === 0 || (value.type !== 'object' && value.type !== 'array')) return value.copy();
  if (value.type === 'array') return arrayOf(value.elements().map((one) => withoutNulls(one, depth - 1)));
  const members = value.members().filter(([, one]) => one.type !== 'null');
  return objectOf(members.map(([key, one]): Piece => [key, withoutNulls(one, depth - 1)]));
}

const hasType = (block: JsonView): boolean => block.textOf('type') !== undefined;
