import { expect, it } from 'vitest';
import type { Conversation, ToolDefinition } from '../../../transforms/model/element.ts';
import { apply } from '../../../transforms/stage.ts';
import toolDedupe, { firstByName } from '../../../transforms/stages/tool-dedupe.ts';
import { conversationOf, entryOf } from '../checks/samples.ts';

const tool = (name: string | undefined, version: number): ToolDefinition => ({
  name,
  bytes: Buffer.from(`{"v":${version}}`),
});
const A1 = tool('a', 1);
const A2 = tool('a', 2);
const B = tool('b', 1);
const NAMELESS = tool(undefined, 1);

it('keeps the first definition of each name and all without a name, in order', () => {
  expect(firstByName([A1, NAMELESS, B, A2, NAMELESS, B])).toEqual([A1, NAMELESS, B, NAMELESS]);
  expect(firstByName([])).toEqual([]);
});

it('accepts names that break plain objects', () => {
  const tools = ['__proto__', 'constructor', '__proto__'].map((name) => tool(name, 1));
  expect(firstByName(tools).map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
});

it('counts omitted definitions as conflicts, and the ledger adds up', () => {
  const toolCounts = { seen: 9, kept: 4, duplicateSame: 5, duplicateConflict: 0 };
  const conversation = conversationOf([], { tools: [A1, A2, B, NAMELESS], toolCounts });
  const [deduped] = apply(toolDedupe.create({}), [conversation]) as Iterable<Conversation>;
  expect(deduped).toEqual({
    ...conversation,
    tools: [A1, B, NAMELESS],
    toolCounts: { seen: 9, kept: 3, duplicateSame: 5, duplicateConflict: 1 },
  });
});

it('passes other elements on', () => {
  const entry = entryOf([]);
  expect([...apply(toolDedupe.create({}), [entry])]).toEqual([entry]);
});
