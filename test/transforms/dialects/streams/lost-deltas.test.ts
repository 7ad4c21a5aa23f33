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
    { choices: [{ index: 0, text: 'Then I dig.', delta: { content: 'Then I rest.' } }] },
  ])('%j is not left out', (more) => {
    expect(reasonOf(start, { ...chunk, ...more })).toBe('unknown-content');
  });
});

it('reasoning of a delta is not left out if it is under a second name, unless both say the same', () => {
  const rulesOf = (...deltas: readonly object[]) => {
    const chunks = deltas.map((delta) => ({
      ...{ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] },
    }));
    const all = [
      ...chunks,
      { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ];
    const [entry] = entriesOf(dumped(all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')));
    return [...(entry?.messages ?? []), ...(entry?.reply ? [entry.reply] : [])].flatMap(({ notes = [] }) =>
      notes.map(({ rule }) => rule),
    );
  };
  const start = { role: 'assistant', content: 'b' };
  expect(
    rulesOf(
      { ...start, reasoning: 'I ', reasoning_content: 'I ' },
      { reasoning: 'see.', reasoning_content: 'see.' },
    ),
  ).not.toContain('unread-text');
  for (const [first, second] of [
    [{ reasoning: 'I dig.' }, { reasoning_content: 'I look.' }],
    [{ reasoning: 'I look and dig.' }, { reasoning_content: 'I look' }],
  ])
    expect(rulesOf({ ...start, ...first }, second as object)).toContain('unread-text');
});

it('a delta of the Responses API is not left out', () => {
  const created = { type: 'response.created', response: { id: 'r', output: [] } };
  const delta = { type: 'response.output_text.delta', output_index: 0, content_index: 0 };
  expect(reasonOf(created, { ...delta, delta: 'I look.' })).toBeUndefined();
  expect(reasonOf(created, { ...delta, delta: 'I look.' }, { ...delta, piece: 'Then I dig.' })).toBe(
    'unknown-content',
  );
});
