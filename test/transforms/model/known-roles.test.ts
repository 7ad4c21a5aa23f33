import { expect, test } from 'vitest';
import { isRole, ROLES, roleNamed } from '../../../transforms/model/known-roles.ts';

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

test('the roles that are written are known', () => {
  for (const role of ROLES) expect([isRole(role), roleNamed(role)]).toEqual([true, role]);
});
