import { describe, expect, it } from 'vitest';
import {
  assistantCalls,
  hasFunctionCall,
  knownToolCalls,
} from '../../../transforms/model/assistant-calls.ts';
import { assistant, call, calling, messageOf } from '../checks/samples.ts';

describe('assistantCalls', () => {
  it('returns the calls of an assistant', () => {
    expect(assistantCalls(calling(call('1', 'a'), call('2', 'b'))).map(({ name }) => name)).toEqual([
      'a',
      'b',
    ]);
  });

  it.each([
    [assistant('x')],
    [messageOf({ role: 'assistant', tool_calls: {} })],
    [messageOf({ role: 'user', tool_calls: [call('1', 'a')] })],
  ])('returns no calls of other messages', (message) => {
    expect(assistantCalls(message)).toEqual([]);
  });

  it('reads each message once', () => {
    const message = calling(call('1', 'a'));
    expect(knownToolCalls(message)).toBe(knownToolCalls(message));
  });
});

describe('hasFunctionCall', () => {
  it.each([
    [{ name: 'a' }, true],
    ['a', true],
    [null, false],
    [undefined, false],
  ])('of %j is %j', (function_call, is) => {
    expect(hasFunctionCall(messageOf({ role: 'assistant', function_call }))).toBe(is);
  });
});
