/** Reads one line of a Claude Code transcript: its type, and its message as blocks. */

import type { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { stringValue, textOfValue } from '../../model/message.ts';
import type { Meta } from '../../model/meta.ts';
import { type FoldBlock, sealedBlock } from '../fold/draft.ts';
import { argumentsOf, type Block, readBlock } from '../shared/anthropic-blocks.ts';
import { resultMessage } from '../shared/anthropic-message.ts';
import { callJson, makeMessage } from '../shared/build-messages.ts';
import { contentOfParts, type Part } from '../shared/content-parts.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { isTrue } from '../shared/logged-values.ts';
import { type Preserved, preservedBy } from './kept-messages.ts';

/** Beginning of a text that the client queues when a task in the background ends. */
const NOTIFICATION = /^\s*<task-notification>/;

/** The result of a tool and the call that it answers. */
export interface ClaudeResult {
  readonly callId: string | undefined;
  readonly message: Message;
}

/** Content of a user line: results of tools, and the rest as a separate message. */
export interface UserWords {
  readonly results: readonly ClaudeResult[];
  readonly rest: Message | undefined;
  /** The texts of the rest; undefined if it has anything but text. */
  readonly text: string | undefined;
}

export class ClaudeLine {
  readonly type: string;
  readonly uuid: string | undefined;
  /** Undefined if the line does not say; null for a line without a parent. */
  readonly parent: string | null | undefined;
  readonly sessionId: string | undefined;
  /** Name of the line's sub-agent; null if it is not named, undefined for the main conversation. */
  readonly agent: string | null | undefined;
  readonly #json: JsonView;
  readonly #message: JsonView | undefined;

  private constructor(type: string, json: JsonView) {
    this.type = type;
    this.#json = json;
    this.#message = json.get('message');
    this.uuid = this.text('uuid');
    const parent = json.get('parentUuid');
    this.parent = parent?.type === 'null' ? null : parent?.text();
    this.sessionId = this.text('sessionId') || this.text('session_id') || undefined;
    this.agent = this.#agent();
  }

  /** Undefined for an object that has no type. */
  static of(json: JsonView): ClaudeLine | undefined {
    const type = json.textOf('type');
    return type === undefined ? undefined : new ClaudeLine(type, json);
  }

  #agent(): string | null | undefined {
    const call = this.text('parent_tool_use_id');
    if (call !== undefined) return call;
    return this.is('isSidechain') ? (this.text('agentId') ?? null) : undefined;
  }

  get time(): JsonView | undefined {
    return this.#json.get('timestamp');
  }

  /** The message; undefined if it is not an object. */
  get message(): JsonView | undefined {
    return this.#message?.type === 'object' ? this.#message : undefined;
  }

  get role(): string | undefined {
    return this.#message?.textOf('role');
  }

  /** Did the client make it up instead of an answer? */
  get isSynthetic(): boolean {
    return this.is('isApiErrorMessage') || this.#message?.textOf('model') === '<synthetic>';
  }

  /** Id that all lines of one assistant message share. */
  get messageId(): string | undefined {
    return this.#message?.textOf('id') || this.text('requestId') || this.uuid;
  }

  /** Does the answer continue on a line with another id? Qwen Code names each piece of an answer after its line. */
  get isUnfinishedPiece(): boolean {
    if (this.uuid === undefined || this.#message?.textOf('id') !== this.uuid) return false;
    return this.#message?.get('stop_reason')?.type === 'null';
  }

  /** Metadata of an answer: model, tokens and finish reason. */
  get meta(): Meta {
    const [model, usage, finish] = ['model', 'usage', 'stop_reason'].map((key) => this.#message?.get(key));
    return metaOf({ model, usage, finish });
  }

  get isCut(): boolean {
    return this.#message?.textOf('stop_reason') === 'max_tokens';
  }

  /** The lines that a compaction kept besides the summary. */
  get preserved(): Preserved | undefined {
    return preservedBy(this.#json);
  }

  /** A prompt that the user typed while the model was working. */
  get queuedPrompt(): UserWords | undefined {
    const attachment = this.#json.get('attachment');
    if (attachment?.textOf('type') !== 'queued_command') return undefined;
    const words = wordsOf(attachment.get('prompt'));
    const mode = attachment.textOf('commandMode');
    if (mode === undefined) return NOTIFICATION.test(words?.text ?? '') ? undefined : words;
    return mode === 'prompt' ? words : undefined;
  }

  /** Content of a user line; undefined if it is neither a text nor a list. */
  get words(): UserWords | undefined {
    return wordsOf(this.#message?.get('content'));
  }

  /** Content of an assistant line; undefined if it is neither a text nor a list. */
  get blocks(): readonly FoldBlock[] | undefined {
    const content = this.#message?.get('content');
    if (content?.type === 'string') return [{ kind: 'text', text: content.copy() }];
    return content?.type === 'array' ? content.elements().map(foldBlock) : undefined;
  }

  text(key: string): string | undefined {
    return this.#json.textOf(key);
  }

  is(key: string): boolean {
    const value = this.#json.get(key);
    return value?.type === 'boolean' && isTrue(value);
  }
}

function wordsOf(content: JsonView | undefined): UserWords | undefined {
  if (content?.type === 'string') {
    const rest = makeMessage('user', [['content', content.bytes]]);
    return { results: [], rest, text: content.text() };
  }
  if (content?.type !== 'array') return undefined;
  const results: ClaudeResult[] = [];
  const parts: Part[] = [];
  for (const element of content.elements()) {
    const block = userBlock(element);
    if (block === undefined) continue;
    if ('callId' in block) results.push(block);
    else parts.push(block);
  }
  if (parts.length === 0) return { results, rest: undefined, text: undefined };
  const texts = parts.map((part) => ('text' in part ? textOfValue(part.text) : undefined));
  const text = texts.includes(undefined) ? undefined : texts.join('\n');
  return { results, rest: makeMessage('user', [['content', contentOfParts(parts)]]), text };
}

/** Undefined for a block that does not occur in user messages. */
function userBlock(block: JsonView): ClaudeResult | Part | undefined {
  const type = block.textOf('type');
  if (type === 'tool_result') return resultOf(block);
  const text = type === 'text' ? plainText(block) : undefined;
  if (text !== undefined) return { text: text.bytes };
  const read = readBlock(block.copy(), false);
  return read.kind === 'part' ? read.part : undefined;
}

function resultOf(block: JsonView): ClaudeResult {
  const id = block.get('tool_use_id');
  const [key, content, isError] = [id, block.get('content'), block.get('is_error')].map(jsonOf);
  return { callId: id?.text(), message: resultMessage(key, content, isError) };
}

/** JSON text on one line; must be copied before `read` returns. */
function jsonOf(value: JsonView | undefined): Uint8Array | undefined {
  return value?.type === 'object' || value?.type === 'array' ? value.copy() : value?.bytes;
}

/** The text of a block that has nothing else. */
function plainText(block: JsonView): JsonView | undefined {
  const text = block.get('text');
  const citations = block.get('citations');
  const isPlain = citations === undefined || citations.type === 'null' || isEmptyList(citations);
  return isPlain && text?.type === 'string' ? text : undefined;
}

function isEmptyList(value: JsonView): boolean {
  return value.type === 'array' && value.elements().length === 0;
}

function foldBlock(block: JsonView): FoldBlock {
  const type = block.textOf('type');
  if (type === 'text') {
    const text = plainText(block)?.copy();
    if (text !== undefined) return { kind: 'text', text };
  } else if (type === 'tool_use') {
    const id = block.textOf('id');
    const input = block.get('input');
    return { kind: 'call', id, json: callJson(id, block.textOf('name'), input && argumentsOf(input.bytes)) };
  }
  return blockOf(readBlock(block.copy(), true));
}

function blockOf(block: Block): FoldBlock {
  if (block.kind === 'call') return { kind: 'call', id: stringValue(block.json, 'id'), json: block.json };
  if (block.kind === 'thought') return { kind: 'thought', text: block.text };
  if (block.kind === 'sealed') return sealedBlock(block.data);
  if (block.kind === 'result') return { kind: 'part', object: block.block, kept: 'tool_result' };
  if ('text' in block.part) return { kind: 'text', text: block.part.text };
  const { object } = block.part;
  return { kind: 'part', object, ...(block.kept !== undefined && { kept: block.kept }) };
}
