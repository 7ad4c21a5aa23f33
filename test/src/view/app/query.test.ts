import { expect, it } from 'vitest';
import { readQuery, toggled } from '../../../../src/view/app/query.ts';

it('reads words, phrases and filters', () => {
  expect(readQuery('two words tool:read "a phrase" tool:"my \\"tool\\"" note:x messages:3..')).toEqual({
    words: ['two', 'words', 'a phrase', 'note:x'],
    filters: { tool: ['read', 'my "tool"'], messages: ['3..'] },
  });
  expect(readQuery('')).toEqual({ words: [], filters: {} });
  expect(readQuery('constructor:x tool:')).toEqual({ words: ['constructor:x', 'tool:'], filters: {} });
});

it('adds a filter to a search, and takes it away again', () => {
  for (const name of ['read', 'a b', 'with "quotes" and \\', '"', 'x:y', '日本 語']) {
    const once = toggled('some words', 'tool', name);
    expect(readQuery(once)).toEqual({ words: ['some', 'words'], filters: { tool: [name] } });
    expect(toggled(once, 'tool', name)).toBe('some words');
    expect(readQuery(toggled(once, 'model', name)).filters).toEqual({ tool: [name], model: [name] });
  }
});
