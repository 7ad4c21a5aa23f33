/**
 * The members that objects of the APIs have, for `unreadIn`: those of their SDKs, and those that servers and clients
 * add. Parts that are kept as they are need no entry, because nothing of them is lost.
 */
import { ANYTHING, type KnownObject, known, knownByType, withKinds } from './unread-text.ts';

const ANTHROPIC_TEXT = known('type text:text! citations cache_control');

/** Content blocks of the Messages API. */
export const ANTHROPIC_BLOCK: KnownObject = knownByType('type', {
  text: ANTHROPIC_TEXT,
  thinking: known('type thinking:text! signature! estimated_tokens cache_control'),
  redacted_thinking: known('type data:text!'),
  tool_use: known('type id name:text input! caller toolset_name cache_control partial_json index'),
  tool_result: known(
    'type tool_use_id tool_call_id id is_error toolset_name name tool_name result cache_control',
    {
      'content:any!': knownByType('type', { text: ANTHROPIC_TEXT }),
    },
  ),
});

/** Messages of the Messages API, sent or received. */
export const ANTHROPIC_MESSAGE: KnownObject = known(
  [
    'role type id name model stop_reason stop_sequence stop_details usage container context_management diagnostics',
    'cache_control',
  ].join(' '),
  { 'content:any!': ANTHROPIC_BLOCK },
);

export const CHAT_CALL: KnownObject = known(
  'id type index name:text arguments! args! input! extra_content provider_specific_fields thought_signature',
  {
    'function:object!': known('name:text arguments! parsed_arguments description parameters'),
    'custom:object!': known('name:text input!'),
  },
);

const SDK_EXTRA = 'id call_id summary signature providerOptions providerMetadata providerExecuted dynamic ts';

/** Parts of the AI SDK. Clients add reasoning of the Responses API. */
export const SDK_PARTS: Readonly<Record<string, KnownObject>> = {
  reasoning: known(`type ${SDK_EXTRA} reasoning:text encrypted_content index extras`, {
    'summary:list!': known('type text:text!'),
    'text:parts!': known('text'),
  }),
  'tool-call': known(`type toolCallId toolName:text input! args! ${SDK_EXTRA}`),
  'tool-result': known(`type toolCallId toolName output! result! isError ${SDK_EXTRA}`),
};

/** Parts of the chat completions API; agents log blocks of the Messages API and parts of the AI SDK there too. */
export const CHAT_PART: KnownObject = withKinds(ANTHROPIC_BLOCK, {
  ...SDK_PARTS,
  ...Object.fromEntries(
    ['text', 'input_text', 'output_text'].map((type) => [
      type,
      known(
        'type text:text! annotations logprobs citations cache_control cache_prompt prompt_cache_breakpoint id',
      ),
    ]),
  ),
  refusal: known('type refusal:text!'),
  image: known(
    [
      'type image_urls! source! image_url! url! image! data! content! base64! mime_type mimeType media_type mediaType',
      'detail id name filename cache_control cache_prompt alt title metadata annotations size width height',
    ].join(' '),
  ),
  // Mistral writes the texts of a thought as parts
  thinking: known('type signature! estimated_tokens cache_control closed', {
    'thinking:text!': known('type text:text! reference_ids'),
  }),
});

/** Members that servers and clients add to messages of the chat completions API: reasoning, sources and their own. */
const CHAT_EXTRA = [
  'reasoning:text reasoning_content:text! thinking:text reasoning_text:text tool_plan:text reasoning_opaque',
  'reasoning_signature annotations audio images context citations search_results',
  'sources executed_tools provider_specific_fields provider metadata prefix partial weight phase status cache_control',
  'created_at timestamp refusal function_call',
].join(' ');

/** A block of reasoning: one without a type must be one, too. */
const THINKING_BLOCK = withKinds(ANTHROPIC_BLOCK, {
  '': known('thinking! data! signature! think! text!'),
});

/** One of the details that OpenRouter gives. */
export const REASONING_DETAIL: KnownObject = knownByType('type', {
  'reasoning.text': known('type text:text! signature id format index'),
  'reasoning.summary': known('type summary:text! id format index'),
});

const CHAT_WITHIN = {
  'content:any!': CHAT_PART,
  'tool_calls:json!': CHAT_CALL,
  'thinking_blocks:json': THINKING_BLOCK,
  'reasoning_details:json': REASONING_DETAIL,
};

/** Messages of the chat completions API. */
export const CHAT_MESSAGE: KnownObject = known(`role name id type tool_call_id ${CHAT_EXTRA}`, CHAT_WITHIN);

/** The same messages, in which a client writes other members too. @param more names as in `known` */
export const chatMessageWith = (...more: readonly string[]): KnownObject =>
  known(['role name id type tool_call_id', CHAT_EXTRA, ...more].join(' '), { ...CHAT_WITHIN, ...APART });

/** Where LangChain writes reasoning. */
const APART = { 'additional_kwargs:object': known('reasoning_content:text') };
/** The same messages where they are copied, so that their reasoning gets its name later. */
export const COPIED_MESSAGE: KnownObject = chatMessageWith();

const RESPONSES_PART = knownByType('type', {
  input_text: known('type text:text! prompt_cache_breakpoint'),
  output_text: known('type text:text! annotations logprobs'),
  summary_text: known('type text:text!'),
  reasoning_text: known('type text:text!'),
  text: known('type text:text! annotations logprobs'),
  refusal: known('type refusal:text!'),
});

/** Parts of the Gemini API. */
export const GEMINI_PART: KnownObject = known(
  [
    'text:text! thoughtSignature thought_signature inlineData! inline_data! fileData! file_data!',
    'executableCode! executable_code! codeExecutionResult! code_execution_result! videoMetadata video_metadata',
    'mediaResolution media_resolution toolCall! toolResponse! partMetadata audioTranscription speechMetadata',
    'mediaProcessing',
  ].join(' '),
  {
    'thought:list': ANYTHING, // says whether the text is a thought
    'functionCall:object!': known('id name:text args! partialArgs! willContinue'),
    'functionResponse:object!': known('id name:text response! parts! scheduling willContinue'),
  },
);

/** Members that every item of the Responses API may have, and those that Codex adds. */
const ITEM =
  'type id status encrypted_content caller created_by metadata internal_chat_message_metadata_passthrough';
const ITEM_OUTPUT = known(`${ITEM} call_id name success`, { 'output:any!': RESPONSES_PART });

/** Calls of built-in tools that the client runs, of which only the arguments are read. */
const OF_CLIENT = known(
  [
    `${ITEM} call_id name action! actions! operation! arguments! execution environment pending_safety_checks`,
    'max_output_length agent agent_reference response_id',
  ].join(' '),
);
export const CLIENT_CALLS: Readonly<Record<string, KnownObject>> = {
  local_shell_call: OF_CLIENT,
  shell_call: OF_CLIENT,
  apply_patch_call: OF_CLIENT,
  computer_call: OF_CLIENT,
  tool_search_call: OF_CLIENT,
};

/** Items of the Responses API. Calls that ran on the server are kept as they are. */
export const RESPONSES_ITEM: KnownObject = knownByType('type', {
  message: known(`${ITEM} role name phase end_turn author recipient memory_citation`, {
    'content:any!': RESPONSES_PART,
  }),
  reasoning: known(`${ITEM} encrypted_content!`, {
    'content:any!': RESPONSES_PART,
    'summary:any!': RESPONSES_PART,
  }),
  function_call: known(`${ITEM} call_id name:text namespace:text arguments! summary encrypted_function_args`),
  custom_tool_call: known(`${ITEM} call_id name:text namespace:text input!`),
  function_call_output: ITEM_OUTPUT,
  custom_tool_call_output: ITEM_OUTPUT,
  agent_message: known(`${ITEM} author recipient message`, { 'content:any!': RESPONSES_PART }),
  ...CLIENT_CALLS,
});

/** Members of an answer of the Responses API besides its `output`, as names for `known`. */
export const RESPONSE_MEMBERS: string = [
  'id object created_at completed_at status background billing conversation error incomplete_details instructions',
  'max_output_tokens max_tool_calls metadata model moderation output_text parallel_tool_calls presence_penalty',
  'frequency_penalty previous_response_id prompt prompt_cache_key prompt_cache_retention reasoning safety_identifier',
  'service_tier store temperature text tool_choice tools top_logprobs top_p truncation usage user extra type',
].join(' ');
