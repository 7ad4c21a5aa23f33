/**
 * Events of a rollout (`event_msg`) by type. They repeat what the items say, or are about the client. Only if a rollout
 * has no items do its events say what was said.
 */
import { JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import { wordSet } from '../../model/words.ts';
import { joinStrings } from '../shared/build-messages.ts';
import { unreadText } from '../shared/reading-notes.ts';
import { says } from '../shared/unread-text.ts';

/** Events with a text of the user or the model, in the member `message` or `text`. */
const SAID: ReadonlyMap<string, 'user' | 'answer' | 'thought'> = new Map([
  ['user_message', 'user'],
  ['agent_message', 'answer'],
  ['agent_reasoning', 'thought'],
  ['agent_reasoning_raw_content', 'thought'],
]);

/** Members of a text of the user with its images: the first has them, the second names files. */
const IMAGES = ['images', 'local_images'] as const;
/** For a conversation of events alone: items have their images as parts. */
export const IMAGES_LOST: ReadingNote = unreadText('an image that only an event has is not read');

/** Items that an event has whole, with a list of texts. */
const SAID_ITEMS: ReadonlyMap<string, 'user' | 'answer'> = new Map([
  ['UserMessage', 'user'],
  ['AgentMessage', 'answer'],
]);

/** The text of the client after a compaction, logged as an answer. */
const COMPACTED = 'Compact task completed';

const isCompacted = (text: JsonView | undefined): boolean =>
  text?.length === COMPACTED.length + 2 && text.text() === COMPACTED;

/** Ends of calls. */
const CALLS: ReadonlySet<string> = wordSet(`
  exec_command_end mcp_tool_call_end patch_apply_end web_search_end image_generation_end
  dynamic_tool_call_response view_image_tool_call
`);

/** Events about the client, and pieces of others (protocol.rs of Codex, `EventMsg`). */
const CLIENT: ReadonlySet<string> = wordSet(`
  error warning guardian_warning model_reroute model_verification context_compacted thread_rolled_back
  turn_aborted token_count task_started turn_started task_complete turn_complete turn_completed
  session_configured shutdown_complete stream_error agent_message_delta agent_message_content_delta
  agent_reasoning_delta plan_delta agent_reasoning_raw_content_delta agent_reasoning_section_break
  reasoning_content_delta reasoning_raw_content_delta thread_name_updated thread_goal_updated
  thread_settings_applied mcp_startup_update mcp_startup_complete mcp_tool_call_begin
  mcp_list_tools_response web_search_begin image_generation_begin exec_command_begin
  exec_command_output_delta terminal_interaction exec_approval_request request_permissions
  request_user_input dynamic_tool_call_request elicitation_request apply_patch_approval_request
  guardian_assessment deprecation_notice background_event undo_started undo_completed patch_apply_begin
  patch_apply_updated turn_diff plan_update get_history_entry_response list_custom_prompts_response
  list_skills_response list_remote_skills_response remote_skill_downloaded skills_update_available
  entered_review_mode exited_review_mode raw_response_item item_started item_completed hook_started
  hook_completed collab_agent_spawn_begin collab_agent_spawn_end collab_agent_interaction_begin
  collab_agent_interaction_end collab_waiting_begin collab_waiting_end collab_close_begin collab_close_end
  collab_resume_begin collab_resume_end collab_compact_begin collab_compact_end sub_agent_activity
`);
const REALTIME = /^realtime_conversation_/;

/** A text of the user or the model. */
export interface CodexSaid {
  readonly kind: 'user' | 'answer' | 'thought';
  readonly text: JsonView;
  /** Whether it is the event of a whole item, which has the text of another event again. */
  readonly isItem?: boolean;
  readonly hasImages?: boolean;
}

export type CodexEvent =
  | CodexSaid
  | { readonly kind: 'client' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'bad'; readonly detail: string };

/** @param isAlone whether no item repeats the event */
export function readCodexEvent(event: JsonView, isAlone: boolean): CodexEvent {
  const type = event.textOf('type');
  const said = SAID.get(type ?? '');
  if (type === 'item_completed') return readCompleted(event.get('item'), isAlone);
  if (said !== undefined) {
    const text = event.get('message') ?? event.get('text');
    if (said === 'answer' && isCompacted(text)) return { kind: 'client' };
    if (text?.type === 'string')
      return { kind: said, text, hasImages: IMAGES.some((key) => says(event.get(key))) };
    const isBad = isAlone || said === 'answer'; // an answer may be in its event alone
    return isBad ? { kind: 'bad', detail: 'the event has no text' } : { kind: 'client' };
  }
  if (type !== undefined && CALLS.has(type))
    return isAlone ? { kind: 'bad', detail: 'only an event has the call, no item' } : { kind: 'client' };
  if (type !== undefined && (CLIENT.has(type) || REALTIME.test(type))) return { kind: 'client' };
  return { kind: 'unknown' };
}

function readCompleted(item: JsonView | undefined, isAlone: boolean): CodexEvent {
  const kind = SAID_ITEMS.get(item?.textOf('type') ?? '');
  if (kind === undefined) return { kind: 'client' };
  const parts = item?.get('content')?.elements() ?? [];
  const texts = parts.flatMap((part) => part.get('text') ?? []).filter(({ type }) => type === 'string');
  const [text] = texts;
  if (text !== undefined && isCompacted(text)) return { kind: 'client' };
  if (text !== undefined) return { kind, text: texts.length === 1 ? text : joined(texts), isItem: true };
  const isBad = isAlone || kind === 'answer';
  return isBad ? { kind: 'bad', detail: 'the event has no text' } : { kind: 'client' };
}

const joined = (texts: readonly JsonView[]): JsonView =>
  new JsonView(joinStrings(texts.map((text) => text.bytes)));
