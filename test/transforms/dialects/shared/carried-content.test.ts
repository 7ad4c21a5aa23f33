import { describe, expect, it } from 'vitest';
import { contentOfUnknown, leaveUnknown } from '../../../../transforms/dialects/shared/carried-content.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';

const lost = (object: object, type = 'odd') =>
  contentOfUnknown(type, new JsonView(Buffer.from(JSON.stringify(object))));

describe('an object of an unknown type', () => {
  it.each([
    ['a message', { message: { role: 'user', content: 'a' } }],
    ['a content of parts', { content: [{ type: 'text' }] }],
    ['a text inside', { data: { turn: { text: 'a' } } }],
    ['a call', { data: { name: 'f', arguments: '{}' } }],
    ['a result', { payload: { output: 'a' } }],
    ['the id of a call', { error: 'no', tool_call_id: 'c1' }],
    ['a summary', { summary: 'All is done.' }],
    ['a text in JSON', { data: '{"content":"a"}' }],
    ['a pair of OpenTelemetry', { list: [{ key: 'x.prompt', value: { stringValue: 'a' } }] }],
    ['messages in a list of others', { batch: [{ n: 1 }, { messages: [{}] }] }],
    ['words under any name', { spoken: 'And the hedge' }],
    ['words far inside', { a: { b: { c: { d: { e: [{ f: 'And the hedge' }] } } } } }],
    ['words in JSON', { data: '{"said":"And the hedge"}' }],
    ['words without blanks', { spoken: '垣根もお願い' }],
    ['a sentence of one word', { spoken: 'Continue!' }],
    ['a word of somebody', { role: 'user', spoken: 'yes' }],
    ['words after an address', { spoken: 'https://x.example/a and the hedge' }],
    ['words that begin with a command', { spoken: '/compact and the hedge too' }],
  ])('is rejected with %s', (_what, object) => {
    expect(lost(object)).toBe('an object of type odd, which turnmill does not know, carries content');
  });

  it.each([
    ['the word of a state', { result: 'success', status: { message: 'a b' } }],
    ['an error', { error: { message: 'It broke.' } }],
    ['numbers only', { message: 3, output: 4 }],
    ['empty contents', { text: '', content: [], message: {} }],
    ['names of its own', { title: 'a b', cwd: '/w', data: { level: 'high' } }],
    ['an object under the name of a text', { output: { code: 0 } }],
    ['places', { cwd: '/home/ada b/x', found: '/home/ada/my garden/a.md' }],
    ['an address or a drive', { seen: ['https://x.example/a', 'C:\\My Files\\a'] }],
    ['names, times and versions', { tool_name: 'a b', startTime: 'Feb 3 2026', appVersion: '2.0 (x y)' }],
    ['ids and words of a state', { session: 'a1b2-c3', phase: 'idle', names: ['one two'] }],
    ['a role and ids', { role: 'user', requestId: 'abc', count: 3 }],
  ])('may be dropped with %s', (_what, object) => {
    expect(lost(object)).toBeUndefined();
  });

  it('is rejected if its type is a call', () => {
    expect(lost({ count: 1 }, 'remote_call')).toContain('of type remote_call');
    expect(lost({ count: 1 }, 'call_count')).toBeUndefined();
  });

  it('shows no type that may be content', () => {
    expect(lost({ text: 'a' }, 'What is it?')).toContain('of type another name');
  });

  it('is not searched below five levels', () => {
    expect(lost({ a: { b: { c: { d: { e: { text: 'a' } } } } } })).toBeUndefined();
  });
});

describe('a line of an unknown type', () => {
  const context = {
    reject: (reason: string, detail: string) => ({ kind: 'rejection', reason, detail }),
    drop: (name: string) => ({ kind: 'fate', fate: `dropped:${name}` }),
  } as unknown as Parameters<typeof leaveUnknown>[2];
  const left = (object: object) =>
    leaveUnknown('odd', new JsonView(Buffer.from(JSON.stringify(object))), context);

  it('is rejected with content', () => {
    expect(left({ spoken: 'And the hedge' })).toMatchObject({ kind: 'rejection', reason: 'bad-event' });
  });

  it('is dropped without, and its texts do not count as read', () => {
    expect(left({ title: 'The hedge' })).toEqual({ kind: 'fate', fate: 'dropped:client-event', unread: [] });
  });
});
