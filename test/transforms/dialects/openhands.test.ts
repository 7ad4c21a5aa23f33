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
  ])('detects %s', (_what, first) => expect(detects(first)).toBe(true));

  it.each([
    ['an action of nobody', { action: 'run', args: {} }],
    ['a kind of something else', { kind: 'LLM', source: 'x' }],
    ['a trajectory', { history: [], trajectory: [], info: {} }],
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

  it('reads an observation without content as the text of its members', () => {
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
    expect(conversationsOf(...events)).toEqual([['assistant  f', 'tool "{\\"kind\\":\\"X\\",\\"n\\":1}"']]);
  });
});
