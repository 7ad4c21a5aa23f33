/**
 * Reads logged calls of Amazon Bedrock whose bodies have the format of its Converse API, as Amazon's own models use.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { EntryFields, FirstObject, ReadContext } from '../dialect-spec.ts';
import { addAnswer, noteFinish } from '../shared/logged-answer.ts';
import { addRequest, addSystem, toolsIn } from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf } from '../shared/logged-values.ts';
import { Transcript } from '../shared/transcript.ts';

const PART_NAMES = [
  'text',
  'toolUse',
  'toolResult',
  'reasoningContent',
  'image',
  'document',
  'video',
] as const;

const requestIn = (log: FirstObject): JsonView | undefined => log.get('input')?.get('inputBodyJson');

/** Whether the messages are lists of parts without a type, as only Converse has them. */
export function isConverse(log: FirstObject): boolean {
  const [message] = requestIn(log)?.get('messages')?.elements() ?? [];
  const [part] = message?.get('content')?.elements() ?? [];
  return part?.get('type') === undefined && firstOf(part, ...PART_NAMES) !== undefined;
}

export function readConverse(log: JsonView, { time }: ReadContext, keepSealed: boolean): EntryFields {
  const transcript = new Transcript(keepSealed);
  const request = requestIn(log);
  const response = log.get('output')?.get('outputBodyJson');
  addSystem(transcript, request?.get('system'));
  addRequest(transcript, request?.get('messages'));
  const isAnswered = addAnswer(transcript, response?.get('output')?.get('message'));
  const stop = response?.get('stopReason');
  if (isAnswered) noteFinish(transcript, stop);
  const { messages, changes } = transcript;
  const reply = isAnswered ? messages.pop() : undefined;
  const tools = toolsIn(request?.get('toolConfig')?.get('tools'));
  const meta = metaOf({ model: log.get('modelId'), usage: response?.get('usage'), finish: stop });
  return { messages, reply, tools, changes, meta, timestamp: time(log.get('timestamp')) };
}
