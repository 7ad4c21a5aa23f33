/**
 * Reads a message of any client: who speaks, and its blocks, from wherever the client puts reasoning, content and calls.
 */
import type { JsonView } from '../../json/json-view.ts';
import { decode } from '../../json/utf8.ts';
import { isOtherSpeaker, isRole, roleNamed, SPEAKER_MEMBERS } from '../../model/known-roles.ts';
import { signaturesIn } from '../../model/thought-signatures.ts';
import { sealedBlock } from '../fold/assistant-draft.ts';
import { typedObject } from './build-messages.ts';
import { firstOf, present } from './logged-values.ts';
import {
  blocksOf,
  type CallBlock,
  callOf,
  isChatPart,
  type MessageBlock,
  oldCall,
  thoughtsOf,
  unknownPart,
} from './message-parts.ts';
import { imageOfText } from './part-images.ts';
import { CONTENTS, isUnsaid, saidIn, textsIn } from './said-texts.ts';

const OPENAI_KEYS: ReadonlySet<string> = new Set([
  ...['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content', 'refusal'],
]);

/** A message without what its client wraps it in. */
export interface MessageBody {
  /** The object with the content. */
  readonly body: JsonView;
  /** Its role, in the words of the chat completions API. */
  readonly speaker: string | undefined;
}

/** LangChain wraps the content and the role in its own classes, others in `message`. */
export function bodyOf(message: JsonView): MessageBody {
  const kwargs = message.get('kwargs');
  if (kwargs?.type === 'object') {
    const name = message.get('id')?.elements().at(-1)?.text() ?? '';
    const role = kwargs.get('role')?.text() ?? '';
    return { body: kwargs, speaker: roleNamed(name) ?? roleNamed(role) ?? (role || undefined) };
  }
  const data = message.get('data');
  const type = message.get('type')?.text() ?? '';
  if (data?.type === 'object' && roleNamed(type) !== undefined)
    return { body: data, speaker: roleNamed(type) };
  const role = message.get('role')?.text();
  const inner = message.get('message');
  if (role === undefined && inner?.type === 'object') return bodyOf(inner);
  return { body: message, speaker: role === undefined ? roleNamed(type) : (roleNamed(role) ?? role) };
}

/** Members besides `role` that say who speaks. */
const SPEAKERS = ['sender', 'author', 'message_type', 'kind'] as const;

/** Who speaks, if a member besides the role says it. */
export function speakerIn(body: JsonView): string | undefined {
  const named = firstOf(body, ...SPEAKERS)?.text();
  return named === undefined ? undefined : (roleNamed(named) ?? named);
}

/** Has a message of this role a member that names another speaker? */
export const namesOther = (body: JsonView, role: string): boolean =>
  [...SPEAKER_MEMBERS, 'role'].some((key) => isOtherSpeaker(role, body.textOf(key)));

/** Is a message that says it is the model's also said to be another speaker's, or the reverse? */
export function isOfTwoSpeakers(message: JsonView): boolean {
  const role = message.textOf('role') ?? '';
  return isRole(role) && namesOther(message, role);
}

/** Is it a message of the chat completions API that needs no conversion? Calls and results of its first form have no ids. */
export function isOpenAi(message: JsonView): boolean {
  const role = message.get('role')?.text() ?? '';
  if (role === 'function' || !isRole(role)) return false;
  if (!message.members().every(([key]) => OPENAI_KEYS.has(key))) return false;
  const content = message.get('content');
  const isContent =
    content === undefined ||
    content.type === 'string' ||
    content.type === 'null' ||
    (content.type === 'array' && content.elements().every(isOpenAiPart));
  if (!isContent || (role === 'tool' && !isId(message.get('tool_call_id')))) return false;
  const calls = message.get('tool_calls');
  if (calls === undefined || calls.type === 'null') return true;
  return calls.elements().every((call) => isOpenAiCall(call, ['string']));
}

function isOpenAiPart(part: JsonView): boolean {
  const type = part.get('type')?.text();
  return type === 'text' ? part.get('text')?.type === 'string' : isChatPart(part, type);
}

/** Is it an id? Some servers give calls an empty text in place of one. */
const isId = (id: JsonView | undefined): boolean => id?.type === 'string' && !id.isEmptyText;

/** Is it a call of the chat completions API? @param ofArguments types that its arguments may have */
export const isOpenAiCall = (call: JsonView, ofArguments: readonly string[]): boolean =>
  isId(call.get('id')) &&
  call.get('type')?.text() === 'function' &&
  call.get('function')?.get('name')?.type === 'string' &&
  ofArguments.includes(call.get('function')?.get('arguments')?.type ?? '');

/** Reasoning, content and calls of a message. */
export function blocksIn(body: JsonView): readonly MessageBlock[] {
  const calls = listedCalls(body);
  const parts = firstOf(body, 'content') === undefined ? body.get('parts') : undefined;
  if (parts?.type === 'string' && !parts.isEmptyText) return [unknownPart(parts)]; // a list in every API
  const content = blocksOf(contentOf(body)).map((block) =>
    block.kind === 'call' ? withArguments(block, calls) : block,
  );
  const known = new Set(content.flatMap((block) => (block.kind === 'call' ? [block.id] : [])));
  const blocks = calls.filter(({ id }) => id === undefined || !known.has(id));
  const legacy = firstOf(body, 'function_call') ?? firstOf(body.get('additional_kwargs'), 'function_call');
  const one = oldCall(legacy, [...content.filter((block) => block.kind === 'call'), ...blocks]);
  const sealed = signaturesIn(body.bytes).map(sealedBlock);
  return [...reasoningOf(body), ...sealed, ...content, ...membersAsParts(body), ...blocks, ...one];
}

/** The content; UI messages and others have it a second time as parts. */
function contentOf(body: JsonView): JsonView | undefined {
  const places = CONTENTS.map((key) => body.get(key)).filter(present);
  return places.find((place) => !place.isEmptyText) ?? places[0];
}

/** The member of a message that has a text which its content lacks; undefined without one. */
export function secondContent(body: JsonView): string | undefined {
  const keys = CONTENTS.filter((key) => present(body.get(key)));
  if (keys.length < 2) return undefined;
  const own = saidIn(contentOf(body)?.parsed());
  return keys.find((key) => textsIn(body.get(key)).some((text) => isUnsaid(text, own)));
}

/** The calls beside the content. LangChain has those apart whose arguments are not valid. */
function listedCalls(body: JsonView): readonly CallBlock[] {
  const more = body.get('additional_kwargs');
  const lists = [firstOf(body, 'tool_calls', 'toolCalls'), firstOf(more, 'tool_calls')];
  const listed = lists.map((list) => list?.elements() ?? []).find((list) => list.length > 0) ?? [];
  const calls = listed.map(callOf);
  const invalid = (body.get('invalid_tool_calls')?.elements() ?? []).map(callOf);
  return [...calls, ...invalid.filter(({ id }) => calls.every((call) => call.id !== id))];
}

const REASONING = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text', 'tool_plan'] as const;

/** Reasoning beside the content: as a text, or else as blocks of Anthropic or OpenRouter. */
function reasoningOf(body: JsonView): readonly MessageBlock[] {
  const more = body.get('additional_kwargs');
  const text = firstOf(body, ...REASONING) ?? firstOf(more, 'reasoning_content');
  if (text?.type === 'string') return [{ kind: 'thought', text: text.bytes }];
  if (text?.type === 'object') return [unknownPart(text)];
  if (text?.type === 'array') return text.elements().flatMap(thoughtsOf);
  const blocks = firstOf(body, 'thinking_blocks', 'reasoning_details') ?? firstOf(more, 'reasoning');
  const list = blocks?.type === 'object' ? [blocks] : blocks?.elements();
  return (list ?? []).flatMap(thoughtsOf);
}

/** A refusal, speech and images, which a message has beside its content. */
function membersAsParts(body: JsonView): readonly MessageBlock[] {
  const [refusal, audio] = [body.get('refusal'), body.get('audio')];
  const blocks: MessageBlock[] = [];
  if (refusal?.type === 'string') blocks.push({ kind: 'part', object: partWith('refusal', refusal) });
  if (audio?.type === 'object')
    blocks.push({ kind: 'part', object: partWith('audio', audio), kept: 'audio' });
  for (const image of body.get('images')?.elements() ?? []) blocks.push(...imageBeside(image));
  return blocks;
}

/** An image beside the content: Ollama's is a text, and that of an answer of OpenRouter a part. */
function imageBeside(image: JsonView): readonly MessageBlock[] {
  if (image.type === 'object') return blocksOf(image);
  if (image.type !== 'string') return [unknownPart(image)];
  const object = imageOfText(image);
  return [
    object === undefined
      ? { kind: 'part', object: partWith('image', image), kept: 'image' }
      : { kind: 'part', object },
  ];
}

const partWith = (type: string, value: JsonView): Uint8Array => typedObject(type, [type, value.copy()]);

/** A call whose arguments are only in the list beside the content, as LangChain has those of a streamed one. */
function withArguments(call: CallBlock, listed: readonly CallBlock[]): CallBlock {
  const same = listed.find(({ id, args }) => id === call.id && args !== undefined);
  const isEmpty = call.args === undefined || EMPTY_ARGUMENTS.has(decode(call.args));
  return isEmpty && same !== undefined && call.id !== undefined ? { ...call, args: same.args } : call;
}

const EMPTY_ARGUMENTS: ReadonlySet<string> = new Set(['""', '"{}"']);

/** Is a content one part, or a list of parts that are not all texts with a type? */
export function isOfParts(content: JsonView | undefined): boolean {
  if (content?.type === 'object') return content.get('type')?.type === 'string';
  const parts = content?.elements() ?? [];
  const isText = (part: JsonView): boolean => part.get('text')?.type === 'string';
  if (parts.every((part) => isText(part) && part.get('type') !== undefined)) return false;
  return parts.every(
    (part) => !isText(part) || part.get('type') !== undefined || part.members().length === 1,
  );
}

/** Does an object define a function? A call of one has arguments. */
export function isDefinition(value: JsonView): boolean {
  const fn = value.get('function');
  const inner = fn?.type === 'object' ? fn : value;
  const hasSchema = firstOf(inner, 'parameters', 'input_schema', 'inputSchema') !== undefined;
  const isFunction = value.get('type')?.text() === 'function' && firstOf(inner, 'arguments') === undefined;
  return inner.get('name')?.type === 'string' && (hasSchema || isFunction);
}
