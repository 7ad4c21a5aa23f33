/**
 * Folds the output of `codex exec --json` into a conversation. It lists the model's texts and what the client ran for
 * it, but no prompts, calls or ids of answers: each item that the client ran becomes a call named after the item's
 * type.
 */
import type { JsonView } from '../../json/json-view.ts';
import { inString, quote } from '../../json/respace.ts';
import { concat } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { LineFate, ReadingNote, Rejection } from '../../model/element.ts';
import type { ReadContext } from '../dialect-spec.ts';
import { callBlock, type FoldBlock } from '../fold/assistant-draft.ts';
import type { Fold } from '../fold/fold.ts';
import { joinStrings, objectOf, type Piece, toolMessage } from '../shared/build-messages.ts';
import { leaveUnknown } from '../shared/carried-content.ts';
import { partsOf } from '../shared/chat-object.ts';
import { textOrParts } from '../shared/content-parts.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { present, textOf } from '../shared/logged-values.ts';
import { OpenPieces } from '../shared/open-pieces.ts';
import { RESPONSE_ERROR, RESULT_ERROR, SUMMARY, unknownEvent, warning } from '../shared/reading-notes.ts';
import { type KnownObject, known, knownByType, says } from '../shared/unread-text.ts';

const MAIN = 'main';
const HARNESS = 'codex';
const EVENT =
  /^(?:thread\.started|turn\.(?:started|completed|failed)|item\.(?:started|updated|completed)|error)$/;
/** Items about the client, or that repeat the effect of calls. */
const CLIENT: ReadonlySet<string> = new Set(['error', 'todo_list']);
const SERVER_TOOL = warning('server-tool', 'a web_search ran on the server: it is kept as a part');

const OWN = 'id type item_type status';
const SAID = known(`${OWN} text:text!`);
/** The members of items that are read in part. Those of other types are kept whole, or are about the client. */
const ITEMS: ReadonlyMap<string, KnownObject> = new Map([
  ...['agent_message', 'assistant_message', 'reasoning'].map((type) => [type, SAID] as const),
  ['command_execution', known(`${OWN} command:text! aggregated_output:text exit_code`)],
  ['file_change', known(`${OWN} changes!`)],
  [
    'mcp_tool_call',
    known(`${OWN} server tool arguments`, {
      'result:object': known('structured_content structuredContent _meta is_error isError', {
        'content:list!': knownByType('type', { text: known('type text:text! annotations _meta') }),
      }),
      'error:object': known('message:text!'),
    }),
  ],
]);

export const isExecEvent = (type: string): boolean => EVENT.test(type);

/** An item that the client ran, as a call. */
interface ItemCall {
  readonly name: string;
  /** A JSON string. */
  readonly args: Uint8Array;
  /** JSON text: a string, or a list of parts. */
  readonly result: Uint8Array;
  readonly isError: boolean;
}

export class CodexExecSource {
  #thread: string | undefined;
  #answers = 0;
  /** Whether a call of the current answer has ended: the next text then starts another answer. */
  #hasResult = false;
  /** Calls of the current answer that have started but not ended. */
  readonly #running = new Set<string>();
  /** Texts and calls that have not ended. */
  readonly #pieces = new OpenPieces();

  read(type: string, json: JsonView, context: ReadContext): LineFate {
    if (type === 'thread.started') return this.#begin(json, context);
    const item = json.get('item');
    if (type === 'item.completed') return this.#complete(item, context);
    if (type.startsWith('item.')) this.#addPiece(item, context);
    if (type === 'item.started') this.#start(item);
    else if (type === 'turn.completed') this.#endTurn(json, context);
    else if (type === 'turn.failed' && context.fold.has(MAIN)) this.#fail(context);
    return context.drop(type.startsWith('item.') ? 'stream-partial' : 'client-event');
  }

  /** Starts a conversation, unless the thread is the same as before: a resumed thread continues its conversation. */
  #begin(json: JsonView, context: ReadContext): undefined {
    const id = json.get('thread_id')?.text();
    this.#pieces.settle(MAIN, context.fold);
    if (id !== this.#thread) context.fold.closeAll();
    this.#thread = id;
    this.#beginAnswer();
    this.#open(context);
    return undefined;
  }

  /** Called at the end of the source. */
  end(fold: Fold): Rejection | undefined {
    return this.#pieces.end(fold);
  }

  #addPiece(item: JsonView | undefined, { origin }: ReadContext): void {
    if (item === undefined) return;
    const isText = ITEMS.get(typeOf(item) ?? '') === SAID && says(item.get('text'));
    if (isText || callOf(item) !== undefined) this.#pieces.add(MAIN, item.get('id')?.text() ?? '', origin);
  }

  #start(item: JsonView | undefined): void {
    const id = item?.get('id')?.text();
    if (id === undefined || item === undefined || callOf(item) === undefined) return;
    if (this.#hasResult && this.#running.size === 0) this.#beginAnswer();
    this.#running.add(id);
  }

  #complete(item: JsonView | undefined, context: ReadContext): LineFate {
    const type = item && typeOf(item);
    const id = item?.get('id')?.text();
    if (item === undefined || type === undefined || id === undefined)
      return context.reject('bad-event', 'item has no type or no id', item);
    const { fold } = context;
    this.#pieces.repeat(MAIN, id);
    const fault = faultOf(type, item);
    if (fault !== undefined) return context.reject('unknown-content', fault, item);
    const form = ITEMS.get(type);
    if (form !== undefined) fold.expect(item, form, 'item');
    const call = callOf(item);
    if (call !== undefined) return this.#takeCall(id, call, context);
    const [blocks, notes] = modelBlocks(type, item);
    if (blocks.length > 0) {
      if (this.#hasResult) this.#beginAnswer();
      this.#open(context);
      fold.amend(this.#name, blocks, 'add', { notes });
      return undefined;
    }
    if (CLIENT.has(type)) return context.drop('client-event');
    this.#open(context);
    fold.note(unknownEvent(type));
    return leaveUnknown(type, item, context);
  }

  #takeCall(id: string, { name, args, result, isError }: ItemCall, context: ReadContext): undefined {
    const { fold } = context;
    if (!this.#running.delete(id) && this.#hasResult && this.#running.size === 0) this.#beginAnswer();
    this.#open(context);
    fold.amend(this.#name, [callBlock(id, name, args)], 'add', { changes: ['action-as-call'] });
    fold.answer(id, toolMessage(id, result), { notes: isError ? [RESULT_ERROR] : [] });
    this.#hasResult = true;
    return undefined;
  }

  #endTurn(json: JsonView, context: ReadContext): void {
    // commands may run longer than their turn
    for (const id of this.#running) this.#pieces.repeat(MAIN, id);
    this.#pieces.settle(MAIN, context.fold);
    this.#beginAnswer();
    if (!context.fold.has(MAIN)) return;
    this.#open(context);
    context.fold.describeAnswer(metaOf({ usage: json.get('usage') }));
  }

  #fail(context: ReadContext): void {
    this.#open(context);
    context.fold.noteLast(RESPONSE_ERROR);
    this.#beginAnswer();
  }

  #beginAnswer(): void {
    this.#answers++;
    this.#hasResult = false;
    this.#running.clear();
  }

  get #name(): string {
    return `answer ${this.#answers}`;
  }

  #open({ fold, origin }: ReadContext): void {
    const isNew = fold.open(MAIN, this.#thread ?? origin.source);
    if (isNew) fold.describe(metaOf({ source_id: this.#thread, harness: HARNESS }));
  }
}

/** The first versions named the type `item_type`. */
const typeOf = (item: JsonView): string | undefined =>
  item.get('type')?.text() ?? item.get('item_type')?.text();

/** Why an item cannot be read: it does not say what was written, run or answered. */
function faultOf(type: string, item: JsonView): string | undefined {
  const isText = (key: string): boolean => item.get(key)?.type === 'string';
  if (ITEMS.get(type) === SAID && !isText('text')) return 'the item has no text';
  if (type !== 'command_execution') return undefined;
  if (!isText('command')) return 'the item has no command';
  return isText('aggregated_output') ? undefined : 'the item has no output';
}

/** The blocks of an item that the model wrote; none for any other item. */
function modelBlocks(type: string, item: JsonView): [readonly FoldBlock[], readonly ReadingNote[]] {
  const text = item.get('text');
  if (type === 'web_search') return [[{ kind: 'part', object: item.copy() }], [SERVER_TOOL]];
  if (text?.type !== 'string') return [[], []];
  if (type === 'agent_message' || type === 'assistant_message')
    return [[{ kind: 'text', text: text.copy() }], []];
  return type === 'reasoning' ? [[{ kind: 'thought', text: text.copy() }], [SUMMARY]] : [[], []];
}

/** The call of an item that the client ran; undefined for any other item. */
function callOf(item: JsonView): ItemCall | undefined {
  const type = typeOf(item);
  if (type === 'command_execution') return commandOf(item);
  if (type === 'file_change') {
    const args = inString(objectOf([['changes', item.get('changes')?.copy() ?? '[]']]));
    return { name: type, args, result: statusText(item), isError: statusOf(item) !== 'completed' };
  }
  if (type === 'collab_tool_call') return collabOf(item);
  if (type !== 'mcp_tool_call') return undefined;
  const [server, tool] = ['server', 'tool'].map((key) => item.get(key)?.text() ?? '');
  const args = item.get('arguments');
  const error = item.get('error')?.get('message');
  const result = error?.type === 'string' ? error.copy() : mcpResult(item);
  return {
    name: `${server}__${tool}`,
    args: present(args) ? textOf(args) : encode('"{}"'),
    result,
    isError: statusOf(item) !== 'completed',
  };
}

/** A command, with its output and, if it failed, its exit code. */
function commandOf(item: JsonView): ItemCall {
  const args = inString(objectOf([['command', item.get('command')?.copy() ?? '""']]));
  const output = item.get('aggregated_output');
  const code = item.get('exit_code');
  const status = statusOf(item);
  const isError = status !== 'completed';
  if (!isError && output?.type === 'string')
    return { name: 'command_execution', args, result: output.copy(), isError };
  const why = code?.type === 'number' ? `exit code ${code.parsed()}` : status;
  const last = encode(quote(why));
  const shown = output?.text() ?? '';
  const result = shown === '' ? last : appended(output?.bytes as Uint8Array, last, shown.endsWith('\n'));
  return { name: 'command_execution', args, result, isError };
}

/** Joins two JSON strings, with a line feed unless the first one ends in one. */
const appended = (text: Uint8Array, last: Uint8Array, endsLine: boolean): Uint8Array =>
  endsLine ? concat([text.subarray(0, -1), last.subarray(1)]) : joinStrings([text, last]);

/** A call about another agent, which is another thread: its result is what is known of the agents. */
function collabOf(item: JsonView): ItemCall {
  const args = ['prompt', 'receiver_thread_ids'].flatMap((key): Piece[] => {
    const value = item.get(key);
    return present(value) ? [[key, value.copy()]] : [];
  });
  const states = item.get('agents_states');
  const isKnown = states?.type === 'object' && states.members().length > 0;
  return {
    name: item.get('tool')?.text() ?? 'collab_tool_call',
    args: inString(objectOf(args)),
    result: isKnown ? inString(states.bytes) : statusText(item),
    isError: statusOf(item) !== 'completed',
  };
}

const statusOf = (item: JsonView): string => item.get('status')?.text() ?? 'completed';
const statusText = (item: JsonView): Uint8Array => item.get('status')?.copy() ?? encode('"completed"');

/** The result of an MCP tool: its text, its parts, or the JSON text of any other value. */
function mcpResult(item: JsonView): Uint8Array {
  const result = item.get('result');
  const content = result?.get('content');
  if (content?.type === 'array') {
    return textOrParts(partsOf(content).parts);
  }
  return present(result) ? inString(result.bytes) : statusText(item);
}
