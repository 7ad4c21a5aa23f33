import { describe, expect, it, test } from 'vitest';
import {
  cutLeakedHeaders,
  cutThoughts,
  stripLeakedHeaders,
} from '../../../../transforms/dialects/text-protocol/agent-text.ts';

describe('thoughts', () => {
  test.each<readonly [content: string, text: string, thoughts: readonly string[]]>([
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
    ['a<think>t <TOOL_CALL>{}', 'a<TOOL_CALL>{}', ['t']],
  ])('%j', (content, text, thoughts) => {
    expect(cutThoughts(content)).toEqual({ text, thoughts });
  });

  test.each(['<think>', '</think>', '<think></think>', '<think><tool_call>'])(
    'are cut from a megabyte of %s',
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
    ['State: idle\nHello', 'Hello', 1],
    ['state:thinking\r\nHello', 'Hello', 1],
    ['a\n  sTaTe:  Awaiting_Confirmation.  \nb', 'a\nb', 1],
    ['State: error\nNeeds_Confirmation: false\nb', 'b', 2],
    ['RETRIGGER: Go on.\nb', 'b', 1],
    ['STATE: acting', '', 1],
    ['State: California\nZip: 94016', 'State: California\nZip: 94016', 0],
    ['State: Reading, Pennsylvania', 'State: Reading, Pennsylvania', 0],
    ['State: reading the file now', 'State: reading the file now', 0],
    ['State:\nidle', 'State:\nidle', 0],
    ['Estate: idle', 'Estate: idle', 0],
    ['The state: idle', 'The state: idle', 0],
    ['Retrigger: go on', 'Retrigger: go on', 0],
    ['needs_confirmation: from you', 'needs_confirmation: from you', 0],
    ['```yaml\nstate: idle\n```\nState: idle', '```yaml\nstate: idle\n```', 1],
  ])('%j', (content, text, lines) => {
    expect(cutLeakedHeaders(content)).toEqual({ text, lines });
  });

  test.each(
    ...[['idle', 'thinking', 'reading', 'searching', 'writing', 'appending', 'editing', 'checking', 'error']],
  )('include State: %s', (state) => {
    for (const line of [`State: ${state}`, `state:\t${state.toUpperCase()}`, `STATE: ${state}`])
      expect(cutLeakedHeaders(`${line}\nHello`)).toEqual({ text: 'Hello', lines: 1 });
  });

  test.each([
    'STATE: x\n',
    'State: idle\n',
    'state:',
    'state:\t',
    'FINAL:',
    '```\n',
    'needs_confirmation:\t',
  ])('are cut from a megabyte of %j', (line) => {
    expect(cutLeakedHeaders(line.repeat(2 ** 20 / line.length)).text.length).toBeLessThanOrEqual(2 ** 20);
  });

  it('leave no gap', () => {
    expect(stripLeakedHeaders('STATE: x\n\nHello\n\n\n\nyou\nFINAL:\n')).toBe('Hello\n\nyou');
  });
});
