import { describe, expect, it } from 'vitest';
import { contentOfUnknown } from '../../../../transforms/dialects/shared/carried-content.ts';
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
  ])('may be dropped with %s', (_what, object) => {
    expect(lost(object)).toBeUndefined();
  });

  it('shows no type that may be content', () => {
    expect(lost({ text: 'a' }, 'What is it?')).toContain('of type another name');
  });

  it('is not searched below five levels', () => {
    expect(lost({ a: { b: { c: { d: { e: { text: 'a' } } } } } })).toBeUndefined();
  });
});
