/** Reads one message of a pi session. */

import type { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode, NO_TEXT } from '../../json/utf8.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { blockOfPart, callBlock, type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import { joinStrings, makeMessage, stringsOf, toolMessage } from '../shared/build-messages.ts';
import { argumentsOf } from '../shared/call-arguments.ts';
import { type Parts, readCall } from '../shared/chat-object.ts';
import { contentOfParts, listOfParts, mcpPart } from '../shared/content-parts.ts';
import { ANTHROPIC_BLOCK } from '../shared/known-members.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { isTrue } from '../shared/logged-values.ts';
import { cutNotes, noted, RESULT_ERROR, warning } from '../shared/reading-notes.ts';
import { type KnownObject, known, withKinds } from '../shared/unread-text.ts';

export type PiMessage =
  | {
      readonly kind: 'answer';
      readonly blocks: readonly FoldBlock[];
      readonly notes: readonly ReadingNote[];
      readonly meta: Meta;
      /** Whether it failed or was stopped. */
      readonly isStopped: boolean;
    }
  | { readonly kind: 'result'; readonly callId: string | undefined; readonly message: Message }
  | {
      readonly kind: 'message';
      readonly message: Message;
      /** Whether a person typed it. */
      readonly isTurn: boolean;
      readonly changes?: readonly string[];
    }
  /** An empty answer: it was interrupted before the model wrote anything. */
  | { readonly kind: 'interrupted' }
  /** An answer that the client wrote. */
  | { readonly kind: 'synthetic' }
  /** Not sent to the model. */
  | { readonly kind: 'excluded' };

/** Parts of pi, and blocks of the Messages API, which Factory Droid writes. */
const PART = withKinds(ANTHROPIC_BLOCK, {
  text: known('type text:text! textSignature annotations _meta'),
  thinking: known('type thinking:text! thinkingSignature! signature redacted'),
  toolCall: known(
    'type id name:text arguments! thoughtSignature partialJson intent customWireName input rawBlock',
  ),
});
/** The members of messages, of those of pi's extensions and of its relatives. */
export const PI_MESSAGE: KnownObject = known(
  [
    'role type id parentId timestamp api provider model responseModel responseId diagnostics usage stopReason',
    'stopDetails errorMessage errorStatus errorId duration ttft toolCallId toolName details isError command:text! code!',
    'output:text exitCode cancelled truncated fullOutputPath excludeFromContext customType display summary:text!',
    'shortSummary fromId tokensBefore attribution synthetic provenance idempotencyKey providerPayload prunedAt',
    'disabledFeatures contextSnapshot meta blocks images files steering useless firstKeptEntryId',
  ].join(' '),
  { 'content:parts!': PART },
);

const STOPPED_EARLY = warning('interrupted', 'the answer was stopped before its end');
/** OpenClaw, which keeps its sessions with pi, logs what it delivered to a chat a second time under these models. */
const MIRRORS: ReadonlySet<string> = new Set(['delivery-mirror', 'gateway-injected']);
const STOPPED: ReadonlySet<string> = new Set(['aborted', 'error']);

/** Undefined if the message is not valid. Messages of extensions have no role, but a `customType`. */
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
  const converted = makeMessage(role, [['content', contentOfParts(parts)]]);
  return { kind: 'message', message: noted(converted, notes), isTurn };
}

function partsOf(content: JsonView | undefined): Parts {
  if (content?.type === 'string') return { parts: [{ text: content.copy() }], notes: [] };
  const notes: ReadingNote[] = [];
  const parts = (content?.elements() ?? []).map((part) => mcpPart(part, notes));
  return { parts, notes };
}

function readAnswer(message: JsonView): PiMessage | undefined {
  const content = message.get('content');
  if (content?.type !== 'string' && content?.type !== 'array') return undefined;
  const isMirror = message.get('provider')?.text() === 'openclaw';
  if (isMirror && MIRRORS.has(message.get('model')?.text() ?? '')) return { kind: 'synthetic' };
  const stop = message.get('stopReason');
  const isStopped = STOPPED.has(stop?.text() ?? '');
  const notes: ReadingNote[] = [];
  const blocks =
    content.type === 'string'
      ? [{ kind: 'text', text: content.copy() } as const]
      : content.elements().flatMap((block) => blockOf(block, notes));
  if (blocks.length === 0 && isStopped) return { kind: 'interrupted' };
  notes.push(...(isStopped ? [STOPPED_EARLY] : cutNotes(stop?.text())));
  const usage = message.get('usage');
  const cost = usage?.get('cost')?.get('total');
  const meta = metaOf({ model: message.get('model'), usage, cost, finish: stop });
  return { kind: 'answer', blocks, notes, meta, isStopped };
}

function blockOf(block: JsonView, notes: ReadingNote[]): readonly FoldBlock[] {
  const type = block.get('type')?.text();
  if (type === 'toolCall') return [callOf(block)];
  if (type === 'tool_use') return [readCall(block)];
  if (type === 'thinking') return thoughtOf(block);
  return [blockOfPart(mcpPart(block, notes))];
}

function callOf(block: JsonView): FoldBlock {
  const id = block.get('id')?.text();
  const args = block.get('arguments');
  return callBlock(id, block.get('name')?.text(), args && argumentsOf(args.bytes));
}

function thoughtOf(block: JsonView): readonly FoldBlock[] {
  const thinking = block.get('thinking');
  if (thinking?.type === 'string' && !thinking.isEmptyText && !isTrue(block.get('redacted')))
    return [{ kind: 'thought', text: thinking.copy() }];
  const signature = block.get('thinkingSignature');
  if (signature?.type !== 'string') return [];
  return [sealedBlock(signature.copy())];
}

function readResult(message: JsonView): PiMessage {
  const callId = message.get('toolCallId')?.text();
  const { parts, notes } = partsOf(message.get('content'));
  const content = message.get('content');
  const text = content?.type === 'string' ? content.copy() : listOfParts(parts);
  const all = isTrue(message.get('isError')) ? [...notes, RESULT_ERROR] : notes;
  return { kind: 'result', callId, message: noted(toolMessage(callId, text), all) };
}

/** A command that the user ran, as a user message: the command, its output, and the exit status if it failed. */
function readBash(message: JsonView): PiMessage {
  if (isTrue(message.get('excludeFromContext'))) return { kind: 'excluded' };
  const code = message.get('exitCode');
  const failed = code?.type === 'number' && code.parsed() !== 0;
  const lines = [
    ...stringsOf(message, 'command', 'output'),
    ...(failed ? [encode(quote(`exit code ${code.parsed()}`))] : []),
  ];
  const own = makeMessage('user', [['content', lines.length === 0 ? NO_TEXT : joinStrings(lines)]]);
  return { kind: 'message', message: own, isTurn: false, changes: ['bash-as-user'] };
}
