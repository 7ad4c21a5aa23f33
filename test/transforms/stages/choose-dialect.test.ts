import { expect, it } from 'vitest';
import { createPlainScanner } from '../../../transforms/json/plain-scanner.ts';
import { DialectChooser } from '../../../transforms/stages/choose-dialect.ts';
import { lineOf } from '../log-lines.ts';

/** Why a source is refused that consists of one object. */
function refusalOf(object: object): string | undefined {
  const chooser = new DialectChooser(createPlainScanner(), []);
  expect(chooser.choose(lineOf(JSON.stringify(object)))).toBe('held');
  return [...chooser.refuse()].at(-1)?.detail;
}

it.each([
  { id: 1, name: 'x' },
  { type: 'module', version: '1', name: 'x' },
  { timestamp: 't', message: 'started', status: 'ok', source: 'web' },
])('%j resembles no dialect, because many programs write such keys', (object) => {
  const keys = Object.keys(object).join(', ');
  expect(refusalOf(object)).toBe(`no dialect has objects with the keys ${keys}`);
});

it.each([
  [{ type: 'x', payload: 1 }, 'codex'],
  [{ payload: 1 }, 'codex, without type'],
  [{ type: 'user', uuid: 'u', text: 'a' }, 'claude-code, without sessionId and message'],
  [{ custom_id: 'a' }, 'batches, without response'],
])('%j resembles the dialect that has most of its keys', (object, near) => {
  expect(refusalOf(object)).toContain(`; nearest: ${near}`);
});

const pair = (second: number, more: object = {}) => ({
  timestamp: `2026-01-01T00:00:0${second}Z`,
  ...more,
  request: { messages: [{ role: 'user', content: 'a' }] },
  response: { choices: [{ message: { role: 'assistant', content: 'b' } }] },
});

it.each([
  ['an exchange, if the next pair has a session', pair(2, { session_id: 's' }), 'exchange'],
  ['calls, if the next one has none either', pair(2), 'calls'],
  ['whatever the next object is', { type: 'session_meta', payload: { id: 'x' } }, 'codex'],
])('a pair with a time and no session is %s', (_name, next, dialect) => {
  const chooser = new DialectChooser(createPlainScanner(), []);
  const first = lineOf(JSON.stringify(pair(1)));
  expect(chooser.choose(first)).toBe('held');
  expect(chooser.last?.name).toBe('calls');
  expect(chooser.choose(lineOf(JSON.stringify(next)))).toMatchObject({ name: dialect });
  expect(chooser.take()).toHaveLength(1);
  expect(chooser.last).toBeUndefined();
});

it('a pair with a time and no session is a call at once if it cannot be held', () => {
  const chooser = new DialectChooser(createPlainScanner(), []);
  const giant = { ...pair(1), note: 'x'.repeat(300_000) };
  expect(chooser.choose(lineOf(JSON.stringify(giant)))).toMatchObject({ name: 'calls' });
  expect(chooser.choose(lineOf(JSON.stringify(pair(1))), false)).toMatchObject({ name: 'calls' });
  expect(chooser.holds).toBe(false);
});

const asked = { messages: [{ role: 'user', content: 'a' }] };
const answered = { messages: [...asked.messages, { role: 'assistant', content: 'b' }] };

/** Names of the dialects that are chosen by each object; `held` if it is held. */
function choicesOf(...objects: readonly object[]): readonly unknown[] {
  const chooser = new DialectChooser(createPlainScanner(), []);
  const choices = objects.map((object) => chooser.choose(lineOf(JSON.stringify(object))));
  return choices.map((choice) => (typeof choice === 'object' ? choice.name : choice));
}

it.each([
  ['calls, if a later one has an answer beside the messages', { ...asked, response: 'b' }, 'calls'],
  ['a conversation, if a later one has an answer', answered, 'messages'],
])('a conversation without an answer may be a failed call: %s', (_name, later, dialect) => {
  expect(choicesOf({ ...asked, error: 'timeout' }, later)).toEqual(['held', dialect]);
  expect(choicesOf(asked, { type: 'started' }, asked, later)).toEqual(['held', 'held', 'held', dialect]);
});

it('conversations without answers are conversations, if none of the first 64 lines has one', () => {
  const chooser = new DialectChooser(createPlainScanner(), []);
  const line = lineOf(JSON.stringify(asked));
  for (let count = 0; count < 64; count++) expect(chooser.choose(line)).toBe('held');
  expect(chooser.last?.name).toBe('messages');
  expect(chooser.choose(line)).toMatchObject({ name: 'messages' });
  expect(new DialectChooser(createPlainScanner(), []).choose(line, false)).toMatchObject({
    name: 'messages',
  });
});
