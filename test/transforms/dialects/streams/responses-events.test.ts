import { describe, expect, test } from 'vitest';
import { dumped, entriesOf, paired, replyIn } from '../read-streams.ts';

describe('events of the Responses API', () => {
  const read = (...events: readonly object[]) => replyIn(paired(events));
  const created = { type: 'response.created', response: { id: 'r', output: [] } };

  test('may lack their index', () => {
    const item = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'ab' }],
    };
    const deltas = ['a', 'b'].map((delta) => ({ type: 'response.output_text.delta', delta }));
    const call = { type: 'function_call', id: 'c', call_id: 'c', name: 'f', arguments: '{}' };
    const done = [item, call].map((one) => ({ type: 'response.output_item.done', item: one }));
    expect(read(created, ...deltas)).toMatchObject({ text: 'ab' });
    expect(read(created, ...deltas, ...done)).toMatchObject({ text: 'ab', calls: [{ id: 'c' }] });
  });

  test('that come out of order are not joined, unless another event has the whole', () => {
    const piece = (delta: string, sequence_number: number) => ({
      ...{ type: 'response.output_text.delta', output_index: 0, content_index: 0 },
      ...{ delta, sequence_number },
    });
    const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ab' }] };
    const done = { type: 'response.output_item.done', output_index: 0, item };
    const completed = { type: 'response.completed', response: { id: 'r', output: [item] } };
    const refused = (...events: readonly object[]) =>
      entriesOf(dumped([created, ...events].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''))).map(
        (entry) => entry.refused?.reason ?? replyIn(entry),
      );
    const whole = [expect.objectContaining({ text: 'ab' })];
    const [late, early] = [piece('b', 2), piece('a', 1)];
    expect(refused(late, early)).toEqual(['unknown-content']);
    expect(refused(early, late)).toEqual(whole);
    expect(refused(late, early, done)).toEqual(whole);
    expect(refused(late, early, completed)).toEqual(whole);
    expect(refused(piece('a', 0), piece('b', 0))).toEqual(whole);
  });

  test('may have their texts whole, without pieces', () => {
    const text = { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'a' };
    const item = { type: 'function_call', id: 'c', call_id: 'c', name: 'f', arguments: '' };
    const call = { type: 'response.output_item.added', output_index: 1, item };
    const args = { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{}' };
    expect(read(created, text, call, args)).toMatchObject({ text: 'a', calls: [{ arguments: '{}' }] });
  });

  test('may have an error after a response that failed', () => {
    const failed = { id: 'r', status: 'failed', error: { code: 'x' }, output: [] };
    const events = [
      { type: 'response.failed', response: failed },
      { type: 'error', code: 'x' },
      { type: 'response.created', response: { id: 's', output: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' },
    ];
    const entries = entriesOf(dumped(events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')));
    expect(entries.map(({ lines }) => lines?.count)).toEqual([2, 2]);
    expect(replyIn(entries[1])).toMatchObject({ text: 'a' });
  });
});
