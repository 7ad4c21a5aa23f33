/** Streams of the Gemini API: texts with signatures, and chunks without candidates. */
import { describe, expect, it } from 'vitest';
import { addOtherAnswer, otherAnswer } from '../../../../transforms/dialects/shared/other-apis.ts';
import { Transcript } from '../../../../transforms/dialects/shared/transcript.ts';
import { answerInList } from '../../../../transforms/dialects/streams/assembler.ts';
import { GeminiChunks } from '../../../../transforms/dialects/streams/gemini-chunks.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

const viewOf = (value: unknown): JsonView => new JsonView(encode(JSON.stringify(value)));

interface Part {
  readonly text: string;
  readonly thought?: true;
  readonly thoughtSignature?: string;
}
const chunk = (part: Part, finishReason?: string, responseId?: string): object => ({
  candidates: [{ content: { role: 'model', parts: [part] }, finishReason }],
  responseId,
});
const signed = (text: string): Part => ({ text, thoughtSignature: 'b3BhcXVl' });
const usage = { usageMetadata: { totalTokenCount: 3 }, modelVersion: 'm', responseId: 'r' };

function read(events: readonly object[], keepSealed = false) {
  const answer = answerInList(viewOf(events));
  const transcript = new Transcript(keepSealed);
  addOtherAnswer(transcript, otherAnswer(new JsonView(answer?.json ?? encode('{}'))) as JsonView);
  return {
    messages: transcript.messages.map(({ bytes }) => JSON.parse(`${Buffer.from(bytes)}`)),
    notes: answer?.notes.map(({ rule }) => rule),
  };
}

describe('a streamed answer of Gemini', () => {
  it.each([
    ['first', [signed('Forty'), { text: ' tulips.' }]],
    ['last', [{ text: 'Forty' }, signed(' tulips.')]],
    ['beside an empty text', [{ text: 'Forty' }, { text: ' tulips.' }, signed('')]],
    ['in the middle', [{ text: 'Forty' }, signed(''), { text: ' tulips.' }]],
  ])('is one text with a signature %s', (_, parts) => {
    const events = parts.map((part, i) => chunk(part, i === parts.length - 1 ? 'STOP' : undefined));
    expect(read(events)).toEqual({
      messages: [{ role: 'assistant', content: 'Forty tulips.' }],
      notes: [],
    });
    expect(read(events, true).messages).toEqual([
      {
        role: 'assistant',
        content: 'Forty tulips.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'b3BhcXVl' }],
      },
    ]);
  });

  it('may have a chunk with the tokens alone, first or last', () => {
    const events = [chunk({ text: 'Forty' }), chunk({ text: ' tulips.' }, 'STOP')];
    const expected = { messages: [{ role: 'assistant', content: 'Forty tulips.' }], notes: [] };
    expect(read([...events, usage])).toEqual(expected);
    expect(read([usage, ...events])).toEqual(expected);
  });

  it('goes on after feedback to the prompt, unless that is blocked', () => {
    const feedback = { promptFeedback: { safetyRatings: [] } };
    const events = [{ ...chunk({ text: 'Forty' }), ...feedback }, chunk({ text: ' tulips.' }, 'STOP')];
    const expected = { messages: [{ role: 'assistant', content: 'Forty tulips.' }], notes: [] };
    expect(read(events)).toEqual(expected);
    const isOverAfter = (event: object): boolean => {
      const chunks = new GeminiChunks();
      chunks.put(viewOf(event));
      return chunks.isOver;
    };
    expect(isOverAfter(events[0] as object)).toBe(false);
    expect(isOverAfter({ promptFeedback: { blockReason: 'SAFETY' } })).toBe(true);
  });

  it('goes on after a reason to end, under the same id', () => {
    const chunks = new GeminiChunks();
    chunks.put(viewOf(chunk({ text: 'Forty tulips.' }, 'STOP', 'r')));
    const begins = (id?: string): boolean => chunks.begins(viewOf(chunk(signed(''), undefined, id)));
    expect([begins('r'), begins('s'), begins()]).toEqual([false, true, true]);
  });
});

it('an empty text among the texts of an answer adds no line', () => {
  const transcript = new Transcript(false);
  const content = ['One.', '', 'Two.', ''].map((text) => ({ type: 'text', text }));
  transcript.add(viewOf({ role: 'assistant', content: [...content, { type: 'thinking', thinking: 'So.' }] }));
  expect(transcript.messages.map(({ bytes }) => JSON.parse(`${Buffer.from(bytes)}`))).toEqual([
    { role: 'assistant', content: 'One.\nTwo.', reasoning_content: 'So.' },
  ]);
});
