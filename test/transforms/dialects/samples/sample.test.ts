import { describe, expect, it, test } from 'vitest';
import {
  gradingContext,
  SAMPLE_FAULTS,
  type Sample,
  validateSample,
} from '../../../../transforms/dialects/samples/sample.ts';

const turn = { role: 'user', content: 'a' };

describe('a sample', () => {
  it('of several turns and any roles is accepted unchanged', () => {
    const messages = [turn, { role: 'judge', content: 'b', x: 1 }, { role: 'tool', content: 'c' }];
    const sample = { messages, expected: { score: 1 }, tags: [] };
    expect(validateSample(sample)).toBe(sample);
  });

  test.each<readonly [sample: unknown, message: string]>([
    [undefined, 'Sample must have messages array'],
    [[], 'Sample must have messages array'],
    [{}, 'Sample must have messages array'],
    [{ messages: 'x' }, 'Sample must have messages array'],
    [{ messages: {} }, 'Sample must have messages array'],
    [{ messages: [] }, 'Messages array cannot be empty'],
    [{ messages: [turn, {}] }, 'Each message must have a role string'],
    [{ messages: [{ role: 1, content: 'a' }] }, 'Each message must have a role string'],
    [{ messages: [{ role: '', content: 'a' }] }, 'Each message must have a role string'],
    [{ messages: [null] }, 'Each message must have a role string'],
    [{ messages: [{ role: 'user' }] }, 'Each message must have a content string'],
    [{ messages: [{ role: 'user', content: '' }] }, 'Each message must have a content string'],
    [{ messages: [{ role: 'user', content: ['a'] }] }, 'Each message must have a content string'],
    [{ userMessage: 'a', assistantResponse: 'b' }, SAMPLE_FAULTS['old-shape']],
    [{ assistantResponse: 'b' }, SAMPLE_FAULTS['old-shape']],
  ])('%j is refused', (sample, message) => {
    const refused = (): unknown => {
      try {
        return validateSample(sample);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused()).toBe(message);
  });

  it('in the old form is refused with an error that shows the new one', () => {
    expect(SAMPLE_FAULTS['old-shape']).toMatch(/^Sample must have messages array.*messages.*role.*content/);
  });
});

it('has the whole conversation and the expected answer as its grading context', () => {
  const sample: Sample = { messages: [turn], expected: { score: 2 }, tags: ['x'] };
  const context = gradingContext(sample);
  expect(context).toEqual({ fullConversation: [turn], expected: { score: 2 } });
  expect(context.fullConversation).toBe(sample.messages);
  expect(gradingContext({ messages: [turn] })).toEqual({ fullConversation: [turn], expected: undefined });
});
