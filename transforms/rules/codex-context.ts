/** Drops messages that Codex itself adds: instructions of the repository, the environment, permissions, modes, skills. */
import { AGENTS_FILE, blockOf, dropBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const TAGS = [
  ...['user_instructions', 'environment_context', 'permissions instructions', 'collaboration_mode'],
  // versions since about 0.118 write these beside the permissions and the mode
  ...['app-context', 'apps_instructions', 'skills_instructions', 'plugins_instructions'],
  ...['multi_agent_mode', 'model_switch', 'personality_spec'],
];

const codexContext: MessageRule = dropBlocks(
  'codex-context',
  'Drops messages that consist of blocks written by Codex only: instructions of the repository, <environment_context>, <permissions instructions>, <collaboration_mode>, <skills_instructions> and others.',
  // the text about a mode says that only another `<collaboration_mode>...</collaboration_mode>` changes it
  [AGENTS_FILE, ...TAGS.map((tag) => ({ ...blockOf(tag), namesTag: true }))],
  ...['user', 'developer'],
);

export default codexContext;
