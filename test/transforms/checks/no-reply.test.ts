import { describe, expect, it } from 'vitest';
import noReply from '../../../transforms/checks/no-reply.ts';
import { entryOf, named, user } from './samples.ts';

describe('no-reply', () => {
  it('reports an entry without a reply, and only that', () => {
    const watch = noReply.create();
    expect(named(watch.entry({ ...entryOf([user('x')]), reply: undefined }))).toEqual(['WARNING no-reply']);
    expect([...watch.entry(entryOf([user('x')]))]).toEqual([]);
    expect(() => watch.sessionEnd()).not.toThrow();
  });
});
