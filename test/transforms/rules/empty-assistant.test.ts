import { describe, expect, test } from 'vitest';
import emptyAssistant from '../../../transforms/rules/empty-assistant.ts';
import { IMAGE, messageOf, of, part, raw, SPACES } from './rule-samples.ts';

describe('suspects an assistant message', () => {
  test.each([
    ['with an empty text', of('assistant', '')],
    ['with white space of any kind', of('assistant', SPACES)],
    ['without parts', of('assistant', [])],
    ['with empty parts', of('assistant', [part(''), part(' ')])],
    ['with no calls in its list', messageOf({ role: 'assistant', content: '', tool_calls: [] })],
    [
      'with null calls and id',
      messageOf({ role: 'assistant', content: '', tool_calls: null, tool_call_id: null }),
    ],
    ['with an empty id', messageOf({ role: 'assistant', content: '', tool_call_id: '' })],
    ['with other members', messageOf({ role: 'assistant', content: '', refusal: 'no' })],
    ['whose last content is empty', raw('assistant', '{"role":"assistant","content":"a","content":""}')],
  ])('%s', (_what, message) => {
    expect(emptyAssistant.suspects(message)).toBe(true);
  });
});

describe('does not suspect', () => {
  test.each([
    ['a text', of('assistant', 'a')],
    ['a byte order mark', of('assistant', '\ufeff')],
    ['a zero-width space', of('assistant', '\u200b')],
    ['null content', of('assistant', null)],
    ['no content', messageOf({ role: 'assistant' })],
    ['content that is an object', of('assistant', {})],
    ['a part that is not text', of('assistant', [part(''), IMAGE])],
    ['a part without text', of('assistant', [{ type: 'text' }])],
    ['a call', messageOf({ role: 'assistant', content: '', tool_calls: [{}] })],
    ['calls that are not a list', messageOf({ role: 'assistant', content: '', tool_calls: {} })],
    ['a call id', messageOf({ role: 'assistant', content: '', tool_call_id: 'x' })],
    ['a call id that is a number', messageOf({ role: 'assistant', content: '', tool_call_id: 0 })],
    ['another role', of('user', '')],
    ['no role', of('', '')],
  ])('%s', (_what, message) => {
    expect(emptyAssistant.suspects(message)).toBe(false);
  });
});

test('drops it when the next message is of the assistant too', () => {
  const message = of('assistant', '');
  expect(emptyAssistant.drops(message, of('assistant', 'a'))).toBe(true);
  expect(emptyAssistant.drops(message, of('assistant', ''))).toBe(true);
  for (const role of ['user', 'system', 'tool', ''])
    expect(emptyAssistant.drops(message, of(role, ''))).toBe(false);
});

test('reads 5 MB of spaces in linear time', () => {
  expect(emptyAssistant.suspects(of('assistant', ' '.repeat(5_000_000)))).toBe(true);
  expect(emptyAssistant.suspects(of('assistant', `${' '.repeat(5_000_000)}x`))).toBe(false);
});
