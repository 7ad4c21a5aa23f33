import { describe, expect, it } from 'vitest';
import notAPrefix from '../../../transforms/checks/not-a-prefix.ts';
import type { Entry, Message } from '../../../transforms/model/element.ts';
import { assistant, call, calling, entryOf, messageOf, result, user } from './samples.ts';

type Path = readonly [messages: readonly Message[], reply?: Message];

const entryAt = ([messages, reply]: Path, i: number): Entry => ({ ...entryOf(messages, i + 1), reply });

/** The line of each finding, and its message up to the colon. */
function found(...paths: readonly Path[]): readonly string[] {
  const watch = notAPrefix.create();
  for (const entry of paths.map(entryAt)) expect([...watch.entry(entry)]).toEqual([]);
  return [...watch.sessionEnd()].map(({ rule, severity, place, message }) => {
    expect([rule, severity]).toEqual(['not-a-prefix', 'WARNING']);
    const [what, rest] = message.split(': ');
    expect(rest).toBe('the entry is not the beginning of the conversation that is written');
    return `${place.line}: ${what}`;
  });
}

const system = messageOf({ role: 'system', content: 'Be brief.' });
const [u1, a1, u2, a2, u3, a3] = [
  user('1'),
  assistant('one'),
  user('2'),
  assistant('two'),
  user('3'),
  assistant('three'),
];

describe('not-a-prefix', () => {
  it('reports nothing while each entry continues the previous one', () => {
    expect(found([[u1], a1], [[u1, a1, u2], a2], [[u1, a1, u2, a2, u3], a3])).toEqual([]);
    expect(found([[u1], a1], [[u1], a1], [[u1]], [[u1], a1])).toEqual([]);
    expect(found()).toEqual([]);
  });

  it('reports a call with other messages, wherever it is', () => {
    const title: Path = [[messageOf({ role: 'system', content: 'Write a title.' }), u1], assistant('Title')];
    const talk: readonly Path[] = [
      [[system, u1], a1],
      [[system, u1, a1, u2], a2],
    ];
    expect(found(title, ...talk)).toEqual(['1: differs from line 2 at messages[0]']);
    expect(found(talk[0] as Path, title, talk[1] as Path)).toEqual(['2: differs from line 3 at messages[0]']);
    expect(found(...talk, title)).toEqual(['3: differs from line 2 at messages[0]']);
  });

  it('reports a reply that the conversation does not have', () => {
    expect(found([[u1], assistant('lost')], [[u1, a1, u2], a2])).toEqual([
      '1: differs from line 2 at its reply',
    ]);
    expect(found([[u1], assistant('first try')], [[u1], a1])).toEqual([
      '1: differs from line 2 at its reply',
    ]);
    expect(found([[u1], a1], [[u1]])).toEqual(['1: differs from line 2 at its reply']);
  });

  it('reports all turns before a compaction and after a step back', () => {
    const summary = user('Summary of 1 and 2');
    expect(found([[u1], a1], [[u1, a1, u2], a2], [[summary, a3, u3], a3])).toEqual([
      '1: differs from line 3 at messages[0]',
      '2: differs from line 3 at messages[0]',
    ]);
    expect(found([[u1], a1], [[u1, a1, u2], a2], [[u1, a1, u3], a3])).toEqual([
      '2: differs from line 3 at messages[2]',
    ]);
  });

  it('compares with the conversation that is written, not only with the entries in between', () => {
    const [old, next] = ['10:00', '10:01'].map((time) => messageOf({ role: 'system', content: time })) as [
      Message,
      Message,
    ];
    expect(found([[old, u1], a1], [[next, u1, a1, u2], a2], [[old, u1, a1, u2, a2, u3], a3])).toEqual([
      '2: differs from line 3 at messages[0]',
    ]);
    const again = messageOf({ content: '10:00', role: 'system' });
    expect(found([[old, u1], a1], [[next, u1, a1, u2], a2], [[again, u1, a1, u2, a2, u3], a3])).toEqual([
      '2: differs from line 3 at messages[0]',
    ]);
  });

  it('ignores reasoning, ids of calls, members that are null, and the order of keys in arguments', () => {
    const reply = messageOf({
      role: 'assistant',
      content: null,
      refusal: null,
      reasoning_content: 'Hm.',
      tool_calls: [call('x', 'read', '{"a": 1, "b": 2}')],
    });
    const history = calling(call('y', 'read', '{"b":2,"a":1}'));
    expect(found([[u1], reply], [[u1, history, result('y', 'text')], a1])).toEqual([]);
    const other = calling(call('y', 'write', '{"b":2,"a":1}'));
    expect(found([[u1], reply], [[u1, other, result('y', 'text')], a1])).toEqual([
      '1: differs from line 2 at its reply',
    ]);
  });

  it('reads 400,000 calls that have nothing in common in linear time', () => {
    const watch = notAPrefix.create();
    for (let i = 0; i < 400_000; i++) watch.entry(entryAt([[i % 2 === 0 ? u1 : u2]], i));
    expect([...watch.sessionEnd()]).toHaveLength(200_000);
  });

  it('forgets the session', () => {
    const watch = notAPrefix.create();
    watch.entry(entryAt([[u1], a1], 0));
    watch.entry(entryAt([[u2], a2], 1));
    expect([...watch.sessionEnd()]).toHaveLength(1);
    expect([...watch.sessionEnd()]).toEqual([]);
    watch.entry(entryAt([[u2], a2], 0));
    expect([...watch.sessionEnd()]).toEqual([]);
  });

  it('has nothing to say about entries that are their own session', () => {
    const watch = notAPrefix.create();
    for (const path of [
      [[u1], a1],
      [[u2], a2],
    ] satisfies Path[])
      watch.entry({ ...entryAt(path, 0), alone: true });
    expect([...watch.sessionEnd()]).toEqual([]);
  });
});
