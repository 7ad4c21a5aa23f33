import { describe, expect, it } from 'vitest';
import toolCalls from '../../../transforms/checks/tool-calls.ts';
import { assistant, call, calling, messageOf, named, recordOf, texts } from './samples.ts';

const withCalls = (tool_calls: unknown) => messageOf({ role: 'assistant', tool_calls });

describe('tool-calls', () => {
  it('reports nothing for well-formed, empty, null and absent calls', () => {
    const messages = [calling(call('1', 'read')), withCalls([]), withCalls(null), assistant('Hi')];
    expect([...toolCalls.check(recordOf('chat', messages))]).toEqual([]);
  });

  it.each([
    [{}, 'tool-calls-not-a-list'],
    ['[]', 'tool-calls-not-a-list'],
    [['x'], 'tool-call-not-object'],
    [[null], 'tool-call-not-object'],
    [[{ id: '1' }], 'tool-call-no-function'],
    [[{ id: '1', function: 'read' }], 'tool-call-no-function'],
    [[{ id: '1', function: {} }], 'tool-call-no-name'],
    [[{ id: '1', function: { name: 7 } }], 'tool-call-no-name'],
    [[{ id: '1', function: { name: '' } }], 'tool-call-no-name'],
  ])('reports %j as %s', (calls, rule) => {
    expect(named(toolCalls.check(recordOf('chat', [withCalls(calls)])))).toEqual([`ERROR ${rule}`]);
  });

  it('reports the position of each faulty call', () => {
    const record = recordOf('chat', [assistant('Hi'), calling(call('1', 'a'), 1, { function: {} })]);
    expect(texts(toolCalls.check(record))).toEqual([
      'messages[1].tool_calls[1] is not an object',
      'messages[1].tool_calls[2] has no function name',
    ]);
  });

  it('checks only assistant messages', () => {
    expect([...toolCalls.check(recordOf('chat', [messageOf({ role: 'user', tool_calls: 1 })]))]).toEqual([]);
  });

  it('leaves records with inline calls to the inline rules', () => {
    expect([...toolCalls.check(recordOf('chat-inline', [withCalls({})]))]).toEqual([]);
  });

  it('checks the conversation, not the record of another format', () => {
    const record = recordOf('sharegpt', [withCalls({})], [assistant('Hi')]);
    expect(named(toolCalls.check(record))).toEqual(['ERROR tool-calls-not-a-list']);
  });
});
