import fc from 'fast-check';
import { expect, it } from 'vitest';
import { changedMembers, wordDiff } from '../../../../src/view/app/word-diff.ts';

const shown = (before: string, after: string): string =>
  wordDiff(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : kind === 'removed' ? `[-${text}-]` : `{+${text}+}`))
    .join('');

it('shows removed and added words', () => {
  expect(shown('the quick brown fox', 'the slow brown fox jumps')).toBe(
    'the [-quick-]{+slow+} brown fox{+ jumps+}',
  );
  expect(shown('a b c d', 'a c d')).toBe('a [-b -]c d');
  expect(shown('same', 'same')).toBe('same');
  expect(shown('', 'new')).toBe('{+new+}');
});

it('gives both texts again, with few words more than needed, for any texts', () => {
  const words = fc.array(fc.constantFrom('a ', 'b ', 'c', '\n', '.', '日', ' '), { maxLength: 30 });
  fc.assert(
    fc.property(words, words, (a, b) => {
      const [before, after] = [a.join(''), b.join('')];
      const pieces = wordDiff(before, after);
      const without = (kind: string) =>
        pieces.flatMap((piece) => (piece.kind === kind ? [] : piece.text)).join('');
      expect([without('added'), without('removed')]).toEqual([before, after]);
    }),
  );
});

it('shows long texts without a common word as removed and added, at once', () => {
  const text = (word: string) => `${word} `.repeat(200_000).trim();
  expect(wordDiff(text('a'), text('b')).map(({ kind }) => kind)).toEqual(['removed', 'added']);
});

it('lists the members of a message that differ', () => {
  const call = (args: string) => ({ id: 'c', function: { name: 'f', arguments: args } });
  const before = { role: 'assistant', content: null, name: null, tool_calls: [call('{}'), call('1')] };
  const after = { role: 'assistant', content: 'null', tool_calls: [call('{ }')] };
  expect(changedMembers(JSON.stringify(before), JSON.stringify(after), JSON.parse)).toEqual([
    { path: 'content', before: 'null', after: '"null"' },
    { path: 'name', before: 'null', after: undefined },
    { path: 'tool_calls[0].function.arguments', before: '{}', after: '{ }' },
    { path: 'tool_calls[1]', before: JSON.stringify(call('1'), null, 2), after: undefined },
  ]);
  expect(changedMembers('{"a":1,"b":2}', '{ "b": 2, "a": 1 }', JSON.parse)).toEqual([]);
  expect(changedMembers('{"a":{"__proto__":1}}', '{"a":{"__proto__":2}}', JSON.parse)).toEqual([
    { path: 'a.__proto__', before: '1', after: '2' },
  ]);
  expect(changedMembers('{', '{}', JSON.parse)).toBeUndefined();
});
