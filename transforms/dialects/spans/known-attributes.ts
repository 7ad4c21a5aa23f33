/**
 * The attributes of conventions for model calls that are read, or that are about a call and not what was said in it. Words
 * in any other attribute may be a message that is not read.
 */
import type { JsonView } from '../../json/json-view.ts';
import { decode } from '../../json/utf8.ts';
import type { Message } from '../../model/element.ts';
import { wordSet } from '../../model/words.ts';
import { isAboutClient, mayHoldContent } from '../shared/carried-content.ts';
import { structured } from '../shared/logged-values.ts';
import { mayBeSaid } from '../shared/stray-members.ts';
import { holdsWords } from '../shared/unread-text.ts';
import type { JudgedNames, SpanAttributes } from './span-attributes.ts';

/** Attributes that are read, or describe the call, with all below them. */
const READ: ReadonlySet<string> = wordSet(`
  gen_ai.system_instructions gen_ai.input.messages gen_ai.output.messages gen_ai.prompt gen_ai.completion gen_ai.event.content
  gen_ai.evaluation ai.prompt.messages ai.prompt.toolChoice ai.response.text ai.response.object ai.response.toolCalls
  ai.response.reasoning ai.response.providerMetadata ai.result.text ai.result.object ai.result.toolCalls ai.telemetry
  ai.request ai.toolCall llm.input_messages llm.output_messages llm.prompts llm.completions llm.choices
  llm.invocation_parameters llm.function_call llm.prompt_template input.value output.value
  langfuse.observation.input langfuse.observation.output langfuse.observation.status_message langfuse.observation.prompt
  langfuse.trace langfuse.experiment mlflow.spanInputs mlflow.spanOutputs mlflow.chat.tokenUsage mlflow.trace
  traceloop.entity.input traceloop.prompt traceloop.association logfire.msg logfire.json_schema
  gen_ai.system llm.system llm.provider gcp.vertex.agent.llm_request gcp.vertex.agent.llm_response gcp.vertex.agent.data
`);
/** Attributes of the program, its host and its protocols, and those of bodies that are read. */
const GENERAL: ReadonlySet<string> = wordSet(`
  metadata session user enduser tag http url server client net network peer rpc db messaging faas graphql service
  telemetry process host os container k8s cloud deployment device browser thread code exception error otel library
  instrumentation component span resource operation status scope async aws azure event events request_data
  response_data final_result all_messages all_messages_events agent agent_name model_name model_request_parameters
`);
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

const isKnown = (name: string): boolean =>
  isWithin(name, READ) || isWithin(name, GENERAL) || ASIDE.test(name) || isAboutClient(name);

const MAX_NAMES = 4000;

class Names implements JudgedNames {
  /** Number of names that are kept, in all trees. */
  static #kept = 0;
  readonly name: string;
  readonly isKnown: boolean;
  readonly #judge: (name: string) => boolean;
  readonly #below = new Map<string, Names>();

  /** @param judge whether a name is known */
  constructor(name: string, judge: (name: string) => boolean) {
    this.name = name;
    this.isKnown = name !== '' && judge(name);
    this.#judge = judge;
  }

  child(key: string): Names {
    const before = this.#below.get(key);
    if (before !== undefined) return before;
    const child = new Names(this.name === '' ? key : `${this.name}.${key}`, this.#judge);
    if (Names.#kept < MAX_NAMES) {
      Names.#kept++;
      this.#below.set(key, child);
    }
    return child;
  }
}

const NAMES = new Names('', isKnown);
/** The names of attributes that only model calls have. */
const NAMES_OF_MODEL = new Names('', (name) => !OF_MODEL.test(`${name}.`) || isKnown(name));

/**
 * The name of the first attribute that is not known and has words or content, and not only what the messages have; undefined if
 * there is none.
 */
export const strayAmong = (attributes: SpanAttributes, messages: readonly Message[]): string | undefined =>
  strayIn(attributes.unknown(NAMES), messages);

const strayIn = (unknown: readonly Attribute[], messages: readonly Message[]): string | undefined =>
  unknown.find(([, value]) => {
    const inner = structured(value) ?? value;
    return (mayBeSaid(value) || mayHoldContent(inner)) && !isAmong(inner, messages);
  })?.[0];

type Attribute = readonly [name: string, value: JsonView];

/** As `strayAmong`, of the attributes that only model calls have. */
export const strayOfModel = (attributes: SpanAttributes, messages: readonly Message[]): string | undefined =>
  strayIn(attributes.unknown(NAMES_OF_MODEL), messages);

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
