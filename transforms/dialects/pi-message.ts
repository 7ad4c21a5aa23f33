/** Reads one message of a pi session, for a fold. */
import type { JsonView } from '../json/json-view.ts';
import { inString, quote } from '../json/respace.ts';
import { concat } from '../json/splice.ts';
import { encode } from '../json/utf8.ts';
import type { Message, ReadingNote } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { contentOfParts, keptBlock, type Part } from './anthropic-blocks.ts';
import { imagePart } from './chat-object.ts';
import { type FoldBlock, sealedDetail } from './fold/draft.ts';
import { metaOf } from './logged-meta.ts';
import { arrayOf, callJson, makeMessage, objectOf, type Piece } from './made-messages.ts';

export type PiMessage =
  | {
      readonly kind: 'answer';
      readonly blocks: readonly FoldBlock[];
      readonly notes: readonly ReadingNote[];
      readonly meta: Meta;
    }
  | { readonly kind: 'result'; readonly callId: string | undefined; readonly message: Message }
  | {
      readonly kind: 'message';
      readonly message: Message;
      /** Did a person type it? */
      readonly isTurn: boolean;
      readonly changes?: readonly string[];
    }
  /** An answer that was interrupted while it was still empty. */
  | { readonly kind: 'interrupted' }
  /** Not sent to the model. */
  | { readonly kind: 'excluded' };

const ENCRYPTED = 'reasoning.encrypted';
const warning = (rule: string, message: string): ReadingNote => ({ rule, severity: 'WARNING', message });
const INTERRUPT = warning('interrupted', 'the answer was stopped before its end');
const CUT = warning('reply-cut', 'the answer ended at the limit of tokens');
const RESULT_ERROR = warning('result-is-error', 'the result of a tool is marked as an error');
const STOPPED: ReadonlySet<string> = new Set(['aborted', 'error']);
const TRUE = 't'.charCodeAt(0);

const isTrue = (view: JsonView | undefined): boolean => view?.bytes[0] === TRUE;

/** Undefined if the message cannot be read. A message of an extension has no role. */
export function readPiMessage(message: JsonView): PiMessage | undefined {
  const role =
    message.get('role')?.text() ?? (message.get('customType') === undefined ? undefined : 'custom');
  if (role === 'assistant') return readAnswer(message);
  if (role === 'toolResult') return readResult(message);
  if (role === 'bashExecution') return readBash(message);
  if (role === 'user' || role === 'system') return readText(role, message, role === 'user');
  if (role === 'custom' || role === 'hookMessage') return readText('user', message, false);
  const summary = message.get('summary');
  if ((role === 'branchSummary' || role === 'compactionSummary') && summary?.type === 'string')
    return { kind: 'message', message: makeMessage('user', [['content', summary.copy()]]), isTurn: false };
  return undefined;
}

function readText(role: string, message: JsonView, isTurn: boolean): PiMessage | undefined {
  const content = message.get('content');
  if (content?.type !== 'string' && content?.type !== 'array') return undefined;
  const { parts, notes } = partsOf(content);
  const { bytes } = makeMessage(role, [['content', contentOfParts(parts)]]);
  return { kind: 'message', message: notes.length === 0 ? { bytes, role } : { bytes, role, notes }, isTurn };
}

interface Parts {
  readonly parts: readonly Part[];
  readonly notes: readonly ReadingNote[];
}

function partsOf(content: JsonView | undefined): Parts {
  if (content?.type === 'string') return { parts: [{ text: content.copy() }], notes: [] };
  const notes: ReadingNote[] = [];
  const parts = (content?.elements() ?? []).map((part) => partOf(part, notes));
  return { parts, notes };
}

function partOf(part: JsonView, notes: ReadingNote[]): Part {
  const type = part.get('type')?.text();
  const text = part.get('text');
  if (type === 'text' && text?.type === 'string') return { text: text.copy() };
  const [media, data] = [part.get('mimeType'), part.get('data')];
  if (type === 'image' && media?.type === 'string' && data?.type === 'string') {
    const url = [encode('"data:'), media.copy().subarray(1, -1), encode(';base64,'), data.copy().subarray(1)];
    return { object: imagePart(concat(url)) };
  }
  notes.push(keptBlock(type ?? 'unknown'));
  return { object: part.copy() };
}

function readAnswer(message: JsonView): PiMessage | undefined {
  const content = message.get('content');
  if (content?.type !== 'string' && content?.type !== 'array') return undefined;
  const stop = message.get('stopReason');
  const isStopped = STOPPED.has(stop?.text() ?? '');
  const notes: ReadingNote[] = [];
  const blocks =
    content.type === 'string'
      ? [{ kind: 'text', text: content.copy() } as const]
      : content.elements().flatMap((block) => blockOf(block, notes));
  if (blocks.length === 0 && isStopped) return { kind: 'interrupted' };
  if (isStopped) notes.push(INTERRUPT);
  if (stop?.text() === 'length') notes.push(CUT);
  const usage = message.get('usage');
  const cost = usage?.get('cost')?.get('total');
  const meta = metaOf({ model: message.get('model'), usage, cost, finish: stop });
  return { kind: 'answer', blocks, notes, meta };
}

function blockOf(block: JsonView, notes: ReadingNote[]): readonly FoldBlock[] {
  const type = block.get('type')?.text();
  if (type === 'toolCall') return [callOf(block)];
  if (type === 'thinking') return thoughtOf(block);
  const part = partOf(block, notes);
  return ['text' in part ? { kind: 'text', text: part.text } : { kind: 'part', object: part.object }];
}

function callOf(block: JsonView): FoldBlock {
  const id = block.get('id')?.text();
  const args = block.get('arguments');
  const json = args?.type === 'string' ? args.copy() : args && inString(args.bytes);
  return { kind: 'call', id, json: callJson(id, block.get('name')?.text(), json) };
}

/** A thought as text, or as encrypted reasoning. */
function thoughtOf(block: JsonView): readonly FoldBlock[] {
  const thinking = block.get('thinking');
  if (thinking?.type === 'string' && thinking.text() !== '' && !isTrue(block.get('redacted')))
    return [{ kind: 'thought', text: thinking.copy() }];
  const signature = block.get('thinkingSignature');
  if (signature?.type !== 'string') return [];
  return [{ kind: 'sealed', detail: sealedDetail(ENCRYPTED, signature.copy()) }];
}

function readResult(message: JsonView): PiMessage {
  const callId = message.get('toolCallId')?.text();
  const { parts, notes } = partsOf(message.get('content'));
  const list = parts.map((part) => ('object' in part ? part.object : textPart(part.text)));
  const content = message.get('content');
  const text = content?.type === 'string' ? content.copy() : arrayOf(list);
  const members: Piece[] = callId === undefined ? [] : [['tool_call_id', quote(callId)]];
  const own = makeMessage('tool', [...members, ['content', text]]);
  const all = isTrue(message.get('isError')) ? [...notes, RESULT_ERROR] : notes;
  return { kind: 'result', callId, message: all.length === 0 ? own : { ...own, notes: all } };
}

const textPart = (text: Uint8Array): Uint8Array =>
  objectOf([
    ['type', '"text"'],
    ['text', text],
  ]);

/** A command that a person ran, its output, and its exit status if it failed. */
function readBash(message: JsonView): PiMessage {
  if (isTrue(message.get('excludeFromContext'))) return { kind: 'excluded' };
  const code = message.get('exitCode');
  const failed = code?.type === 'number' && code.parsed() !== 0;
  const lines = [message.get('command')?.text(), message.get('output')?.text()];
  const text = [...lines, ...(failed ? [`exit code ${code.parsed()}`] : [])].filter(Boolean).join('\n');
  const own = makeMessage('user', [['content', encode(quote(text))]]);
  return { kind: 'message', message: own, isTurn: false, changes: ['bash-as-user'] };
}
