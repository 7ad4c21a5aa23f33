/** Reads a model call from the attributes of a span, in the convention of the client that wrote it. */

import { JsonView } from '../../json/json-view.ts';
import { quote } from '../../json/respace.ts';
import { encode } from '../../json/utf8.ts';
import { wordSet, words } from '../../model/words.ts';
import { speaks } from '../shared/history.ts';
import { addAnswer, isCut, noteFinish } from '../shared/logged-answer.ts';
import {
  addRequest,
  addWithSystem,
  type CallFacts,
  type LoggedCall,
  readTools,
  refuseValue,
  toolPlaces,
} from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, unpacked } from '../shared/logged-values.ts';
import { isPrintedMessages } from '../shared/printed-value.ts';
import { NO_QUESTION } from '../shared/reading-notes.ts';
import { isUnsaid, messagesIn, saidBy, textsOf } from '../shared/said-texts.ts';
import { NO_TOOLS } from '../shared/tool-definitions.ts';
import { Transcript } from '../shared/transcript.ts';
import { readAiSdk } from './ai-sdk.ts';
import { type OrderedLists, withLateResults } from './late-results.ts';
import { lostMessages } from './lost-messages.ts';
import { answerIn, sentIn } from './no-answer.ts';
import { readOpenInference } from './open-inference.ts';
import { readOpenLlmetry } from './open-llmetry.ts';
import type { SpanAttributes } from './span-attributes.ts';
import { addEvents } from './span-events.ts';

/** Whether a span is a model call; undefined if nothing says so, `unknown` if its kind is not one of its convention. */
export type IsCall = boolean | 'unknown' | undefined;

/** The names of attributes that one client uses for model calls. */
interface Convention {
  /** Whether the span is a model call; undefined if it lacks the attribute that tells. */
  isModelCall(attributes: SpanAttributes): IsCall;
  hasMessages(attributes: SpanAttributes): boolean;
  read(attributes: SpanAttributes, transcript: Transcript): CallFacts;
  /** Attributes that are lists of messages, which a span may have beside those of another convention. */
  readonly lists?: readonly string[];
  /** The attribute with the request, which may be a list of messages or have one. */
  readonly request?: string;
}

const MODEL_OPERATIONS: ReadonlySet<string> = new Set(['chat', 'generate_content', 'text_completion']);
const MODEL_REQUESTS: ReadonlySet<string> = new Set(['chat', 'completion']);
const OTHER_OPERATIONS =
  /embed|agent|tool|workflow|task|thread|run|message|chain|retriev|rerank|search|memory|plan|eval|guard|format|handoff|session|cycle|loop|image|audio|speech|transcri|response/i;
const OTHER_KINDS: ReadonlySet<string> = wordSet(`
  CHAIN TOOL AGENT RETRIEVER EMBEDDING RERANKER GUARDRAIL EVALUATOR PROMPT UNKNOWN
`);
const MLFLOW_TYPES: ReadonlySet<string> = new Set(['LLM', 'CHAT_MODEL']);
/** Operations of the AI SDK: a whole request, or one of its calls. */
const AI_SDK = /^ai\.\w+(?:\.do\w+)?$/;
const AI_SDK_CALL = /\.do(?:Generate|Stream)$/;
const QUOTES = /^"|"$/g;
/** Prefix of attributes of Google's Agent Development Kit. */
const ADK = 'gcp.vertex.agent';

function has(attributes: SpanAttributes, ...paths: readonly string[]): boolean {
  return paths.some((path) => !attributes.at(path).isEmpty);
}

const operationOf = (name: string): IsCall =>
  MODEL_OPERATIONS.has(name) || (OTHER_OPERATIONS.test(name) ? false : 'unknown');

function kindOf(kind: string): IsCall {
  const name = kind.toUpperCase();
  return name === 'LLM' || (OTHER_KINDS.has(name) ? false : 'unknown');
}

const operationOfAiSdk = (id: string): IsCall =>
  AI_SDK_CALL.test(id) || (AI_SDK.test(id) ? false : 'unknown');

/** Tests the text of an attribute. @returns undefined if there is no such attribute */
function testAt(attributes: SpanAttributes, path: string, test: (value: string) => IsCall): IsCall {
  const value = attributes.at(path).text();
  return value === undefined ? undefined : test(value);
}

/** The text in a text: MLflow logs every value as JSON, and so texts with quotes. */
function decoded(value: JsonView | undefined): JsonView | undefined {
  const text = value?.text();
  if (text === undefined || !QUOTED.test(text)) return value;
  try {
    return new JsonView(encode(quote(JSON.parse(text) as string)));
  } catch {
    return value;
  }
}

const QUOTED = /^".*"$/s;

/** Attributes of a client that logs what was sent and what came back as one value each. */
interface BodyPaths {
  readonly input: string;
  readonly output: string;
  readonly model: string;
  readonly usage: string;
  readonly cost?: string;
  readonly tags?: string;
  /** Reads an attribute. */
  readonly valueAt?: (value: JsonView | undefined) => JsonView | undefined;
}

function inTwoValues(paths: BodyPaths): Pick<Convention, 'hasMessages' | 'read'> {
  const { input, output, valueAt = (value) => value } = paths;
  return {
    hasMessages: (attributes) => has(attributes, input, output),
    read(attributes, transcript) {
      const [request, response] = [input, output].map((path) => valueAt(attributes.at(path).value));
      addRequest(transcript, request);
      const hasReply = addAnswer(transcript, answerIn(output, response));
      const [sent, received] = [unpacked(request), unpacked(response)];
      const tools = readTools(transcript, ...toolPlaces(sent), attributes.at('mlflow.chat.tools').json());
      const meta = metaOf({
        model:
          valueAt(attributes.at(paths.model).value) ?? firstOf(received, 'model') ?? firstOf(sent, 'model'),
        usage: unpacked(attributes.at(paths.usage).json()),
        cost: paths.cost === undefined ? undefined : attributes.at(paths.cost).value,
        tags: paths.tags === undefined ? undefined : unpacked(attributes.at(paths.tags).json()),
      });
      return { hasReply, tools, meta };
    },
  };
}

/** Has a span a request with messages as JSON whose end is missing? */
function isCutRequest(span: SpanAttributes, path: string): boolean {
  const request = span.at(path).value;
  return request?.type === 'string' && isPrintedMessages(request);
}

/** Attributes of OpenTelemetry that clients have beside their own. */
const OF_REQUEST = { model: 'gen_ai.request.model', usage: 'gen_ai.usage' } as const;

/** Tried in this order. */
const CONVENTIONS: readonly Convention[] = [
  {
    isModelCall: (span) => testAt(span, 'gen_ai.operation.name', operationOf),
    hasMessages: (span) => has(span, 'gen_ai.input.messages', 'gen_ai.output.messages'),
    read: readGenAi,
    lists: ['gen_ai.input.messages', 'gen_ai.output.messages'],
  },
  {
    isModelCall: (span) => testAt(span, 'openinference.span.kind', kindOf),
    hasMessages: (span) => has(span, 'openinference', 'llm.input_messages', 'llm.output_messages'),
    read: readOpenInference,
    lists: ['llm.input_messages', 'llm.output_messages'],
  },
  {
    isModelCall: (span) => testAt(span, 'ai.operationId', operationOfAiSdk),
    hasMessages: (span) => has(span, 'ai.prompt', 'ai.response', 'ai.result'),
    read: readAiSdk,
    lists: ['ai.prompt.messages'],
  },
  {
    isModelCall: (span) => testAt(span, 'langfuse.observation.type', (type) => type === 'generation'),
    ...inTwoValues({
      input: 'langfuse.observation.input',
      output: 'langfuse.observation.output',
      model: 'langfuse.observation.model.name',
      usage: 'langfuse.observation.usage_details',
      cost: 'langfuse.observation.cost_details.total',
      tags: 'langfuse.trace.tags',
    }),
    request: 'langfuse.observation.input',
  },
  {
    isModelCall: (span) =>
      testAt(span, 'mlflow.spanType', (type) => MLFLOW_TYPES.has(type.replace(QUOTES, ''))),
    ...inTwoValues({
      input: 'mlflow.spanInputs',
      output: 'mlflow.spanOutputs',
      model: 'mlflow.llm.model',
      usage: 'mlflow.chat.tokenUsage',
      valueAt: decoded,
    }),
    request: 'mlflow.spanInputs',
  },
  {
    isModelCall: (span) => testAt(span, 'llm.request.type', (type) => MODEL_REQUESTS.has(type)),
    hasMessages: (span) => has(span, 'gen_ai.prompt', 'gen_ai.completion', 'llm.prompts', 'llm.completions'),
    read: readOpenLlmetry,
    lists: ['gen_ai.prompt', 'gen_ai.completion'],
  },
  {
    isModelCall: () => undefined,
    ...inTwoValues({ input: `${ADK}.llm_request`, output: `${ADK}.llm_response`, ...OF_REQUEST }),
    hasMessages: (span) =>
      has(span, `${ADK}.llm_request.contents`) || isCutRequest(span, `${ADK}.llm_request`),
  },
  {
    isModelCall: () => undefined,
    ...inTwoValues({ input: 'request_data', output: 'response_data', ...OF_REQUEST, valueAt: decoded }),
    hasMessages: (span) =>
      has(span, 'request_data.messages', 'request_data.input', 'request_data.contents') ||
      isCutRequest(span, 'request_data'),
    request: 'request_data',
  },
];

/**
 * Whether the span is a model call.
 * @param events those of the span that are messages
 */
export function isModelCall(attributes: SpanAttributes, events: readonly JsonView[]): boolean | 'unknown' {
  const hasMessages = (): boolean =>
    events.length > 0 || CONVENTIONS.some((convention) => convention.hasMessages(attributes));
  for (const convention of CONVENTIONS) {
    const isCall = convention.isModelCall(attributes);
    if (isCall === 'unknown') return hasMessages() ? isCall : false;
    if (isCall !== undefined) return isCall;
  }
  return hasMessages();
}

/** Attributes of what is not a model call: requests of other kinds, and tools. */
const OTHER_SPANS = words(`
  http url db rpc messaging faas graphql gen_ai.tool tool traceloop.span.kind langsmith.span.kind
`);

/** Whether a span that is not a model call says what it is. */
export const isNamed = (attributes: SpanAttributes): boolean =>
  CONVENTIONS.some((convention) => convention.isModelCall(attributes) === false) ||
  has(attributes, ...OTHER_SPANS);

const SESSIONS = words(`
  gen_ai.conversation.id session.id langfuse.session.id ai.telemetry.metadata.sessionId
  traceloop.association.properties.session_id traceloop.association.properties.thread_id ${ADK}.session_id
`);

/** Reads the call, and adds its messages to the transcript. */
export function readAttributes(
  attributes: SpanAttributes,
  transcript: Transcript,
  events: readonly JsonView[],
  span: JsonView,
): LoggedCall {
  const convention = CONVENTIONS.find(({ hasMessages }) => hasMessages(attributes));
  const isInEvents = convention === undefined && events.length > 0;
  const hasAnswered = isInEvents && addEvents(transcript, events);
  const session = SESSIONS.map((path) => attributes.at(path).text()).find(Boolean);
  const read = convention?.read ?? readGenAi;
  const call = read(attributes, transcript);
  const lost = lostMessages(span, attributes, isInEvents, call.elsewhere);
  if (lost !== undefined) transcript.refuse('unknown-content', lost);
  if (convention !== undefined && hasSecond(convention, attributes, events, transcript))
    transcript.refuse('unknown-content', SECOND);
  const ofPydantic = unpacked(attributes.at('model_request_parameters').value)?.get('function_tools');
  const others = DEFINITIONS.map((path) => attributes.at(path).json());
  return {
    ...call,
    tools: call.tools.length > 0 ? call.tools : readTools(transcript, ...others, ofPydantic),
    hasReply: call.hasReply || hasAnswered,
    session,
  };
}

/** Attributes with definitions of tools, which may lack the parameters: those of another convention come first. */
const DEFINITIONS = ['gen_ai.tool.definitions', 'gen_ai.request.tools', 'gen_ai.request.available_tools'];

const SECOND = 'the span has other messages in the attributes of a second convention, or in its events';

/** Has a span messages in another convention, or in events, of which one says what those that were read do not? */
function hasSecond(
  first: Convention,
  attributes: SpanAttributes,
  events: readonly JsonView[],
  { messages }: Transcript,
): boolean {
  const others = CONVENTIONS.filter((one) => one !== first && hasMessagesIn(attributes, one));
  if (others.length === 0 && events.length === 0) return false;
  const said = saidBy(messages);
  const second = new Transcript(false);
  if (events.length > 0) addEvents(second, events);
  for (const other of others) other.read(attributes, second);
  const all = second.messages.map(({ bytes }) => new JsonView(bytes));
  return second.refusal === undefined && all.some((one) => textsOf(one).some((text) => isUnsaid(text, said)));
}

/** Has a span messages in a convention, apart from texts? */
function hasMessagesIn(attributes: SpanAttributes, { lists = [], request }: Convention): boolean {
  if (has(attributes, ...lists)) return true;
  const node = request === undefined ? undefined : attributes.at(request);
  if (node?.at('messages').isEmpty === false) return true;
  const value = unpacked(node?.value);
  const list = value?.type === 'object' ? firstOf(value, 'messages', 'input', 'contents') : value;
  return messagesIn(list).length > 0;
}

const SYSTEM = 'gen_ai.system_instructions';
const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';

function readGenAi(attributes: SpanAttributes, transcript: Transcript): CallFacts {
  const [system, sent] = [SYSTEM, INPUT].map((path) => sentIn(path, attributes.at(path).json()));
  const input = unpacked(sent);
  const output = unpacked(answerIn(OUTPUT, attributes.at(OUTPUT).json()));
  const ordered = withLateResults(input, output);
  addWithSystem(transcript, system, ordered?.sent ?? input);
  for (const list of [input, output]) if (list?.type === 'object') refuseValue(transcript, list);
  const [response, request] = [attributes.at('gen_ai.response'), attributes.at('gen_ai.request')];
  const choices = Number(request.at('choice.count').value?.parsed() ?? 1);
  const isResponse = attributes.at('openai.api.type').text() === 'responses';
  const several = choices > 1 ? 'choices' : isResponse ? 'items' : undefined;
  const hasReply =
    ordered === undefined ? addAnswer(transcript, output, several) : addTurns(transcript, ordered);
  const finish = response.at('finish_reasons').items()[0]?.value;
  const isNoted = (output?.elements() ?? []).some((one) => isCut(one.get('finish_reason')));
  if (hasReply && !isNoted) noteFinish(transcript, finish);
  const meta = metaOf({
    harness: attributes.at('gen_ai.agent.name').value,
    model: response.at('model').value ?? request.at('model').value,
    usage: attributes.at('gen_ai.usage').json(),
    finish,
  });
  return { hasReply, tools: NO_TOOLS, meta };
}

/** Adds answers, and the results after each. @returns whether there is one */
function addTurns(transcript: Transcript, { turns }: OrderedLists): boolean {
  let hasReply = false;
  const isAsked = turns.length === 1 || transcript.messages.some(speaks);
  for (const { answer, after } of turns) {
    hasReply = addAnswer(transcript, answer, 'items') || hasReply;
    transcript.endTurn();
    for (const message of after) if (!transcript.add(message)) refuseValue(transcript, message);
  }
  if (!isAsked) transcript.noteFirst(NO_QUESTION);
  return hasReply;
}
