/**
 * Reads a model call from the attributes of OpenInference (`llm.input_messages.0.message.content`), which Phoenix uses.
 */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode, NO_ARGUMENTS } from '../../json/utf8.ts';
import { roleNamed, unknownSpeaker } from '../../model/known-roles.ts';
import { arrayOf, joinStrings, objectOf, type Piece } from '../shared/build-messages.ts';
import { imagePart } from '../shared/content-parts.ts';
import { addAnswer, noteFinish } from '../shared/logged-answer.ts';
import {
  addRequest,
  addSystem,
  addWithSystem,
  type CallFacts,
  readTools,
  refuseOtherSystem,
  SEVERAL,
  toolPlaces,
} from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, isCutJson, textOf, unpacked } from '../shared/logged-values.ts';
import { blocksOf, type CallBlock, type MessageBlock, resultText } from '../shared/message-parts.ts';
import { OTHER_CHOICES } from '../shared/reading-notes.ts';
import { saidIn } from '../shared/said-texts.ts';
import { DECLARED } from '../shared/tool-definitions.ts';
import type { Transcript } from '../shared/transcript.ts';
import { holdsWords } from '../shared/unread-text.ts';
import { strayJson } from './known-spans.ts';
import { systemBeside } from './platform-call.ts';
import { compareAnswer, compareRequest } from './second-values.ts';
import { itemsOfServer, wholeAnswer, wholeRequest } from './server-calls.ts';
import type { SpanAttributes } from './span-attributes.ts';

/** Reads the call, and adds its messages to the transcript. */
export function readOpenInference(attributes: SpanAttributes, transcript: Transcript): CallFacts {
  const llm = attributes.at('llm');
  const request = llm.at('input_messages').items();
  const prompts = llm.at('prompts').items();
  const parameters = unpacked(llm.at('invocation_parameters').value);
  const sent = unpacked(attributes.at('input.value').value);
  const items = itemsOfServer(sent?.type === 'array' ? sent : sent?.get('input'));
  const whole = wholeRequest(sent);
  if (request.length > 0 && items !== undefined)
    addWithSystem(transcript, sent?.get('instructions') ?? systemAt(request[0]), items);
  else if (request.length > 0 && whole !== undefined) addRequest(transcript, whole);
  else if (request.length > 0) {
    if (!request.some((message) => SYSTEM_ROLES.has(bodyOf(message).at('role').text() ?? '')))
      addSystem(transcript, firstOf(sent, 'system') ?? firstOf(parameters, 'system'));
    for (const message of request) addMessage(transcript, message, request.length === 1);
  } else if (prompts.length > 1) transcript.refuse('unknown-content', SEVERAL, prompts[1]?.value);
  else if (prompts.length === 1)
    addRequest(transcript, prompts[0]?.at('prompt.text').value ?? prompts[0]?.value);
  else addWithSystem(transcript, systemBeside(sent, parameters), attributes.at('input.value').value);
  const answers = llm.at('output_messages').items();
  const output = outputOf(attributes);
  // text completions have their request in `llm.prompts` and their answer in `llm.choices`
  const completion = output ?? llm.at('choices.0.completion.text').value;
  const received = unpacked(output);
  const ran = wholeAnswer(received);
  const sentCount = transcript.messages.length;
  const hasReply =
    answers.length > 0 && ran === undefined
      ? addAnswers(transcript, answers, output)
      : addAnswer(transcript, ran ?? completion);
  if (request.length > 0 && items === undefined && whole === undefined)
    compareRequest(transcript, attributes.at('input.value').value);
  if (answers.length > 0) compareAnswer(transcript, output, transcript.messages.slice(sentCount));
  refuseOtherSystem(transcript, parameters);
  if (hasReply) noteFinish(transcript, llm.at('finish_reason').value);
  const lacksArguments = [...request, ...answers].some((item) => callsAt(bodyOf(item)).some(hasNoArguments));
  const stray = lacksArguments ? strayJson(attributes) : undefined;
  if (stray !== undefined) transcript.refuse('unknown-content', STRAY_ARGUMENTS, stray);
  if ([llm.at('input_messages'), llm.at('output_messages')].some(isOddList))
    transcript.refuse('unknown-content', ODD_MESSAGES);
  const tools = llm.at('tools').items().map(toolAt);
  const listed = tools.length === 0 ? undefined : new JsonView(arrayOf(tools));
  const meta = metaOf({
    harness: attributes.at('agent.name').value,
    model: llm.at('model_name').value,
    usage: llm.at('token_count').json(),
    cost: llm.at('cost.total').value,
    finish: llm.at('finish_reason').value,
    tags: attributes.at('tag.tags').json(),
  });
  const elsewhere = [
    ...((items ?? whole) ? ['llm.input_messages'] : []),
    ...(ran === undefined ? [] : ['llm.output_messages']),
  ];
  return {
    hasReply,
    elsewhere,
    tools: readTools(transcript, listed, ...toolPlaces(parameters), ...toolPlaces(sent)),
    meta,
  };
}

/** The output as JSON or text; a JSON null is none, as a program that has no answer writes it. */
function outputOf(attributes: SpanAttributes): JsonView | undefined {
  const { value } = attributes.at('output.value');
  const isNull = value?.text() === 'null' && attributes.at('output.mime_type').text() !== 'text/plain';
  return isNull ? undefined : value;
}

const ODD_MESSAGES = 'the messages are not a list of objects';

/** Is a list of messages something else, or one of its elements? */
const isOddList = (list: SpanAttributes): boolean =>
  list.isText || list.others(NONE).length > list.items().length || list.items().some(isOddMessage);
const isOddMessage = (item: SpanAttributes): boolean => bodyOf(item).isText;
const NONE: ReadonlySet<string> = new Set();

const SYSTEM_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/** The system text that is the first message. */
function systemAt(first: SpanAttributes | undefined): JsonView | undefined {
  const message = first && bodyOf(first);
  return SYSTEM_ROLES.has(message?.at('role').text() ?? '') ? message && contentAt(message) : undefined;
}

/** Members that hold several answers to one request. */
const CHOICES = ['choices', 'generations', 'candidates'] as const;

/**
 * Adds the answer: all items of an answer of the Responses API, or the first of several choices.
 * @returns whether a message was added
 */
function addAnswers(
  transcript: Transcript,
  answers: readonly SpanAttributes[],
  output: JsonView | undefined,
): boolean {
  const before = transcript.messages.length;
  const hasChoices = CHOICES.some((key) => unpacked(output)?.get(key) !== undefined);
  const roles = answers.map((answer) => bodyOf(answer).at('role').text() ?? 'assistant');
  if (roles.some((role) => roleNamed(role) !== 'assistant'))
    transcript.refuse('unknown-speaker', 'an answer has another role than that of the model');
  for (const answer of answers) refuseOther(transcript, bodyOf(answer));
  if (answers.some(saysNothingKnown))
    transcript.refuse('unknown-content', 'an answer has no content under a name that is read');
  const [first, ...others] = answers.map((answer) => blocksAt(bodyOf(answer)));
  const areItems = !hasChoices && [first, ...others].some((blocks) => !isText(blocks));
  for (const blocks of areItems ? [first, ...others] : [first])
    if (blocks !== undefined && blocks.length > 0) transcript.addBlocks('assistant', blocks);
  if (!areItems && others.length > 0) transcript.note(OTHER_CHOICES);
  return transcript.messages.length > before;
}

/** Does an answer have members, but none of them content? Tracers leave out an empty one. */
function saysNothingKnown(answer: SpanAttributes): boolean {
  const message = bodyOf(answer);
  const others = message === answer ? [] : answer.others(BODY);
  return blocksAt(message).length === 0 && [...others, ...message.others(NO_CONTENT)].length > 0;
}

const BODY: ReadonlySet<string> = new Set(['message']);

const NO_CONTENT: ReadonlySet<string> = new Set([
  ...['role', 'name', 'content', 'contents', 'tool_calls', 'tool_call_id', 'finish_reason', 'id', 'refusal'],
  ...['function_call_name', 'function_call_arguments_json', 'reasoning_content'],
]);

const isText = (blocks: readonly MessageBlock[] | undefined): boolean =>
  blocks?.every(({ kind }) => kind === 'text') === true && blocks.length > 0;

/** The members of a message, whose names may begin with `message`. */
export const bodyOf = (item: SpanAttributes): SpanAttributes =>
  item.at('message').isEmpty ? item : item.at('message');

/** @param isOnly whether it is the only message of the request: one without a role is then that of the user */
function addMessage(transcript: Transcript, item: SpanAttributes, isOnly: boolean): void {
  const message = bodyOf(item);
  const named = message.at('role').text();
  if (named === undefined && !isOnly) {
    transcript.refuse('unknown-speaker', unknownSpeaker('a message of the request'));
    return;
  }
  const role = named ?? 'user';
  if (role === 'assistant') {
    refuseOther(transcript, message);
    const blocks = blocksAt(message);
    transcript.addBlocks('assistant', blocks.length > 0 ? blocks : blocksOf(EMPTY));
    return;
  }
  const answered = message.at('tool_call_id').value;
  if (role === 'user' && answered !== undefined) {
    addUsersResult(transcript, message, answered);
    return;
  }
  const pieces: Piece[] = [['role', quote(role)], ...message.pieces(['tool_call_id', 'name'])];
  const content = contentAt(message);
  refuseOther(transcript, message);
  if (content !== undefined) pieces.push(['content', content.copy()]);
  transcript.add(new JsonView(objectOf(pieces)));
}

/** A user's message of the Messages API: its result is the content, and its texts are the parts. */
function addUsersResult(transcript: Transcript, message: SpanAttributes, answered: JsonView): void {
  const content = message.at('content').value;
  const texts = content === undefined ? [] : partsOf(message);
  const result: MessageBlock = {
    kind: 'result',
    id: answered.text(),
    name: undefined,
    content: resultText(unpackedResult(content ?? contentAt(message))),
  };
  transcript.addBlocks('user', [
    result,
    ...blocksOf(new JsonView(arrayOf(texts.map((part) => part.copy())))),
  ]);
}

/** The content of a result, whose blocks are logged as JSON text. */
function unpackedResult(content: JsonView | undefined): JsonView | undefined {
  const blocks = unpacked(content)?.elements() ?? [];
  const areBlocks =
    blocks.length > 0 && blocks.every((block) => RESULT_PARTS.has(block.textOf('type') ?? ''));
  return areBlocks ? unpacked(content) : content;
}

const RESULT_PARTS: ReadonlySet<string> = new Set(['text', 'image', 'document', 'search_result']);

const EMPTY = new JsonView(encode('""'));

const OTHER_CONTENT = 'a message has another text in its content than in its parts';

const OTHER_MEMBER = 'a message has words in an attribute that turnmill does not know';

/** Refuses a message with words in a second place, or under an unknown name. */
function refuseOther(transcript: Transcript, message: SpanAttributes): void {
  if (hasOtherContent(message)) transcript.refuse('unknown-content', OTHER_CONTENT);
  const others = message.others(NO_CONTENT).map((name) => message.at(name).json());
  if (others.some((value) => value !== undefined && holdsWords(value)))
    transcript.refuse('unknown-content', OTHER_MEMBER);
}

/** Has a message a text, and parts that say something else? */
function hasOtherContent(message: SpanAttributes): boolean {
  const content = message.at('content').text();
  const texts = partsOf(message).flatMap((part) => part.textOf('text') ?? []);
  if (content === undefined || texts.length === 0) return false;
  const [one, other] = [saidIn(content), texts.map(saidIn).join('')];
  return !other.includes(one) && !texts.every((text) => one.includes(saidIn(text)));
}

const partsOf = (message: SpanAttributes): readonly JsonView[] =>
  message.at('contents').items().flatMap(partAt);

/** The content: a text, or a list of parts if any is not text. */
function contentAt(message: SpanAttributes): JsonView | undefined {
  const parts = partsOf(message);
  if (parts.length === 0) return message.at('content').value;
  const texts = parts.map((part) => (part.get('type')?.text() === 'text' ? part.get('text') : undefined));
  const areTexts = texts.every((text): text is JsonView => text?.type === 'string');
  return new JsonView(
    areTexts ? joinStrings(texts.map((text) => text.copy())) : arrayOf(parts.map((part) => part.copy())),
  );
}

/** Reasoning, content and calls of an answer. Some clients log each call twice, also among the parts of the content. */
function blocksAt(message: SpanAttributes): readonly MessageBlock[] {
  const thought = message.at('reasoning_content').value;
  const calls = callsAt(message).map(callAt);
  const content = blocksOf(contentAt(message));
  const known = new Set(calls.map(({ id }) => id));
  const more = message.at('contents').items().filter(isCall).map(callAt);
  const name = message.at('function_call_name').text();
  const args = argumentsAt(message.at('function_call_arguments_json'));
  const legacy: CallBlock = { kind: 'call', id: undefined, name, args };
  return [
    ...(thought?.type === 'string' ? [{ kind: 'thought', text: thought.copy() } as const] : []),
    ...content,
    ...calls,
    ...more.filter(({ id }) => (id === undefined ? calls.length === 0 : !known.has(id))),
    ...(name !== undefined && calls.length === 0 ? [legacy] : []),
  ];
}

const typeOf = (item: SpanAttributes): string | undefined =>
  (item.at('message_content.type').text() ?? item.at('type').text())?.replaceAll('-', '_');

const isCall = (item: SpanAttributes): boolean =>
  ['tool_use', 'tool_call'].includes(typeOf(item) ?? '') && !item.at('tool_call').isEmpty;

/** A part of a content as JSON; none for a call. */
function partAt(item: SpanAttributes): readonly JsonView[] {
  if (isCall(item)) return [];
  const content = item.at('message_content').isEmpty ? item : item.at('message_content');
  const type = content.at('type').text() ?? 'text';
  const url = content.at('image.image.url').value ?? content.at('image.url').value;
  if (url !== undefined) return [new JsonView(imagePart(url.copy()))];
  return [new JsonView(objectOf([['type', quote(type)], ...content.pieces(PART_KEYS)]))];
}

/** Members of parts of the Messages API. */
const PART_KEYS = [
  ...['text', 'signature', 'data', 'id', 'name', 'input', 'tool_use_id', 'tool_call_id', 'content', 'output'],
  'is_error',
] as const;

const callsAt = (message: SpanAttributes): readonly SpanAttributes[] => message.at('tool_calls').items();
const callIn = (item: SpanAttributes): SpanAttributes =>
  item.at('tool_call').isEmpty ? item : item.at('tool_call');
const hasNoArguments = (item: SpanAttributes): boolean => callIn(item).at('function.arguments').isEmpty;
const STRAY_ARGUMENTS = 'a call has no arguments; an attribute that turnmill does not know may hold them';

function callAt(item: SpanAttributes): CallBlock {
  const call = callIn(item);
  // its arguments may be under another name
  const isStrange =
    call.at('function.arguments').isEmpty &&
    [call.others(IN_CALL), call.at('function').others(IN_FUNCTION)].some((names) => names.length > 0);
  return {
    kind: 'call',
    id: call.at('id').text(),
    name: call.at('function.name').text(),
    args: isStrange ? undefined : argumentsAt(call.at('function.arguments')),
  };
}

const IN_CALL: ReadonlySet<string> = new Set(['id', 'function', 'type', 'index', 'message_content']);
const IN_FUNCTION: ReadonlySet<string> = new Set(['name', 'arguments', 'description', 'strict']);

/** The arguments of a call; its tracers leave out those that are empty. */
function argumentsAt(item: SpanAttributes): Uint8Array {
  const args = item.json();
  return args === undefined ? NO_ARGUMENTS : textOf(args);
}

/** A tool definition; built from name and description if the schema is only that of the parameters. */
function toolAt(item: SpanAttributes): Uint8Array {
  const tool = item.at('tool').isEmpty ? item : item.at('tool');
  const schema = unpacked(tool.at('json_schema').value);
  const isOfServer = (schema?.textOf('type') ?? 'object') !== 'object';
  const isWhole = isOfServer || firstOf(schema, 'function', 'name', ...DECLARED) !== undefined;
  const isCut = isCutJson(schema?.text() ?? ''); // readTools reports it
  if (schema !== undefined && (isWhole || isCut)) return schema.copy();
  const pieces = tool.pieces(['name', 'description']);
  if (schema?.type === 'object') pieces.push(['parameters', schema.copy()]);
  return objectOf(pieces);
}
