import { describe, expect, it } from 'vitest';
import { ANTHROPIC_MESSAGE, CHAT_MESSAGE } from '../../../../transforms/dialects/shared/known-members.ts';
import { known, knownByType, unreadIn } from '../../../../transforms/dialects/shared/unread-text.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';

const view = (value: unknown): JsonView => new JsonView(Buffer.from(JSON.stringify(value)));
const PART = knownByType('type', { text: known('type text') });
const MESSAGE = known('role id', { 'content:parts': PART });
const pathIn = (value: unknown): string | undefined =>
  unreadIn(view(value), MESSAGE, 'message')?.message.replace(
    ' has a member with words that turnmill does not know: ',
    ' ',
  );

describe('unknown members', () => {
  it.each([
    ['words', 'Dig a hole.'],
    ['a language without blanks', '穴を掘る'],
    ['a list of words', ['Dig', 'a hole']],
    ['words deep inside', { a: [{ b: 'Dig a hole' }] }],
    ['one word where APIs put texts', { text: 'Dig' }],
    ['a list of parts', { content: [{ x: 1 }] }],
  ])('with %s are found', (_what, value) => {
    expect(pathIn({ role: 'user', spy: value })).toBe('message spy');
  });

  it.each([
    ['a number', 1],
    ['one word', 'Dig'],
    ['a time', '2026-01-02 10:00:00.123'],
    ['an id', 'msg_01-a.b/c'],
    ['an empty text', { text: '', content: [] }],
    ['numbers by name', { a: { b: 1 } }],
  ])('with %s are not', (_what, value) => {
    expect(pathIn({ role: 'user', spy: value })).toBeUndefined();
  });

  it('are found in a giant text without blanks in linear time', () => {
    expect(pathIn({ spy: 'x,'.repeat(2_000_000) })).toBeUndefined();
  });
});

it('names the place of the object, and a member only if it looks like a name', () => {
  const part = { type: 'text', text: 'a', spy: 'two words' };
  expect(pathIn({ content: [{ type: 'text', text: 'a' }, part] })).toBe('message.content[1] spy');
  expect(pathIn({ 'two words': 'two words' })).toBe('message another name');
});

it('does not look at known members, nor at objects of a type that is not listed', () => {
  expect(pathIn({ role: 'two words', content: 'two words' })).toBeUndefined();
  expect(pathIn({ content: [{ type: 'image', spy: 'two words' }, { spy: 'two words' }] })).toBeUndefined();
});

describe('an object without what it is for', () => {
  const RESULT = known('type output:text!');
  const isFound = (spy: object): boolean =>
    unreadIn(view({ type: 'result', ...spy }), RESULT, 'it') !== undefined;

  it('may have it under an unknown name: there a single word counts', () => {
    expect(isFound({ spy: 'done' })).toBe(true);
    expect(isFound({ ts: 'done' })).toBe(true);
    expect(isFound({ spy: '2026-01-14T08:00:01' })).toBe(true);
    expect(isFound({ output: 'done', spy: 'x' })).toBe(false);
  });

  it.each(['ts', 'time', 'logged_at', 'loggedAt', 'line.timestamp'])(
    'does not have it in a time: %s',
    (name) => {
      expect(isFound({ [name]: '2026-01-14T08:00:01.250907' })).toBe(false);
    },
  );
});

describe('a member with objects', () => {
  const CALL = known('name');
  const isFound = (shape: string, value: unknown): boolean =>
    unreadIn(view({ held: value }), known('id', { [`held${shape}`]: CALL }), 'message')?.message ===
    'message has a member of another form than it always has: held';

  it.each([
    ['', ['a word', ['a'], [['a']], [{}, 'a']]],
    [':object', ['a word', [{ name: 'a' }]]],
    [':one', [[{ name: 'a' }]]],
    [':list', ['a word', { name: 'a' }, [{ name: 'a' }, 'a'], '[{"name":"a"}]']],
    [':json', ['a word', { name: 'a' }, '{"name":"a"}']],
    [':parts', [{ name: 'a' }, [['a']]]],
  ])('is found in another shape than %s', (shape, values) => {
    expect(values.filter((value) => !isFound(shape, value))).toEqual([]);
  });

  it.each([
    ['', [{ name: 'a' }, [{ name: 'a' }]]],
    [':object', [{ name: 'a' }]],
    [':one', [{ name: 'a' }, 'a word']],
    [':list', [[{ name: 'a' }, null], []]],
    [':json', ['[{"name":"a"}]', [{ name: 'a' }]]],
    [':parts', ['a word', ['a word', { name: 'a' }]]],
    [':any', ['a word', [['a']]]],
  ])('is not found in the shape %s, nor empty', (shape, values) => {
    expect([...values, null, '', [], {}].filter((value) => isFound(shape, value))).toEqual([]);
  });
});

it('finds an image whose address is under an unknown name', () => {
  const found = (image: object): string | undefined =>
    unreadIn(view({ role: 'user', content: [{ type: 'image', ...image }] }), CHAT_MESSAGE, 'm')?.message;
  expect(found({ spy: ['https://example.org/a.png'] })).toMatch(/^m\.content\[0\] has .* spy$/);
  expect(found({ image_urls: ['https://example.org/a.png'], cache_prompt: false })).toBeUndefined();
  expect(found({ source: { type: 'base64', media_type: 'image/png', data: 'AA==' } })).toBeUndefined();
});

it('knows the members of the Messages API', () => {
  const block = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'two words' }] };
  const call = {
    type: 'tool_use',
    id: 'a',
    name: 'f',
    input: { spy: 'two words' },
    caller: { type: 'direct' },
  };
  const found = (...content: object[]): string | undefined =>
    unreadIn(view({ role: 'user', content }), ANTHROPIC_MESSAGE, 'm')?.message;
  expect(found(block, call, { type: 'thinking', thinking: 'two words', signature: 'x' })).toBeUndefined();
  expect(found(call, { ...block, output: 'two words' })).toMatch(/^m\.content\[1\] has .* output$/);
});
