import { describe, expect, it } from 'vitest';
import knownRoles from '../../../transforms/checks/known-roles.ts';
import { assistant, conversationOf, messageOf, named } from './samples.ts';

const from = (role: string) => messageOf({ role, content: 'x' });

describe('known-roles', () => {
  it.each(['session_meta', 'read_file', 'constructor', 'human', 'USER', ''])(
    'reports the role %j',
    (role) => {
      const found = [...knownRoles.check(conversationOf([assistant('a'), from(role)]))];
      expect(named(found)).toEqual(['ERROR unknown-speaker']);
      expect(found[0]?.message).toMatch(/^messages\[1\] is not from system, developer, .* or function$/);
    },
  );

  it.each(['system', 'developer', 'user', 'assistant', 'tool', 'function'])('not the role %s', (role) => {
    expect([...knownRoles.check(conversationOf([from(role)]))]).toEqual([]);
  });
});
