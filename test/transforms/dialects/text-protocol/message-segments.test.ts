import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseMessageSegments } from '../../../../src/index.ts';
import { protocolLines } from '../../../../transforms/dialects/text-protocol/message-segments.ts';

const call = (name: string, args: unknown) => ({
  kind: 'tool',
  call: { name, arguments: args },
  argumentsText: JSON.stringify(args),
});
const text = (content: string) => ({ kind: 'text', text: content });
const think = (content: string) => ({ kind: 'think', text: content });

describe('the segments of an assistant text', () => {
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
  ])('%j', (content, segments) => {
    expect(parseMessageSegments(content)).toEqual(segments);
  });

  it('keep the order of thoughts, texts and calls', () => {
    const content = 'a<think>b</think>c<tool_call>{"name":"d","arguments":{}}</tool_call>e<think>f</think>';
    expect(parseMessageSegments(content).map(({ kind }) => kind)).toEqual([
      ...['text', 'think', 'text', 'tool', 'text', 'think'],
    ]);
  });

  it('contain only text of the message, and no message throws', () => {
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
        const content = parts.join('');
        for (const segment of parseMessageSegments(content)) {
          if (segment.kind === 'tool') continue;
          for (const word of segment.text.split(/\s+/))
            expect(content.replaceAll('\ud800', '\ufffd')).toContain(
              word.replaceAll('\ud800', '\ufffd').slice(0, 1),
            );
        }
      }),
    );
  });
});

test('keep lines of the protocol apart from texts', () => {
  expect(protocolLines('STATE: acting\nNEEDS_CONFIRMATION: true\nFINAL: done\nstate of mind')).toEqual([
    ...['STATE: acting', 'NEEDS_CONFIRMATION: true', 'FINAL:'],
  ]);
  expect(protocolLines('<think>STATE: idle</think>no line')).toEqual([]);
});
