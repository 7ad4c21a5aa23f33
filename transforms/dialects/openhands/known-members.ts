/** The members of events of OpenHands, of both versions, for `unreadIn`. The answers of tools have any members. */
import { CHAT_CALL, CHAT_MESSAGE, CHAT_PART, chatMessageWith } from '../shared/known-members.ts';
import { type KnownObject, known, knownByType, withMembers } from '../shared/unread-text.ts';

const FIRST = [
  'id timestamp source message cause timeout blocking hidden llm_metrics success error_code reason tool_calls',
  'tool_result trace security_risk',
].join(' ');
const CHOICE = known('finish_reason index logprobs provider_specific_fields', {
  'message:object!': CHAT_MESSAGE,
});
const COMPLETION = known(
  'id created model object system_fingerprint usage service_tier provider citations prompt_filter_results',
  { 'choices:list!': CHOICE },
);
const METADATA = known('function_name tool_call_id total_calls_in_response', {
  'model_response:one!': COMPLETION,
});

/** Actions of the first version. */
export const ACTION: KnownObject = known(`${FIRST} action args!`, { tool_call_metadata: METADATA });
/** Observations of the first version. */
export const OBSERVATION: KnownObject = known(`${FIRST} observation extras content:text!`, {
  tool_call_metadata: METADATA,
});

/** A part that is a text, whatever its type. */
const TEXT = known('type text:text! cache_prompt prompt_cache_breakpoint annotations');
/** The arguments of a message of the user in the first version. */
export const USER_ARGS: KnownObject = known(
  'content image_urls images_urls file_urls wait_for_response security_risk thought action name',
);
const EVENT = 'kind id timestamp source parent_tool_call_id';
const LLM_MESSAGE = chatMessageWith(
  [
    'responses_reasoning_item cache_enabled vision_enabled function_calling_enabled force_string_serializer',
    'send_reasoning_content native_tool_calling contains_image tool_call_ids',
  ].join(' '),
);
/** A call; the first versions have it as the chat completions API does. */
const SDK_CALL = withMembers(CHAT_CALL, 'origin responses_item_id');
const OF_CALL = 'tool_name tool_call_id action_id';

export const SDK_EVENT: KnownObject = knownByType('kind', {
  SystemPromptEvent: known(`${EVENT} tools`, { 'system_prompt:one!': TEXT, 'dynamic_context:one': TEXT }),
  MessageEvent: known(
    `${EVENT} llm_response_id activated_skills activated_microagents sender critic_result thinking_blocks reasoning_content`,
    { 'llm_message:object!': LLM_MESSAGE, 'extended_content:parts': CHAT_PART },
  ),
  ActionEvent: known(
    [
      `${EVENT} ${OF_CALL} reasoning_content:text thinking_blocks responses_reasoning_item action llm_response_id`,
      'security_risk critic_result summary',
    ].join(' '),
    { 'thought:parts!': CHAT_PART, 'tool_call:object': SDK_CALL },
  ),
  ObservationEvent: known(`${EVENT} ${OF_CALL} observation!`, { 'extended_content:parts': CHAT_PART }),
  AgentErrorEvent: known(`${EVENT} ${OF_CALL} error:text!`),
  UserRejectObservation: known(`${EVENT} ${OF_CALL} rejection_reason:text! rejection_source`),
  Condensation: known(
    `${EVENT} forgotten_event_ids forgotten_events_start_id forgotten_events_end_id summary:text! summary_offset llm_response_id reason`,
  ),
});
