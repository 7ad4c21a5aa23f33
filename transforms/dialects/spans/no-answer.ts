/**
 * Recognises the text that a tracing tool writes in place of an answer or of messages: that of an empty value of its
 * language. A model may write the same text, so it counts only in these members; the marks of loggers
 * (../../model/cut-texts.ts) count anywhere.
 */
import { JsonView } from '../../json/json-view.ts';
import { encode } from '../../json/utf8.ts';
import type { SpanAttributes } from './span-attributes.ts';

/** The output of an observation of Langfuse, whose server takes over what an integration wrote into an attribute. */
export const LANGFUSE_OUTPUT = 'langfuse:output';
const JSON_NULL = ['null', 'None'];

/** By attribute, member of an event, or `langfuse:output`. */
const EMPTY_TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  // OpenLIT (openlit/openlit): str(answer)
  ['gen_ai.completion', ['None', '[None]']],
  // Langfuse (langfuse/langfuse, its framework traces of agno): str(answer), or JSON of an empty value
  [LANGFUSE_OUTPUT, [...JSON_NULL, '{}', '[]']],
  // always JSON: conventions of OpenTelemetry for generative AI
  ['gen_ai.system_instructions', JSON_NULL],
  ['gen_ai.input.messages', JSON_NULL],
  ['gen_ai.output.messages', JSON_NULL],
  // always JSON: MLflow (mlflow/mlflow), Agent Development Kit (google/adk-python), Logfire (pydantic/logfire)
  ['mlflow.spanOutputs', JSON_NULL],
  ['gcp.vertex.agent.llm_response', JSON_NULL],
  ['response_data', JSON_NULL],
]);
/** As tracers log what has not been answered. */
const EMPTY = new JsonView(encode('{}'));

/** The answer in a member; an empty object if its tracer wrote there that it had none. */
export const answerIn = (member: string, logged: JsonView | undefined): JsonView | undefined =>
  isNothing(member, logged) ? EMPTY : logged;

/** The messages in a member; undefined if its tracer wrote there that it had none. */
export const sentIn = (member: string, logged: JsonView | undefined): JsonView | undefined =>
  isNothing(member, logged) ? undefined : logged;

const isNothing = (member: string, logged: JsonView | undefined): boolean =>
  logged?.type === 'string' && EMPTY_TEXTS.get(member)?.includes(logged.text() ?? '') === true;

export const ELSEWHERE =
  'the messages of this call are in a file that gen_ai.input.messages_ref or gen_ai.output.messages_ref names: write them into the attributes without _ref';

/** Did the client upload the messages, so that the span only names the file with them? */
export function liesElsewhere(attributes: SpanAttributes, hasReply: boolean): boolean {
  const isOnlyNamed = (path: string): boolean =>
    attributes.at(path).isEmpty && !attributes.at(`${path}_ref`).isEmpty;
  return isOnlyNamed('gen_ai.input.messages') || (!hasReply && isOnlyNamed('gen_ai.output.messages'));
}
