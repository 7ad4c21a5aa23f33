/**
 * The members of choices, items and contents of the APIs, and of messages as tracers write them, for `unreadIn`.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import { CHAT_MESSAGE, CLIENT_CALLS, COPIED_MESSAGE } from './known-members.ts';
import { ANYTHING, type KnownObject, known, knownByType, unreadIn, withMembers } from './unread-text.ts';

/** A choice of a chat completion, or of a chunk of one. */
export const CHAT_CHOICE: KnownObject = known(
  [
    'index delta finish_reason native_finish_reason stop_reason matched_stop logprobs text error usage seed',
    'content_filter_results content_filter_result content_filter_offsets token_ids prompt_token_ids hidden_states',
    'provider_specific_fields grounding_metadata grounding safety_ratings citation_metadata message_id',
  ].join(' '),
  { message: COPIED_MESSAGE },
);
/** A choice that is the message itself. */
export const BARE_CHOICE: KnownObject = withMembers(COPIED_MESSAGE, [...CHAT_CHOICE.names].join(' '));

const RESPONSES_PART = knownByType('type', {
  input_text: known('type text annotations prompt_cache_breakpoint'),
  output_text: known('type text annotations logprobs'),
  text: known('type text annotations logprobs'),
  refusal: known('type refusal'),
});
const REASONING_PART = known('type text annotations logprobs');

const ITEM_MESSAGE = known(
  'type id role status phase name metadata end_turn internal_chat_message_metadata_passthrough',
  {
    'content:parts!': RESPONSES_PART,
  },
);
/** Items of the Responses API. Calls that ran on the server are kept as they are. */
export const RESPONSE_ITEM: KnownObject = knownByType('type', {
  message: ITEM_MESSAGE,
  '': ITEM_MESSAGE,
  function_call: known(
    'type id call_id name namespace arguments! parsed_arguments status caller created_by metadata',
  ),
  function_call_output: known('type id call_id output! status name metadata created_by caller'),
  custom_tool_call: known('type id call_id name namespace input! status metadata created_by caller'),
  custom_tool_call_output: known('type id call_id output! status name metadata created_by caller'),
  ...CLIENT_CALLS,
  reasoning: known('type id status encrypted_content created_by metadata format signature', {
    'content:parts': REASONING_PART,
    'summary:parts': REASONING_PART,
  }),
});

export const GEMINI_CALL: KnownObject = known(
  'id name args partialArgs partial_args willContinue will_continue',
);
const GEMINI_RESULT = known('id name response parts scheduling willContinue will_continue');
const GEMINI_PART = known(
  [
    'text thoughtSignature thought_signature inlineData inline_data fileData file_data videoMetadata',
    'video_metadata executableCode executable_code codeExecutionResult code_execution_result mediaResolution',
    'media_resolution partMetadata part_metadata toolCall tool_call toolResponse tool_response type data',
  ].join(' '),
  {
    'thought:list': ANYTHING, // says whether the text is a thought
    functionCall: GEMINI_CALL,
    function_call: GEMINI_CALL,
    functionResponse: GEMINI_RESULT,
    function_response: GEMINI_RESULT,
  },
);
export const GEMINI_CONTENT: KnownObject = known('role', { parts: GEMINI_PART });

export const CONVERSE_RESULT_PART: KnownObject = known('text json image document video searchResult');
const CONVERSE_PART = known(
  'text image document video audio guardContent cachePoint citationsContent searchResult',
  {
    toolUse: known('toolUseId name input type'),
    toolResult: known('toolUseId status type', { content: CONVERSE_RESULT_PART }),
    reasoningContent: known('redactedContent', { reasoningText: known('text signature') }),
  },
);
/** A message of Bedrock's Converse API. */
export const CONVERSE_MESSAGE: KnownObject = known('role', { content: CONVERSE_PART });

const TRACED_CALL = known(
  [
    'id type index name args arguments input call_id tool_call_id toolCallId toolName tool_name tool_use_id toolUseId',
    'function_name function custom partial_json error extra_content providerExecuted dynamic invalid thoughtSignature',
    'provider_specific_fields title caller',
  ].join(' '),
  {
    'function:any': known('name arguments description parameters input args parsed_arguments'),
    custom: known('name input'),
  },
);
const TRACED_THOUGHT = known(
  [
    'type text! content! thinking! reasoning! summary! signature! data! encrypted_content! protectedData! redacted id',
    'index format status cache_control providerOptions providerMetadata provider_name provider_details metadata name',
    'kind part_kind internal annotations citations extras state thoughtSignature created_by raw $type',
    'additionalProperties provider_options phase',
  ].join(' '),
);
const TRACED_RESULT = known(
  [
    'type response! result! output! content! id call_id tool_call_id toolCallId tool_use_id toolUseId name toolName',
    'tool_name is_error isError status cache_control toolset_name kind providerOptions providerMetadata preliminary',
    'dynamic caller created_by scheduling willContinue timestamp index input args provider_options',
  ].join(' '),
);
/** Parts of traced messages whose words may lie elsewhere. Other parts without theirs are of no known form. */
export const TRACED_PART: KnownObject = knownByType('type', {
  ...Object.fromEntries(['reasoning', 'thinking'].map((type) => [type, TRACED_THOUGHT])),
  ...Object.fromEntries(
    ['tool_call_response', 'tool_result', 'tool-result'].map((type) => [type, TRACED_RESULT]),
  ),
});

/** A message of any client, as tracers write it. */
export const TRACED_MESSAGE: KnownObject = known(
  [
    ...CHAT_MESSAGE.names,
    'content parts contents kwargs data additional_kwargs response_metadata usage_metadata usage model response_id',
    'tool_call_ids toolCalls toolCallId tool_calls invalid_tool_calls call_id tool_name toolName result output example',
    'artifact lc finish_reason finishReason stop_reason index message message_type sender author kind metadata id',
    'experimental_attachments annotations createdAt timestamp encrypted_content providerOptions',
    'provider_options providerMetadata instructions run_id state provider_name provider_url provider_details',
    'error function source internal view meta raw images audio tool_call_chunks chunk_position reasoning',
    'provider_response_id model_name event recipient channel logprobs is_error isError status summary',
  ].join(' '),
  {
    'tool_calls:any': TRACED_CALL,
    'toolCalls:any': TRACED_CALL,
    'content:any': TRACED_PART,
    'parts:any': TRACED_PART,
  },
);

/** A request of any API. */
const REQUEST: KnownObject = known(
  [
    'model messages system instructions input prompt contents systemInstruction system_instruction tools tool_choice',
    'toolConfig tool_config toolChoice functions function_call generationConfig generation_config safetySettings',
    'safety_settings cachedContent cached_content labels config max_tokens max_output_tokens max_completion_tokens',
    'temperature top_p top_k stop stop_sequences stream stream_options metadata user thinking reasoning text include',
    'reasoning_effort store previous_response_id conversation background truncation service_tier response_format',
    'parallel_tool_calls output_format output_config context_management container mcp_servers betas speed',
    'anthropic_version anthropic_beta inferenceConfig additionalModelRequestFields outputConfig guardrailConfig',
    'additionalModelResponseFieldPaths performanceConfig promptVariables requestMetadata serviceTier modelId headers',
    'extra_headers extra_body extra_query prediction web_search_options prompt_cache_key safety_identifier',
    'cache_control chat_template chat_template_kwargs documents structured_outputs guided_json guided_grammar',
    'guided_regex guided_choice grammar json_schema provider models plugins transforms route request project moderation',
    'format options template suffix images raw url uri method error',
  ].join(' '),
);

/** Members of a logged call: an object that has them is not the bare request. */
const LOGGED = ['response', 'completion', 'output', 'choices', 'kwargs', 'call_type'] as const;

/** Finding about the unknown member that may be the system text of a request without one. */
export const unreadSystem = (request: JsonView): ReadingNote | undefined =>
  LOGGED.some((key) => request.get(key) !== undefined)
    ? undefined
    : unreadIn(request, REQUEST, 'the request');
