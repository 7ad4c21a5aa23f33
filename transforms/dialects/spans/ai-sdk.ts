/** Reads a model call from the attributes of the AI SDK, `ai.*`. */
import type { JsonView } from '../../json/json-view.ts';
import { isOfServer } from '../shared/known-parts.ts';
import { noteFinish } from '../shared/logged-answer.ts';
import { addRequest, type CallFacts, readTools, refuseValue } from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { textOf, unpacked } from '../shared/logged-values.ts';
import { callOf, type MessageBlock } from '../shared/message-parts.ts';
import { ORDER_LOST } from '../shared/reading-notes.ts';
import { markedCall } from '../shared/sdk-parts.ts';
import type { Transcript } from '../shared/transcript.ts';
import { says } from '../shared/unread-text.ts';
import { strayJson } from './known-spans.ts';
import { compareAnswer } from './second-values.ts';
import type { SpanAttributes } from './span-attributes.ts';

const OBJECT_CALL = /Object\.do/;

/** Reads `ai.prompt.messages`, `ai.response.text`, `ai.response.toolCalls`; older versions have `ai.result`. */
export function readAiSdk(attributes: SpanAttributes, transcript: Transcript): CallFacts {
  const prompt = attributes.at('ai.prompt');
  transcript.joinsTexts = true;
  addRequest(transcript, prompt.at('messages').value ?? prompt.value);
  const response = attributes.at('ai.response');
  const result = attributes.at('ai.result');
  const answer = blocksIn(response, NONE).length === 0 && !result.isEmpty ? result : response;
  const strange = [answer.at('text').value, answer.at('object').value].find(isNoText);
  const calls = unpacked(answer.at('toolCalls').value);
  if (strange !== undefined) refuseValue(transcript, strange);
  if (calls !== undefined && calls.type !== 'array' && says(calls)) refuseValue(transcript, calls);
  const blocks = blocksIn(answer, serversTools(prompt));
  const lacksObject = blocks.length === 0 && OBJECT_CALL.test(attributes.at('ai.operationId').text() ?? '');
  const stray = lacksObject ? strayJson(attributes) : undefined;
  if (stray !== undefined) refuseValue(transcript, stray);
  if (blocks.length > 0) transcript.addBlocks('assistant', blocks);
  if (blocks.length > 0 && answer !== result)
    for (const key of ['text', 'object'])
      compareAnswer(transcript, result.at(key).value, transcript.messages.slice(-1));
  const finish = answer.at('finishReason').value;
  if (blocks.some(({ kind }) => kind === 'part') && blocks.some(({ kind }) => kind === 'text'))
    transcript.note(ORDER_LOST);
  if (blocks.length > 0) noteFinish(transcript, finish);
  const meta = metaOf({
    model: answer.at('model').value ?? attributes.at('ai.model.id').value,
    usage: attributes.at('ai.usage').json(),
    finish,
  });
  return {
    hasReply: blocks.length > 0,
    tools: readTools(transcript, prompt.at('tools').json()),
    meta,
  };
}

const isNoText = (value: JsonView | undefined): boolean => value !== undefined && value.type !== 'string';

const NONE: ReadonlySet<string> = new Set();
/** Ids of tools that a provider runs; it declares others too, such as those of a computer, which the client runs. */
const SERVERS_TOOL =
  /search|fetch|url_context|code_(?:execution|interpreter)|image_generation|\bmcp\b|(?:view|read)_(?:image|x_video)/;

/** The names of the request's tools that the provider runs: an answer does not say which of its calls are of these. */
function serversTools(prompt: SpanAttributes): ReadonlySet<string> {
  const tools = unpacked(prompt.at('tools').json())?.elements().map(unpacked) ?? [];
  const ofProvider = tools.filter((tool) => tool?.textOf('type')?.startsWith('provider') === true);
  const run = ofProvider.filter((tool) => SERVERS_TOOL.test(tool?.textOf('id') ?? ''));
  return new Set(run.flatMap((tool) => tool?.textOf('name') ?? []));
}

/** A call; a part, if the provider ran it. */
function callBlocks(call: JsonView, servers: ReadonlySet<string>): MessageBlock {
  if (!isOfServer(call.bytes) && !servers.has(call.textOf('toolName') ?? '')) return callOf(call);
  return { kind: 'part', object: markedCall(call).copy(), kept: 'tool-call' };
}

function blocksIn(answer: SpanAttributes, servers: ReadonlySet<string>): readonly MessageBlock[] {
  const reasoning = answer.at('reasoning').value;
  const text = [answer.at('text').value, answer.at('object').value].find(
    (value) => (value?.text() ?? '') !== '',
  );
  const calls = unpacked(answer.at('toolCalls').value)?.elements() ?? [];
  const called = calls.map((call) => callBlocks(call, servers));
  return [
    ...(reasoning?.type === 'string' && !reasoning.isEmptyText
      ? [{ kind: 'thought', text: reasoning.copy() } as const]
      : []),
    ...called.filter(({ kind }) => kind === 'part'),
    ...(text === undefined ? [] : [{ kind: 'text', text: textOf(text) } as const]),
    ...called.filter(({ kind }) => kind === 'call'),
  ];
}
