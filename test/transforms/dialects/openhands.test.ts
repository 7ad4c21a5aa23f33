import { describe, expect, it } from 'vitest';
import openhands from '../../../transforms/dialects/openhands.ts';
import type { Entry, Repair } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

const detects = (first: object): unknown =>
  openhands.detect(
    new Map(Object.entries(first).map(([key, value]) => [key, asBuffer(JSON.stringify(value))])),
  );

function elementsOf(...objects: readonly object[]) {
  return readLog(
    openhands.create(),
    objects.map((object) => JSON.stringify(object)),
  );
}

/** Roles and contents of each conversation. */
function conversationsOf(...objects: readonly object[]): readonly string[][] {
  const entries = elementsOf(...objects).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  return entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => {
      const { role, content, tool_calls: calls = [] } = JSON.parse(text(bytes));
      const names = calls.map((call: { readonly function: { readonly name: string } }) => call.function.name);
      return [role, JSON.stringify(content), ...names].join(' ');
    }),
  );
}

const question = { id: 0, source: 'user', action: 'message', args: { content: 'a' } };
const ran = (id: number, more: object = {}) => ({
  id,
  source: 'agent',
  action: 'run',
  args: { command: 'ls', ...more },
});
const saw = (id: number, cause: number, content = 'r') => ({
  ...{ id, cause, source: 'agent', observation: 'run' },
  ...{ content, extras: {} },
});

describe('openhands', () => {
  it.each([
    ['an action', question],
    ['an observation', saw(1, 0)],
    ['an event of the SDK', { kind: 'MessageEvent', source: 'user', llm_message: {} }],
    ['a condensation', { kind: 'Condensation', source: 'environment' }],
    ['a run', { instance_id: 'i', history: [] }],
    ['a run that failed', { instance_id: 'i', history: null, metadata: {} }],
    ['a trajectory of events', { trajectory: [question] }],
    ['a run for an issue', { issue: { number: 5 }, history: [question], success: true }],
  ])('detects %s', (_what, first) => expect(detects(first)).toBe(true));

  it.each([
    ['an action of nobody', { action: 'run', args: {} }],
    ['a kind of something else', { kind: 'LLM', source: 'x' }],
    ['a trajectory', { history: [], trajectory: [], info: {} }],
    ['a history of messages', { history: [{ role: 'user', content: 'a' }] }],
    ['a trajectory of messages', { trajectory: [{ role: 'user', content: 'a' }] }],
    ['a trajectory of steps', { trajectory: [{ action: 'ls', observation: 'a', response: 'b' }] }],
  ])('does not detect %s', (_what, first) => expect(detects(first)).toBe(false));

  it('pairs observations by their cause, in the order of the calls', () => {
    expect(
      conversationsOf(question, ran(1, { thought: 'b' }), saw(2, 1, 'r1'), ran(3), saw(4, 3, 'r3')),
    ).toEqual([['user "a"', 'assistant "b" run', 'tool "r1"', 'assistant  run', 'tool "r3"']]);
  });

  it('reads an observation without an open action as a user message', () => {
    expect(conversationsOf(question, ran(1), saw(2, 1), saw(3, 1, 'again'), saw(4, 9, 'lost'))).toEqual([
      ['user "a"', 'assistant  run', 'tool "r"', 'user "again"', 'user "lost"'],
    ]);
  });

  it.each(['image_urls', 'images_urls'])('reads the images of a message of the user: %s', (name) => {
    const asked = { ...question, args: { content: 'a', [name]: ['https://example.org/a.png'] } };
    expect(conversationsOf(asked, ran(1))[0]?.[0]).toContain('https://example.org/a.png');
  });

  it('rejects images under a name that is not known', () => {
    const asked = { ...question, args: { content: 'a', spy: ['https://example.org/a.png'] } };
    expect(elementsOf(asked)).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });

  it('keeps events that a condensation did not forget, and a call that is open across it', () => {
    const condensed = { forgotten_event_ids: [1, 2], summary: 's', summary_offset: 1 };
    const events = [
      ...[question, ran(1), saw(2, 1), ran(3)],
      { id: 4, source: 'agent', action: 'condensation', args: condensed },
      saw(5, 3, 'late'),
    ];
    expect(conversationsOf(...events)).toEqual([
      ['user "a"', 'assistant  run', 'tool "r"', 'assistant  run'],
      ['user "a"', 'user "s"', 'assistant  run', 'tool "late"'],
    ]);
  });

  it('counts the summary of a condensation as context, with what was kept after it', () => {
    const said = { id: 3, source: 'agent', action: 'message', args: { content: 'b' } };
    const args = { forgotten_event_ids: [1, 2], summary: 's', summary_offset: 1 };
    const condensed = { id: 4, source: 'agent', action: 'condensation', args };
    const elements = elementsOf(question, ran(1), saw(2, 1), said, condensed, { ...question, id: 5 }, ran(6));
    const [, entry] = elements.filter((one): one is Entry => one.kind === 'entry');
    expect(text(entry?.meta?.get('copied') as Uint8Array)).toBe('3');
  });

  it('counts a condensed object as one line for each of its conversations', () => {
    const condensation = {
      id: 3,
      source: 'agent',
      action: 'condensation',
      args: { forgotten_event_ids: [1, 2] },
    };
    const history = [question, ran(1), saw(2, 1), condensation, ran(4), condensation, ran(5)];
    const elements = elementsOf({ instance_id: 'i', history });
    const repairs = elements.filter(({ kind }) => kind === 'repair') as readonly Repair[];
    expect(repairs.map(({ repair, count }) => [repair, count])).toEqual([['split-objects', 2]]);
    expect(elements.filter(({ kind }) => kind === 'entry')).toHaveLength(3);
  });

  it('rejects a whole run for an unreadable event and reads the next one', () => {
    const bad = { instance_id: 'i', history: [question, { id: 1 }] };
    const good = { instance_id: 'j', history: [question, ran(1)] };
    expect(elementsOf(bad, good)).toMatchObject([
      { kind: 'rejection', reason: 'bad-event' },
      { kind: 'entry', sessionId: expect.stringMatching(/\/j$/) },
    ]);
  });

  it.each([
    ['a system prompt without a text', { kind: 'SystemPromptEvent', source: 'agent' }],
    ['a message event without a message', { kind: 'MessageEvent', source: 'user' }],
    ['an action event without a call', { kind: 'ActionEvent', source: 'agent' }],
    ['an observation event without an observation', { kind: 'ObservationEvent', source: 'environment' }],
    ['an object that is not an event', { source: 'agent' }],
  ])('rejects %s', (_what, event) => {
    expect(elementsOf(event)).toMatchObject([{ kind: 'rejection', reason: 'bad-event' }]);
  });

  it('rejects a message of the first version that is neither from the agent nor from the user', () => {
    const says = (source: string) => ({ id: 1, source, action: 'message', args: { content: source } });
    expect(elementsOf(says('environment'))).toMatchObject([{ kind: 'rejection', reason: 'unknown-speaker' }]);
    expect(conversationsOf(says('user'), { ...says('agent'), id: 2 })).toEqual([
      ['user "user"', 'assistant "agent"'],
    ]);
  });

  it('reads a message of the role assistant only if it comes from the agent', () => {
    const says = (source: string | undefined, role: string) => ({
      ...{ kind: 'MessageEvent', id: `${source} ${role}`, source },
      llm_message: { role, content: [{ type: 'text', text: `${source}` }] },
    });
    const rejected = { kind: 'rejection', reason: 'unknown-speaker' };
    for (const source of ['critic', 'user', 'environment'])
      expect(elementsOf(says(source, 'assistant'))).toMatchObject([rejected]);
    const read = [says('user', 'user'), says('environment', 'user'), says('agent', 'assistant')];
    expect(conversationsOf(...read, says(undefined, 'assistant'))).toEqual([
      ['user "user"', 'user "environment"', 'assistant "agent"', 'assistant "undefined"'],
    ]);
  });

  it.each([
    ['without a name', { function: { arguments: '{}' } }],
    ['without arguments', { function: { name: 'f' } }],
  ])('rejects a call %s', (_what, call) => {
    const event = { kind: 'ActionEvent', source: 'agent', thought: [], tool_call_id: 'c', tool_call: call };
    expect(elementsOf(event)).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });

  it('takes the name and the id of a call from its event if the call lacks them', () => {
    const events = [
      {
        ...{ kind: 'ActionEvent', source: 'agent', thought: [], llm_response_id: 'r' },
        ...{ tool_name: 'terminal', tool_call_id: 'c', tool_call: { arguments: '{}' } },
      },
      { kind: 'ObservationEvent', source: 'environment', tool_call_id: 'c', observation: { content: 'ok' } },
    ];
    expect(conversationsOf(...events)).toEqual([['assistant  terminal', 'tool "ok"']]);
  });

  it('rejects an observation without content', () => {
    const call = { id: 'c', name: 'f', arguments: '{}' };
    const events = [
      { kind: 'ActionEvent', source: 'agent', thought: [], tool_call: call, llm_response_id: 'r' },
      {
        kind: 'ObservationEvent',
        source: 'environment',
        tool_call_id: 'c',
        observation: { kind: 'X', n: 1 },
      },
    ];
    expect(elementsOf(...events)).toMatchObject([{ reason: 'unknown-content' }, { kind: 'entry' }]);
  });

  const message = (id: number, content: string, source = 'user') => ({
    ...{ id, source, action: 'message', args: { content } },
  });
  const delegate = (id: number, agent: string, more: object = {}) => ({
    ...{ id, source: 'agent', action: 'delegate', args: { agent, thought: 'd' }, ...more },
  });
  const delegated = (id: number, content: string, more: object = {}) => ({
    ...{ id, source: 'agent', observation: 'delegate', content, extras: { outputs: {} }, ...more },
  });

  it.each([
    ['without a cause', {}],
    ['with its cause', { cause: 1 }],
  ])('reads the events of a delegate as a conversation of its own, its result %s', (_how, more) => {
    const events = [
      ...[question, delegate(1, 'Browser'), message(2, 'b'), ran(3), delegate(4, 'Inner'), message(5, 'c')],
      ...[ran(6), saw(7, 6), delegated(8, 'inner'), saw(9, 3), delegated(10, 'outer', more)],
      message(11, 'end', 'agent'),
    ];
    expect(conversationsOf(...events)).toEqual([
      ['user "c"', 'assistant  run', 'tool "r"'],
      ['user "b"', 'assistant  run', 'tool "r"', 'assistant "d" delegate', 'tool "inner"'],
      ['user "a"', 'assistant "d" delegate', 'tool "outer"', 'assistant "end"'],
    ]);
    const entries = elementsOf(...events).filter(({ kind }) => kind === 'entry') as readonly Entry[];
    const [inner, browser, main] = entries;
    expect(browser?.sessionId).toBe(`${main?.sessionId}/Browser`);
    expect(inner?.sessionId).toBe(`${browser?.sessionId}/Inner`);
    expect(JSON.parse(text(inner?.meta?.get('parent') as Uint8Array))).toBe(browser?.sessionId);
  });

  it('ends a delegate with an observation that its action caused', () => {
    const failed = { id: 2, cause: 1, source: 'agent', observation: 'error', content: 'no', extras: {} };
    expect(conversationsOf(question, delegate(1, 'X'), failed, ran(3))).toEqual([
      ['user "a"', 'assistant "d" delegate', 'tool "no"', 'assistant  run'],
    ]);
  });

  it('reads a trajectory of events, and the delegates in a whole run', () => {
    const events = [question, delegate(1, 'X'), message(2, 'b'), message(3, 'c', 'agent')];
    const read = [
      ['user "b"', 'assistant "c"'],
      ['user "a"', 'assistant "d" delegate'],
    ];
    expect(conversationsOf({ trajectory: events })).toEqual(read);
    expect(conversationsOf({ instance_id: 'i', history: events })).toEqual(read);
    expect(conversationsOf({ issue: { number: 5 }, history: events })).toEqual(read);
  });

  it('drops a run that failed before its first event', () => {
    expect(elementsOf({ instance_id: 'i', history: null, error: 'x' })).toMatchObject([
      { kind: 'fate', fate: 'dropped:client-event' },
    ]);
    expect(elementsOf({ instance_id: 'i', history: {} })).toMatchObject([{ kind: 'rejection' }]);
  });

  it('has model, tokens and finish of the answers, and the cost so far, as meta', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const choice = { message: { role: 'assistant', content: '', tool_calls: [call] }, finish_reason: 'stop' };
    const metadata = (id: string) => ({
      llm_metrics: { accumulated_cost: 0.5 },
      tool_call_metadata: {
        ...{ tool_call_id: 'c', function_name: 'f' },
        model_response: { id, model: 'm', choices: [choice], usage: { prompt_tokens: 2 } },
      },
    });
    const meta = (...objects: readonly object[]) =>
      Object.fromEntries(
        [...((elementsOf(...objects) as readonly Entry[])[0]?.meta ?? [])].map(([name, json]) => [
          name,
          text(json),
        ]),
      );
    const events = [question, { ...ran(1), ...metadata('r1') }, { ...ran(2), ...metadata('r2') }];
    const shared = { harness: '"openhands"', model: '"m"', usage: '{"prompt_tokens":4}', finish: '"stop"' };
    expect(meta(...events)).toEqual({ ...shared, cost: '0.5' });
    const run = {
      ...{ instance_id: 'i', history: [question, message(1, 'b', 'agent')] },
      metadata: { llm: { model: 'n' } },
      metrics: { accumulated_cost: 0.7, accumulated_token_usage: { prompt_tokens: 3 } },
      test_result: { result: { resolved: 1 } },
    };
    expect(meta(run)).toEqual({
      ...{ harness: '"openhands"', source_id: '"i"', model: '"n"', usage: '{"prompt_tokens":3}' },
      ...{ cost: '0.7', reward: '1' },
    });
  });

  it('reads the message of an observation that has no content', () => {
    const call = { id: 'c', name: 'finish', arguments: '{}' };
    const events = [
      { kind: 'ActionEvent', source: 'agent', thought: [], tool_call: call, llm_response_id: 'r' },
      { kind: 'ObservationEvent', source: 'environment', tool_call_id: 'c', observation: { message: 'ok' } },
    ];
    expect(conversationsOf(...events)).toEqual([['assistant  finish', 'tool "ok"']]);
  });
});

it('takes the completions of a server apart that gives them all one id', () => {
  const acted = (id: number, ...calls: readonly string[]) => ({
    ...ran(id),
    tool_call_metadata: {
      tool_call_id: calls[0],
      model_response: {
        id: '',
        choices: [
          {
            message: {
              role: 'assistant',
              content: `look ${calls.join()}`,
              tool_calls: calls.map((call) => ({ id: call, function: { name: call, arguments: '{}' } })),
            },
          },
        ],
      },
    },
  });
  const lines = [question, acted(1, 'c'), saw(2, 1), acted(3, 'd', 'e'), acted(4, 'd', 'e'), saw(5, 3)];
  expect(conversationsOf(...lines)).toEqual([
    ['user "a"', 'assistant "look c" c', 'tool "r"', 'assistant "look d,e" d e', 'tool "r"'],
  ]);
});

describe('calls of an agent that the SDK runs by the Agent Client Protocol', () => {
  const said = (id: string, role: string, words: string) => ({
    ...{ id, kind: 'MessageEvent', source: role === 'user' ? 'user' : 'agent' },
    llm_message: { role, content: [{ type: 'text', text: words }] },
  });
  const acp = (tool_call_id: string, status: string, more: object = {}) => ({
    ...{ kind: 'ACPToolCallEvent', source: 'agent', tool_call_id, title: 'List', tool_kind: 'execute' },
    ...{ status, raw_input: { a: 1 }, raw_output: null, content: null, parent_tool_call_id: null, ...more },
  });
  const entriesOf = (...objects: readonly object[]) =>
    elementsOf(...objects).filter((element): element is Entry => element.kind === 'entry');

  it('are read once, with the result of the last event', () => {
    const shown = { content: [{ type: 'content', content: { type: 'text', text: 'shown' } }] };
    const lines = [
      ...[said('1', 'user', 'a'), acp('c', 'pending'), acp('c', 'in_progress', { raw_input: null })],
      ...[acp('c', 'completed', { raw_output: 'r' }), acp('c', 'completed', { raw_output: 'r' })],
      acp('d', 'failed', { ...shown, raw_input: null, tool_kind: null }),
      said('2', 'assistant', 'b'),
    ];
    expect(conversationsOf(...lines)).toEqual([
      [
        ...['user "a"', 'assistant  execute', 'tool "r"', 'assistant  other', 'tool "shown"'],
        'assistant "b"',
      ],
    ]);
    const [entry] = entriesOf(...lines);
    expect(JSON.parse(text(entry?.messages[1]?.bytes ?? new Uint8Array())).tool_calls).toEqual([
      { id: 'c', type: 'function', function: { name: 'execute', arguments: '{"a":1}' } },
    ]);
    expect(entry?.changes.get('action-as-call')).toBe(2);
    expect(entry?.messages[4]?.notes?.map(({ rule }) => rule)).toEqual(['result-is-error']);
  });

  it('are conversations of their own if another call started their agent', () => {
    const own = { parent_tool_call_id: 'c' };
    const lines = [
      ...[said('1', 'user', 'a'), acp('c', 'pending'), acp('e', 'completed', { ...own, raw_output: 'x' })],
      ...[acp('c', 'completed', { raw_output: 'r' }), said('2', 'assistant', 'b')],
    ];
    expect(conversationsOf(...lines)).toEqual([
      ['user "a"', 'assistant  execute', 'tool "r"', 'assistant "b"'],
      ['assistant  execute', 'tool "x"'],
    ]);
    expect(entriesOf(...lines)[1]?.sessionId).toMatch(/\/c$/);
  });
});

it('reads the content of an observation of the SDK that says something, and rejects two different ones', () => {
  const toolCall = { id: 'c', name: 'f', arguments: '{}', origin: 'completion' };
  const action = { kind: 'ActionEvent', source: 'agent', id: 'a', tool_name: 'f', tool_call_id: 'c' };
  const result = (observation: object, more: object = {}) => {
    const [all] = conversationsOf(
      { kind: 'MessageEvent', source: 'user', id: 'u', llm_message: { role: 'user', content: 'q' } },
      { ...action, thought: [], tool_call: toolCall, llm_response_id: 'r' },
      { kind: 'ObservationEvent', source: 'environment', id: 'o', tool_call_id: 'c', observation, ...more },
    );
    return all?.find((one) => one.startsWith('tool'));
  };
  const part = (content: string) => ({ type: 'text', text: content });
  expect(result({ output: '', error: 'no file' })).toBe('tool "no file"');
  expect(result({ content: [], message: 'm' })).toBe('tool "m"');
  expect(result({ content: [part('x y')], output: 'x y', error: false })).toContain('x y');
  expect(result({ content: [part('x y')], output: 'other' })).toBeUndefined();
  const extended = { extended_content: [part('more')] };
  expect(result({ content: 'x' }, extended)).toBe(`tool ${JSON.stringify([part('x'), part('more')])}`);
});

it('keeps two calls of the SDK that have one id in one response', () => {
  const action = (id: string, n: number) => ({
    ...{
      kind: 'ActionEvent',
      id,
      source: 'agent',
      timestamp: `2026-01-01T00:00:0${id}`,
      llm_response_id: 'r',
    },
    ...{ tool_name: 'f', tool_call_id: 'c', thought: [], action: { kind: 'F', n } },
    tool_call: { id: 'c', name: 'f', arguments: `{"n":${n}}` },
  });
  const entries = elementsOf(action('1', 1), action('2', 2)).filter(
    (one): one is Entry => one.kind === 'entry',
  );
  const said = entries.flatMap(({ messages, reply }) => [...messages, ...(reply ? [reply] : [])]);
  const calls = said.flatMap(({ bytes }) => JSON.parse(text(bytes)).tool_calls);
  expect(calls.map((call) => call.function.arguments)).toEqual(['{"n":1}', '{"n":2}']);
});
