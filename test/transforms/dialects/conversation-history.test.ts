import { describe, expect, it, test } from 'vitest';
import { buildConversationHistory } from '../../../transforms/dialects/conversation-history.ts';
import { formatToolActivity } from '../../../transforms/dialects/tool-activity.ts';

const CALL = { name: 'read', arguments: { path: 'file.md' } };
const MESSAGES = [
  { role: 'user', content: 'Read file.md' },
  { role: 'assistant', content: 'Reading...', tool_calls: [CALL] },
  { role: 'tool', content: '[FILE CONTENT]' },
];
const SHOWN = [MESSAGES[0], MESSAGES[1], { ...MESSAGES[2], tool_call_id: '0-read' }];

describe('the history', () => {
  it('is an array with two blanks of indentation, and a result answers its call', () => {
    expect(buildConversationHistory(MESSAGES)).toBe(JSON.stringify(SHOWN, null, 2));
    expect(buildConversationHistory([])).toBe('[]');
  });

  it('is the same from old keys', () => {
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

  it('keeps the newest that fit', () => {
    const whole = buildConversationHistory(MESSAGES);
    const last = JSON.stringify(SHOWN.slice(1), null, 2);
    expect(buildConversationHistory(MESSAGES, { maxChars: whole.length })).toBe(whole);
    expect(buildConversationHistory(MESSAGES, { maxChars: whole.length - 1 })).toBe(last);
    expect(buildConversationHistory(MESSAGES, { maxChars: last.length })).toBe(last);
    expect(buildConversationHistory(MESSAGES, { maxChars: 10 })).toBe('[]');
  });

  it('may leave out the latest message of the user', () => {
    const shown = JSON.parse(
      buildConversationHistory(
        [...MESSAGES, { role: 'user', content: 'more' }, { role: 'assistant', content: 'a' }],
        { excludeLatestUserMessage: true },
      ),
    );
    expect(shown.map(({ content }: { content: string }) => content)).toEqual([
      'Read file.md',
      'Reading...',
      '[FILE CONTENT]',
      'a',
    ]);
  });
});

test.each([
  [CALL, 'reading: file.md'],
  [{ name: 'read', args: { path: 'file.md' } }, 'reading: file.md'],
  [{ name: 'read' }, 'reading: [current file]'],
  [{ name: 'list', arguments: { prefix: 'docs/' } }, 'listing: docs/'],
  [{ name: 'list', arguments: {} }, 'listing: [all files]'],
  [{ name: 'write', arguments: { path: 'a' } }, 'editing: a'],
  [{ name: 'append', arguments: { path: 'a' } }, 'editing: a'],
  [{ name: 'line_edit', arguments: { path: 'a' } }, 'editing: a'],
  [{ name: 'search', arguments: { path: 'a' } }, 'tool: search'],
])('%j is shown as %s', (call, line) => {
  expect(formatToolActivity(call)).toBe(line);
});
