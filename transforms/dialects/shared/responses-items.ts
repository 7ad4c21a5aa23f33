/** Reads items of the Responses API: messages, calls, results and reasoning. */

import type { JsonView } from '../../json/json-view.ts';
import { inString } from '../../json/respace.ts';
import { decode, encode } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import { blockOfPart, callBlock, type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import { copiesOf, makeMessage, objectOf } from './build-messages.ts';
import { argumentsOf } from './call-arguments.ts';
import { contentOfParts } from './content-parts.ts';
import { isBuiltInCall } from './known-parts.ts';
import { present } from './logged-values.ts';
import {
  FREE_FORM,
  noted,
  SEALED_ARGUMENTS,
  SEALED_CONTEXT,
  SUMMARY,
  SUMMARY_LEFT_OUT,
  warning,
} from './reading-notes.ts';
import { partsOf, type ResponseResult, readResult } from './response-results.ts';
import { nameInSpace } from './tool-definitions.ts';
import { maySay } from './unreadable.ts';

export type ResponseItem =
  | ResponseMessage
  | { readonly kind: 'blocks'; readonly blocks: readonly FoldBlock[]; readonly notes: readonly ReadingNote[] }
  | ResponseResult
  /** Encrypted context that replaces earlier messages. */
  | { readonly kind: 'sealed-context' }
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'bad'; readonly detail: string };

export interface ResponseMessage {
  readonly kind: 'message';
  readonly message: Message;
  /** The joined texts of its content; undefined if it has other parts. */
  readonly text: string | undefined;
  /** Rules that rewrote the message. */
  readonly changes?: readonly string[];
}

const CALL = /_call$/;
/** Members of a call that are not its arguments. */
const AROUND_CALL: ReadonlySet<string> = new Set(['type', 'id', 'call_id', 'status']);
/** Members that hold the arguments of a call, as an object unless there are several actions. */
const ARGUMENTS = ['arguments', 'action', 'actions', 'operation'];
/** Beginning of a message from another agent, which older versions of Codex log as an answer of the model. */
const FROM_AGENT = encode(String.raw`"{\"author\":`);

/** Type of the result of a search for tools. Without a `call_id`, the search ran on the server. */
const FOUND_TOOLS = 'tool_search_output';
/** Type of an item with tools that the client offers from there on. */
export const MORE_TOOLS = 'additional_tools';
const SEALED: ReadonlySet<string> = new Set(['compaction', 'compaction_summary', 'context_compaction']);

const NO_CONTENT = 'a message has no content under a name that is read';

const serverTool = (type: string): ReadingNote =>
  warning('server-tool', `a ${type} ran on the server: it is kept as a part`);

/** Reads an item; one without a type is a message. */
export function readItem(item: JsonView): ResponseItem {
  if (item.type !== 'object') return bad('an item is not an object');
  const type = item.textOf('type') ?? 'message';
  if (type === 'message') return readMessage(item);
  if (type === 'reasoning') return readReasoning(item);
  if (type === 'function_call') return readCall(item);
  if (type === 'custom_tool_call') return readCustomCall(item);
  if (type.endsWith('_call_output'))
    return hasOutput(item, type) ? readResult(item) : bad('a result has no output');
  const isOfServer = item.textOf('execution') === 'server';
  const isOfClient = type === 'local_shell_call' || (item.get('call_id')?.type === 'string' && !isOfServer);
  if (type === FOUND_TOOLS && isOfClient) return readResult(item);
  if (type === 'agent_message') return readAgentMessage(item);
  if (SEALED.has(type)) return { kind: 'sealed-context' };
  if (!isBuiltInCall(type) && type !== FOUND_TOOLS) return { kind: 'unknown', type };
  if (isOfClient) return readClientCall(type, item);
  return blocks({ kind: 'part', object: item.copy() }, [serverTool(type)]);
}

const bad = (detail: string): ResponseItem => ({ kind: 'bad', detail });

/** A patch that succeeded may have no output. */
const hasOutput = (item: JsonView, type: string): boolean =>
  type === 'apply_patch_call_output' || ['output', 'tools'].some((key) => item.get(key) !== undefined);

function blocks(block: FoldBlock, notes: readonly ReadingNote[] = []): ResponseItem {
  return { kind: 'blocks', blocks: [block], notes };
}

function readMessage(item: JsonView): ResponseItem {
  const role = item.textOf('role');
  if (role === undefined) return bad('an item has no role');
  if (!present(item.get('content'))) return bad('a message has no content');
  const { parts, notes, text } = partsOf(item.get('content'), role !== 'assistant');
  if (parts.length === 0 && notes.length === 0 && maySay(item)) return bad(NO_CONTENT);
  if (role === 'assistant') {
    const [only] = parts;
    if (only === undefined || !('text' in only) || parts.length > 1 || !isFromAgent(only.text))
      return { kind: 'blocks', blocks: parts.map(blockOfPart), notes };
    const message = makeMessage('user', [['content', only.text]]);
    return { kind: 'message', message, text: undefined, changes: ['observation-as-user'] };
  }
  if (parts.length === 0 && notes.includes(SEALED_CONTEXT)) return { kind: 'sealed-context' };
  const message = noted(makeMessage(role, [['content', contentOfParts(parts)]]), notes);
  return { kind: 'message', message, text };
}

/** Whether a text, a JSON string, is a message from another agent. */
function isFromAgent(text: Uint8Array): boolean {
  if (!FROM_AGENT.every((byte, i) => text[i] === byte)) return false;
  try {
    const { author, recipient, content, trigger_turn: triggers } = JSON.parse(JSON.parse(decode(text)));
    const isText = [author, recipient, content].every((value) => typeof value === 'string');
    return isText && typeof triggers === 'boolean';
  } catch {
    return false;
  }
}

/** Reads a message from another agent. It becomes a user message, because the model did not write it. */
function readAgentMessage(item: JsonView): ResponseItem {
  const { parts, notes } = partsOf(item.get('content'));
  if (parts.length === 0) return { kind: 'sealed-context' };
  const message = noted(makeMessage('user', [['content', contentOfParts(parts)]]), notes);
  return { kind: 'message', message, text: undefined };
}

/** @param args a JSON string */
function callOf(item: JsonView, name: string | undefined, args: Uint8Array | undefined): FoldBlock {
  const id = item.textOf('call_id') ?? item.textOf('id');
  return callBlock(id, name, args);
}

function nameOf(item: JsonView): string | undefined {
  const name = item.textOf('name');
  return name === undefined ? undefined : nameInSpace(item.textOf('namespace'), name);
}

function readCall(item: JsonView): ResponseItem {
  const sealed = item.get('encrypted_function_args')?.elements() ?? [];
  const args = item.get('arguments');
  const call = callOf(item, nameOf(item), args && argumentsOf(args.bytes));
  return blocks(call, sealed.length > 0 ? [SEALED_ARGUMENTS] : []);
}

function readCustomCall(item: JsonView): ResponseItem {
  const input = item.get('input');
  if (!present(input)) return bad('a call has no input');
  const call = callOf(item, nameOf(item), inString(objectOf([['input', input.copy()]])));
  return blocks(call, [FREE_FORM]);
}

/** Reads a call of a built-in tool that the client runs. Its name is the item's type without `_call`. */
function readClientCall(type: string, item: JsonView): ResponseItem {
  const named = ARGUMENTS.flatMap((key) => item.get(key) ?? []);
  const args = named.find((value) => value.type === 'object');
  const isLost = named.length > 0 && !named.some(present);
  const written = args?.copy() ?? objectOf(copiesOf(item.others(AROUND_CALL)));
  return blocks(callOf(item, type.replace(CALL, ''), isLost ? undefined : inString(written)));
}

/** The texts of a list of parts; undefined if anything in it is not a text. */
function textsIn(list: JsonView | undefined): readonly JsonView[] | undefined {
  if (present(list) && list.type !== 'array') return undefined;
  const texts = (list?.elements() ?? []).map((part) => part.get('text'));
  return texts.every((text): text is JsonView => text?.type === 'string') ? texts : undefined;
}

function readReasoning(item: JsonView): ResponseItem {
  const [whole, summary] = ['content', 'summary'].map((key) => textsIn(item.get(key)));
  if (whole === undefined || summary === undefined) return bad('a part of reasoning is not a text');
  const texts = whole.length > 0 ? whole : summary;
  const thoughts: FoldBlock[] = texts.map((text) => ({ kind: 'thought', text: text.copy() }));
  const sealed = item.get('encrypted_content');
  if (sealed?.type === 'string') thoughts.push(sealedBlock(sealed.copy()));
  const notes = summary.length === 0 ? [] : [whole.length > 0 ? SUMMARY_LEFT_OUT : SUMMARY];
  return { kind: 'blocks', blocks: thoughts, notes };
}
