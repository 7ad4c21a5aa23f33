import { describe, expect, it } from 'vitest';
import { buildConversationHistory } from '../../../../transforms/dialects/text-protocol/conversation-history.ts';

const CALL = { name: 'read', arguments: { path: 'file.md' } };
const MESSAGES = [
  { role: 'user', content: 'Read file.md' },
  { role: 'assistant', content: 'Reading...', tool_calls: [CALL] },
  { role: 'tool', content: '[FILE CONTENT]' },
];
const SHOWN = [MESSAGES[0], MESSAGES[1], { ...MESSAGES[2], tool_call_id: '0-read' }];

describe('the history', () => {
  it('is an array indented by two spaces, and a result answers its call', () => {
    expect(buildConversationHistory(MESSAGES)).toBe(JSON.stringify(SHOWN, null, 2));
    expect(buildConversationHistory([])).toBe('[]');
  });

  it('is the same for messages with old keys', () => {
    const old = [
      { role: 'user', text: 'Read file.md' },
      {
        role: 'assistant',
        text: 'Reading...',
        rawText: 'Reading...<tool_call>{"name":"read","args":{"path":"file.md"}}',
        toolResult: '[FILE CONTENT]',
      },
    ];
    expect(JSON.parse(buildConversationHistory(old))).toEqual(SHOWN);
  });

  it('numbers the calls of the conversation', () => {
    const write = { role: 'assistant', content: '', tool_calls: [{ name: 'write', arguments: {} }] };
    const list = JSON.parse(
      buildConversationHistory([
        ...MESSAGES,
        write,
        { role: 'tool', content: 'ok', tool_call_id: '0-write' },
        { role: 'tool', content: 'x', tool_call_id: 'old' },
      ]),
    );
    expect(list.map((one: { tool_call_id?: string }) => one.tool_call_id)).toEqual([
      undefined,
      undefined,
      '0-read',
      undefined,
      '1-write',
      'old',
    ]);
  });

  it('keeps the newest messages that fit', () => {
    const whole = buildConversationHistory(MESSAGES);
    const last = JSON.stringify(SHOWN.slice(1), null, 2);
    expect(buildConversationHistory(MESSAGES, { maxChars: whole.length })).toBe(whole);
    expect(buildConversationHistory(MESSAGES, { maxChars: whole.length - 1 })).toBe(last);
    expect(buildConversationHistory(MESSAGES, { maxChars: last.length })).toBe(last);
    expect(buildConversationHistory(MESSAGES, { maxChars: 10 })).toBe('[]');
  });

  it('can leave out the last message if it is the user', () => {
    const more = { role: 'user', content: 'more' };
    const options = { excludeLatestUserMessage: true };
    expect(buildConversationHistory([...MESSAGES, more], options)).toBe(JSON.stringify(SHOWN, null, 2));
    expect(buildConversationHistory([more], options)).toBe('[]');
    expect(JSON.parse(buildConversationHistory([...MESSAGES, more, more], options))).toEqual([
      ...SHOWN,
      more,
    ]);
  });

  it('keeps the latest user message when others follow it', () => {
    const options = { excludeLatestUserMessage: true };
    expect(buildConversationHistory(MESSAGES, options)).toBe(JSON.stringify(SHOWN, null, 2));
    const answer = { role: 'assistant', content: 'It is empty.' };
    expect(JSON.parse(buildConversationHistory([...MESSAGES, answer], options))).toEqual([...SHOWN, answer]);
  });
});
