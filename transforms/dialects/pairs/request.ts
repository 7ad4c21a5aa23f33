/** Reads the request of a call in any API. Messages that repeat those of the previous request are the same objects. */

import { JsonView } from '../../json/json-view.ts';
import { copyOf } from '../../json/keep.ts';
import { trustingScanner } from '../../json/trusting-scanner.ts';
import type { Message, ToolDefinition } from '../../model/element.ts';
import { stringValue } from '../../model/message.ts';
import { createHistory, type History } from '../anthropic/history.ts';
import { systemText } from '../anthropic/pair.ts';
import { readForeignMessages } from '../messages/foreign-messages.ts';
import { arrayOf, isSameText, makeMessage, systemMessage, typedObject } from '../shared/build-messages.ts';
import { withEmptyArguments } from '../shared/call-arguments.ts';
import { isTemplated } from '../shared/chat-templates.ts';
import { unreadSystem } from '../shared/known-bodies.ts';
import { COPIED_MESSAGE } from '../shared/known-members.ts';
import { toolsIn } from '../shared/logged-bodies.ts';
import { createMessageList, isMessage } from '../shared/logged-messages.ts';
import { firstOf, isTrue, present, structured } from '../shared/logged-values.ts';
import { imageOfText } from '../shared/part-images.ts';
import { isPrintedMessages } from '../shared/printed-value.ts';
import { noted, notedFirst } from '../shared/reading-notes.ts';
import { createToolsReader, flattenAny, NO_TOOLS, withTools } from '../shared/tool-definitions.ts';
import { says, unreadNotes } from '../shared/unread-text.ts';
import type { Unreadable } from '../shared/unreadable.ts';
import { ItemLists } from './item-lists.ts';
import { asReadMessage, type ReadMessage } from './item-messages.ts';
import type { ItemTable } from './item-table.ts';

export interface Request {
  /** The system text, if it is separate from the messages. */
  readonly system: readonly ReadMessage[];
  readonly messages: readonly ReadMessage[];
  readonly tools: readonly ToolDefinition[];
}

/** Why an object is not a request. */
export interface Problem extends Unreadable {
  readonly at?: JsonView | undefined;
  /** Does it lack an item that the source may still have? */
  readonly isUnknown?: true | undefined;
}

const MESSAGE_BLOCKS: ReadonlySet<string> = new Set(['tool_use', 'tool_result', 'thinking']);

/** Members by which a prompt continues a conversation that only the server has: the web clients of Claude and others. */
const PARENTS = ['parent_message_uuid', 'parent_message_id', 'parentMessageId'] as const;
/** The parent of a first message. */
const ROOT = /^[0-]*(?:4000-8000-[0-]*)?$/;
/** Returns the member that names the messages before a prompt, which Ollama has as tokens; undefined if it is the first. */
function storedBefore(body: JsonView): JsonView | undefined {
  const parent = firstOf(body, ...PARENTS);
  if (parent !== undefined && !ROOT.test(parent.text() ?? '')) return parent;
  const tokens = body.get('context');
  return tokens?.elements()[0]?.type === 'number' ? tokens : undefined;
}
const STORED = 'the prompt continues a message that is not in the request';
/** Members of a prompt that is not what a user said: the text after it, its form without a template, its repetition. */
const COMPLETED = ['suffix', 'raw', 'echo'] as const;
const TEMPLATED = 'a chat template wrote the conversation into the prompt: log its messages instead';
const COMPLETION =
  'the prompt is a text to be completed, not a message: it has a suffix, or is raw or echoed';
const NO_IMAGE = 'an image beside the prompt is not data of a known kind';
const TEMPLATE = 'the request names a prompt that is stored at its server: the log lacks its messages';

export const isProblem = (result: object): result is Problem => 'reason' in result;

/** Whether the request is one of the Responses API. */
export function isResponsesRequest(body: JsonView): boolean {
  return present(body.get('input')) && !present(body.get('messages'));
}

export class RequestReader {
  readonly #items: ItemLists;
  readonly #list = createMessageList(trustingScanner, 0);
  readonly #history: History;
  readonly #keepSealed: boolean;
  /** Chat messages by what they were logged as. */
  readonly #known = new WeakMap<Message, readonly ReadMessage[]>();
  readonly #tools = createToolsReader(trustingScanner, 0, flattenAny);
  #system: Message | undefined;

  /** @param table items that requests may refer to */
  constructor(keepSealed: boolean, table?: ItemTable) {
    this.#keepSealed = keepSealed;
    this.#items = new ItemLists(keepSealed, table);
    this.#history = createHistory(trustingScanner, keepSealed);
  }

  /**
   * @param isMessage whether the answer is in the format of the Messages API
   * @param logged the tools
   * @param open the calls that the first results may answer
   */
  read(
    body: JsonView,
    isMessage: boolean,
    logged?: JsonView | undefined,
    open: ReadMessage['calls'] = [],
  ): Request | Problem {
    const tools = this.definitions(logged);
    if (tools === undefined) return { reason: 'bad-tools', detail: 'tools is not valid', at: logged };
    if (isResponsesRequest(body)) return this.#readItems(body, tools, open);
    const messages = structured(body.get('messages') ?? body.get('prompt'));
    if (messages?.type === 'string') return this.#prompt(body, messages, tools);
    const inner = messages?.get('messages');
    const list = inner?.type === 'array' ? inner : messages;
    if (isMessage || isAnthropic(body, list)) return this.#blocks(body, list, tools);
    return this.#messages(list, tools);
  }

  /** Reads a request whose messages are a prompt. */
  #prompt(body: JsonView, prompt: JsonView, tools: readonly ToolDefinition[]): Request | Problem {
    if (isPrintedMessages(prompt)) return printed(prompt);
    if (isTemplated(prompt)) return { reason: 'bad-messages', detail: TEMPLATED, at: prompt };
    const stored = storedBefore(body);
    if (stored !== undefined) return { reason: 'body-elsewhere', detail: STORED, at: stored };
    const completed = COMPLETED.map((key) => body.get(key)).find((value) => says(value) || isTrue(value));
    if (completed !== undefined) return { reason: 'unknown-content', detail: COMPLETION, at: completed };
    const images = body.get('images');
    const message = promptOf(prompt, images?.elements() ?? []);
    if (message === undefined) return { reason: 'unknown-content', detail: NO_IMAGE, at: images };
    const system = this.#systemIn(body, 'system');
    return 'reason' in system ? system : marked(body, { system, messages: [asReadMessage(message)], tools });
  }

  /** Messages of the chat API, byte for byte. */
  #messages(list: JsonView | undefined, tools: readonly ToolDefinition[]): Request | Problem {
    if (list?.type === 'object') {
      const bytes = list.copy();
      const role = stringValue(bytes, 'role');
      if (role !== undefined) return { system: [], messages: [asReadMessage({ bytes, role })], tools };
    }
    if (list?.type !== 'array') return badMessages(list);
    this.#list.read(list.bytes, 0);
    const { items } = this.#list;
    if (!items.every(isMessage))
      return { reason: 'bad-messages', detail: 'a message is not an object with a string role', at: list };
    return { system: [], messages: this.#canonical(items), tools };
  }

  /** Messages in the canonical words. A message that repeats is the same object, and so is what it becomes. */
  #canonical(items: readonly Message[]): readonly ReadMessage[] {
    return items.flatMap((item) => {
      const known = this.#known.get(item);
      if (known !== undefined) return known;
      const view = new JsonView(item.bytes);
      const whole = item.role === 'assistant' ? withEmptyArguments(view) : view;
      const logged = whole === view ? item : { ...item, bytes: whole.bytes };
      const messages = readForeignMessages([logged], this.#keepSealed);
      const isOwn = messages[0] === logged;
      const notes = isOwn ? unreadNotes(view, COPIED_MESSAGE, 'a message of the request') : [];
      const read = notedFirst(messages, notes).map(asReadMessage);
      this.#known.set(item, read);
      return read;
    });
  }

  #blocks(body: JsonView, list: JsonView | undefined, tools: readonly ToolDefinition[]): Request | Problem {
    if (list?.type !== 'array') return badMessages(list);
    this.#history.read(list.bytes, 0, 0);
    const messages = this.#history.messages();
    if (messages === undefined) return badMessages(list);
    const instructions = body.get('system');
    const text = present(instructions) ? systemText(instructions.bytes) : undefined;
    if (present(instructions) && text === undefined)
      return { reason: 'bad-messages', detail: 'system is not valid', at: instructions };
    return marked(body, { system: this.#systemOf(text), messages: messages.map(asReadMessage), tools });
  }

  #readItems(
    body: JsonView,
    offered: readonly ToolDefinition[],
    open: ReadMessage['calls'],
  ): Request | Problem {
    const template = body.get('prompt');
    if (present(template?.get('id'))) return { reason: 'body-elsewhere', detail: TEMPLATE, at: template };
    const system = this.#systemIn(body, 'instructions');
    if ('reason' in system) return system;
    const input = structured(body.get('input'));
    if (input?.type === 'string') {
      if (isPrintedMessages(input)) return printed(input);
      const message = makeMessage('user', [['content', input.copy()]]);
      return marked(body, { system, messages: [asReadMessage(message)], tools: offered });
    }
    if (input?.type !== 'array') return { reason: 'bad-messages', detail: 'input is not valid', at: input };
    const read = this.#items.read(input, open);
    if ('item' in read)
      return { reason: 'bad-messages', detail: read.detail, at: read.item, isUnknown: read.isUnknown };
    const { messages, notes } = read;
    const tools = withTools(offered, read.tools);
    const [note] = notes;
    if (note === undefined) return marked(body, { system, messages, tools });
    const [own] = system;
    if (own?.message === undefined) return { reason: 'bad-messages', detail: note.message, at: input };
    return { system: [{ ...own, message: noted(own.message, notes) }], messages, tools };
  }

  /** The system message in a member that is a text. */
  #systemIn(body: JsonView, member: string): readonly ReadMessage[] | Problem {
    const text = body.get(member);
    if (text?.type === 'string' && isPrintedMessages(text)) return printed(text);
    if (present(text) && text.type !== 'string')
      return { reason: 'bad-messages', detail: `${member} is not a text`, at: text };
    return this.#systemOf(present(text) ? text.copy() : undefined);
  }

  /** The system message; the same object as long as the text has the same bytes. */
  #systemOf(text: Uint8Array | undefined): readonly ReadMessage[] {
    const [message] = text === undefined ? [] : systemMessage(copyOf(text));
    if (message === undefined) return [];
    if (this.#system === undefined || Buffer.compare(this.#system.bytes, message.bytes) !== 0)
      this.#system = message;
    return [asReadMessage(this.#system)];
  }

  /** The definitions in a list, which may be JSON in a string; undefined if they are not valid. */
  definitions(logged: JsonView | undefined): readonly ToolDefinition[] | undefined {
    const tools = structured(logged);
    if (tools === undefined || tools.isEmptyText) return NO_TOOLS;
    if (tools.type === 'object') {
      const named = toolsIn(tools);
      return named.length > 0 || !says(tools) ? named : undefined;
    }
    this.#tools.read(tools.bytes, 0);
    return this.#tools.definitions;
  }
}

/**
 * The request, without a system text that its messages begin with too; with a finding on its first message if a member that
 * is not known may be its system text.
 */
function marked(body: JsonView, request: Request): Request {
  const { system, messages } = request;
  const own = system[0]?.message;
  if (own !== undefined && isSameText(own, messages[0]?.message)) return { ...request, system: [] };
  const at = system.length > 0 ? -1 : messages.findIndex(({ message }) => message !== undefined);
  const unread = at < 0 ? undefined : unreadSystem(body);
  if (unread === undefined) return request;
  const first = messages[at] as ReadMessage;
  const message = noted(first.message as Message, [unread]);
  return { ...request, messages: messages.with(at, { ...first, message }) };
}

/** A prompt as a message of the user, with the images that Ollama has beside it; undefined if one is of no known form. */
function promptOf(text: JsonView, images: readonly JsonView[]): Message | undefined {
  const parts = images.flatMap((image) => imageOfText(image) ?? []);
  if (parts.length < images.length) return undefined;
  const said = typedObject('text', ['text', text.copy()]);
  return makeMessage('user', [['content', images.length > 0 ? arrayOf([said, ...parts]) : text.copy()]]);
}

/** A request whose messages a program printed into a text, or cut. Whole JSON in a string never comes here. */
const printed = (text: JsonView): Problem => ({
  reason: 'bad-messages',
  detail: 'the messages were printed into a text, not as whole JSON',
  at: text,
});

const badMessages = (list: JsonView | undefined): Problem => ({
  reason: 'bad-messages',
  detail: list === undefined ? 'messages is missing' : 'messages is not valid',
  at: list,
});

/** Whether the request has members that only the Messages API has. */
function isAnthropic(body: JsonView, list: JsonView | undefined): boolean {
  if (present(body.get('system'))) return true;
  const tools = body.get('tools')?.elements() ?? [];
  if (tools.some((tool) => tool.get('input_schema') !== undefined)) return true;
  return (list?.elements() ?? []).some((message) =>
    (message.get('content')?.elements() ?? []).some(
      // Mistral has blocks of this type too, but with a list as the thought
      (block) =>
        MESSAGE_BLOCKS.has(block.get('type')?.text() ?? '') && block.get('thinking')?.type !== 'array',
    ),
  );
}
