import { describe, expect, it } from 'vitest';
import toolResults from '../../../transforms/checks/tool-results.ts';
import type { Message } from '../../../transforms/model/element.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  messageOf,
  named,
  result,
  texts,
  user,
} from './samples.ts';

const check = (...messages: readonly Message[]) => [...toolResults.check(conversationOf(messages))];
const END = assistant('Done.');
const ERROR = '{"error":"x"}';

describe('tool-results', () => {
  it('reports nothing when every call has its result, in any order', () => {
    const a = calling(call('1', 'read'), call('2', 'list'));
    expect(check(user('x'), a, result('2', 'b'), user('wait'), result('1', 'a'), END)).toEqual([]);
    expect(check()).toEqual([]);
  });

  it('pairs repeated ids block by block', () => {
    const again = calling(call('1', 'write'));
    expect(check(calling(call('1', 'read')), result('1', 'a'), again, result('1', 'b'), END)).toEqual([]);
    expect(named(check(calling(call('1', 'read')), result('1', 'a'), again, END))).toEqual([
      'ERROR tool-result-missing',
    ]);
  });

  it('pairs equal ids within one message in the order of the calls', () => {
    const twice = calling(call('1', 'read'), call('1', 'list'));
    expect(texts(check(twice, result('1', 'a'), END))).toEqual([
      'messages[0].tool_calls[1] "list" has no result',
    ]);
    expect(texts(check(twice, result('1', 'a'), result('1', ERROR), END))).toEqual([
      'messages[2], the result of "list", reports an error',
    ]);
  });

  it.each([
    ['tool-result-error', ERROR],
    ['tool-result-empty', ' '],
  ])('reports %s, as a warning when the same tool succeeded in the block', (rule, content) => {
    const two = calling(call('1', 'read'), call('2', 'read'), call('3', 'list'));
    const bad = [result('1', content), result('3', 'c')];
    expect(named(check(two, ...bad, result('2', 'b'), END))).toEqual([`WARNING ${rule}`]);
    expect(named(check(two, ...bad, result('2', content), END))).toEqual([`ERROR ${rule}`, `ERROR ${rule}`]);
  });

  it.each([
    [
      'the text of a part',
      [
        { type: 'text', text: 'Result:' },
        { type: 'text', text: '{"error":"yes"}' },
      ],
    ],
    [
      'the text of the first part',
      [
        { type: 'text', text: '{"error":"yes"}' },
        { type: 'text', text: 'more' },
      ],
    ],
    ['a part', [{ type: 'json', json: { Error: 'yes' } }]],
  ])('sees an error in %s', (_where, content) => {
    const message = messageOf({ role: 'tool', tool_call_id: '1', content });
    expect(named(check(calling(call('1', 'read')), message, END))).toEqual(['ERROR tool-result-error']);
  });

  it.each([
    ['text about errors', [{ type: 'text', text: 'no "error" here' }]],
    ['an error that is false', [{ type: 'text', text: '{"error":false}' }]],
    ['an image', [{ type: 'image_url', image_url: { url: 'error.png' } }]],
  ])('sees none in %s', (_where, content) => {
    const message = messageOf({ role: 'tool', tool_call_id: '1', content });
    expect(check(calling(call('1', 'read')), message, END)).toEqual([]);
  });

  it('does not let a success in another block excuse an error', () => {
    const read = calling(call('1', 'read'));
    expect(
      named(check(read, result('1', 'a'), read, result('1', ERROR), read, result('1', 'a'), END)),
    ).toEqual(['ERROR tool-result-error']);
  });

  it('reports a call without a result, as a warning when the same tool succeeded in the block', () => {
    const two = calling(call('1', 'read'), call('2', 'read'));
    expect(named(check(two, result('1', 'a'), END))).toEqual(['WARNING tool-result-missing']);
    expect(named(check(two, user('stop'), END))).toEqual([
      'ERROR tool-result-missing',
      'ERROR tool-result-missing',
    ]);
  });

  it('expects no results after the last message, but after any other', () => {
    const last = calling(call('1', 'read'), call('2', 'read'));
    expect(check(user('x'), last)).toEqual([]);
    expect(named(check(user('x'), last, user('y')))).toEqual([
      'ERROR tool-result-missing',
      'ERROR tool-result-missing',
    ]);
    expect(named(check(user('x'), last, result('1', 'a')))).toEqual(['WARNING tool-result-missing']);
  });

  it('expects no result for a tool_calls entry that is not an object, and one for a call without an id or a name', () => {
    expect(texts(check(calling('x', { function: {} }, call('', 'list')), END))).toEqual([
      'messages[0].tool_calls[1] (no name) has no result',
      'messages[0].tool_calls[2] "list" has no result',
    ]);
  });

  it('does not treat calls without a name as calls of one tool', () => {
    const nameless = calling({ id: '1' }, { id: '2' });
    expect(named(check(nameless, result('1', 'a'), result('2', ''), END))).toEqual([
      'ERROR tool-result-empty',
    ]);
  });

  it('pairs calls and results that have no ids in their order', () => {
    const bare = (name: string): object => ({ type: 'function', function: { name, arguments: '{}' } });
    const two = calling(bare('read'), bare('list'));
    const [a, b] = [result(undefined, 'a'), result('', 'b')];
    expect(check(user('x'), two, a, b, END)).toEqual([]);
    const empty = calling({ id: '', ...bare('read') }, { id: '', ...bare('list') });
    expect(check(user('x'), empty, a, b, END)).toEqual([]);
    expect(texts(check(two, a, END))).toEqual(['messages[0].tool_calls[1] "list" has no result']);
    expect(texts(check(two, a, b, a, END))).toEqual(['messages[3] has no tool_call_id']);
    expect(texts(check(calling(call('1', 'read')), a, END))).toEqual([
      'messages[0].tool_calls[0] "read" has no result',
      'messages[1] has no tool_call_id',
    ]);
  });

  it('reports results without a call', () => {
    const found = check(
      result('1', 'before any call'),
      calling(call('1', 'read')),
      result('1', 'a'),
      result('1', 'again'),
      result('2', 'another id'),
      result(undefined, 'no id'),
      result('', 'no id'),
      END,
      result('1', 'a block later'),
    );
    expect(new Set(named(found))).toEqual(new Set(['ERROR tool-result-orphan']));
    expect(texts(found)).toEqual([
      'messages[0] answers no call of the assistant message before it',
      'messages[3] answers a call that has its result already',
      'messages[4] answers no call of the assistant message before it',
      'messages[5] has no tool_call_id',
      'messages[6] has no tool_call_id',
      'messages[8] answers no call of the assistant message before it',
    ]);
  });

  it('treats tool_calls that are not a list as absent', () => {
    expect(check(messageOf({ role: 'assistant', tool_calls: 'x' }), END)).toEqual([]);
  });
});
