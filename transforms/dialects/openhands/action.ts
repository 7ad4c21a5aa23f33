/**
 * Reads actions and observations of the first version of OpenHands. An action usually contains the model's completion.
 * If it does not, or only as the text of a Python object, the answer is rebuilt from the action.
 */

import type { JsonView } from '../../json/json-view.ts';
import { inString, quote } from '../../json/respace.ts';
import { dropMembers } from '../../json/splice.ts';
import { encode, NO_TEXT } from '../../json/utf8.ts';
import { callBlock, type FoldBlock } from '../fold/assistant-draft.ts';
import { readChatObject } from '../shared/chat-object.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { present, textOf } from '../shared/logged-values.ts';
import { cutNotes, warning } from '../shared/reading-notes.ts';
import { type EventContent, idText, surrounded } from './event-content.ts';

/** An observation that the client makes for the model: what it knows about the repository, the day and the question. */
const RECALL = 'recall';
const RECALLED: EventContent = {
  kind: 'noted',
  note: warning(
    'attachment-missing',
    'the client tells the model here what it knows, unless its settings forbid it; the log has only parts of that text',
  ),
  fate: 'client-event',
};
/** Actions and observations about the client, not the conversation. */
const CLIENT: ReadonlySet<string> = new Set([
  ...[RECALL, 'agent_state_changed', 'change_agent_state', 'null', 'initialize', 'start', 'pause'],
  ...['resume', 'stop', 'condensation_request', 'loop_recovery', 'user_rejected_state'],
]);
/** Arguments of an action that belong to the client. */
const NOT_ARGUMENTS: ReadonlySet<string> = new Set(['thought', 'confirmation_state', 'security_risk']);

export function isClientAction(name: string): boolean {
  return CLIENT.has(name);
}

/** Whether an observation has a part of what the client told the model. */
export function isRecalled(event: JsonView): boolean {
  if (event.type !== 'object' || event.get('observation')?.text() !== RECALL) return false;
  const extras = event.get('extras')?.members() ?? [];
  return extras.some(([key, value]) => key !== 'recall_type' && !isEmpty(value));
}

/** Whether a text, a list or an object has nothing. */
function isEmpty(value: JsonView): boolean {
  if (value.type === 'string') return value.isEmptyText;
  return value.elements().length === 0 && value.members().length === 0;
}

/** An observation about the client, or about what it told the model. */
export const observationOfClient = (event: JsonView): EventContent =>
  isRecalled(event) ? RECALLED : { kind: 'client' };

/** The answer that an action came from; undefined if the action does not contain it, or only as a text. */
export function completionOf(event: JsonView): EventContent | undefined {
  const response = event.get('tool_call_metadata')?.get('model_response');
  if (response?.type !== 'object') return undefined;
  const choice = response.get('choices')?.elements()[0];
  const finish = choice?.get('finish_reason');
  const message = choice?.get('message');
  const object = message && readChatObject(message);
  if (object?.kind !== 'answer')
    return {
      kind: 'bad',
      reason: 'unknown-content',
      detail: 'the model response of an action is not an answer',
    };
  const { blocks } = object;
  const notes = [...object.notes, ...cutNotes(finish?.text())];
  const callId = event.get('tool_call_metadata')?.get('tool_call_id')?.text();
  const meta = metaOf({
    model: response.get('model'),
    usage: response.get('usage'),
    finish,
  });
  // some servers give all their answers the same id
  const call = blocks.find((block) => block.kind === 'call');
  const name = [response.get('id')?.text(), call?.id].filter(Boolean).join(' ') || undefined;
  return { kind: 'answer', name, blocks, notes, callId, meta };
}

/** An answer rebuilt from an action: a message becomes a text, any other action a call with its name. */
export function actionOf(action: string, event: JsonView): EventContent {
  const args = event.get('args');
  const metadata = event.get('tool_call_metadata');
  const isUnreadable = present(metadata?.get('model_response'));
  const changes = isUnreadable ? ['raw-response-unreadable'] : [];
  if (action === 'message') {
    const content = args?.get('content');
    if (content?.type !== 'string') return { kind: 'bad', detail: 'args.content is not a text' };
    return { kind: 'answer', name: undefined, blocks: [textBlock(content)], changes };
  }
  const id = metadata?.get('tool_call_id')?.text() ?? `call_${idText(event.get('id'))}`;
  const thought = args?.get('thought');
  const text = thought?.type === 'object' ? thought.get('text') : thought;
  const blocks = text?.type === 'string' && !text.isEmptyText ? [textBlock(text)] : [];
  const call = callBlock(id, action, argumentsOf(args));
  return {
    kind: 'answer',
    name: undefined,
    blocks: [...blocks, call],
    callId: id,
    changes: [...changes, 'action-as-call'],
  };
}

const textBlock = (text: JsonView): FoldBlock => ({ kind: 'text', text: text.copy() });

function argumentsOf(args: JsonView | undefined): Uint8Array {
  if (!present(args)) return encode('"{}"');
  if (args.type !== 'object') return textOf(args);
  return inString(dropMembers(args.bytes, ({ key }) => NOT_ARGUMENTS.has(key)));
}

/** The text of an observation, as a JSON string; undefined if its content is not a text. */
export function observationText(event: JsonView): Uint8Array | undefined {
  const content = event.get('content');
  const metadata = event.get('extras')?.get('metadata');
  if (present(content)) return content.type === 'string' ? surrounded(content.copy(), metadata) : undefined;
  const message = event.get('message')?.text();
  return message === undefined ? NO_TEXT : encode(quote(message));
}
