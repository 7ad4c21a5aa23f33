/** Stage: keeps the first tool definition of each name, and all definitions without a name. */
import type { Conversation, ToolDefinition } from '../model/element.ts';
import type { PlacedStage } from '../stage.ts';

/** The first definition of each name, and those without a name, in order. */
export function firstByName(definitions: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const names = new Set<string>();
  return definitions.filter(({ name }) => {
    if (name === undefined) return true;
    if (names.has(name)) return false;
    names.add(name);
    return true;
  });
}

function dedupe(conversation: Conversation): Conversation {
  const tools = firstByName(conversation.tools);
  const { seen, duplicateSame, duplicateConflict } = conversation.toolCounts;
  const conflicts = conversation.tools.length - tools.length;
  return {
    ...conversation,
    tools,
    toolCounts: { seen, kept: tools.length, duplicateSame, duplicateConflict: duplicateConflict + conflicts },
  };
}

const toolDedupe: PlacedStage = {
  name: 'tool-dedupe',
  after: 'supply',
  summary: 'Keeps the first tool definition of each name.',
  options: {},
  takes: 'conversation',
  create: () => ({ conversation: (conversation) => [dedupe(conversation)] }),
};

export default toolDedupe;
