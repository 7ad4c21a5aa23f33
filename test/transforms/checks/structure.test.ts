import { describe, expect, it } from 'vitest';
import structure from '../../../transforms/checks/structure.ts';
import { conversationOf, GOOD_TOOL, named, texts, toolOf, user } from './samples.ts';

const hello = [user('Hello')];
const withTool = (value: unknown, name?: string) =>
  conversationOf(hello, { tools: [GOOD_TOOL, toolOf(value, name)] });
const parameters = { type: 'object', properties: { a: {} } };

describe('structure', () => {
  it('reports nothing for messages and a complete tool', () => {
    expect([...structure.check(conversationOf(hello))]).toEqual([]);
    expect([...structure.check(withTool({ name: 'x', parameters }))]).toEqual([]);
  });

  it('reports a conversation without messages and one without tools', () => {
    expect(named(structure.check(conversationOf([])))).toEqual(['ERROR empty-messages']);
    expect(named(structure.check(conversationOf(hello, { tools: [] })))).toEqual(['WARNING no-tools']);
    const never = { tools: [], lacks: ['tools'] } as const;
    expect([...structure.check(conversationOf(hello, never))]).toEqual([]);
  });

  it.each([[[]], ['read'], [null], [1]])('reports that the tool %j is not an object', (tool) => {
    expect(named(structure.check(withTool(tool)))).toEqual(['ERROR tool-not-object']);
  });

  it.each([
    [{}, 'parameters is not an object'],
    [{ parameters: null }, 'parameters is not an object'],
    [{ parameters: [] }, 'parameters is not an object'],
    [{ parameters: { properties: {} } }, 'parameters.type is not "object"'],
    [{ parameters: { ...parameters, type: ['object'] } }, 'parameters.type is not "object"'],
    [{ parameters: { ...parameters, type: 'array' } }, 'parameters.type is not "object"'],
    [{ parameters: { type: 'object' } }, 'parameters.properties is not an object'],
    [{ parameters: { ...parameters, properties: [] } }, 'parameters.properties is not an object'],
    [{ parameters: { ...parameters, required: 'a' } }, 'parameters.required is not a list'],
    [{ parameters: { ...parameters, required: null } }, 'parameters.required is not a list'],
  ])('reports %j', (tool, fault) => {
    const found = [...structure.check(withTool(tool, 'x'))];
    expect(named(found)).toEqual(['ERROR tool-parameters']);
    expect(texts(found)).toEqual([`tools[1] "x": ${fault}`]);
  });
});
