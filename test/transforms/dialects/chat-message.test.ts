import { expect, it, test } from 'vitest';
import { migrateMessage } from '../../../transforms/dialects/chat-message.ts';

const CALL = { name: 'read', arguments: { path: 'file.md' } };

it('an old message becomes what is stored today and nothing else', () => {
  const old = {
    role: 'assistant',
    text: "I'll read that file for you.",
    rawText: '...',
    activityLine: 'reading: file.md',
    header: 'STATE: idle',
    headerExpanded: false,
    thinkExpanded: true,
    toolCalls: [{ name: 'read', args: { path: 'file.md' }, retrigger: true }],
  };
  expect(migrateMessage(old)).toEqual({
    role: 'assistant',
    content: "I'll read that file for you.",
    tool_calls: [CALL],
  });
});

test.each<readonly [what: string, old: Record<string, unknown>, stored: object]>([
  ['today', { role: 'user', content: 'a' }, { role: 'user', content: 'a' }],
  ['no text at all', { role: 'user' }, { role: 'user', content: '' }],
  ['null, and the older text', { role: 'user', content: null, text: 'a' }, { role: 'user', content: 'a' }],
  ['an empty text is one', { role: 'user', content: '', text: 'a' }, { role: 'user', content: '' }],
  [
    'both keys: the new one',
    { role: 'tool', content: 'a', tool_call_id: 'n', toolCallId: 'o' },
    { role: 'tool', content: 'a', tool_call_id: 'n' },
  ],
  [
    'a result',
    { role: 'tool', toolResult: { n: 1 }, toolCallId: '0-read' },
    { role: 'tool', content: '', tool_result: { n: 1 }, tool_call_id: '0-read' },
  ],
  [
    'a thought is no content',
    { role: 'assistant', content: 'a', think: ' t ' },
    { role: 'assistant', content: 'a', think: 't' },
  ],
  [
    'thoughts in the text',
    { role: 'assistant', content: 't</think>a' },
    { role: 'assistant', content: 'a', think: 't' },
  ],
  [
    'thoughts in the raw text only',
    { role: 'assistant', content: 'a', rawText: '<think>t</think>a' },
    { role: 'assistant', content: 'a', think: 't' },
  ],
  [
    'a call in the raw text only',
    { role: 'assistant', text: 'a', rawText: `a\n\`\`\`tool\n${JSON.stringify(CALL)}\n\`\`\`` },
    { role: 'assistant', content: 'a', tool_calls: [CALL] },
  ],
  [
    'a call in the text',
    { role: 'assistant', content: `a\n\n\n<tool_call>${JSON.stringify(CALL)}</tool_call>\n\nb` },
    { role: 'assistant', content: 'a\n\nb', tool_calls: [CALL] },
  ],
  [
    'calls that are listed count before those in the text',
    { role: 'assistant', content: '<tool_call>{"name":"x"}</tool_call>', tool_calls: [CALL] },
    { role: 'assistant', content: '', tool_calls: [CALL] },
  ],
  [
    'OpenAI calls, and others that are none',
    { role: 'assistant', content: '', tool_calls: [{ function: CALL }, 1, {}] },
    { role: 'assistant', content: '', tool_calls: [CALL] },
  ],
  [
    'a list of calls that is none',
    { role: 'assistant', content: '', tool_calls: {} },
    { role: 'assistant', content: '' },
  ],
  [
    'too many newlines',
    { role: 'assistant', content: 'x\n\n\n\ny' },
    { role: 'assistant', content: 'x\n\ny' },
  ],
  [
    'the words of a user stay',
    { role: 'user', content: ' STATE: x\n<think>a</think> <tool_call>{"name":"f"}</tool_call>' },
    { role: 'user', content: ' STATE: x\n<think>a</think> <tool_call>{"name":"f"}</tool_call>' },
  ],
])('%s', (_what, old, stored) => {
  expect(migrateMessage(old)).toEqual(stored);
});

it('what has no role is refused', () => {
  for (const none of [{}, { role: 1 }, [], null])
    expect(() => migrateMessage(none as Record<string, unknown>)).toThrow(TypeError);
});
