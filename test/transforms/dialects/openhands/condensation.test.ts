/** Several condensations in a run of OpenHands, which has one summary at a time. */
import { expect, it } from 'vitest';
import openhands from '../../../../transforms/dialects/openhands.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

/** The contents of the messages of each conversation. */
function contentsOf(...objects: readonly object[]): readonly (readonly unknown[])[] {
  const elements = readLog(
    openhands.create(),
    objects.map((object) => JSON.stringify(object)),
  );
  const entries = elements.filter((element): element is Entry => element.kind === 'entry');
  return entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(
      ({ bytes }) => JSON.parse(text(bytes)).content,
    ),
  );
}

const question = { id: 0, source: 'user', action: 'message', args: { content: 'q' } };
const answer = (id: number, content: string) => ({
  ...{ id, source: 'agent', action: 'message' },
  args: { content },
});
const condensed = (id: number, args: object) => ({ id, source: 'agent', action: 'condensation', args });

it('a later summary replaces the earlier one', () => {
  const contents = contentsOf(
    ...[question, answer(1, 'a'), answer(2, 'b'), answer(3, 'c')],
    condensed(4, { forgotten_events_start_id: 1, forgotten_events_end_id: 2, summary: 's1' }),
    answer(5, 'd'),
    condensed(6, { forgotten_events_start_id: 3, forgotten_events_end_id: 3, summary: 's2' }),
    answer(7, 'e'),
  );
  expect(contents).toEqual([
    ['q', 'a', 'b', 'c'],
    ['q', 's1', 'c', 'd'],
    ['q', 's2', 'd', 'e'],
  ]);
});

it('a summary stays in its place if the next condensation has none', () => {
  const contents = contentsOf(
    ...[question, answer(1, 'a'), answer(2, 'b')],
    condensed(3, { forgotten_event_ids: [1], summary: 's1' }),
    answer(4, 'c'),
    condensed(5, { forgotten_event_ids: [2] }),
    answer(6, 'd'),
    condensed(7, { forgotten_event_ids: [4], summary: 's2' }),
    answer(8, 'e'),
  );
  expect(contents.slice(1)).toEqual([
    ['q', 's1', 'b', 'c'],
    ['q', 's1', 'c', 'd'],
    ['q', 's2', 'd', 'e'],
  ]);
});

it('the SDK names the summary that it forgets', () => {
  const said = (id: string, source: string, content: string) => ({
    ...{ kind: 'MessageEvent', id, source },
    llm_message: {
      role: source === 'user' ? 'user' : 'assistant',
      content: [{ type: 'text', text: content }],
    },
  });
  const forgets = (id: string, forgotten_event_ids: readonly string[], more: object = {}) => ({
    ...{ kind: 'Condensation', id, source: 'environment', forgotten_event_ids },
    ...more,
  });
  const contents = contentsOf(
    ...[said('u', 'user', 'q'), said('a', 'agent', 'a'), said('b', 'agent', 'b')],
    forgets('x', ['a'], { summary: 's1', summary_offset: 1 }),
    said('c', 'agent', 'c'),
    forgets('y', ['x-summary', 'b']),
    said('d', 'agent', 'd'),
  );
  expect(contents.slice(1)).toEqual([
    ['q', 's1', 'b', 'c'],
    ['q', 'c', 'd'],
  ]);
});
