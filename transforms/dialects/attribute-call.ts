/** Reads a model call from the attributes of a span: the conventions of OpenTelemetry for generative AI, and OpenInference. */
import { JsonView } from '../json/json-view.ts';
import { quote } from '../json/respace.ts';
import { encode } from '../json/utf8.ts';
import type { ToolDefinition } from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import { unpacked } from './json-text.ts';
import { addAnswer, addRequest, addSystem, noteFinish, toolsIn } from './logged-bodies.ts';
import { metaOf } from './logged-meta.ts';
import { arrayOf, objectOf, type Piece } from './made-messages.ts';
import type { SpanAttributes } from './span-attributes.ts';
import type { Transcript } from './transcript.ts';

/** The model call that a span describes. */
export interface LoggedCall {
  readonly hasReply: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly session: string | undefined;
  readonly meta: Meta;
}

const MODEL_OPERATIONS: ReadonlySet<string> = new Set(['chat', 'generate_content', 'text_completion']);

/** Is the span a model call? */
export function isModelCall(attributes: SpanAttributes): boolean {
  const operation = attributes.at('gen_ai.operation.name').text();
  if (operation !== undefined) return MODEL_OPERATIONS.has(operation);
  const kind = attributes.at('openinference.span.kind').text();
  if (kind !== undefined) return kind.toUpperCase() === 'LLM';
  return !attributes.at('gen_ai.input.messages').isEmpty || !attributes.at('gen_ai.output.messages').isEmpty;
}

/** Reads the call, and adds its messages to the transcript. */
export function readAttributes(attributes: SpanAttributes, transcript: Transcript): LoggedCall {
  const isOpenInference = !attributes.at('openinference').isEmpty || !attributes.at('llm').isEmpty;
  const isGenAi = ['gen_ai.input.messages', 'gen_ai.output.messages'].some(
    (path) => !attributes.at(path).isEmpty,
  );
  const session =
    attributes.at('gen_ai.conversation.id').text() || attributes.at('session.id').text() || undefined;
  const read = isOpenInference && !isGenAi ? readOpenInference : readGenAi;
  return { ...read(attributes, transcript), session };
}

type Read = Omit<LoggedCall, 'session'>;

function readGenAi(attributes: SpanAttributes, transcript: Transcript): Read {
  addSystem(transcript, attributes.at('gen_ai.system_instructions').value);
  addRequest(transcript, attributes.at('gen_ai.input.messages').value);
  const output = attributes.at('gen_ai.output.messages').value;
  const hasReply = addAnswer(transcript, output);
  if (hasReply && unpacked(output)?.elements()[0]?.get('finish_reason') === undefined)
    noteFinish(transcript, attributes.at('gen_ai.response.finish_reasons').items()[0]?.value);
  const tools = toolsIn(attributes.at('gen_ai.tool.definitions').value);
  const [response, request] = [attributes.at('gen_ai.response'), attributes.at('gen_ai.request')];
  const meta = metaOf({
    harness: attributes.at('gen_ai.agent.name').value,
    model: response.at('model').value ?? request.at('model').value,
    usage: attributes.at('gen_ai.usage').json(),
    finish: response.at('finish_reasons').items()[0]?.value,
  });
  return { hasReply, tools, meta };
}

function readOpenInference(attributes: SpanAttributes, transcript: Transcript): Read {
  const llm = attributes.at('llm');
  const request = messagesAt(llm.at('input_messages'));
  const prompts = llm.at('prompts').items();
  if (request.length > 0) for (const message of request) transcript.add(message);
  else if (prompts.length > 0)
    for (const prompt of prompts) addRequest(transcript, prompt.at('prompt.text').value ?? prompt.value);
  else addRequest(transcript, attributes.at('input.value').value);
  const answers = messagesAt(llm.at('output_messages'));
  const hasReply =
    answers.length > 0
      ? addAnswer(transcript, new JsonView(arrayOf(answers.map(({ bytes }) => bytes))))
      : addAnswer(transcript, attributes.at('output.value').value);
  if (hasReply) noteFinish(transcript, llm.at('finish_reason').value);
  const tools = llm.at('tools').items().map(toolAt);
  const listed = tools.length === 0 ? undefined : new JsonView(arrayOf(tools));
  const parameters = unpacked(llm.at('invocation_parameters').value);
  const sent = unpacked(attributes.at('input.value').value);
  const meta = metaOf({
    harness: attributes.at('agent.name').value,
    model: llm.at('model_name').value,
    usage: llm.at('token_count').json(),
    cost: llm.at('cost.total').value,
    finish: llm.at('finish_reason').value,
    tags: attributes.at('tag.tags').json(),
  });
  return { hasReply, tools: toolsIn(listed, parameters?.get('tools'), sent?.get('tools')), meta };
}

/** The messages of a list, in the shape of the chat completions API. */
function messagesAt(list: SpanAttributes): readonly JsonView[] {
  return list.items().map((item) => {
    const message = item.at('message').isEmpty ? item : item.at('message');
    const pieces: Piece[] = [['role', quote(message.at('role').text() ?? 'user')]];
    const answered = message.at('tool_call_id').value;
    if (answered !== undefined) pieces.push(['tool_call_id', answered.copy()]);
    const parts = message.at('contents').items().map(partAt);
    const content = parts.length > 0 ? arrayOf(parts) : message.at('content').value?.copy();
    if (content !== undefined) pieces.push(['content', content]);
    const calls = message.at('tool_calls').items().map(callAt);
    if (calls.length > 0) pieces.push(['tool_calls', arrayOf(calls)]);
    for (const key of ['name', 'reasoning_content']) {
      const value = message.at(key).value;
      if (value !== undefined) pieces.push([key, value.copy()]);
    }
    const called = message.at('function_call_name').value;
    const args = message.at('function_call_arguments_json').value?.copy() ?? encode('"{}"');
    if (called !== undefined && calls.length === 0)
      pieces.push([
        'function_call',
        objectOf([
          ['name', called.copy()],
          ['arguments', args],
        ]),
      ]);
    return new JsonView(objectOf(pieces));
  });
}

/** A part of a content, with its type and the member that the type names. */
function partAt(item: SpanAttributes): Uint8Array {
  const content = item.at('message_content').isEmpty ? item : item.at('message_content');
  const type = content.at('type').text() ?? 'text';
  const url = content.at('image.image.url').value ?? content.at('image.url').value;
  if (url !== undefined)
    return objectOf([
      ['type', '"image_url"'],
      ['image_url', objectOf([['url', url.copy()]])],
    ]);
  const pieces: Piece[] = [['type', quote(type)]];
  for (const key of ['text', 'signature', 'data', 'id', 'name', 'input']) {
    const value = content.at(key).value;
    if (value !== undefined) pieces.push([key, value.copy()]);
  }
  return objectOf(pieces);
}

function callAt(item: SpanAttributes): Uint8Array {
  const call = item.at('tool_call').isEmpty ? item : item.at('tool_call');
  const fn: Piece[] = [];
  for (const key of ['name', 'arguments']) {
    const value = call.at('function', key).value;
    if (value !== undefined) fn.push([key, value.copy()]);
  }
  const id = call.at('id').value;
  const head: Piece[] = id === undefined ? [] : [['id', id.copy()]];
  return objectOf([...head, ['type', '"function"'], ['function', objectOf(fn)]]);
}

/** A tool definition; built from the parameters if the schema holds only these. */
function toolAt(item: SpanAttributes): Uint8Array {
  const tool = item.at('tool').isEmpty ? item : item.at('tool');
  const schema = unpacked(tool.at('json_schema').value);
  const isWhole = schema?.get('function') !== undefined || schema?.get('name') !== undefined;
  if (schema !== undefined && isWhole) return schema.copy();
  const pieces: Piece[] = [];
  for (const key of ['name', 'description']) {
    const value = tool.at(key).value;
    if (value !== undefined) pieces.push([key, value.copy()]);
  }
  if (schema?.type === 'object') pieces.push(['parameters', schema.copy()]);
  return objectOf(pieces);
}
