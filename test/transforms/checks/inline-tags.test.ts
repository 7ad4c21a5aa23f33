import { describe, expect, it } from 'vitest';
import inlineTags, { isBalanced } from '../../../transforms/checks/inline-tags.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { assistant, call, calling, messageOf, named, recordOf, result, texts, user } from './samples.ts';

const check = (...written: readonly Message[]) => [
  ...inlineTags.check(recordOf('chat-inline', [user('x')], written)),
];
const GOOD = '<tool_call>{}</tool_call>';

describe('inline-tags', () => {
  it('reports nothing for a record that can be read back', () => {
    const wrapped = messageOf({ role: 'tool', content: '<tool_result tool_call_id="1">x</tool_result>' });
    const parts = assistant([{ type: 'text', text: GOOD }]);
    const none = messageOf({ role: 'assistant', content: GOOD, tool_calls: [] });
    expect(
      check(user('<tool_call>'), assistant(`Hi\n${GOOD}\n${GOOD}`), parts, none, assistant(null), wrapped),
    ).toEqual([]);
  });

  it('reports unpaired tags', () => {
    expect(named(check(assistant(`${GOOD}<tool_call>`)))).toEqual(['ERROR unbalanced-tool-call-tags']);
  });

  it.each([[[call('1', 'a')]], [{}]])('reports leftover calls %j', (tool_calls) => {
    expect(named(check(messageOf({ role: 'assistant', tool_calls })))).toEqual(['ERROR tool-calls-left']);
  });

  it.each([
    [messageOf({ role: 'tool', content: 'x' })],
    [messageOf({ role: 'tool' })],
    [messageOf({ role: 'tool', content: '<tool_result tool_call_id="1">x' })],
    [messageOf({ role: 'tool', content: 'x</tool_result>' })],
    [result('1', '<tool_result tool_call_id="1">x</tool_result>')],
  ])('reports an unwrapped result', (message) => {
    expect(named(check(message))).toEqual(['ERROR tool-result-unwrapped']);
  });

  it('reports the position', () => {
    expect(
      texts(check(user('x'), assistant('</tool_call>'), result('1', 'x'), calling(call('1', 'a')))),
    ).toEqual([
      'messages[1] has unbalanced <tool_call> tags',
      'messages[2] is a tool message without <tool_result> around it',
      'messages[3] still has tool_calls',
    ]);
  });

  it('ignores records of other formats', () => {
    expect([...inlineTags.check(recordOf('chat', [], [result('1', 'x'), assistant('<tool_call>')]))]).toEqual(
      [],
    );
  });
});

describe('isBalanced', () => {
  it.each([[''], [GOOD], [GOOD.repeat(3)], ['<tool_result>'], ['<tool_call >'], ['< tool_call>']])(
    'is true for %j',
    (text) => {
      expect(isBalanced(text)).toBe(true);
    },
  );

  it.each([
    ['<tool_call>'],
    ['</tool_call>'],
    ['</tool_call><tool_call>'],
    ['<tool_call><tool_call></tool_call></tool_call>'],
    [`${GOOD}</tool_call>`],
  ])('is false for %j', (text) => {
    expect(isBalanced(text)).toBe(false);
  });
});
