/** Streams that go on after their answer: nothing says which of the two answers counts, and they are not joined. */
import { expect, it } from 'vitest';
import { answerInList, answerInText } from '../../../../transforms/dialects/streams/assembler.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

const rulesOf = (events: readonly object[]): readonly string[] =>
  answerInList(new JsonView(encode(JSON.stringify(events))))?.notes.map(({ rule }) => rule) ?? ['no stream'];

const chunk = (content: string, finish_reason: string | null = null, more: object = {}): object => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content }, finish_reason }],
  ...more,
});
const line = (content: string, done: boolean): object => ({ message: { role: 'assistant', content }, done });
const part = (text: string, finishReason?: string): object => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason }],
});

/** A chunk with a role. */
const begun = (content: string, id: string): object => ({
  ...chunk(content),
  choices: [{ index: 0, delta: { role: 'assistant', content } }],
  id,
});
const withId = (id: string, content: string, finish: string | null = null): object =>
  chunk(content, finish, { id });

/** Pieces of a call, the last one with a reason to end, as Together writes each of several calls. */
const callAt = (index: number): readonly object[] =>
  [{ id: `c${index}`, function: { name: 'f', arguments: '' } }, { function: { arguments: '{}' } }].map(
    (piece, i) => ({
      object: 'chat.completion.chunk',
      choices: [
        { index: 0, delta: { tool_calls: [{ index, ...piece }] }, finish_reason: i ? 'tool_calls' : null },
      ],
    }),
  );

it('has all calls of a stream that ends each of them', () => {
  const answer = answerInList(new JsonView(encode(JSON.stringify([...callAt(0), ...callAt(1)]))));
  expect(JSON.parse(Buffer.from(answer?.json ?? []).toString()).choices[0].message.tool_calls).toMatchObject([
    { id: 'c0', function: { name: 'f', arguments: '{}' } },
    { id: 'c1', function: { name: 'f', arguments: '{}' } },
  ]);
});

it.each([
  ['a reason to end after each call', [...callAt(0), ...callAt(1)]],
  ['a role under the id of a gateway first', [begun('', 'a'), begun('I', 'b'), withId('b', ' see.', 'stop')]],
  [
    'another id and a role in every chunk',
    [begun('I', 'a'), begun(' see', 'b'), begun('.', 'c'), withId('d', '', 'stop')],
  ],
  ['another id without a role', [begun('I', 'a'), withId('a', ' see'), withId('b', '.', 'stop')]],
  ['a role in every chunk', [begun('I', 'a'), begun(' see.', 'a'), withId('a', '', 'stop')]],
  ['an id that some chunks lack', [begun('I', 'a'), begun(' see.', ''), withId('a', '', 'stop')]],
  ['a reason to end in every chunk', [chunk('I', 'stop'), chunk(' see.', 'stop')]],
  ['a reason that says nothing', [chunk('I', ''), chunk(' see.', 'null'), chunk('', 'stop')]],
  ['usage after the end', [chunk('I see.', 'stop'), chunk('', null, { usage: { total_tokens: 1 } })]],
  [
    'two choices',
    [chunk('I see.', 'stop'), { ...chunk(''), choices: [{ index: 1, delta: { content: 'No.' } }] }],
  ],
  ['a reason to end in every chunk of Gemini', [part('I', 'STOP'), part(' see.', 'STOP')]],
  ['an empty part after the end', [part('I see.', 'STOP'), part('')]],
])('%s is one answer', (_, events) => {
  expect(rulesOf(events)).toEqual([]);
});

it.each([
  [
    'chunks of a second server, with a role under another id',
    [begun('', 'a'), withId('a', 'I s'), begun('', 'b'), withId('b', 'No.'), withId('b', '', 'stop')],
  ],
  ['such chunks with the text', [begun('I s', 'a'), begun('No.', 'b'), withId('b', '', 'stop')]],
  ['chunks after the end', [chunk('I see.', 'stop'), chunk('No.'), chunk('', 'stop')]],
  ['an earlier call after the end', [...callAt(1), ...callAt(0)]],
  ['a text after the end of the calls', [...callAt(0), chunk('No.'), chunk('', 'stop')]],
  ['lines of Ollama after the end', [line('I see.', true), line('No.', false), line('', true)]],
  ['chunks of Gemini after the end', [part('I see.', 'STOP'), part('No.'), part('', 'STOP')]],
  [
    'chunks of Gemini with another id',
    [
      { ...part('I see.'), responseId: 'a' },
      { ...part('No.', 'STOP'), responseId: 'b' },
    ],
  ],
  [
    'events of Converse that start again',
    [
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'I see.' } } },
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'No.' } } },
      { messageStop: { stopReason: 'end_turn' } },
    ],
  ],
])('%s are another answer', (_, events) => {
  expect(rulesOf(events)).toEqual(['unknown-content']);
});

it('a piece after [DONE] is of another answer, even with a reason to end', () => {
  const event = (content: string): string => `data: ${JSON.stringify(chunk(content, 'stop'))}\n\n`;
  const notes = answerInText(`${event('I see.')}data: [DONE]\n\n${event('No.')}data: [DONE]\n\n`)?.notes;
  expect(notes?.map(({ rule }) => rule)).toEqual(['unknown-content']);
});
