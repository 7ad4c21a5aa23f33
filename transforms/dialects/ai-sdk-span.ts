/** Reads a model call from the attributes of the AI SDK (`ai.prompt.messages`, `ai.response.text`, `ai.response.toolCalls`). */

import { addRequest, noteFinish, toolsIn } from './logged-bodies.ts';
import { metaOf } from './logged-meta.ts';
import { textOf, unpacked } from './logged-values.ts';
import { callOf, type MessageBlock } from './message-parts.ts';
import type { SpanAttributes } from './span-attributes.ts';
import type { SpokenCall } from './span-call.ts';
import type { Transcript } from './transcript.ts';

/** Reads the call, and adds its messages to the transcript. Older versions have `ai.result` instead of `ai.response`. */
export function readAiSdk(attributes: SpanAttributes, transcript: Transcript): SpokenCall {
  const prompt = attributes.at('ai.prompt');
  addRequest(transcript, prompt.at('messages').value ?? prompt.value);
  const response = attributes.at('ai.response');
  const answer = response.isEmpty ? attributes.at('ai.result') : response;
  const blocks = blocksIn(answer);
  if (blocks.length > 0) transcript.say('assistant', blocks);
  const finish = answer.at('finishReason').value;
  if (blocks.length > 0) noteFinish(transcript, finish);
  const meta = metaOf({
    model: answer.at('model').value ?? attributes.at('ai.model.id').value,
    usage: attributes.at('ai.usage').json(),
    finish,
  });
  const tools = prompt.at('tools').items();
  return { hasReply: blocks.length > 0, tools: toolsIn(prompt.at('tools').value ?? tools[0]?.value), meta };
}

function blocksIn(answer: SpanAttributes): readonly MessageBlock[] {
  const reasoning = answer.at('reasoning').value;
  const said = [answer.at('text').value, answer.at('object').value].find(
    (value) => (value?.text() ?? '') !== '',
  );
  const calls = unpacked(answer.at('toolCalls').value)?.elements() ?? [];
  return [
    ...(reasoning?.type === 'string' && reasoning.text() !== ''
      ? [{ kind: 'thought', text: reasoning.copy() } as const]
      : []),
    ...(said === undefined ? [] : [{ kind: 'text', text: textOf(said) } as const]),
    ...calls.map(callOf),
  ];
}
