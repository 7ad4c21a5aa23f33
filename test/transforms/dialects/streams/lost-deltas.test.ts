/** Chunks and deltas whose content is in a member that is not known: the answer lacks it, so it is rejected. */
import { describe, expect, it } from 'vitest';
import { dumped, entriesOf } from '../read-streams.ts';

const reasonOf = (...events: readonly object[]): string | undefined =>
  entriesOf(dumped(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))[0]?.refused?.reason;

describe('a chunk of a chat completion', () => {
  const chunk = { id: 'c', object: 'chat.completion.chunk' };
  const start = { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'I look.' } }] };

  it('may have other members than its choices', () => {
    expect(reasonOf(start, { ...chunk, usage: { total_tokens: 1 } })).toBeUndefined();
  });

  it.each([
    { options: [{ index: 0, delta: { content: 'Then I dig.' } }] },
    { choices: [{ index: 0, step: { content: 'Then I dig.' } }] },
    { choices: [{ index: 0, delta: { reasoning: { steps: 'Then I dig.' } } }] },
  ])('%j is not left out', (more) => {
    expect(reasonOf(start, { ...chunk, ...more })).toBe('unknown-content');
  });
});

it('a delta of the Responses API is not left out', () => {
  const created = { type: 'response.created', response: { id: 'r', output: [] } };
  const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0 };
  expect(reasonOf(created, { ...delta, delta: 'I look.' })).toBeUndefined();
  expect(reasonOf(created, { ...delta, delta: 'I look.' }, { ...delta, piece: 'Then I dig.' })).toBe(
    'unknown-content',
  );
});
