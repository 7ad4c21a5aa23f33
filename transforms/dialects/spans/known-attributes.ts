/**
 * The attributes of conventions for model calls that are read, or that are about a call and not what was said in it. Words
 * in any other attribute may be a message that is not read.
 */
import type { JsonView } from '../../json/json-view.ts';
import { decode } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { isAboutClient, mayHoldContent } from '../shared/carried-content.ts';
import { structured } from '../shared/logged-values.ts';
import { mayBeSaid } from '../shared/stray-members.ts';
import { holdsWords } from '../shared/unread-text.ts';
import type { SpanAttributes } from './span-attributes.ts';

/** An attribute that may hold what was said, and is not read. */
interface Stray {
  readonly name: string;
  readonly value: JsonView;
}

const namesOf = (...lists: readonly string[]): ReadonlySet<string> => new Set(lists.join(' ').split(' '));

/** Attributes that are read, or describe the call, with all below them. */
const READ: ReadonlySet<string> = namesOf(
  'gen_ai.system_instructions gen_ai.input.messages gen_ai.output.messages gen_ai.prompt gen_ai.completion gen_ai.event.content',
  'gen_ai.evaluation ai.prompt.messages ai.prompt.toolChoice ai.response.text ai.response.object ai.response.toolCalls',
  'ai.response.reasoning ai.response.providerMetadata ai.result.text ai.result.object ai.result.toolCalls ai.telemetry',
  'ai.request ai.toolCall llm.input_messages llm.output_messages llm.prompts llm.completions llm.choices',
  'llm.invocation_parameters llm.function_call llm.prompt_template input.value output.value',
  'langfuse.observation.input langfuse.observation.output langfuse.observation.status_message langfuse.observation.prompt',
  'langfuse.trace langfuse.experiment mlflow.spanInputs mlflow.spanOutputs mlflow.chat.tokenUsage mlflow.trace',
  'traceloop.entity.input traceloop.prompt traceloop.association logfire.msg logfire.json_schema',
  'gen_ai.system llm.system llm.provider gcp.vertex.agent.llm_request gcp.vertex.agent.llm_response gcp.vertex.agent.data',
);
/** Attributes of the program, its host and its protocols, and those of bodies that are read. */
const GENERAL: ReadonlySet<string> = namesOf(
  'metadata session user enduser tag http url server client net network peer rpc db messaging faas graphql service',
  'telemetry process host os container k8s cloud deployment device browser thread code exception error otel library',
  'instrumentation component span resource operation status scope async aws azure event events request_data',
  'response_data final_result all_messages all_messages_events agent agent_name model_name model_request_parameters',
);
/** Parts of names of settings and definitions, in any convention. */
const ASIDE =
  /(?:^|[._])(?:metadata|headers?|settings|properties|tools?|functions?|definitions?|parameters|schema|template|options|config|usage|errors?|exceptions?|description|stop|stop_sequences|stop_reason|finish_?[rR]easons?|service_tier|reasoning_effort|response_format|encoding_formats|truncation)(?:\.|$)/;
/** Attributes that only model calls have. */
const OF_MODEL = /^(?:gen_ai|ai|llm)\./;

/** Whether a name, or the beginning of it up to a dot, is one of these. */
function isWithin(name: string, names: ReadonlySet<string>): boolean {
  for (let at = name.indexOf('.'); at >= 0; at = name.indexOf('.', at + 1))
    if (names.has(name.slice(0, at))) return true;
  return names.has(name);
}

/** Whether names are known. Spans repeat their names. */
const judged = new Map<string, boolean>();
const MAX_JUDGED = 2000;

function isKnown(name: string): boolean {
  const before = judged.get(name);
  if (before !== undefined) return before;
  const known = isWithin(name, READ) || isWithin(name, GENERAL) || ASIDE.test(name) || isAboutClient(name);
  if (judged.size < MAX_JUDGED) judged.set(name, known);
  return known;
}

/**
 * The first attribute under an unknown name that has words or content, and not only what the messages have; undefined if
 * there is none.
 */
export const strayAmong = (attributes: SpanAttributes, messages: readonly Message[]): Stray | undefined =>
  strayIn([...attributes.unknown(isKnown)], messages);

const strayIn = (unknown: readonly Attribute[], messages: readonly Message[]): Stray | undefined => {
  const found = unknown.find(([, value]) => {
    const inner = structured(value) ?? value;
    return (mayBeSaid(value) || mayHoldContent(inner)) && !isAmong(inner, messages);
  });
  return found && { name: found[0], value: found[1] };
};

type Attribute = readonly [name: string, value: JsonView];

/** Objects of which all attributes of model calls are known, by the hash of their members: most spans have the same. */
const clean = new Set<number>();
const MAX_CLEAN = 1000;

/** As `strayAmong`, of the attributes that only model calls have. @param logged the attributes, if they are one object */
export function strayOfModel(
  attributes: SpanAttributes,
  messages: readonly Message[],
  logged?: JsonView,
): Stray | undefined {
  const hash = logged?.type === 'object' ? logged.membersHash : undefined;
  if (hash !== undefined && clean.has(hash)) return undefined;
  const unknown = [...attributes.unknown(isKnown)].filter(([name]) => OF_MODEL.test(name));
  const isFlat = logged?.members().every(([, { type }]) => type !== 'object') === true;
  if (hash !== undefined && unknown.length === 0 && isFlat && clean.size < MAX_CLEAN) clean.add(hash);
  return strayIn(unknown, messages);
}

/** Whether there are words in a value, and all of them are in the messages: some tracers log a message twice. */
function isAmong(value: JsonView, messages: readonly Message[]): boolean {
  const texts = [...wordsIn(value)];
  if (texts.length === 0) return false;
  const all = messages.map(({ bytes }) => JSON.stringify(JSON.parse(decode(bytes)))).join('\n');
  return texts.every((text) => all.includes(JSON.stringify(text).slice(1, -1)));
}

function* wordsIn(value: JsonView): Generator<string> {
  if (value.type === 'string') {
    if (holdsWords(value)) yield value.text() ?? '';
    return;
  }
  const within = value.type === 'array' ? value.elements() : value.members().map(([, member]) => member);
  for (const one of within) yield* wordsIn(structured(one) ?? one);
}
