import { describe, expect, it } from 'vitest';
import noReply from '../../../transforms/checks/no-reply.ts';
import { entryOf, named, texts, user } from './samples.ts';

describe('no-reply', () => {
  it('reports only entries without a reply', () => {
    const watch = noReply.create();
    expect(named(watch.entry({ ...entryOf([user('x')]), reply: undefined }))).toEqual(['WARNING no-reply']);
    expect([...watch.entry(entryOf([user('x')]))]).toEqual([]);
    const without = { ...entryOf([user('x')]), reply: undefined };
    expect([...watch.entry({ ...without, lacks: ['replies'] })]).toEqual([]);
    expect(named(watch.entry({ ...without, lacks: ['tools'] }))).toEqual(['WARNING no-reply']);
    const empty = watch.entry({ ...without, emptyReply: true, lacks: ['replies'] });
    expect(texts(empty)).toEqual(['the reply has no text, calls, refusal or audio: left out']);
    expect(() => watch.sessionEnd()).not.toThrow();
  });
});
