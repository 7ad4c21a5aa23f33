/** Calls of interleaved sessions: each text, call and result once, in a record with the whole conversation. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import calls from '../../../transforms/dialects/calls.ts';
import type { ReadElement, ReadingOptions } from '../../../transforms/dialects/dialect.ts';
import responses from '../../../transforms/dialects/responses.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

type Dialect = typeof calls;

function gathered(
  { create }: Dialect,
  lines: readonly string[],
  options: ReadingOptions = {},
): readonly ReadElement[] {
  return readLog(create(undefined, options), lines);
}

const entriesOf = (elements: readonly ReadElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const allOf = ({ messages, reply }: Entry) => (reply === undefined ? messages : [...messages, reply]);
const textsIn = (entry: Entry): readonly string[] =>
  allOf(entry).map(({ bytes }) => {
    const { content, tool_calls: calls = [] } = JSON.parse(text(bytes));
    return calls.length > 0 ? `call ${calls[0].function.arguments}` : content;
  });

function linesOf(elements: readonly ReadElement[]): readonly number[] {
  return elements.flatMap((element) =>
    element.kind === 'entry' && element.lines !== undefined
      ? [...placesOf(element.lines)].map(({ line }) => line)
      : [element.origin.line],
  );
}

/** The calls of one session: each turn has a question, perhaps a tool call, and an answer. */
interface Plan {
  readonly turns: readonly boolean[];
  readonly kind: 'litellm' | 'chain' | 'resent';
}

const plans: fc.Arbitrary<readonly Plan[]> = fc.array(
  fc.record({
    turns: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    kind: fc.constantFrom('litellm', 'chain', 'resent'),
  }),
  { minLength: 1, maxLength: 4 },
);

type Step = { readonly asks: readonly object[]; readonly answers: object };

/** Steps of a session as chat messages or items, and the texts expected in its record. */
function stepsOf(
  { turns, kind }: Plan,
  n: number,
): { readonly steps: readonly Step[]; readonly texts: readonly string[] } {
  const steps: Step[] = [];
  const texts: string[] = [];
  const isChat = kind === 'litellm';
  for (const [t, hasCall] of turns.entries()) {
    const token = (prefix: string): string => `${prefix}${n}-${t}x`;
    const asks = [{ role: 'user', content: token('ask') }];
    texts.push(token('ask'));
    const answer = { ...(isChat ? {} : { type: 'message' }), role: 'assistant', content: token('answer') };
    if (hasCall) {
      const args = `{"t":"${token('call')}"}`;
      const id = `id${t}`;
      const call = isChat
        ? {
            role: 'assistant',
            tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: args } }],
          }
        : { type: 'function_call', call_id: id, name: 'f', arguments: args };
      const result = isChat
        ? { role: 'tool', tool_call_id: id, content: token('result') }
        : { type: 'function_call_output', call_id: id, output: token('result') };
      steps.push({ asks, answers: call }, { asks: [result], answers: answer });
      texts.push(`call ${args}`, token('result'));
    } else steps.push({ asks, answers: answer });
    texts.push(token('answer'));
  }
  return { steps, texts };
}

function logOf(
  plan: Plan,
  n: number,
): { readonly lines: readonly string[]; readonly texts: readonly string[] } {
  const { steps, texts } = stepsOf(plan, n);
  const history: object[] = [];
  const lines = steps.map(({ asks, answers }, i) => {
    const context = plan.kind === 'chain' ? asks : [...history, ...asks];
    history.push(...asks, answers);
    if (plan.kind === 'litellm') {
      const call = { call_type: 'completion', startTime: i, trace_id: `trace${n}`, messages: context };
      return JSON.stringify({ ...call, response: { choices: [{ message: answers }] } });
    }
    const previous = plan.kind === 'chain' && i > 0 ? { previous_response_id: `resp${n}-${i - 1}` } : {};
    const response = { id: `resp${n}-${i}`, object: 'response', output: [answers] };
    return JSON.stringify({ request: { ...previous, input: context }, response });
  });
  return { lines, texts };
}

/** Interleaves several logs, each in its own order. */
function mixed(logs: readonly (readonly string[])[], order: readonly number[]): readonly string[] {
  const rest = logs.map((lines) => [...lines]);
  const interleaved: string[] = [];
  for (let i = 0; rest.some(({ length }) => length > 0); i++) {
    const open = rest.filter(({ length }) => length > 0);
    interleaved.push(open[(order[i % order.length] as number) % open.length]?.shift() as string);
  }
  return interleaved;
}

const orders = fc.array(fc.nat(), { minLength: 1, maxLength: 9 });

describe('interleaved sessions', () => {
  it('become one record each, with everything once, and each line has one fate', () => {
    fc.assert(
      fc.property(plans, orders, fc.constantFrom('litellm', 'pairs'), (all, order, way) => {
        const isChat = way === 'litellm';
        const some = all.map(
          (plan): Plan =>
            isChat
              ? { ...plan, kind: 'litellm' }
              : { ...plan, kind: plan.kind === 'litellm' ? 'chain' : plan.kind },
        );
        const logs = some.map(logOf);
        const lines = mixed(
          logs.map((log) => log.lines),
          order,
        );
        const elements = gathered(isChat ? calls : responses, lines);
        const records = entriesOf(elements).map(textsIn);
        expect(records.map((texts) => texts.join('\n')).toSorted()).toEqual(
          logs.map(({ texts }) => texts.join('\n')).toSorted(),
        );
        expect([...linesOf(elements)].sort((a, b) => a - b)).toEqual(lines.map((_, i) => i + 1));
      }),
    );
  });

  it('are read as far as they go when truncated after any byte', () => {
    fc.assert(
      fc.property(plans, orders, fc.double({ min: 0, max: 1, noNaN: true }), (all, order, part) => {
        const some = all.map(
          (plan): Plan => ({ ...plan, kind: plan.kind === 'litellm' ? 'chain' : plan.kind }),
        );
        const logs = some.map(logOf);
        const whole = mixed(
          logs.map((log) => log.lines),
          order,
        ).join('\n');
        const lines = whole
          .slice(0, Math.floor(whole.length * part))
          .split('\n')
          .filter((line) => line !== '');
        const elements = gathered(responses, lines);
        const wholes = logs.map(({ texts }) => texts.join('\n'));
        for (const entry of entriesOf(elements)) {
          const joined = textsIn(entry).join('\n');
          expect(wholes.some((one) => one.startsWith(joined))).toBe(true);
        }
        expect(elements.filter(({ kind }) => kind === 'rejection').length).toBeLessThanOrEqual(1);
        expect([...linesOf(elements)].sort((a, b) => a - b)).toEqual(lines.map((_, i) => i + 1));
      }),
    );
  });
});

describe('one session', () => {
  const call = (trace: string | undefined, asks: readonly string[], answer: string): string => {
    const messages = asks.map((content, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content }));
    const response = { choices: [{ message: { role: 'assistant', content: answer } }] };
    return JSON.stringify({ call_type: 'c', startTime: 1, trace_id: trace, messages, response });
  };
  const records = (lines: readonly string[], options: ReadingOptions = {}) =>
    entriesOf(gathered(calls, lines, options)).map((entry) => [entry.sessionId, textsIn(entry).join(' ')]);

  test('has two records for two answers to one question, of which --select last keeps the longest', () => {
    const lines = [call('s', ['a'], 'b'), call('s', ['a', 'b', 'c'], 'd'), call('s', ['a'], 'x')];
    expect(records(lines)).toEqual([
      ['s', 'a b c d'],
      ['s#2', 'a x'],
    ]);
    const few = gathered(calls, lines, { select: 'last' });
    expect(few).toMatchObject([{ kind: 'entry' }, { fate: 'dropped:abandoned-branch', origin: { line: 3 } }]);
  });

  test('has one record for a repeated call', () => {
    expect(records([call('s', ['a'], 'b'), call('s', ['a'], 'b')])).toEqual([['s', 'a b']]);
  });

  test('joins a call without an id that continues the previous one', () => {
    const lines = [
      call(undefined, ['a'], 'b'),
      call(undefined, ['a', 'b', 'c'], 'd'),
      call(undefined, ['a'], 'b'),
    ];
    expect(records(lines).map(([, joined]) => joined)).toEqual(['a b c d', 'a b']);
  });

  test('does not join another session because of the same first question', () => {
    expect(records([call('s', ['a'], ''), call('t', ['a', 'b', 'c'], 'd')]).map(([id]) => id)).toEqual([
      's',
      't',
    ]);
  });

  test('ignores white space and the order of keys in arguments', () => {
    const withCall = (args: string) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: args, function: { name: 'f', arguments: args } }],
    });
    const line = (messages: readonly object[], message: object): string =>
      JSON.stringify({
        call_type: 'c',
        startTime: 1,
        trace_id: 's',
        messages,
        response: { choices: [{ message }] },
      });
    const question = { role: 'user', content: 'a' };
    const lines = [
      line([question], withCall('{"x":1,"y":[2]}')),
      line([question, withCall('{ "y": [2], "x": 1 }')], { role: 'assistant', content: 'b' }),
    ];
    expect(records(lines)).toHaveLength(1);
  });

  test('ends when it is idle and memory is short, and its id is refused from then on', () => {
    const long = 'x'.repeat(2000);
    const lines = [
      call('s', ['a'], long),
      call('t', ['b'], long),
      call('u', ['c'], long),
      call('s', ['a', long, 'd'], 'e'),
    ];
    const elements = gathered(calls, lines, { maxConversation: 6000 });
    expect(elements).toMatchObject([
      { sessionId: 's', origin: { line: 1 } },
      { sessionId: 's', refused: { reason: 'session-reopened' }, origin: { line: 4 } },
      { sessionId: 't' },
      { sessionId: 'u' },
    ]);
  });
});

test('gathers the calls of a user under an id that does not name the user', () => {
  const line = (user: string): string =>
    JSON.stringify({
      ...{ id: 'x', call_type: 'acompletion', startTime: 1770112800, end_user: user },
      messages: [{ role: 'user', content: 'Hi.' }],
      response: { choices: [{ message: { role: 'assistant', content: 'Ho.' } }] },
    });
  const ids = (user: string): readonly (string | undefined)[] =>
    entriesOf(gathered(calls, [line(user), line(user)])).map(({ sessionId }) => sessionId);
  const [first, ...others] = ids('ada.lovelace@example.org');
  expect(first).toMatch(/^user-[0-9a-f]{16}/);
  expect(others.every((id) => id === undefined || id.startsWith('user-'))).toBe(true);
  expect(ids('grace')[0]).not.toBe(first);
});
