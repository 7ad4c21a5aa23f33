import { describe, expect, it, test } from 'vitest';
import { cutLeakedHeaders, cutThoughts, stripLeakedHeaders } from '../../../transforms/dialects/said-text.ts';

describe('thoughts', () => {
  test.each<readonly [said: string, text: string, thoughts: readonly string[]]>([
    ['a', 'a', []],
    ['<think>t</think>a', 'a', ['t']],
    ['a<think> t </think>b<think>u</think>c', 'abc', ['t', 'u']],
    ['t</think>a', 'a', ['t']],
    ['<think>t</think>u</think>a', 'a', ['t', 'u']],
    ['<think>a<think>b</think>c</think>d', 'd', ['a<think>b', 'c']],
    ['a<think>t', 'a', ['t']],
    ['a<think>t <tool_call>{}', 'a<tool_call>{}', ['t']],
    ['<think></think>a</think>', '', ['a']],
    ['<think> </think>a', 'a', []],
    ['a<think>x</think>', 'a', ['x']],
  ])('%j', (said, text, thoughts) => {
    expect(cutThoughts(said)).toEqual({ text, thoughts });
  });

  test.each(['<think>', '</think>', '<think></think>', '<think><tool_call>'])(
    'a megabyte of %s is read',
    (tag) => {
      expect(cutThoughts(tag.repeat(2 ** 20 / tag.length)).text).not.toContain('think>');
    },
  );
});

describe('leaked lines', () => {
  test.each([
    ['STATE: idle\nHello', 'Hello', 1],
    ['a\nNEEDS_CONFIRMATION: no\nb', 'a\nb', 1],
    ['FINAL:\nDone', 'Done', 1],
    ['FINAL: Done', 'Done', 1],
    ['a\n  TOOL CALLS:  \n\n\nb', 'a\n\n\nb', 1],
    ['THE STATE: x', 'THE STATE: x', 0],
    ['final:\nx', 'final:\nx', 0],
    ['a\r\nb', 'a\r\nb', 0],
  ])('%j', (said, text, lines) => {
    expect(cutLeakedHeaders(said)).toEqual({ text, lines });
  });

  it('leave no gap', () => {
    expect(stripLeakedHeaders('STATE: x\n\nHello\n\n\n\nyou\nFINAL:\n')).toBe('Hello\n\nyou');
  });
});
