/** The members of the lines of a rollout beside its items, and the types of those about the client. */
import { ANYTHING, type KnownObject, known } from '../shared/unread-text.ts';

export const HEADER: KnownObject = known(
  [
    'id session_id timestamp cwd originator cli_version instructions source thread_source agent_nickname agent_role',
    'agent_path model_provider dynamic_tools git memory_mode history_base history_mode forked_from_id',
    'forked_from_ordinal parent_thread_id context_window multi_agent_version selected_capability_roots environments',
    'workspace_roots permission_profile subagent_history_start_ordinal session_prefix model effort type',
  ].join(' '),
  { base_instructions: known('text:text! provenance') },
);
export const COMPACTED: KnownObject = known(
  'message:text! window_number window_id first_window_id previous_window_id type reason',
  { 'replacement_history:list!': ANYTHING },
);

/** Lines and items about the client, not the conversation. */
export const CLIENT: ReadonlySet<string> = new Set([
  ...['ghost_snapshot', 'compaction_trigger', 'world_state', 'inter_agent_communication_metadata'],
]);
