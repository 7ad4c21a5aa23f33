import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cutToolBlocks, extractToolCall, stripToolBlocks } from '../../../transforms/dialects/tool-blocks.ts';
import { text } from '../bytes.ts';

const READ = { name: 'read', arguments: { path: 'file.md' } };

describe('a call in a text', () => {
  test.each([
    ['a block', '<tool_call>\n{"name": "read", "arguments": {"path": "file.md"}}\n</tool_call>'],
    ['args', '<tool_call>\n{"name": "read", "args": {"path": "file.md"}}\n</tool_call>'],
    ['a retrigger', '<tool_call>{"name":"read","args":{"path":"file.md"},"retrigger":true}</tool_call>'],
    ['a fence', '```tool\n{"name": "read", "args": {"path": "file.md"}}\n```'],
    ['the old word', '<tool_call>tool\n{"name": "read", "args": {"path": "file.md"}}\n</tool_call>'],
    ['a fence in a tag', '<tool_call>tool\n{"name": "read", "args": {"path": "file.md"}}\n```'],
    ['a tag that is never closed', '<tool_call>{"name": "read", "arguments": {"path": "file.md"}}'],
    [
      'several: the last one',
      `<tool_call>{"name":"write"}</tool_call> <tool_call>${JSON.stringify(READ)}</tool_call>`,
    ],
  ])('%s', (_what, block) => {
    expect(extractToolCall(block)).toEqual(READ);
    expect(extractToolCall(`before ${block} after`)).toEqual(READ);
    expect(stripToolBlocks(`I'll read that file for you.\n${block}`)).toBe("I'll read that file for you.");
  });

  it('may lack its arguments', () => {
    expect(extractToolCall('<tool_call>{"name":"list"}</tool_call>')).toEqual({
      name: 'list',
      arguments: {},
    });
  });

  it('has a text of arguments that stays as it is', () => {
    const [call] = cutToolBlocks(
      'é<tool_call>{"name":"f","arguments":{"b": 1.0,"a":1e400}}</tool_call>',
    ).calls;
    expect(text(call?.arguments as Uint8Array)).toBe('{"b": 1.0,"a":1e400}');
  });
});

test.each([
  '',
  'no call',
  'a <tool_call> b',
  '<tool_call>{"name": "read", "argum',
  '<tool_call>{"arguments":{}}</tool_call>',
  '<tool_call>{"name":""}</tool_call>',
  '<tool_call>["name"]</tool_call>',
  '```toolbox\n```',
  '```json\n{"name":"f"}\n```',
])('%j holds no call and stays as it is', (said) => {
  expect(extractToolCall(said)).toBeUndefined();
  expect(cutToolBlocks(said)).toEqual({ calls: [], text: said });
  expect(stripToolBlocks(said)).toBe(said);
});

it('leaves what is no call in its place beside one that is', () => {
  const said = '\ud800<tool_call>{</tool_call> x <tool_call>{"name":"f"}</tool_call> é';
  expect(cutToolBlocks(said).text).toBe('\ufffd<tool_call>{</tool_call> x  é');
});

it('gives back any text around a block', () => {
  const words = fc.stringMatching(/^[a-z é\n{}"`]{0,20}$/u);
  fc.assert(
    fc.property(words, words, (before, after) => {
      fc.pre(!/^\s*```/.test(after));
      const { calls, text: rest } = cutToolBlocks(`${before}<tool_call>{"name":"f"}</tool_call>${after}`);
      expect([calls.length, rest]).toEqual([1, before + after]);
    }),
  );
});

test.each([
  '<tool_call>',
  '```tool',
  '<tool_call>{"',
  '<tool_call>{"a":"',
  '<tool_call>{"a":["\\"',
  '<tool_call> \n ',
])('a megabyte of %j is read', (opener) => {
  const said = opener.repeat(2 ** 20 / opener.length);
  expect(cutToolBlocks(said)).toEqual({ calls: [], text: said });
});

it('a megabyte of calls is read', () => {
  const block = '<tool_call>{"name":"f"}</tool_call>';
  const { calls, text: rest } = cutToolBlocks(block.repeat(30_000));
  expect([calls.length, rest]).toEqual([30_000, '']);
});
