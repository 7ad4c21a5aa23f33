/**
 * Reads a model call from the attributes of OpenLLMetry (`gen_ai.prompt.0.content`,
 * `gen_ai.completion.0.tool_calls.0.name`). Older versions have `llm.prompts` and `llm.completions`.
 */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import type { ToolDefinition } from '../../model/element.ts';
import { unknownSpeaker } from '../../model/known-roles.ts';
import { arrayOf, joinStrings, objectOf, type Piece } from '../shared/build-messages.ts';
import { isTemplated } from '../shared/chat-templates.ts';
import { addAnswer, noteFinish } from '../shared/logged-answer.ts';
import { addRequest, type CallFacts, readTools, refusePrinted } from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { isCutJson, jsonIn } from '../shared/logged-values.ts';
import { isPrintedParts } from '../shared/printed-value.ts';
import { OTHER_CHOICES } from '../shared/reading-notes.ts';
import type { Transcript } from '../shared/transcript.ts';
import { holdsWords, says } from '../shared/unread-text.ts';
import { strayAttribute } from './known-spans.ts';
import { answerIn } from './no-answer.ts';
import type { SpanAttributes } from './span-attributes.ts';

/** Types of the parts in a list that is logged as JSON text. */
const PARTS: ReadonlySet<string> = new Set([
  ...['text', 'image', 'image_url', 'input_text', 'output_text', 'input_image'],
  ...['tool_use', 'tool_result', 'thinking', 'redacted_thinking'],
]);
const THINKING = 'thinking';

/** Reads the call, and adds its messages to the transcript. */
export function readOpenLlmetry(attributes: SpanAttributes, transcript: Transcript): CallFacts {
  const prompt = firstAt(attributes, 'gen_ai.prompt', 'llm.prompts');
  const completion = firstAt(attributes, 'gen_ai.completion', 'llm.completions');
  const text = prompt.items().length === 1 ? prompt.at('0.content').value : undefined;
  if (text?.type === 'string' && isCompletion(attributes) && isTemplated(text))
    refusePrinted(transcript, text);
  if (prompt.value === undefined) addPrompts(transcript, prompt.items());
  else addRequest(transcript, prompt.value);
  const answers = completion.items();
  const hasReply =
    completion.value === undefined
      ? addAnswers(transcript, answers)
      : addAnswer(transcript, answerIn('gen_ai.completion', completion.value));
  const isShort = [...prompt.items(), ...answers].some((item) => item.at('content').isEmpty);
  const isStrange = [...prompt.items(), ...answers].some(saysUnderOtherName);
  if (isStrange) transcript.refuse('unknown-content', STRAY_TEXT);
  const calls = [...prompt.items(), ...answers].map((item) => item.at('tool_calls').value).find(isText);
  if (calls !== undefined) transcript.refuse('unknown-content', CALLS_AS_TEXT, calls);
  const stray = isShort ? strayAttribute(attributes.json()) : undefined;
  if (stray !== undefined) transcript.refuse('unknown-content', STRAY_TEXT, stray);
  const finish = answers.find((item) => !item.at('finish_reason').isEmpty)?.at('finish_reason').value;
  if (hasReply) noteFinish(transcript, finish);
  const meta = metaOf({
    model: attributes.at('gen_ai.response.model').value ?? attributes.at('gen_ai.request.model').value,
    usage: attributes.at('gen_ai.usage').json() ?? attributes.at('llm.usage').json(),
    finish,
  });
  return { hasReply, tools: toolsAt(transcript, attributes), meta };
}

/** Is the prompt completed? That of a chat is a message. */
const isCompletion = (span: SpanAttributes): boolean =>
  span.at('llm.request.type').text() === 'completion' ||
  span.at('gen_ai.operation.name').text() === 'text_completion';

const isText = (value: JsonView | undefined): boolean => value?.type === 'string' && says(value);
const CALLS_AS_TEXT = 'the calls of a message are a text, not a list';
const STRAY_TEXT = 'a message has no text; an attribute that turnmill does not know may hold it';

/** Has a message words under an unknown name, or anything if it has nothing else? */
function saysUnderOtherName(item: SpanAttributes): boolean {
  const isEmpty = CONTENT_KEYS.every((key) => item.at(key).isEmpty);
  return item.others(ITEM).some((name) => {
    const value = item.at(name).json();
    return value !== undefined && (isEmpty ? says(value) : holdsWords(value));
  });
}

/** The attributes of a message. */
const ITEM: ReadonlySet<string> = new Set([
  ...['role', 'name', 'id', 'type', 'tool_call_id', 'finish_reason', 'content', 'tool_calls', 'reasoning'],
  ...['content_filter_results', 'prompt_filter_results', 'refusal', 'index'],
]);

/** Adds the messages of the request. One without a role is that of the user, if it is the only one. */
function addPrompts(transcript: Transcript, items: readonly SpanAttributes[]): void {
  for (const item of items) {
    const role = item.at('role').text();
    if (role !== 'assistant' && role !== 'tool' && hasUnknownParts(item.at('content').value))
      transcript.refuse('unknown-content', 'a part of a content has no known form');
    if (!transcript.add(messageAt(item), items.length === 1 ? 'user' : undefined))
      transcript.refuse('unknown-speaker', unknownSpeaker('a message of the request'));
  }
}

/** Is a content a list of typed parts as JSON text, with one that is not known, or without its end? */
function hasUnknownParts(logged: JsonView | undefined): boolean {
  if (logged !== undefined && isPrintedParts(logged)) return true;
  const parts = jsonIn(logged?.text() ?? '')?.elements() ?? [];
  const types = parts.map((part) => part.get('type')?.text());
  return types.every((type) => type !== undefined) && types.some((type) => !PARTS.has(type ?? ''));
}

function firstAt(attributes: SpanAttributes, path: string, older: string): SpanAttributes {
  const found = attributes.at(path);
  return found.isEmpty ? attributes.at(older) : found;
}

/**
 * Adds the first answer, with the thoughts that are logged as answers before it.
 * @returns whether a message was added
 */
function addAnswers(transcript: Transcript, items: readonly SpanAttributes[]): boolean {
  const before = transcript.messages.length;
  const isThought = (item: SpanAttributes): boolean => item.at('role').text() === THINKING;
  const [answer, ...others] = items.filter((item) => !isThought(item));
  const thoughts = items.filter(isThought).flatMap((item) => textAt(item));
  const isFilled = answer !== undefined && CONTENT_KEYS.some((key) => !answer.at(key).isEmpty);
  if (isFilled) transcript.addAnswer(messageAt(answer, thoughts));
  else for (const one of thoughts) transcript.addBlocks('assistant', [{ kind: 'thought', text: one.copy() }]);
  if (others.length > 0) transcript.note(OTHER_CHOICES);
  return transcript.messages.length > before;
}

const textAt = (item: SpanAttributes): readonly JsonView[] => {
  const text = item.at('content').value;
  return text?.type === 'string' ? [text] : [];
};

/** An answer with none of these is empty. */
const CONTENT_KEYS = ['content', 'tool_calls', 'reasoning'] as const;

/**
 * Builds a message of the chat completions API.
 * @param thoughts that were logged separately before it
 */
function messageAt(item: SpanAttributes, thoughts: readonly JsonView[] = []): JsonView {
  const pieces: Piece[] = [];
  const role = item.at('role').text();
  if (role !== undefined && role !== '') pieces.push(['role', quote(role)]);
  pieces.push(...item.pieces(['tool_call_id']));
  const content = contentOf(item.at('content').value, role);
  if (content !== undefined) pieces.push(['content', content.copy()]);
  const own = item.at('reasoning').value;
  const reasoning = own?.type === 'string' ? [own, ...thoughts] : thoughts;
  if (reasoning.length > 0)
    pieces.push(['reasoning_content', joinStrings(reasoning.map((one) => one.copy()))]);
  const calls = item.at('tool_calls').items().map(callAt);
  if (calls.length > 0) pieces.push(['tool_calls', arrayOf(calls)]);
  return new JsonView(objectOf(pieces));
}

/** The content: a list of parts if it is logged as JSON text. The content of a tool message stays a text. */
function contentOf(logged: JsonView | undefined, role: string | undefined): JsonView | undefined {
  const text = role === 'tool' ? undefined : logged?.text();
  const list = text === undefined ? undefined : jsonIn(text);
  const parts = list?.elements() ?? [];
  const areParts =
    parts.length > 0 &&
    parts.every((part) => PARTS.has(part.get('type')?.text() ?? '') || isOfConverse(part));
  return areParts ? list : logged;
}

/** Is it a part of Bedrock's Converse API, which has no type? */
const isOfConverse = (part: JsonView): boolean =>
  part.type === 'object' &&
  part.members().length === 1 &&
  CONVERSE.some((key) => part.get(key) !== undefined);
const CONVERSE = ['text', 'toolUse', 'toolResult', 'reasoningContent', 'cachePoint'] as const;

function callAt(item: SpanAttributes): Uint8Array {
  const fn: Piece[] = [];
  for (const key of ['name', 'arguments']) {
    const value = item.at(key).value ?? item.at('function', key).value;
    if (value !== undefined) fn.push([key, value.copy()]);
  }
  return objectOf([...item.pieces(['id']), ['type', '"function"'], ['function', objectOf(fn)]]);
}

/** Reads `llm.request.functions.0.name`, `.description` and `.parameters`, of which the last is JSON text. */
function toolsAt(transcript: Transcript, attributes: SpanAttributes): readonly ToolDefinition[] {
  const list = attributes
    .at('llm.request.functions')
    .items()
    .map((item) => {
      const pieces = item.pieces(['name', 'description']);
      const schema = item.at('parameters').json() ?? item.at('input_schema').json();
      const parameters = schema?.type === 'string' ? (jsonIn(schema.text() as string) ?? schema) : schema;
      if (parameters?.type === 'string' && isCutJson(parameters.text() ?? '')) return parameters.copy(); // readTools reports it
      if (parameters !== undefined) pieces.push(['parameters', parameters.copy()]);
      return objectOf(pieces);
    });
  const functions = list.length === 0 ? undefined : new JsonView(arrayOf(list));
  return readTools(transcript, functions);
}
