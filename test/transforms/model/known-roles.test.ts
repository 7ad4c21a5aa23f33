import { expect, test } from 'vitest';
import { isOtherSpeaker, isRole, ROLES, roleNamed } from '../../../transforms/model/known-roles.ts';

test.each([
  ['human', 'user'],
  ['model', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['ASSISTANT', 'assistant'],
  ['developer', 'developer'],
  ['FunctionMessage', 'function'],
])('%s is the role %s', (name, role) => {
  expect(roleNamed(name)).toBe(role);
});

test.each(['constructor', '__proto__', 'toString', 'Assistant ', 'session_meta', 'observation', ''])(
  '%j is no known speaker',
  (name) => {
    expect(roleNamed(name)).toBeUndefined();
    expect(isRole(name)).toBe(false);
  },
);

test.each([
  ['assistant', 'human', true],
  ['assistant', 'tool', true],
  ['user', 'ai', true],
  ['user', 'AIMessage', true],
  ['tool', 'assistant', true],
  ['assistant', 'model', false],
  ['user', 'human', false],
  ['user', 'system', false],
  ['user', 'bot-7', false],
  ['user', undefined, false],
])('beside the role %s, %s is another speaker: %s', (role, name, isOther) => {
  expect(isOtherSpeaker(role, name)).toBe(isOther);
});

test('the roles that are written are known', () => {
  for (const role of ROLES) expect([isRole(role), roleNamed(role)]).toEqual([true, role]);
});
