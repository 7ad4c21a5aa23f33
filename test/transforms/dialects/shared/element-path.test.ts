import { expect, it } from 'vitest';
import { pathTo } from '../../../../transforms/dialects/shared/element-path.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

it('pathTo names only keys that are read', () => {
  const json = '{"request":{"messages":[{},{"tool_calls":[{"secret":[0]}]}]}}';
  const to = (text: string): string => pathTo(encode(json), 0, json.indexOf(text));
  expect(to('[0]')).toBe('request.messages[1].tool_calls[0].*');
  expect(to('[{"secret')).toBe('request.messages[1].tool_calls');
  expect(pathTo(encode(json), 0, 0)).toBe('');
  const deep = `${'['.repeat(30)}${']'.repeat(30)}`;
  expect(pathTo(encode(deep), 0, 29)).toBe(`${'[0]'.repeat(10)}...`);
});
