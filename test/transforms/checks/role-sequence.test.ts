import { describe, expect, it } from 'vitest';
import roleSequence from '../../../transforms/checks/role-sequence.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { assistant, entryOf, messageOf, named, result, texts, user } from './samples.ts';

const run = (...lists: readonly (readonly Message[])[]) => {
  const watch = roleSequence.create();
  return lists.map((messages, i) => [...watch.entry(entryOf(messages, i + 1))]);
};
const [u, a, t] = [user('x'), assistant('y'), result('1', 'z')];

describe('role-sequence', () => {
  it('reports nothing while each entry continues the previous one', () => {
    const [developer, system] = ['developer', 'system'].map((role) => messageOf({ role, content: 'x' })) as [
      Message,
      Message,
    ];
    expect(run([developer, u], [system, u, a], [system, user('other'), a, u]).flat()).toEqual([]);
  });

  it('reports each entry that does not continue the previous one', () => {
    const found = run([u, a, t], [u, a], [u, a, t], [u, t], [u, t, a]);
    expect(found.map(named)).toEqual([[], ['ERROR role-sequence'], [], ['ERROR role-sequence'], []]);
    expect(texts(found.flat())).toEqual([
      'the entry ends before messages[2], the entry before it (line 1) has T in messages[2]',
      'messages[1] is T, the entry before it (line 3) has Ac in messages[1]',
    ]);
  });

  it('names an unknown role, shortened and escaped', () => {
    const odd = messageOf({ role: `\u001b${'x'.repeat(200)}`, content: '' });
    expect(texts(run([u], [odd]).flat())).toEqual([
      `messages[0] is "\\u{1b}${'x'.repeat(79)}...", the entry before it (line 1) has U in messages[0]`,
    ]);
  });

  it('starts over with each session', () => {
    const watch = roleSequence.create();
    watch.entry(entryOf([u, a]));
    watch.sessionEnd();
    expect([...watch.entry(entryOf([u]))]).toEqual([]);
  });
});
