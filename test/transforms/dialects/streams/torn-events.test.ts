/** An event of a stream that is torn: an answer that goes on after it has a hole, so it is rejected. */
import { describe, expect, it, test } from 'vitest';
import { conversations, question, read } from '../call-logs.ts';
import { dumped, entriesOf } from '../read-streams.ts';

const chunk = (delta: object, finish: string | null = null) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] },
});
const STREAMS: Readonly<Record<string, readonly object[]>> = {
  chat: [
    ...['The ferry ', 'leaves at nine ', 'from pier 4.'].map((content) => chunk({ content })),
    chunk({}, 'stop'),
  ],
  anthropic: [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } },
    ...['The ferry ', 'leaves at nine ', 'from pier 4.'].map((text) => ({
      ...{ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    })),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ],
  gemini: ['The ferry ', 'leaves at nine ', 'from pier 4.'].map((text) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] } }],
  })),
  responses: [
    { type: 'response.created', response: { id: 'r', object: 'response', output: [] } },
    ...['The ferry ', 'leaves at nine ', 'from pier 4.'].map((delta) => ({
      ...{ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta },
    })),
  ],
};
const WHOLE = {
  type: 'response.completed',
  response: {
    ...{ id: 'r', object: 'response', status: 'completed' },
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Nine.' }] }],
  },
};

/** The stream with the event that has this text cut in half. */
function torn(events: readonly object[], text: string, prefix = 'data: '): string {
  const lines = events.map((event) => JSON.stringify(event));
  const cut = lines.map((line) => (line.includes(text) ? line.slice(0, line.length >> 1) : line));
  expect(cut).not.toEqual(lines);
  return cut.map((line) => `${prefix}${line}\n`).join(prefix === '' ? '' : '\n');
}

const reasonOf = (dump: string): string | undefined => entriesOf(dumped(dump))[0]?.refused?.reason;

describe.each(Object.entries(STREAMS))('%s', (_api, events) => {
  it.each([
    ['of server-sent events', 'data: '],
    ['of JSON lines', ''],
  ])('a dump %s has a hole, or ends early', (_kind, prefix) => {
    expect(reasonOf(torn(events, 'at nine', prefix))).toBe('unknown-content');
    expect(reasonOf(torn(events, 'pier 4', prefix))).toBeUndefined();
  });

  test('the body of a response is rejected as a whole, and its beginning is read', () => {
    const pair = (response: string) => ({ messages: [question], response });
    const rejected = read([pair(torn(events, 'at nine'))]);
    expect(rejected).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
    expect(conversations(pair(torn(events, 'pier 4')))).toEqual([
      [question, { role: 'assistant', content: 'The ferry leaves at nine ' }],
    ]);
  });
});

test('an answer that the stream repeats as a whole has no hole', () => {
  expect(reasonOf(torn([...(STREAMS.responses ?? []), WHOLE], 'at nine'))).toBeUndefined();
});

test('words that are no event, such as those of a proxy, tear nothing', () => {
  const [first, ...others] = (STREAMS.chat ?? []).map((event) => `data: ${JSON.stringify(event)}\n\n`);
  expect(reasonOf([first, 'data: ping\n\n', ...others].join(''))).toBeUndefined();
});

test('arguments in an event under another name are not left out', () => {
  const events = [
    { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'f' } },
    { wrapped: { type: 'content_block_delta', index: 0, delta: { partial_json: '{"bed":' } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '2}' } },
    { type: 'message_stop' },
  ];
  const response = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  expect(read([{ messages: [question], response }])).toMatchObject([{ reason: 'unknown-content' }]);
});
