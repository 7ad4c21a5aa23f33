/**
 * The members that objects of the APIs have, for `unreadIn`: those of their SDKs, and those that servers and clients
 * add. Parts that are kept as they are need no entry, because nothing of them is lost.
 */
import { type KnownObject, known, knownByType } from './unread-text.ts';

const ANTHROPIC_TEXT = known('type text citations cache_control');

/** Content blocks of the Messages API. */
export const ANTHROPIC_BLOCK: KnownObject = knownByType('type', {
  text: ANTHROPIC_TEXT,
  thinking: known('type thinking signature estimated_tokens cache_control'),
  tool_use: known('type id name input caller toolset_name cache_control partial_json index'),
  tool_result: known('type tool_use_id is_error toolset_name name cache_control', {
    content: knownByType('type', { text: ANTHROPIC_TEXT }),
  }),
});

/** Messages of the Messages API, sent or received. */
export const ANTHROPIC_MESSAGE: KnownObject = known(
  'role type id name model stop_reason stop_sequence stop_details usage container context_management diagnostics cache_control',
  { content: ANTHROPIC_BLOCK },
);

const CHAT_CALL = known(
  'id type index function custom name arguments extra_content provider_specific_fields',
  {
    function: known('name arguments parsed_arguments description parameters'),
    custom: known('name input'),
  },
);

export const CHAT_PART: KnownObject = knownByType('type', {
  text: known('type text annotations citations cache_control prompt_cache_breakpoint'),
});

/** Messages of the chat completions API. Servers add reasoning under several names, sources, and their own fields. */
export const CHAT_MESSAGE: KnownObject = known(
  [
    'role name id type tool_call_id function_call refusal audio annotations reasoning reasoning_content reasoning_details',
    'reasoning_signature thinking thinking_blocks provider_specific_fields provider metadata citations search_results',
    'images context sources executed_tools prefix partial weight phase status cache_control created_at timestamp',
  ].join(' '),
  { content: CHAT_PART, tool_calls: CHAT_CALL },
);
