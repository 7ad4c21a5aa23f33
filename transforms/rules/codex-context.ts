/** Drops messages that Codex writes itself: instructions of the repository, the environment, permissions, the mode. */
import type { Message } from '../model/element.ts';
import { firstVisible, textOf } from '../model/message.ts';
import { type Block, blockOf, isBlocks } from './blocks.ts';
import type { MessageRule } from './rule.ts';

const ROLES: ReadonlySet<string> = new Set(['user', 'developer']);
const BLOCKS: readonly Block[] = [
  { open: '# AGENTS.md instructions', close: '</INSTRUCTIONS>' },
  ...['user_instructions', 'environment_context', 'permissions instructions', 'collaboration_mode'].map(
    blockOf,
  ),
];

function apply(message: Message): Message | undefined {
  if (!ROLES.has(message.role) || !'<#'.includes(firstVisible(message) ?? '<')) return message;
  const { text, otherParts } = textOf(message);
  return text !== undefined && !otherParts && isBlocks(text, BLOCKS) ? undefined : message;
}

const codexContext: MessageRule = {
  name: 'codex-context',
  summary:
    'Drops messages that consist of blocks written by Codex only: instructions of the repository, <environment_context>, <permissions instructions>, <collaboration_mode>.',
  on: 'message',
  apply,
};

export default codexContext;
