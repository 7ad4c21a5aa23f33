/**
 * Recognises the text that a tracing tool writes in place of an answer or of messages: that of an empty value of its
 * language. A model may write the same text, so it counts only in these members; the marks of loggers
 * (../../model/cut-texts.ts) count anywhere.
 */
import { JsonView } from '../../json/json-view.ts';
import { encode } from '../../json/utf8.ts';

interface EmptyOutput {
  /** Who writes it, and how. */
  readonly tool: string;
  /** The attribute, the member of an event, or `langfuse:output`. */
  readonly member: string;
  readonly texts: readonly string[];
}

/** The output of an observation of Langfuse, whose server takes over what an integration wrote into an attribute. */
export const LANGFUSE_OUTPUT = 'langfuse:output';
const JSON_NULL = ['null', 'None'];

const EMPTY_OUTPUTS: readonly EmptyOutput[] = [
  {
    tool: 'OpenLIT (openlit/openlit): str(answer)',
    member: 'gen_ai.completion',
    texts: ['None', '[None]'],
  },
  {
    tool: 'Langfuse (langfuse/langfuse, its framework traces of agno): str(answer), or JSON of an empty value',
    member: LANGFUSE_OUTPUT,
    texts: [...JSON_NULL, '{}', '[]'],
  },
  ...['gen_ai.system_instructions', 'gen_ai.input.messages', 'gen_ai.output.messages'].map((member) => ({
    tool: 'OpenTelemetry, conventions for generative AI: always JSON',
    member,
    texts: JSON_NULL,
  })),
  { tool: 'MLflow (mlflow/mlflow): always JSON', member: 'mlflow.spanOutputs', texts: JSON_NULL },
  {
    tool: 'Agent Development Kit (google/adk-python): always JSON',
    member: 'gcp.vertex.agent.llm_response',
    texts: JSON_NULL,
  },
  { tool: 'Logfire (pydantic/logfire): always JSON', member: 'response_data', texts: JSON_NULL },
];

const BY_MEMBER: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  EMPTY_OUTPUTS.map(({ member, texts }) => [member, new Set(texts)]),
);
/** As tracers log what has not been answered. */
const EMPTY = new JsonView(encode('{}'));

/** The answer in a member; an empty object if its tracer wrote there that it had none. */
export const answerIn = (member: string, logged: JsonView | undefined): JsonView | undefined =>
  isNothing(member, logged) ? EMPTY : logged;

/** The messages in a member; undefined if its tracer wrote there that it had none. */
export const sentIn = (member: string, logged: JsonView | undefined): JsonView | undefined =>
  isNothing(member, logged) ? undefined : logged;

const isNothing = (member: string, logged: JsonView | undefined): boolean =>
  logged?.type === 'string' && BY_MEMBER.get(member)?.has(logged.text() ?? '') === true;
