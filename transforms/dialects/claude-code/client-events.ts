/** Lines about the client, not the conversation. */
export const CLIENT_EVENTS: ReadonlySet<string> = new Set([
  ...['system', 'attachment', 'progress', 'summary', 'file-history-snapshot', 'queue-operation'],
  ...['last-prompt', 'ai-title', 'custom-title', 'permission-mode', 'pr-link', 'mode', 'result'],
  ...['agent-name', 'agent-color', 'agent-setting', 'tag', 'task-summary', 'worktree-state', 'relocated'],
  ...['file-history-delta', 'attribution-snapshot', 'content-replacement', 'speculation-accept'],
  ...['continued-in', 'ended-by-model', 'bridge-session', 'history-suppression', 'isolation-latch'],
  ...['atis-latch', 'cost-state', 'observer-ref', 'frame-link', 'artifact-autoreact-ledger'],
  'artifact-comment-monitor',
  // only in stream-json
  ...['control_request', 'control_response', 'control_cancel_request', 'keep_alive', 'auth_status'],
  ...['rate_limit_event', 'tool_progress', 'tool_use_summary', 'prompt_suggestion', 'subagent_token_usage'],
]);
