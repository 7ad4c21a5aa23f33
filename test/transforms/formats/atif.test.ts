/** Trajectories: steps, results in the step of their call, and content that a trajectory cannot hold. */
import { describe, expect, it } from 'vitest';
import atifDialect from '../../../transforms/dialects/atif.ts';
import atif from '../../../transforms/formats/atif.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { shapeProblem } from '../../support/record-shape.ts';
import { text } from '../bytes.ts';
import { conversationOf, rawMessage } from '../checks/samples.ts';
import { lineOf } from '../log-lines.ts';

const conversation = (messages: readonly object[], tools: readonly object[] = []) =>
  conversationOf(
    messages.map((one) => rawMessage((one as { readonly role: string }).role, JSON.stringify(one))),
    { tools: tools.map((tool) => ({ bytes: encode(JSON.stringify(tool)), name: 'f' })) },
  );
const written = (messages: readonly object[], tools: readonly object[] = []) => {
  const { bytes, findings } = atif.encode(conversation(messages, tools));
  return { record: JSON.parse(text(bytes)), json: text(bytes), findings };
};
const rulesOf = (messages: readonly object[]): readonly (readonly [string, boolean])[] =>
  written(messages).findings.map(({ rule, rejects = false }) => [rule, rejects]);
const call = (id: string | undefined, args: unknown) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});
const user = { role: 'user', content: 'a' };

describe('a trajectory', () => {
  const messages = [
    { role: 'system', content: 's' },
    user,
    {
      role: 'assistant',
      content: 'b',
      reasoning_content: 'hm',
      tool_calls: [call('x', '{"n":1.0}'), call('y', '{}')],
    },
    { role: 'tool', tool_call_id: 'y', content: 'Y' },
    { role: 'tool', tool_call_id: 'x', content: [{ type: 'text', text: 'X' }] },
    { role: 'assistant', content: 'c' },
  ];
  const tool = { name: 'f', parameters: { type: 'object' } };

  it('has a step for each message and results in the step of their call', () => {
    const { record, json, findings } = written(messages, [tool]);
    expect(findings).toEqual([]);
    expect(record).toEqual({
      schema_version: 'ATIF-v1.7',
      agent: {
        name: 'unknown',
        version: 'unknown',
        tool_definitions: [{ type: 'function', function: tool }],
      },
      steps: [
        { step_id: 1, source: 'system', message: 's' },
        { step_id: 2, source: 'user', message: 'a' },
        {
          ...{ step_id: 3, source: 'agent', message: 'b', reasoning_content: 'hm' },
          tool_calls: [
            { tool_call_id: 'x', function_name: 'f', arguments: { n: 1 } },
            { tool_call_id: 'y', function_name: 'f', arguments: {} },
          ],
          observation: {
            results: [
              { source_call_id: 'y', content: 'Y' },
              { source_call_id: 'x', content: [{ type: 'text', text: 'X' }] },
            ],
          },
        },
        { step_id: 4, source: 'agent', message: 'c' },
      ],
    });
    expect(json).toContain('{"n":1.0}');
    expect(shapeProblem('atif', record)).toBeUndefined();
  });

  it('is the same conversation when it is read back', () => {
    const { json } = written(messages, [tool]);
    const [entry] = [...atifDialect.create().read(lineOf(json))] as Entry[];
    const { messages: context, reply, tools } = entry as Entry;
    const read = [...context, reply].map((one) => JSON.parse(text(one?.bytes as Uint8Array)));
    expect(read).toEqual(messages);
    expect(tools.map(({ bytes }) => JSON.parse(text(bytes)))).toEqual([tool]);
  });

  it('gives no call the id of another one', () => {
    const { record } = written([
      { role: 'assistant', content: null, tool_calls: [call(undefined, {}), call('call_1', {})] },
      { role: 'assistant', content: null, tool_calls: [call('call_3', {}), call(undefined, {})] },
    ]);
    const ids = record.steps.flatMap((step: { tool_calls: readonly { tool_call_id: string }[] }) =>
      step.tool_calls.map((one) => one.tool_call_id),
    );
    expect(ids).toEqual(['call_2', 'call_1', 'call_3', 'call_4']);
  });

  it('gives ids to calls and results without one, by their order', () => {
    const { record } = written([
      { role: 'assistant', content: null, tool_calls: [call(undefined, {}), call(undefined, {})] },
      { role: 'tool', content: 'r' },
      { role: 'tool', content: 's' },
    ]);
    const [{ tool_calls: calls, observation, message }] = record.steps;
    expect([message, calls.map((one: { tool_call_id: string }) => one.tool_call_id)]).toEqual([
      '',
      ['call_1', 'call_2'],
    ]);
    expect(observation.results).toEqual([
      { source_call_id: 'call_1', content: 'r' },
      { source_call_id: 'call_2', content: 's' },
    ]);
  });

  it('puts a result into the nearest step with an open call of its id, or with any open call', () => {
    const calls = (...ids: readonly string[]) => ({
      ...{ role: 'assistant', content: null },
      tool_calls: ids.map((id) => call(id, {})),
    });
    const result = (content: string, id?: string) => ({ role: 'tool', content, tool_call_id: id });
    const { record } = written([
      calls('a', 'b'),
      calls('a', 'c', 'a'),
      ...[
        result('1', 'a'),
        result('2', 'b'),
        result('3'),
        result('4', 'a'),
        result('5', 'a'),
        result('6', 'a'),
      ],
    ]);
    const observed = record.steps.map((step: { observation?: { results: readonly { content: string }[] } }) =>
      step.observation?.results.map(({ content }) => content).join(' '),
    );
    expect(observed).toEqual(['2 5', '1 3 4', undefined]);
  });

  it('holds images of the known types', () => {
    const image = (url: string) => ({ type: 'image_url', image_url: { url } });
    const content = [
      { type: 'text', text: 't' },
      image('data:image/png;base64,AA'),
      image('https://x.org/a.JPG?b'),
    ];
    const { record, findings } = written([{ role: 'user', content }]);
    expect(findings).toEqual([]);
    expect(record.steps[0].message).toEqual([
      { type: 'text', text: 't' },
      { type: 'image', source: { media_type: 'image/png', path: 'data:image/png;base64,AA' } },
      { type: 'image', source: { media_type: 'image/jpeg', path: 'https://x.org/a.JPG?b' } },
    ]);
  });
});

describe('parts of an answer', () => {
  const part = (value: string) => ({ type: 'text', text: value });
  const image = { type: 'image_url', image_url: { url: 'https://x.org/a.png' } };
  const messageOfStep = (content: unknown) =>
    written([user, { role: 'assistant', content }]).record.steps[1].message;

  it('are one text', () => {
    expect(messageOfStep([part('a')])).toBe('a');
    expect(messageOfStep([part('a'), part('b')])).toBe('a\nb');
    expect(messageOfStep([part('a'), { type: 'web_search_call' }, part('b')])).toBe('a\nb');
    expect(rulesOf([user, { role: 'assistant', content: [part('a')] }])).toEqual([]);
    expect(rulesOf([user, { role: 'assistant', content: [part('a'), part('b')] }])).toEqual([
      ['parts-joined', false],
    ]);
  });

  it('stay a list with an image, and so do those of a question', () => {
    expect(messageOfStep([part('a'), image])).toHaveLength(2);
    const question = { role: 'user', content: [part('a'), part('b')] };
    expect(written([question]).record.steps[0].message).toEqual([part('a'), part('b')]);
    expect(rulesOf([question])).toEqual([]);
  });
});

describe('content that a trajectory cannot hold', () => {
  const withCall = { role: 'assistant', content: '', tool_calls: [call('x', '{}')] };
  const result = { role: 'tool', tool_call_id: 'x', content: 'r' };

  it.each([
    ['arguments-not-object', [{ ...withCall, tool_calls: [call('x', '[1]')] }], true],
    ['empty-arguments', [{ ...withCall, tool_calls: [call('x', '')] }], false],
    ['malformed-call', [{ ...withCall, tool_calls: [{ id: 'x', function: {} }] }], true],
    ['members-dropped', [{ ...user, name: 'ada' }], false],
    ['content-not-text', [{ role: 'user', content: 7 }], true],
    ['non-text-part', [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }], false],
    ['no-messages', [], true],
    ['result-without-call', [user, result], true],
    ['result-without-call', [withCall, result, result], true],
    ['results-reordered', [withCall, user, result], false],
    ['unknown-role', [{ role: 'critic', content: 'a' }], true],
  ])('is reported as %s', (rule, messages, rejects) => {
    expect(rulesOf(messages)).toEqual([[rule, rejects]]);
  });

  it('includes a definition without a function', () => {
    const { findings } = written([user], [{ type: 'web_search' }]);
    expect(findings.map(({ rule }) => rule)).toEqual(['tool-not-function']);
  });
});
