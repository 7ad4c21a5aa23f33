/** Spans of GitHub Copilot CLI, which have only the messages since the turn before. */
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../transforms/model/element.ts';
import { entriesOf, messagesOf, read, rulesOf } from '../span-samples.ts';

interface Turn {
  readonly trace: string;
  readonly number: string;
  readonly start: number;
  readonly user?: string;
  readonly call?: string;
  readonly text?: string;
  readonly answer?: object;
}

const INPUT = 'gen_ai.input.messages';
const OUTPUT = 'gen_ai.output.messages';

const message = (role: string, part: object): object => ({ role, parts: [part] });
const text = (content: string): object => ({ type: 'text', content });

function lineOf({ trace, number, start, user, call, text: said, answer }: Turn): string {
  const input = [
    ...(user === undefined ? [] : [message('user', text(user))]),
    ...(call === undefined
      ? []
      : [message('tool', { type: 'tool_call_response', id: call, response: 'ok' })]),
  ];
  const output = [
    ...(said === undefined ? [] : [message('assistant', text(said))]),
    ...(call === undefined
      ? []
      : [message('assistant', { type: 'tool_call', id: call, name: 'look', arguments: {} })]),
    ...(answer === undefined ? [] : [answer]),
  ];
  return JSON.stringify({
    traceId: trace,
    spanId: `${trace}${number}`,
    startTimeUnixNano: `${start}`,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': 'c',
      'github.copilot.turn_id': number,
      ...(input.length > 0 && { [INPUT]: JSON.stringify(input) }),
      ...(output.length > 0 && { [OUTPUT]: JSON.stringify(output) }),
    },
  });
}

const first: Turn = { trace: 'a', number: '0', start: 10, user: 'Which bulbs?', call: 'k1' };
const second: Turn = { trace: 'a', number: '1', start: 20, call: 'k2' };
const third: Turn = { trace: 'a', number: '2', start: 30, text: 'Tulips.' };
const next: Turn = { trace: 'b', number: '0', start: 40, user: 'How many?', text: '40.' };

/** The conversations, each message as its call or its text. */
const said = (...turns: readonly Turn[]): readonly (readonly string[])[] =>
  entriesOf(read(turns.map(lineOf))).map((entry) =>
    messagesOf(entry).map(({ content, tool_calls: calls }) => calls?.[0].id ?? content),
  );

describe('turns', () => {
  const whole = ['Which bulbs?', 'k1', 'ok', 'k2', 'ok', 'Tulips.', 'How many?', '40.'];

  it('are one conversation', () => {
    expect(said(first, second, third, next)).toEqual([whole]);
  });

  it('are one conversation if spans, or all of them, are logged again', () => {
    expect(said(first, second, second, third, next)).toEqual([whole]);
    expect(said(first, second, third, next, first, second, third, next)).toEqual([whole]);
  });

  it('keep the results after the last answer', () => {
    expect(said(first, second)).toEqual([['Which bulbs?', 'k1', 'ok', 'k2', 'ok']]);
  });

  it('do not continue one before a turn that is missing', () => {
    expect(said(first, third, next)).toEqual([
      ['Which bulbs?', 'k1', 'ok'],
      ['Tulips.', 'How many?', '40.'],
    ]);
  });

  it('have no question if the turn before is missing', () => {
    const [entry] = entriesOf(read([second, third].map(lineOf)));
    expect(rulesOf(entry as Entry)).toEqual(['no-question']);
  });

  it('do not continue one before a turn that is rejected', () => {
    const unknown = { role: 'assistant', parts: [{ type: 'riddle', words: 'What am I?' }] };
    expect(said(first, { ...second, answer: unknown }, next)).toEqual([
      ['Which bulbs?', 'k1', 'ok'],
      ['How many?', '40.'],
    ]);
  });

  it('do not continue one that is later in time', () => {
    expect(said(next, first, second)).toEqual([
      ['Which bulbs?', 'k1', 'ok', 'k2', 'ok'],
      ['How many?', '40.'],
    ]);
  });

  it('are one conversation if each has all messages', () => {
    const [one, other] = [first, second].map((turn) => JSON.parse(lineOf(turn)));
    const [asked, ...results] = JSON.parse(one.attributes[INPUT]);
    const all = [asked, ...JSON.parse(one.attributes[OUTPUT]), ...results];
    one.attributes[INPUT] = JSON.stringify([asked]);
    other.attributes[INPUT] = JSON.stringify(all);
    const entries = entriesOf(read([one, other].map((span) => JSON.stringify(span))));
    expect(entries.map((entry) => messagesOf(entry).map(({ role }) => role))).toEqual([
      ['user', 'assistant', 'tool', 'assistant'],
    ]);
  });

  it('continue one that has no answer', () => {
    expect(said({ trace: 'a', number: '0', start: 10, user: 'Which bulbs?' }, next)).toEqual([
      ['Which bulbs?', 'How many?', '40.'],
    ]);
  });
});
