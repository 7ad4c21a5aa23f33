import { expect, test } from 'vitest';
import { text } from '../../bytes.ts';
import { dumped, entriesOf } from '../read-streams.ts';

test('a dump may begin in the middle of an answer of the Messages API', () => {
  const events = [
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"x": 1}' },
    },
    { type: 'message_stop' },
  ];
  const [entry] = entriesOf(dumped(events.map((one) => JSON.stringify(one)).join('\n')));
  expect(JSON.parse(text(entry?.reply?.bytes as Uint8Array))).toEqual({
    role: 'assistant',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"x": 1}' } }],
  });
});

test.each([
  ['an event', { type: 'content_block_more', index: 0, delta: { type: 'text_delta', text: ' Oct.' } }],
  ['a delta', { type: 'content_block_delta', index: 0, delta: { type: 'more_delta', text: ' Oct.' } }],
  [
    'a text',
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: { value: ' Oct.' } } },
  ],
])('an answer is rejected if %s of an unknown type carries content', (_, odd) => {
  const events = [
    { type: 'message_start', message: { type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'On 12' } },
    odd,
    { type: 'message_stop' },
  ];
  const [entry] = entriesOf(dumped(events.map((one) => JSON.stringify(one)).join('\n')));
  expect(entry?.refused?.reason).toBe('unknown-content');
});

test('an answer is rejected if its start has a text that its blocks lack', () => {
  const read = (started: string) => {
    const events = [
      {
        type: 'message_start',
        message: { type: 'message', role: 'assistant', content: [{ type: 'text', text: started }] },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'On 12 Oct.' } },
      { type: 'message_stop' },
    ];
    const [entry] = entriesOf(dumped(events.map((one) => JSON.stringify(one)).join('\n')));
    return entry?.refused?.reason ?? JSON.parse(text(entry?.reply?.bytes as Uint8Array)).content;
  };
  expect(read('On 12 Oct.')).toBe('On 12 Oct.');
  expect(read('Not at all.')).toBe('unknown-content');
});
