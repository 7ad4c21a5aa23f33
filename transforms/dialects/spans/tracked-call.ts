/**
 * Reads model calls as Braintrust, Weave and Opik store them: one value for the input, one for the output, and the tools
 * in the request or in the metadata. The members are those of `CallSchema` in wandb/weave
 * (weave/trace_server/trace_server_interface.py) and of `SpanPublic` in comet-ml/opik, as `opik export` writes them
 * (sdks/python/src/opik/cli/exports/project.py).
 */
import type { JsonView } from '../../json/json-view.ts';
import { wordSet } from '../../model/words.ts';
import type { FirstObject } from '../dialect-spec.ts';
import { errorsIn, withoutError } from '../shared/failed-answer.ts';
import type { LoggedCall } from '../shared/logged-bodies.ts';
import { readTools, refuseOtherSystem, toolPlaces } from '../shared/logged-bodies.ts';
import { metaOf } from '../shared/logged-meta.ts';
import { firstOf, isTrue, present, unpacked } from '../shared/logged-values.ts';
import type { Transcript } from '../shared/transcript.ts';
import { addCall, systemBeside, toolsOfMetadata } from './platform-call.ts';
import { compareMembers } from './second-values.ts';

/** FirstObject of a span as one platform names them. */
export interface Platform {
  /** Whether an object with these members is a span of it. */
  isSpan(span: FirstObject): boolean;
  isModelCall(span: JsonView): boolean;
  /** Whether its type says that it is something else; `unknown` if the platform has no such type. */
  isOther(span: JsonView): boolean | 'unknown';
  /** Which part of a span the object is, if its client sends it in several; `more` has neither input nor output. */
  partOf(span: JsonView): 'begun' | 'ended' | 'more' | undefined;
  readonly input: string;
  readonly trace: string;
  readonly start: string;
  readonly usage: string;
}

/** Types of the spans of Braintrust that are not model calls. */
const BRAINTRUST_TYPES: ReadonlySet<string> = wordSet(`
  score function eval task tool automation facet preprocessor classifier review
`);
const isOtherType = (type: JsonView | undefined): boolean | 'unknown' =>
  present(type) && (BRAINTRUST_TYPES.has(type.text() ?? '') || 'unknown');

/** Types of the spans of Opik. */
const OPIK_TYPES: ReadonlySet<string> = new Set(['general', 'llm', 'tool', 'guardrail']);
/** Names of the operations that Weave's integrations trace, after the address of the project. */
const WEAVE_CALL =
  /\/op\/(?:weave\.completions_create|(?:openai|anthropic|litellm|groq|mistralai|cohere|cerebras|together|google|vertexai|huggingface_hub)\.[^/:]*)(?::|$)/i;

const PLATFORMS: readonly Platform[] = [
  {
    isSpan: (span) =>
      present(span.get('root_span_id')) &&
      (span.get('span_attributes')?.type === 'object' || span.get('_is_merge')?.type === 'boolean'),
    isModelCall: (span) => span.get('span_attributes')?.get('type')?.text() === 'llm',
    isOther: (span) => isOtherType(span.get('span_attributes')?.get('type')),
    partOf(span) {
      const merges = span.get('_is_merge');
      if (merges === undefined) return undefined;
      const hasOutput = firstOf(span, 'output') !== undefined;
      if (!isTrue(merges)) return hasOutput ? undefined : 'begun';
      return hasOutput ? 'ended' : 'more';
    },
    ...{ input: 'input', trace: 'root_span_id', start: 'created', usage: 'metrics' },
  },
  {
    isSpan: (span) => span.get('op_name')?.type === 'string' && present(span.get('trace_id')),
    isModelCall: (span) => WEAVE_CALL.test(span.get('op_name')?.text() ?? ''),
    isOther: () => false, // any function of the program may be an operation
    partOf: () => undefined,
    ...{ input: 'inputs', trace: 'trace_id', start: 'started_at', usage: 'summary' },
  },
  {
    isSpan: (span) =>
      OPIK_TYPES.has(span.get('type')?.text() ?? '') &&
      present(span.get('trace_id')) &&
      span.get('timestamps') === undefined && // LangWatch
      firstOf(span as JsonView, 'input', 'output') !== undefined &&
      span.get('attributes') === undefined,
    isModelCall: (span) => span.get('type')?.text() === 'llm',
    isOther: (span) => span.get('type')?.text() !== 'general', // the type of any traced function
    partOf: () => undefined,
    ...{ input: 'input', trace: 'trace_id', start: 'start_time', usage: 'usage' },
  },
];

/** The platform whose span this is. */
export const platformOf = (span: FirstObject): Platform | undefined =>
  PLATFORMS.find((platform) => platform.isSpan(span));

/** Begins the address of a value that Weave stores elsewhere. */
const ELSEWHERE = /^weave:\/\/\//;
const BODIES = ['messages', 'contents', 'input', 'prompt'] as const;
const ERRORS = ['error', 'exception', 'error_info'] as const;

/**
 * Reads the call, and adds its messages to the transcript.
 * @param ended what was logged at the end of the call
 */
export function readTracked(
  span: JsonView,
  platform: Platform,
  transcript: Transcript,
  ended?: JsonView,
): LoggedCall {
  const input = span.get(platform.input);
  const output = firstOf(ended, 'output') ?? span.get('output');
  const request = unpacked(input);
  const elsewhere = [firstOf(request, ...BODIES), input, output].find((one) =>
    ELSEWHERE.test(one?.text() ?? ''),
  );
  if (elsewhere !== undefined)
    transcript.refuse('body-elsewhere', 'the log has only the address of a value', elsewhere);
  const errors = errorsIn(...[span, ended].flatMap((row) => ERRORS.map((key) => row?.get(key))));
  const metadata = unpacked(span.get('metadata'));
  const system = systemBeside(request, metadata);
  const hasReply = withoutError(transcript, addCall(transcript, input, output, system), errors);
  compareMembers(transcript, span);
  refuseOtherSystem(transcript, metadata);
  return {
    hasReply,
    tools: readTools(
      transcript,
      ...toolPlaces(request),
      unpacked(output)?.get('tools'),
      ...toolsOfMetadata(metadata),
    ),
    session: firstOf(span, 'thread_id')?.text() || undefined,
    meta: metaOf({
      model: firstOf(span, 'model') ?? firstOf(request, 'model') ?? firstOf(metadata, 'model'),
      usage: unpacked(firstOf(span, platform.usage)),
      cost: firstOf(span, 'total_estimated_cost'),
      tags: firstOf(span, 'tags'),
    }),
  };
}
