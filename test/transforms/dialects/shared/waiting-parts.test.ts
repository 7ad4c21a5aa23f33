/** Calls that continue a response which stands later in the source. */
import { describe, expect, it, test } from 'vitest';
import type { ReadElement, ReadingOptions } from '../../../../transforms/dialects/dialect.ts';
import responses from '../../../../transforms/dialects/responses.ts';
import spans from '../../../../transforms/dialects/spans.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { placesOf } from '../../../../transforms/model/entry-log.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const result = (id: string, output: string) => ({ type: 'function_call_output', call_id: id, output });
const call = (id: string) => ({
  type: 'function_call',
  id: `i${id}`,
  call_id: id,
  name: 'f',
  arguments: '{}',
});
const said = (content: string) => ({
  ...{ type: 'message', id: 'm', role: 'assistant' },
  content: [{ type: 'output_text', text: content }],
});
/** Three links of a chain: a question, the result of its call, and that of the next call. */
const links = [
  { input: 'a', output: [call('1')] },
  { previous: 'r0', input: [result('1', 'x')], output: [call('2')] },
  { previous: 'r1', input: [result('2', 'y')], output: [said('b')] },
].map(({ previous: previous_response_id, input, output }, i) => ({
  request: { input, previous_response_id },
  response: { id: `r${i}`, object: 'response', status: 'completed', output, usage: { total_tokens: 1 } },
}));
const asSpan = ({ request, response }: (typeof links)[number], i: number) => ({
  ...{ traceId: 't', spanId: `s${i}`, startTimeUnixNano: `${i + 1}` },
  attributes: {
    'openinference.span.kind': 'LLM',
    'input.value': JSON.stringify(request),
    'output.value': JSON.stringify(response),
  },
});

const entriesOf = (elements: readonly ReadElement[]) =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const rolesOf = ({ messages, reply }: Entry) =>
  [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => {
    const { role, content, tool_calls: calls = [], tool_call_id: id } = JSON.parse(text(bytes));
    return [role, id, content || undefined, ...calls.map((one: { id: string }) => one.id)]
      .filter(Boolean)
      .join(' ');
  });
const linesOf = (elements: readonly ReadElement[]) =>
  elements
    .flatMap((one) =>
      one.kind === 'entry' && one.lines !== undefined ? [...placesOf(one.lines)] : [one.origin],
    )
    .map(({ line }) => line)
    .sort((a, b) => a - b);
const whole = ['user a', 'assistant 1', 'tool 1 x', 'assistant 2', 'tool 2 y', 'assistant b'];
const orders = [
  [0, 1, 2],
  [2, 1, 0],
  [1, 2, 0],
  [2, 0, 1],
  [0, 2, 1],
  [1, 0, 2],
] as const;

describe.each([
  ['responses', responses, links],
  ['spans', spans, links.map(asSpan)],
])('a chain in %s', (_name, dialect, objects) => {
  const read = (order: readonly number[], options: ReadingOptions = {}) =>
    readLog(
      dialect.create(undefined, options),
      order.map((i) => JSON.stringify(objects[i])),
    );

  test.each(orders)('is one conversation in the order %s %s %s', (...order) => {
    const elements = read(order);
    expect(linesOf(elements)).toEqual([1, 2, 3]);
    const [entry, ...others] = entriesOf(elements);
    expect(others).toEqual([]);
    expect(entry && rolesOf(entry)).toEqual(whole);
  });

  it('without its beginning is refused, with a fate for each line', () => {
    const elements = read([2, 1]);
    expect(linesOf(elements)).toEqual([1, 2]);
    expect(entriesOf(elements)).toMatchObject([
      { messages: [], refused: { reason: 'context-missing' } },
      { messages: [], refused: { reason: 'context-missing' } },
    ]);
  });

  it('is held up to a limit', () => {
    const elements = read([2, 1, 0], { maxConversation: 10 });
    expect(linesOf(elements)).toEqual([1, 2, 3]);
    const refused = entriesOf(elements).filter((entry) => entry.refused !== undefined);
    expect(refused).toHaveLength(2);
  });
});

test('the spans of one object may come newest first', () => {
  const list = { data: links.map(asSpan).reverse() };
  const elements = readLog(spans.create(), [JSON.stringify(list)]);
  expect(elements[0]).toMatchObject({ kind: 'repair', repair: 'split-objects', count: 2 });
  expect(entriesOf(elements).map(rolesOf)).toEqual([whole]);
});
