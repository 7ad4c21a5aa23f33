/** Reads one message of a goose session: texts, thoughts, calls, and in user messages the results of calls. */
import type { JsonView } from '../json/json-view.ts';
import { inString, quote } from '../json/respace.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Message, ReadingNote } from '../model/element.ts';
import { contentOfParts, keptBlock, type Part } from './anthropic-blocks.ts';
import { imagePart, isPresent } from './chat-object.ts';
import type { ReadContext } from './dialect-spec.ts';
import { type FoldBlock, sealedDetail } from './fold/draft.ts';
import { arrayOf, callJson, makeMessage, objectOf, type Piece } from './made-messages.ts';

const ENCRYPTED = 'reasoning.encrypted';
const RESULT_ERROR: ReadingNote = {
  rule: 'result-is-error',
  severity: 'WARNING',
  message: 'the result of a tool is marked as an error',
};
const REQUESTS: ReadonlySet<string> = new Set(['toolRequest', 'frontendToolRequest']);
const FALSE = 'f'.charCodeAt(0);
const TRUE = 't'.charCodeAt(0);

export function isGooseMessage(message: JsonView): boolean {
  return message.get('role')?.type === 'string' && message.get('content')?.type === 'array';
}

/** Was it hidden from the model? */
export function isHidden(message: JsonView): boolean {
  return message.get('metadata')?.get('agentVisible')?.bytes[0] === FALSE;
}

/** @param name of the assistant message, if it is one */
export function foldGooseMessage(message: JsonView, name: string, { fold }: ReadContext): void {
  const role = message.get('role')?.text() ?? '';
  const blocks = message.get('content')?.elements() ?? [];
  const notes: ReadingNote[] = [];
  if (role === 'assistant') {
    fold.amend(
      name,
      blocks.flatMap((block) => blockOf(block, notes)),
      'add',
      { notes },
    );
    return;
  }
  const isResult = (block: JsonView): boolean => block.get('type')?.text() === 'toolResponse';
  for (const block of blocks.filter(isResult)) {
    const { callId, result } = resultOf(block);
    fold.answer(callId, result);
  }
  const parts = blocks.filter((block) => !isResult(block)).map((block) => partOf(block, notes));
  if (parts.length === 0) return;
  const isTurn = role === 'user' && parts.length === blocks.length;
  fold.add(makeMessage(role, [['content', contentOfParts(parts)]]), { isTurn, notes });
}

function blockOf(block: JsonView, notes: ReadingNote[]): readonly FoldBlock[] {
  const type = block.get('type')?.text() ?? '';
  if (REQUESTS.has(type)) return [callOf(block)];
  const thinking = block.get('thinking');
  if (type === 'thinking' && thinking?.type === 'string' && thinking.text() !== '')
    return [{ kind: 'thought', text: thinking.copy() }];
  const data = block.get('data') ?? block.get('signature');
  if (type.toLowerCase().endsWith('thinking') && data?.type === 'string')
    return [{ kind: 'sealed', detail: sealedDetail(ENCRYPTED, data.copy()) }];
  const part = partOf(block, notes);
  return ['text' in part ? { kind: 'text', text: part.text } : { kind: 'part', object: part.object }];
}

function partOf(block: JsonView, notes: ReadingNote[]): Part {
  const type = block.get('type')?.text();
  const text = block.get('text');
  if (type === 'text' && text?.type === 'string') return { text: text.copy() };
  const [media, data] = [block.get('mimeType'), block.get('data')];
  if (type === 'image' && media?.type === 'string' && data?.type === 'string') {
    const url = [encode('"data:'), media.copy().subarray(1, -1), encode(';base64,'), data.copy().subarray(1)];
    return { object: imagePart(concat(url)) };
  }
  notes.push(keptBlock(type ?? 'unknown'));
  return { object: block.copy() };
}

/** A call is wrapped in `{status, value}`. */
function callOf(block: JsonView): FoldBlock {
  const id = block.get('id')?.text();
  const envelope = block.get('toolCall');
  const call = envelope?.get('value') ?? envelope;
  const args = call?.get('arguments');
  const written = isPresent(args) ? inString(args.bytes) : undefined;
  return { kind: 'call', id, json: callJson(id, call?.get('name')?.text(), written) };
}

/** So is a result: a list of parts, an object with such a list, or an error. */
function resultOf(block: JsonView): { readonly callId: string | undefined; readonly result: Message } {
  const callId = block.get('id')?.text();
  const envelope = block.get('toolResult');
  const value = envelope?.get('value') ?? envelope;
  const error = envelope?.get('error');
  const list = value?.type === 'array' ? value : value?.get('content');
  const isError = isPresent(error) || value?.get('isError')?.bytes[0] === TRUE;
  const notes: ReadingNote[] = isError ? [RESULT_ERROR] : [];
  const parts = (list?.elements() ?? []).map((part) => partOf(part, notes));
  const content = error?.type === 'string' ? error.copy() : arrayOf(parts.map(partBytes));
  const members: Piece[] = callId === undefined ? [] : [['tool_call_id', quote(callId)]];
  const message = makeMessage('tool', [...members, ['content', content]]);
  return { callId, result: notes.length === 0 ? message : { ...message, notes } };
}

function partBytes(part: Part): Uint8Array {
  if ('object' in part) return part.object;
  return objectOf([
    ['type', '"text"'],
    ['text', part.text],
  ]);
}
