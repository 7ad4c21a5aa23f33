/** Reads events of the OpenHands SDK. Each has a `kind`, and what was sent to the model or what the model returned. */

import type { JsonView } from '../../json/json-view.ts';
import { concat } from '../../json/splice.ts';
import { encode } from '../../json/utf8.ts';
import type { ReadingNote } from '../../model/element.ts';
import { blockOfPart, callBlock, type FoldBlock, sealedBlock } from '../fold/assistant-draft.ts';
import { joinStrings, makeMessage, toolMessage } from '../shared/build-messages.ts';
import { partsOf, readChatObject, thoughtsOf } from '../shared/chat-object.ts';
import { contentOfParts, listOfParts, type Part } from '../shared/content-parts.ts';
import { isTrue, present } from '../shared/logged-values.ts';
import { callOf } from '../shared/message-parts.ts';
import { noted, RESULT_ERROR } from '../shared/reading-notes.ts';
import { isUnsaid, saidIn, textsIn } from '../shared/said-texts.ts';
import { says } from '../shared/unread-text.ts';
import { readAcpCall } from './acp-call.ts';
import { definitionsIn, type EventContent, INTERRUPTED, surrounded } from './event-content.ts';

/** Kinds that are not sent to the model. */
const CLIENT =
  /^(?:ConversationStateUpdate|ConversationError|ConversationIterationLimit|Pause|Token|StreamingDelta|CondensationRequest|Warning|ServerError|LLMCompletionLog|HookExecution)(?:Event)?$/;

export function readEvent(event: JsonView): EventContent {
  const kind = event.get('kind')?.text() ?? '';
  if (kind === 'SystemPromptEvent') return readSystem(event);
  if (kind === 'MessageEvent') return readMessage(event);
  if (kind === 'ActionEvent') return readAction(event);
  if (kind === 'ObservationEvent') return readObservation(event);
  if (kind === 'AgentErrorEvent') return readError(event);
  if (kind === 'UserRejectObservation') {
    const logged = event.get('rejection_reason');
    if (present(logged) && logged.type !== 'string')
      return { kind: 'bad', reason: 'unknown-content', detail: 'rejection_reason is not a text' };
    const reason = present(logged) ? logged.bytes : encode('"User rejected the action"');
    return resultOf(event, concat([encode('"Action rejected: '), reason.subarray(1)]));
  }
  if (kind === 'ACPToolCallEvent') return readAcpCall(event);
  if (kind === 'Condensation') return { kind: 'condensation', json: event };
  if (kind === 'CondensationSummaryEvent') return { kind: 'client' };
  if (kind === 'InterruptEvent') return INTERRUPTED;
  if (CLIENT.test(kind)) return { kind: 'client' };
  return { kind: 'unknown', type: kind };
}

function readSystem(event: JsonView): EventContent {
  const texts = ['system_prompt', 'dynamic_context']
    .map((key) => event.get(key))
    .map((part) => (part?.type === 'string' ? part : part?.get('text')))
    .filter((text) => text?.type === 'string' && !text.isEmptyText);
  if (texts.length === 0) return { kind: 'bad', detail: 'system_prompt.text is missing' };
  const text = joinStrings(texts.map((one) => (one as JsonView).copy()));
  return { kind: 'system', text, tools: definitionsIn(event.get('tools')) };
}

const NOT_OF_AGENT = 'source and llm_message.role name different speakers';

/** A message as sent to the model, including content that the client appended. */
function readMessage(event: JsonView): EventContent {
  const logged = event.get('llm_message');
  const object = logged && readChatObject(logged);
  if (object === undefined) return { kind: 'bad', detail: 'llm_message is not a message' };
  const source = event.textOf('source');
  if (object.kind === 'answer' && source !== undefined && source !== 'agent')
    return { kind: 'bad', reason: 'unknown-speaker', detail: NOT_OF_AGENT };
  if (object.kind === 'answer') return { ...object, name: event.get('llm_response_id')?.text() || undefined };
  if (object.kind === 'result') return object;
  const { parts, notes } = partsOf(logged?.get('content'));
  const more = partsOf(event.get('extended_content'));
  const content = contentOfParts([...parts, ...more.parts]);
  return { kind: 'message', message: makeMessage(object.message.role, [['content', content]]), notes };
}

/** One call of an answer; the calls with one `llm_response_id` form one answer. */
function readAction(event: JsonView): EventContent {
  const call = event.get('tool_call');
  if (call?.type !== 'object') return { kind: 'bad', detail: 'tool_call is not an object' };
  const { parts, notes } = partsOf(event.get('thought'));
  const texts = parts.map(blockOfPart);
  const thoughts = [...thoughtsOf(event), ...reasoningOf(event.get('responses_reasoning_item'))];
  const { id, name, args } = callOf(call);
  const callId = id || event.textOf('tool_call_id');
  const called = callBlock(callId, name ?? event.textOf('tool_name'), args);
  const blocks = [...thoughts, ...texts, called];
  return { kind: 'answer', name: event.get('llm_response_id')?.text() || undefined, blocks, notes };
}

/** A reasoning item of the Responses API; OpenHands writes its texts as a list of strings. */
function reasoningOf(item: JsonView | undefined): readonly FoldBlock[] {
  if (!present(item)) return [];
  const lists = ['content', 'summary'].map((key) => item.get(key)?.elements() ?? []);
  const texts = lists.find((list) => list.length > 0) ?? [];
  const blocks = texts.flatMap((text): FoldBlock[] => {
    const own = text.type === 'string' ? text : text.get('text');
    return own?.type === 'string' ? [{ kind: 'thought', text: own.copy() }] : [];
  });
  const sealed = item.get('encrypted_content');
  if (sealed?.type !== 'string') return blocks;
  return [...blocks, sealedBlock(sealed.copy())];
}

function readError(event: JsonView): EventContent {
  const error = event.get('error');
  if (error?.type !== 'string')
    return { kind: 'bad', reason: 'unknown-content', detail: 'error is not a text' };
  return resultOf(event, error.copy(), [RESULT_ERROR]);
}

function readObservation(event: JsonView): EventContent {
  const observation = event.get('observation');
  if (observation?.type !== 'object') return { kind: 'bad', detail: 'observation is not an object' };
  const notes = isTrue(observation.get('is_error')) ? [RESULT_ERROR] : [];
  const given = ['content', 'output', 'error', 'message']
    .map((key) => observation.get(key))
    .filter((member) => member?.type === 'string' || member?.type === 'array');
  const [text, ...others] = [...given.filter(says), ...given];
  const extended = event.get('extended_content');
  if (text === undefined)
    return { kind: 'bad', reason: 'unknown-content', detail: 'the observation has no content' };
  const said = saidIn(text.parsed());
  if (others.some((other) => textsIn(other).some((one) => isUnsaid(one, said))))
    return { kind: 'bad', reason: 'unknown-content', detail: 'the observation has several contents' };
  const metadata = observation.get('metadata');
  if (text.type === 'string' && !says(extended))
    return resultOf(event, surrounded(text.copy(), metadata), notes);
  const parts = surroundedParts(partsOf(text).parts, metadata);
  return resultOf(event, listOfParts([...parts, ...partsOf(extended).parts]), notes);
}

/** The output of a command is one text. */
function surroundedParts(parts: readonly Part[], metadata: JsonView | undefined): readonly Part[] {
  const [output, ...others] = parts;
  const isOutput = output !== undefined && 'text' in output && others.length === 0;
  return isOutput ? [{ text: surrounded(output.text, metadata) }] : parts;
}

function resultOf(event: JsonView, content: Uint8Array, notes: readonly ReadingNote[] = []): EventContent {
  const callId = event.get('tool_call_id')?.text();
  return { kind: 'result', callId, message: noted(toolMessage(callId, content), notes) };
}
