/** Trajectories of agents: steps, results without ids, sub-agents, and invalid trajectories. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import atif from '../../../transforms/dialects/atif.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';
import { type Turn, turns } from './agent-logs.ts';

const read = (json: string): readonly StreamElement[] => {
  const reader = atif.create();
  return [...reader.read(lineOf(json)), ...(reader.end?.() ?? [])];
};
const trajectory = (steps: readonly object[], more: object = {}): object => ({
  ...{ schema_version: 'ATIF-v1.6', session_id: 's', agent: { name: 'a', version: '1' } },
  steps: steps.map((step, i) => ({ step_id: i + 1, ...step })),
  ...more,
});
const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const messagesOf = ({ messages, reply }: Entry) =>
  (reply === undefined ? messages : [...messages, reply]).map(({ bytes }) => JSON.parse(text(bytes)));
const only = (steps: readonly object[]): Entry =>
  entriesOf(read(JSON.stringify(trajectory(steps))))[0] as Entry;

const agent = (message: string, ids: readonly string[], results: readonly object[]) => ({
  source: 'agent',
  message,
  tool_calls: ids.map((id) => ({ tool_call_id: id, function_name: 'f', arguments: {} })),
  observation: { results },
});
const shown = (steps: readonly object[]): readonly string[] =>
  messagesOf(only(steps)).map(
    ({ role, content, tool_call_id: id = '', tool_calls: calls = [] }) =>
      `${role}${id && ` ${id}`}: ${content ?? ''}${calls.map((call: { readonly id: string }) => `(${call.id})`).join('')}`,
  );

it('says that the steps are not in the order of their numbers', () => {
  const rulesOf = (...numbers: readonly unknown[]) =>
    only(
      numbers.map((step_id, i) => ({ step_id, source: i % 2 === 0 ? 'user' : 'agent', message: `${i}` })),
    ).messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));
  expect(rulesOf(1, 2, 3, 4)).toEqual([]);
  expect(rulesOf(1, 4, 3, 2)).toEqual(['order-lost']);
  expect(rulesOf(1, 2, 2, 3)).toEqual(['order-lost']);
  expect(rulesOf('1', null, undefined, '0')).toEqual([]);
});

it('reports encrypted reasoning in the extra of a step or of a call, and keeps it if asked to', () => {
  const sealed = { type: 'reasoning.encrypted', data: 'QUJD' };
  const step = { source: 'agent', message: 'b', extra: { note: 'c d', reasoning_details: [sealed] } };
  const called = agent('b', ['c'], [{ content: 'r' }]);
  const calls = called.tool_calls.map((call) => ({ ...call, extra: { thought_signature: 'QUJD' } }));
  for (const signed of [step, { ...called, tool_calls: calls }]) {
    const steps = [{ source: 'user', message: 'a' }, signed];
    const rulesIn = ({ messages, reply }: Entry) =>
      (reply === undefined ? messages : [...messages, reply]).flatMap(({ notes = [] }) =>
        notes.map(({ rule }) => rule),
      );
    const left = only(steps);
    expect(rulesIn(left)).toContain('reasoning-sealed');
    expect(left.changes.get('sealed-reasoning')).toBe(1);
    expect(messagesOf(left)[1].reasoning_details).toBeUndefined();
    const reader = atif.create(undefined, { keepSealed: true });
    const [kept] = entriesOf([...reader.read(lineOf(JSON.stringify(trajectory(steps))))]);
    expect(messagesOf(kept as Entry)[1].reasoning_details).toMatchObject([{ data: 'QUJD' }]);
  }
});

it('does not give the result without an id to a call that another result names', () => {
  const results = [{ source_call_id: 'd', content: 'r' }, { content: 's' }];
  expect(shown([agent('x', ['c', 'd'], results)])).toEqual(['assistant: x(c)(d)', 'tool d: r', 'user: s']);
  const swapped = [{ content: 's' }, { source_call_id: 'd', content: 'r' }];
  expect(shown([agent('x', ['c', 'd'], swapped)])).toEqual(['assistant: x(c)(d)', 'tool c: s', 'tool d: r']);
});

it('reports calls and reasoning of a step of another speaker', () => {
  const tool_calls = [{ tool_call_id: 'c', function_name: 'f', arguments: { q: 'the last word' } }];
  for (const source of ['user', 'system'])
    for (const [more, rules] of [
      [{ tool_calls: [], reasoning_content: '' }, []],
      [{ tool_calls }, ['unread-text']],
      [{ reasoning_content: 'I think' }, ['unread-text']],
    ] as const)
      expect(
        only([{ source, message: 'a', ...more }]).messages[0]?.notes?.map(({ rule }) => rule) ?? [],
      ).toEqual(rules);
});

it('begins another answer with the text after a call without a result', () => {
  const later = { source: 'agent', message: 'y' };
  expect(shown([agent('x', ['a'], []), later])).toEqual(['assistant: x(a)', 'assistant: y']);
  expect(shown([agent('x', ['a'], []), agent('', ['b'], [])])).toEqual(['assistant: x(a)(b)']);
  expect(shown([{ source: 'agent', message: 'x' }, agent('', ['b'], [])])).toEqual(['assistant: x(b)']);
});

it('gives a call the result that a later step has for it, before the text of that step', () => {
  const results = [{ source_call_id: 'a', content: 'r' }, { content: 's' }];
  const later = { source: 'system', message: 'y', observation: { results } };
  expect(shown([agent('x', ['a'], []), later])).toEqual([
    ...['assistant: x(a)', 'tool a: r', 'user: y', 'user: s'],
  ]);
});

it.each([{ degrees: 20 }, [{ degrees: 20 }], 7])(
  'rejects a result that is neither a text nor parts: %j',
  (content) => {
    const steps = [agent('x', ['a'], [{ source_call_id: 'a', content }])];
    expect(read(JSON.stringify(trajectory(steps)))).toMatchObject([{ reason: 'unknown-content' }]);
  },
);

describe('a result without the id of its call', () => {
  it('answers the only call', () => {
    expect(shown([agent('x', ['a'], [{ content: 'r' }])])).toEqual(['assistant: x(a)', 'tool a: r']);
  });

  it('answers the call at its position when there are as many', () => {
    const results = [{ content: 'r' }, { content: 's' }];
    expect(shown([agent('x', ['a', 'b'], results)])).toEqual([
      'assistant: x(a)(b)',
      'tool a: r',
      'tool b: s',
    ]);
  });

  it('is a user message when no call fits', () => {
    expect(shown([agent('x', [], [{ content: 'r' }])])).toEqual(['assistant: x', 'user: r']);
    expect(shown([agent('x', ['a', 'b'], [{ content: 'r' }])])).toEqual(['assistant: x(a)(b)', 'user: r']);
    expect([...only([agent('x', [], [{ content: 'r' }])]).changes]).toEqual([['observation-as-user', 1]]);
  });
});

describe('a step', () => {
  it('of the system after the first turn is a user message', () => {
    const steps = [
      { source: 'system', message: 'a' },
      { source: 'user', message: 'b' },
      { source: 'system', message: 'c' },
    ];
    expect(shown(steps)).toEqual(['system: a', 'user: b', 'user: c']);
    expect([...only(steps).changes]).toEqual([['system-step', 1]]);
  });

  it('that no model wrote is left out', () => {
    const steps = [
      { source: 'user', message: 'a' },
      { ...agent('x', ['q'], [{ content: 'r' }]), llm_call_count: 0 },
    ];
    expect(shown(steps)).toEqual(['user: a']);
    expect([...only(steps).changes]).toEqual([['not-by-model', 1]]);
  });

  it('that is a copy is kept and reported', () => {
    const { messages } = only([
      { source: 'user', message: 'a', is_copied_context: true },
      { source: 'agent', message: 'b' },
    ]);
    expect(messages[0]?.notes).toMatchObject([{ rule: 'copied-history' }]);
  });

  it('may hold parts and keeps the text of numbers', () => {
    const steps = [
      {
        source: 'agent',
        message: [
          { type: 'text', text: 'x' },
          { type: 'text', text: 'y' },
        ],
        tool_calls: [{ tool_call_id: 'a', function_name: 'f', arguments: { n: 0 } }],
      },
    ];
    const json = JSON.stringify(trajectory(steps)).replace('"n":0', '"n":1.0');
    const [message] = messagesOf(entriesOf(read(json))[0] as Entry);
    expect([message.content, message.tool_calls[0].function.arguments]).toEqual(['x\ny', '{"n":1.0}']);
  });
});

describe('a sub-agent', () => {
  const inner = (id: string, more: object = {}) =>
    trajectory([{ source: 'user', message: id }], { trajectory_id: id, session_id: undefined, ...more });

  it('is a separate conversation at any depth and counts as a line', () => {
    const nested = inner('t1', { subagent_trajectories: [inner('t2')] });
    const elements = read(
      JSON.stringify(
        trajectory([{ source: 'user', message: 'main' }], { subagent_trajectories: [nested, inner('t3')] }),
      ),
    );
    expect(elements[0]).toMatchObject({ kind: 'repair', repair: 'split-objects', count: 3 });
    const ids = entriesOf(elements).map((entry) => [entry.sessionId, messagesOf(entry)[0].content]);
    expect(ids).toEqual([
      ['s', 'main'],
      ['s/t1', 't1'],
      ['s/t1/t2', 't2'],
      ['s/t3', 't3'],
    ]);
  });
});

describe('invalid trajectories', () => {
  it.each([
    ['a step without a source', [{ message: 'a' }], 'steps[0] has an unknown source'],
    ['a step that is not an object', ['a'], 'steps[0] is not an object'],
    ['no step that says anything', [], 'no step has a message'],
  ])('%s is rejected with its place', (_what, steps, why) => {
    const json = JSON.stringify({ ...trajectory([]), steps });
    expect(read(json)).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages', detail: expect.stringContaining(why) },
    ]);
  });

  it('reject nothing else on their line', () => {
    const bad = trajectory([{ source: 'nobody' }]);
    const elements = read(
      JSON.stringify(trajectory([{ source: 'user', message: 'a' }], { subagent_trajectories: [bad] })),
    );
    expect(elements.map(({ kind }) => kind)).toEqual(['repair', 'entry', 'rejection']);
  });
});

/** A trajectory with a sub-agent, and its tokens. */
function log(conversation: readonly Turn[]): { readonly json: string; readonly tokens: readonly string[] } {
  const tokens: string[] = [];
  const token = (): string => {
    tokens.push(`t${tokens.length}x`);
    return tokens.at(-1) as string;
  };
  const stepsOf = (): readonly object[] =>
    conversation.flatMap(({ rounds }) => [
      { source: 'user', message: token() },
      ...rounds.map(({ calls, reversed, thinks }) => {
        const ids = Array.from({ length: calls }, (_, i) => `c${i}`); // ids repeat from step to step
        const toolCalls = ids.map((id) => ({
          tool_call_id: id,
          function_name: 'f',
          arguments: { t: token() },
        }));
        const results = (reversed ? ids.toReversed() : ids).map((id) => ({
          source_call_id: id,
          content: token(),
        }));
        const thought = thinks ? { reasoning_content: token() } : {};
        return { source: 'agent', message: '', ...thought, tool_calls: toolCalls, observation: { results } };
      }),
      { source: 'agent', message: token() },
    ]);
  const inner = trajectory(stepsOf(), { trajectory_id: 't' });
  return { json: JSON.stringify(trajectory(stepsOf(), { subagent_trajectories: [inner] })), tokens };
}

describe('random trajectories', () => {
  it('have every text, call and result once, with each result after its call', () => {
    fc.assert(
      fc.property(turns, (conversation) => {
        const { json, tokens } = log(conversation);
        const entries = entriesOf(read(json));
        const written = entries
          .flatMap(messagesOf)
          .map((one) => JSON.stringify(one))
          .join('\n');
        for (const one of tokens) expect(written.split(one).length - 1, one).toBe(1);
        for (const entry of entries) {
          let open: string[] = [];
          for (const message of messagesOf(entry)) {
            if (message.role === 'assistant')
              open = (message.tool_calls ?? []).map(({ id }: { readonly id: string }) => id);
            if (message.role === 'tool') expect(open).toContain(message.tool_call_id);
          }
        }
      }),
    );
  });

  it('truncated after any byte are one rejection', () => {
    const { json } = log([{ rounds: [{ calls: 2, reversed: true, thinks: true }], noise: false }]);
    for (let end = 1; end < json.length; end++)
      expect(read(json.slice(0, end)).map(({ kind }) => kind)).toEqual(['rejection']);
  });
});

it('count the usage of each answer once, without copies', () => {
  const metrics = (n: number) => ({ prompt_tokens: n, cost_usd: n / 1000, prompt_token_ids: [1] });
  const steps = [
    { source: 'agent', message: 'a', metrics: metrics(1), is_copied_context: true },
    { source: 'agent', message: 'b', metrics: metrics(2), model_name: 'x' },
    { source: 'agent', message: 'c', metrics: metrics(4) },
  ];
  const meta = [...(only(steps).meta ?? [])].map(([name, json]) => [name, JSON.parse(text(json))]);
  expect(Object.fromEntries(meta)).toEqual({
    ...{ source_id: 's', harness: 'a', model: 'x', copied: 1 },
    ...{ usage: { prompt_tokens: 6 }, cost: 0.006 },
  });
});

it('has the sums of the run as meta if its steps have no metrics', () => {
  const steps = [
    { source: 'user', message: 'q' },
    { source: 'agent', message: 'a' },
  ];
  const final_metrics = { total_prompt_tokens: 5, total_cost_usd: 0.5, total_steps: 2 };
  const metaFor = (list: object[]) => {
    const [entry] = entriesOf(read(JSON.stringify(trajectory(list, { final_metrics }))));
    return ['usage', 'cost'].map((name) => text(entry?.meta?.get(name as 'usage') ?? new Uint8Array()));
  };
  expect(metaFor(steps)).toEqual(['{"total_prompt_tokens":5}', '0.5']);
  const measured = { ...steps[1], metrics: { prompt_tokens: 2, cost_usd: 0.25 } };
  expect(metaFor([steps[0] as object, measured])).toEqual(['{"prompt_tokens":2}', '0.25']);
  const copied = { ...steps[1], is_copied_context: true };
  expect(metaFor([...steps, copied])).toEqual(['', '']);
});
