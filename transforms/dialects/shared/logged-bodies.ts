/**
 * Reads requests of model calls as observability platforms log them, in the format of whichever client made the call,
 * and adds them to a transcript (logged-answer.ts reads the answers).
 */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { addMember } from '../../json/splice.ts';
import { decode, encode } from '../../json/utf8.ts';
import type { ReadingNote, ToolDefinition } from '../../model/element.ts';
import { roleNamed } from '../../model/known-roles.ts';
import type { Meta } from '../../model/meta.ts';
import { wordSet, words } from '../../model/words.ts';
import type { FoldBlock } from '../fold/assistant-draft.ts';
import { isSameText } from './build-messages.ts';
import { isTemplated } from './chat-templates.ts';
import { RESPONSE_ITEM } from './known-bodies.ts';
import { isBuiltInCall } from './known-parts.ts';
import { firstOf, isCutJson, textOf, unpacked } from './logged-values.ts';
import { blocksIn } from './message-blocks.ts';
import { blocksOf, callOf, type MessageBlock, resultText } from './message-parts.ts';
import { isPrintedMessages } from './printed-value.ts';
import { cutNotes, DOCUMENTS_LEFT_OUT, unreadText, warning } from './reading-notes.ts';
import { readItem } from './responses-items.ts';
import { isUnsaid, messagesIn, otherSystem, SYSTEM_NAMES, SYSTEMS, saidBy, textsOf } from './said-texts.ts';
import { DECLARED, definedBy, defineTool, flatten, SCHEMAS } from './tool-definitions.ts';
import { NO_MESSAGE, type Transcript } from './transcript.ts';
import { says } from './unread-text.ts';

export const PLACEHOLDER: ReadingNote = warning(
  'body-placeholder',
  'the request or the answer was masked or truncated by the logger',
);

/** Facts about a model call besides its messages. */
export interface LoggedCall {
  readonly hasReply: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly session: string | undefined;
  readonly meta: Meta;
}

export interface CallFacts extends Omit<LoggedCall, 'session'> {
  /** Attributes with lists of messages that were read from others, which have more. */
  readonly elsewhere?: readonly string[];
}

/** Adds a request: a list of messages, an object that has one, or a text. */
export function addRequest(transcript: Transcript, logged: JsonView | undefined): void {
  const view = unpacked(logged);
  if (view === undefined) return;
  if (view.type === 'array') addList(transcript, view);
  else if (view.type === 'object') addObject(transcript, view);
  else if (view.type === 'string') addText(transcript, view);
  else refuseValue(transcript, view);
}

function addText(transcript: Transcript, view: JsonView): void {
  if (view.isEmptyText) return;
  if (isPrinted(view)) refusePrinted(transcript, view);
  transcript.addBlocks('user', [{ kind: 'text', text: textOf(view) }]);
  const text = view.text();
  if (text !== undefined && isCutJson(text)) transcript.note(PLACEHOLDER);
}

/**
 * Beginnings of messages that a tracer printed into one text: objects of Python, LangChain's turns (`Human: ...`), or
 * OpenLIT's lines of a role and a content. Where one message ends and the next begins can only be guessed.
 */
const PRINTED =
  /^\s*(?:\[?\w*Message(?:Param)?\(|\[?\{'(?:role|content|parts|type)': |role='?\w+'? (?:content|parts)=|(?:content|parts)=.+ role='\w+'|(?:system|developer|user|assistant|tool|function|model|Human): .|(?:System|AI): .*\\nHuman: )/;
const PRINTED_LENGTH = 400;

const isPrinted = (view: JsonView): boolean =>
  view.type === 'string' &&
  (PRINTED.test(decode(view.bytes.subarray(1, PRINTED_LENGTH))) ||
    isPrintedMessages(view) ||
    isTemplated(view));

export function refusePrinted(transcript: Transcript, view: JsonView): void {
  transcript.refuse(
    'unknown-content',
    'the messages were printed into a text, or cut: their ends are unknown',
    view,
  );
}

/** Adds a list of messages, a batch of such lists, or the parts of one user message. */
function addList(transcript: Transcript, list: JsonView): void {
  const elements = list.elements().flatMap((one) => unpacked(one) ?? []);
  const [first] = elements;
  const printed = elements.find(isPrinted);
  if (printed !== undefined) refusePrinted(transcript, printed);
  else if (first?.type === 'array' && elements.every(isPair)) addPairs(transcript, elements);
  else if (first?.type === 'array' && elements.length > 1)
    transcript.refuse('unknown-content', SEVERAL, list);
  else if (first?.type === 'array') addList(transcript, first);
  else if (elements.some((one) => one.get('role') === undefined && isItem(one)))
    addItems(transcript, elements);
  else if (elements.length > 0 && elements.every(isPart)) transcript.addBlocks('user', blocksOf(list));
  else transcript.addList(list, elements);
}

/** A message of LangChain as a role and a text. */
const isPair = (view: JsonView): boolean => {
  const [role, text, ...others] = view.elements();
  const isRole = role?.type === 'string' && roleNamed(role.text() as string) !== undefined;
  return isRole && text?.type === 'string' && others.length === 0;
};

function addPairs(transcript: Transcript, pairs: readonly JsonView[]): void {
  for (const pair of pairs) {
    const [role, text] = pair.elements();
    transcript.addBlocks(roleNamed(role?.text() ?? '') ?? 'user', blocksOf(text));
  }
}

const isPart = (view: JsonView): boolean =>
  view.type === 'string' ||
  (view.get('role') === undefined && ['text', 'image_url', 'image'].includes(view.get('type')?.text() ?? ''));

const ITEMS: ReadonlySet<string> = wordSet('function_call function_call_output reasoning custom_tool_call');
export function isItem(view: JsonView): boolean {
  const type = view.get('type')?.text() ?? '';
  return ITEMS.has(type) || isBuiltInCall(type);
}

function addObject(transcript: Transcript, request: JsonView): void {
  const inner = firstOf(request, ...LISTS);
  if (inner === undefined) {
    const more = firstOf(request, 'body', 'request', 'kwargs', 'args');
    const message = transcript.add(request);
    if (message) return;
    if (more?.type === 'object') addObject(transcript, more);
    else refuseValue(transcript, request);
    return;
  }
  const prompts = inner === request.get('prompts') ? inner.elements() : [];
  if (prompts.length > 1) transcript.refuse('unknown-content', SEVERAL, inner);
  const bare = request.get('messages')?.elements().find(isBareText);
  if (bare !== undefined) transcript.refuse('unknown-content', BARE_TEXT, bare);
  const own = SYSTEMS.find((key) => says(request.get(key)));
  const system = own === undefined ? firstOf(request.get('config'), ...SYSTEMS) : request.get(own);
  if (inner.type === 'array' && inner.elements().some((one) => isItem(one))) {
    addSystem(transcript, system);
    addItems(transcript, inner.elements());
  } else addWithSystem(transcript, system, inner);
  transcript.noteFirst(...notesOfRequest(request));
  const second = secondList(request, inner, transcript);
  if (second !== undefined) transcript.refuse('unknown-content', SECOND_LIST, request.get(second));
  const unread = SYSTEM_NAMES.filter((name) => name !== own);
  refuseOtherSystem(transcript, request, unread);
  for (const place of parametersIn(request)) refuseOtherSystem(transcript, place);
}

/** Refuses a call with a system text that its messages lack. @param names as in `otherSystem` */
export function refuseOtherSystem(
  transcript: Transcript,
  place: JsonView | undefined,
  names?: readonly string[],
): void {
  const { messages } = transcript;
  const other = place && messages.length > 0 && otherSystem(place, messages, names);
  if (other) transcript.refuse('unknown-content', other.detail, other.at);
}

const LISTS = ['messages', 'contents', 'input', 'prompt', 'prompts', 'history'] as const;

/** The findings about members of a request that the model could read, and that a record does not have. */
export const notesOfRequest = (request: JsonView): readonly ReadingNote[] =>
  (request.get('documents')?.elements().length ?? 0) > 0 ? [DOCUMENTS_LEFT_OUT] : [];

/** The member of a request with a list of messages of which one says what those that are read do not. */
function secondList(request: JsonView, own: JsonView, { messages }: Transcript): string | undefined {
  const others = LISTS.filter((key) => request.get(key) !== own && messagesIn(request.get(key)).length > 0);
  if (others.length === 0) return undefined;
  const said = saidBy(messages);
  return others.find((key) =>
    messagesIn(request.get(key)).some((one) => textsOf(one).some((text) => isUnsaid(text, said))),
  );
}

const SECOND_LIST = 'the request has other messages in a second list';
const isBareText = (one: JsonView): boolean => one.type === 'string' && unpacked(one) === one;
export const SEVERAL = 'a request has several prompts: they are not one conversation';
const BARE_TEXT = 'a message is a bare text: its speaker is unknown';

/** Adds the system text: a text, parts, or an object with parts. */
export function addSystem(transcript: Transcript, logged: JsonView | undefined): void {
  const system = unpacked(logged);
  if (system === undefined || system.isEmptyText) return;
  if (system.type === 'string' && isPrintedMessages(system)) refusePrinted(transcript, system);
  const blocks = blocksOf(firstOf(system, 'parts', 'content') ?? system);
  if (blocks.length > 0) transcript.addBlocks('system', blocks);
}

/** Adds the system text that a log has beside its messages, and these, which may begin with the same. */
export function addWithSystem(
  transcript: Transcript,
  system: JsonView | undefined,
  messages: JsonView | undefined,
): void {
  addSystem(transcript, system);
  const list = transcript.messages;
  const count = list.length;
  addRequest(transcript, messages);
  const [own, first] = list.slice(count - 1);
  if (count > 0 && own !== undefined && isSameText(own, first)) list.splice(count, 1);
}

/**
 * Adds items of the Responses API. Reasoning, texts and calls between two user or output items form one message.
 * @param ends findings about the last message
 */
export function addItems(
  transcript: Transcript,
  items: readonly JsonView[],
  ends: readonly ReadingNote[] = [],
): void {
  let blocks: MessageBlock[] = [];
  let notes: ReadingNote[] = [];
  const flush = (): void => {
    if (blocks.length > 0) transcript.addBlocks('assistant', blocks);
    transcript.note(...notes);
    blocks = [];
    notes = [];
  };
  for (const item of items) {
    const type = item.get('type')?.text();
    const isMessage = type === undefined || type === 'message';
    if (isMessage && item.get('role')?.text() !== 'assistant') {
      flush();
      if (!transcript.add(item)) refuseValue(transcript, item);
    } else if (isMessage) {
      blocks.push(...blocksIn(item));
      if (ends.length === 0) notes.push(...cutNotes(item.textOf('status')));
    } else if (type === 'reasoning') blocks.push(...blocksOf(item));
    else if (type.endsWith('_output')) {
      flush();
      transcript.addBlocks('user', resultOfItem(item));
    } else {
      const read = readItem(item);
      if (read.kind !== 'blocks') blocks.push(...blocksOf(item));
      else {
        blocks.push(...read.blocks.map(asMessageBlock));
        notes.push(...read.notes);
      }
    }
  }
  flush();
  transcript.note(...ends);
  for (const item of items) transcript.expect(item, RESPONSE_ITEM);
}

const asMessageBlock = (block: FoldBlock): MessageBlock =>
  block.kind === 'call' ? callOf(new JsonView(block.json)) : block;

/** The result of a call that the client carried out. */
function resultOfItem(item: JsonView): readonly MessageBlock[] {
  const blocks = blocksOf(item);
  const read = blocks.some(({ kind }) => kind === 'result') ? undefined : readItem(item);
  if (read?.kind !== 'result') return blocks;
  const content = new JsonView(read.message.bytes).get('content');
  return [{ kind: 'result', id: read.callId, name: undefined, content: resultText(content) }];
}

/** Refuses a value that is neither a message nor a text. */
export function refuseValue(transcript: Transcript, value: JsonView): void {
  transcript.refuse('unknown-content', NO_MESSAGE, value);
}

/** As `toolsIn`, with a finding if a place has a list or a definition as a text that is not whole JSON. */
export function readTools(
  transcript: Transcript,
  ...places: readonly (JsonView | undefined)[]
): readonly ToolDefinition[] {
  const lists = places.flatMap((place) => unpacked(place) ?? []);
  const values = lists.flatMap((list) => [list, ...list.elements().flatMap((one) => unpacked(one) ?? [])]);
  if (values.some((value) => value.type === 'string' && isCutJson(value.text() ?? '')))
    transcript.noteFirst(UNREAD_TOOLS);
  return toolsIn(...lists);
}

const UNREAD_TOOLS = unreadText('the definitions of the tools are a text that is not whole JSON');

/** The definitions in the first place that has any: a list, possibly as text, or an object by name. */
export function toolsIn(...places: readonly (JsonView | undefined)[]): readonly ToolDefinition[] {
  for (const place of places) {
    const list = unpacked(place);
    const tools = list?.type === 'object' ? toolsByName(list) : definedIn(list?.elements() ?? []);
    if (tools.length > 0) return tools;
  }
  return [];
}

/**
 * The tools in an object of definitions by name, as the AI SDK has them; or in one that is a definition itself. None if it
 * holds objects that are not definitions.
 */
function toolsByName(object: JsonView): readonly ToolDefinition[] {
  const members = object.members().map(([key, value]) => [key, unpacked(value) ?? value] as const);
  const hasOthers = members.some(([, value]) => value.type !== 'object');
  const own = hasOthers ? definedIn([object]).filter(({ name }) => name !== undefined) : [];
  if (own.length > 0) return own;
  const named = members.filter(([, value]) => value.type === 'object');
  if (named.some(([key, value]) => SCHEMA.has(key) || !isDefinition(value))) return [];
  return named.flatMap(([key, value]) =>
    definedIn([value]).map((tool) =>
      tool.name === undefined
        ? { bytes: addMember(tool.bytes, 'name', encode(quote(key))), name: key }
        : tool,
    ),
  );
}

const SCHEMA: ReadonlySet<string> = new Set(['parameters', ...SCHEMAS]);
const DEFINING: ReadonlySet<string> = new Set(['name', 'function', ...SCHEMA, ...DECLARED]);
/** Types that a member of a schema has. */
const OF_SCHEMA: ReadonlySet<string> = wordSet('string number integer boolean array object null');

/** Is it a definition without a name? The members of a schema may have descriptions too. */
function isDefinition(value: JsonView): boolean {
  const keys = value.keys();
  if (keys.length === 0 || keys.some((key) => DEFINING.has(key))) return true;
  return keys.includes('description') && !OF_SCHEMA.has(value.textOf('type') ?? '');
}

/** Members of a request, of its parameters, or of the object around it, that hold definitions of tools. */
export const TOOLS: readonly string[] = words(`
  tools functions available_tools toolDefinitions tool_definitions gen_ai.request.tools gen_ai.tool.definitions
`);

/** Members of a request, or of the object around it, that hold parameters of the request, as loggers name them. */
export const PARAMETERS: readonly string[] = words(`
  model_parameters modelParameters optional_params invocation_params parameters params extra_body generation_config
  kwargs config toolConfig tool_config
`);
/** The request as a client sent it to the proxy of LiteLLM. */
const SENT = 'proxy_server_request';

/** Where a request, or another object, and its parameters may have definitions. */
export function toolPlaces(sent: JsonView | undefined): readonly (JsonView | undefined)[] {
  if (sent?.type !== 'object') return [];
  const parameters = [...parametersIn(sent), ...objectsIn(sent, [SENT])];
  const places = [sent, ...parameters, ...parameters.flatMap(parametersIn)];
  return places.flatMap((place) => TOOLS.map((key) => place.get(key)));
}

/** The parameters of a request. */
export const parametersIn = (place: JsonView | undefined): readonly JsonView[] =>
  objectsIn(place, PARAMETERS);

const objectsIn = (place: JsonView | undefined, names: readonly string[]): readonly JsonView[] =>
  names.flatMap((key) => unpacked(place?.get(key)) ?? []).filter(({ type }) => type === 'object');

/** The definitions among values that are one each, or a declaration of several. */
export const definedIn = (values: readonly JsonView[]): readonly ToolDefinition[] =>
  values.flatMap((value) => {
    const tool = unpacked(value);
    return tool?.type === 'object' ? definedBy(tool.copy(), defineInner) : [];
  });

const defineInner = (definition: Uint8Array): ToolDefinition =>
  defineTool(flatten(definition).bytes, 'function');
