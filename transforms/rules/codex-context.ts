/** Drops messages that Codex itself adds: instructions of the repository, the environment, permissions, the mode. */
import { AGENTS_FILE, blockOf, dropBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const TAGS = ['user_instructions', 'environment_context', 'permissions instructions', 'collaboration_mode'];

const codexContext: MessageRule = dropBlocks(
  'codex-context',
  'Drops messages that consist of blocks written by Codex only: instructions of the repository, <environment_context>, <permissions instructions>, <collaboration_mode>.',
  [AGENTS_FILE, ...TAGS.map(blockOf)],
  ...['user', 'developer'],
);

export default codexContext;
