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
