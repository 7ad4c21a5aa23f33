import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseMessageSegments } from '../../../src/index.ts';
import { protocolLines } from '../../../transforms/dialects/message-segments.ts';

const call = (name: string, args: unknown) => ({
  kind: 'tool',
  call: { name, arguments: args },
  argumentsText: JSON.stringify(args),
});
const text = (said: string) => ({ kind: 'text', text: said });
const think = (said: string) => ({ kind: 'think', text: said });

describe('an assistant text as its segments', () => {
  test.each([
    ['', []],
    ['Hello.', [text('Hello.')]],
    ['<think>a plan</think>Hello.', [think('a plan'), text('Hello.')]],
    ['One <think>a</think>\n\n\n\ntwo <think>b</think>', [text('One'), think('a'), text('two'), think('b')]],
    ['a stray thought</think>Hello.', [think('a stray thought'), text('Hello.')]],
    [
      'I read it.\n<tool_call>\n{"name": "read", "arguments": {"path": "a.md"}}\n</tool_call>',
      [text('I read it.'), { ...call('read', { path: 'a.md' }), argumentsText: '{"path": "a.md"}' }],
    ],
    [
      '<tool_call>{"name":"a","arguments":{}}</tool_call> and <tool_call>{"name":"b","args":{"n":1.0}}</tool_call> end',
      [call('a', {}), text('and'), { ...call('b', { n: 1 }), argumentsText: '{"n":1.0}' }, text('end')],
    ],
    [
      '<tool_call>{"name": broken</tool_call>rest',
      [{ kind: 'tool', call: undefined, argumentsText: '' }, text('rest')],
    ],
    ['STATE: acting\nNEEDS_CONFIRMATION: true\nFINAL: It is done.', [text('It is done.')]],
    ['<think>STATE: a line of the thought</think>', [think('STATE: a line of the thought')]],
    ['Use `<tool_call>` to call.', [text('Use `<tool_call>` to call.')]],
  ])('%j', (given, segments) => {
    expect(parseMessageSegments(given)).toEqual(segments);
  });

  it('keeps the order of thoughts, words and calls', () => {
    const given = 'a<think>b</think>c<tool_call>{"name":"d","arguments":{}}</tool_call>e<think>f</think>';
    expect(parseMessageSegments(given).map(({ kind }) => kind)).toEqual([
      ...['text', 'think', 'text', 'tool', 'text', 'think'],
    ]);
  });

  it('never throws, and invents nothing', () => {
    const words = [
      '<think>',
      '</think>',
      '<tool_call>',
      '</tool_call>',
      '{"name":"x"',
      '}',
      'STATE: idle\n',
      '\n',
      'w',
      '```tool\n',
      '```',
      '\ud800',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 30 }), (parts) => {
        const given = parts.join('');
        for (const segment of parseMessageSegments(given)) {
          if (segment.kind === 'tool') continue;
          for (const word of segment.text.split(/\s+/))
            expect(given.replaceAll('\ud800', '\ufffd')).toContain(
              word.replaceAll('\ud800', '\ufffd').slice(0, 1),
            );
        }
      }),
    );
  });
});

test('U3: the lines of the protocol are separated from the words', () => {
  expect(protocolLines('STATE: acting\nNEEDS_CONFIRMATION: true\nFINAL: done\nstate of mind')).toEqual([
    ...['STATE: acting', 'NEEDS_CONFIRMATION: true', 'FINAL:'],
  ]);
  expect(protocolLines('<think>STATE: idle</think>no line')).toEqual([]);
});
