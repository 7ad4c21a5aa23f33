/** Spans of model calls in different clients, and the metadata of their conversations. */
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { entriesOf, messagesOf, observation, only, read } from './span-samples.ts';

const user = { role: 'user', content: 'a' };
const reply = { role: 'assistant', content: 'b' };
const call = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});

it('a call that is held until the end of its source, and cannot be read then, is refused at its own place', () => {
  const said = { role: 'tool', tool_call_id: 'c', status: 'ok', content: { text: 'x', degrees: 20 } };
  const later = observation([said], reply, { id: '2', modelParameters: { previous_response_id: 'r1' } });
  const asked = [user];
  const first = observation(asked, {
    id: 'r1',
    choices: [{ message: { role: 'assistant', tool_calls: [call('c', '{}')] } }],
  });
  const refused = read([later, first]).filter((one) => one.kind === 'entry' && one.refused !== undefined);
  expect(refused).toMatchObject([{ refused: { reason: 'unknown-content' }, origin: { line: 1 } }]);
});

describe('a span', () => {
  it('has the system text once that is an attribute and the first message', () => {
    const span = (...texts: readonly string[]) => {
      const system = texts.map((content) => ({ role: 'system', parts: [{ type: 'text', content }] }));
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.system_instructions': '[{"type":"text","content":"s"}]',
        'gen_ai.input.messages': JSON.stringify([...system, user]),
        'gen_ai.output.messages': JSON.stringify([reply]),
      };
      const [entry] = entriesOf(read([JSON.stringify({ traceId: 't', spanId: 's', attributes })]));
      return messagesOf(entry as Entry).map(({ content }) => content);
    };
    expect(span()).toEqual(['s', 'a', 'b']);
    expect(span('s')).toEqual(['s', 'a', 'b']);
    expect(span('t', 's')).toEqual(['s', 't', 's', 'a', 'b']);
    const logged = { system: 's', messages: [{ role: 'system', content: 's' }, user] };
    expect(only(observation(logged, reply)).messages).toHaveLength(2);
  });

  it('without messages is rejected', () => {
    const span = {
      attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' },
      traceId: 't',
    };
    expect(read([JSON.stringify(span)])).toMatchObject([{ kind: 'rejection', reason: 'bad-messages' }]);
  });

  it('may have its messages as typed values, in an event, or in nested attributes', () => {
    const messages = {
      arrayValue: {
        values: [
          {
            kvlistValue: {
              values: [
                { key: 'role', value: { stringValue: 'user' } },
                { key: 'content', value: { stringValue: 'a' } },
              ],
            },
          },
        ],
      },
    };
    const output = { key: 'gen_ai.output.messages', value: { stringValue: JSON.stringify([reply]) } };
    const typed = {
      traceId: 't',
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
        { key: 'gen_ai.input.messages', value: messages },
        output,
      ],
    };
    expect(
      messagesOf(only(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [typed] }] }] }))),
    ).toEqual([user, reply]);
    const event = {
      name: 'gen_ai.client.inference.operation.details',
      attributes: {
        'gen_ai.input.messages': JSON.stringify([user]),
        'gen_ai.output.messages': JSON.stringify([reply]),
      },
    };
    expect(
      messagesOf(
        only(
          JSON.stringify({ traceId: 't', attributes: { 'gen_ai.operation.name': 'chat' }, events: [event] }),
        ),
      ),
    ).toEqual([user, reply]);
    const nested = {
      llm: {
        input_messages: [{ message: { role: 'user', content: 'a' } }],
        output_messages: [{ 'message.role': 'assistant', 'message.content': 'b' }],
      },
      openinference: { span: { kind: 'LLM' } },
    };
    expect(messagesOf(only(JSON.stringify({ attributes: nested })))).toEqual([user, reply]);
  });

  it('may have its tools in any known form', () => {
    const parameters = { type: 'object', properties: {} };
    const names = (more: object): unknown => {
      const { tools } = only(observation([user], 'b', more));
      return tools.map(({ bytes }) => JSON.parse(text(bytes)));
    };
    const wanted = [{ name: 'f', parameters }];
    expect(names({ toolDefinitions: [{ type: 'function', function: { name: 'f', parameters } }] })).toEqual(
      wanted,
    );
    expect(names({ toolDefinitions: [JSON.stringify({ name: 'f', parameters })] })).toEqual(wanted);
    expect(names({ toolDefinitions: { f: { type: 'function', name: 'f', parameters } } })).toEqual(wanted);
    expect(names({ input: { messages: [user], tools: [{ name: 'f', input_schema: parameters }] } })).toEqual(
      wanted,
    );
    expect(
      names({
        modelParameters: { tools: JSON.stringify([{ functionDeclarations: [{ name: 'f', parameters }] }]) },
      }),
    ).toEqual(wanted);
  });

  it('may share its trace with spans of other sessions, and its session with other traces', () => {
    const one = (traceId: string, session: string, content: string) =>
      JSON.stringify({
        traceId,
        attributes: {
          'gen_ai.operation.name': 'chat',
          'session.id': session,
          'gen_ai.input.messages': JSON.stringify([{ role: 'user', content }]),
        },
      });
    const ids = entriesOf(read([one('t1', 'x', 'a'), one('t1', 'y', 'b'), one('t2', 'x', 'c')])).map(
      ({ sessionId }) => sessionId,
    );
    expect(ids).toEqual(['x', 'x#2', 'y']);
  });
});

describe('meta of a conversation', () => {
  const metaOf = (entry: Entry | undefined) =>
    Object.fromEntries([...(entry?.meta ?? [])].map(([name, json]) => [name, JSON.parse(text(json))]));

  it('has the last model and the tokens of all its calls', () => {
    const one = (n: number, messages: readonly object[]) =>
      JSON.stringify({
        ...{ traceId: 't', parentSpanId: 'p', startTimeUnixNano: `177011280${n}000000000` },
        attributes: {
          ...{
            'gen_ai.operation.name': 'chat',
            'gen_ai.agent.name': 'helper',
            'gen_ai.response.model': `m${n}`,
          },
          'gen_ai.usage.input_tokens': 10 * n,
          'gen_ai.response.finish_reasons': ['stop'],
          'gen_ai.input.messages': JSON.stringify(messages.slice(0, -1)),
          'gen_ai.output.messages': JSON.stringify(messages.slice(-1)),
        },
      });
    const first = one(1, [user, reply]);
    const second = one(2, [user, reply, { role: 'user', content: 'c' }, { role: 'assistant', content: 'd' }]);
    const wanted = {
      ...{ source_id: 't', harness: 'helper', model: 'm2', finish: 'stop', parent: 'p' },
      usage: { input_tokens: 30 },
    };
    expect(metaOf(entriesOf(read([first, second]))[0])).toEqual(wanted);
    expect(metaOf(entriesOf(read([second, first]))[0])).toEqual(wanted);
  });

  it('is read from OpenInference', () => {
    const attributes = {
      ...{
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'm',
        'llm.cost.total': 0.5,
        'llm.token_count.prompt': 3,
      },
      ...{ 'llm.token_count.prompt_details.cache_read': 1, 'tag.tags': ['x'], 'session.id': 's' },
      ...{ 'llm.input_messages.0.message.role': 'user', 'llm.input_messages.0.message.content': 'a' },
    };
    expect(metaOf(only(JSON.stringify({ attributes })))).toEqual({
      ...{ source_id: 's', model: 'm', cost: 0.5, tags: ['x'] },
      usage: { prompt: 3, prompt_details: { cache_read: 1 } },
    });
  });
});
