import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  cutToolBlocks,
  extractToolCall,
  stripToolBlocks,
} from '../../../../transforms/dialects/text-protocol/tool-blocks.ts';
import { LONG } from '../../../support/long.ts';
import { text } from '../../bytes.ts';

const READ = { name: 'read', arguments: { path: 'file.md' } };
const CALL = '{"name": "read", "args": {"path": "file.md"}, "retrigger": {"message": "Go on."}}';

describe('a call in a text', () => {
  test.each([
    ['a block', '<tool_call>\n{"name": "read", "arguments": {"path": "file.md"}}\n</tool_call>'],
    ['args', '<tool_call>\n{"name": "read", "args": {"path": "file.md"}}\n</tool_call>'],
    ['a retrigger', `<tool_call>${CALL}</tool_call>`],
    ['a retrigger among the arguments', '<tool_call>read\n{"path": "file.md", "retrigger": {}}</tool_call>'],
    ['arguments in a string', '<tool_call>{"name":"read","arguments":{"path":"file.md","Retrigger":1}}'],
    ['the old word', '<tool_call>tool\n{"name": "read", "args": {"path": "file.md"}}\n</tool_call>'],
    ['the old word in capitals', `<tool_call> TOOL ${CALL}</tool_call>`],
    ['a fence in a tag', '<tool_call>tool\n{"name": "read", "args": {"path": "file.md"}}\n```'],
    ['a tag that is never closed', '<tool_call>{"name": "read", "arguments": {"path": "file.md"}}'],
    ['tags in capitals', `<TOOL_CALL>${CALL}</TOOL_CALL>`],
    ['tags in mixed case', `<Tool_Call>\n${CALL}\n</tool_CALL>`],
    ['tags in capitals, never closed', `<TOOL_CALL>\n${CALL}`],
    ['a name and args', '<tool_call>read\n{"args": {"path": "file.md"}}'],
    ['a name and arguments, closed', '<tool_call>read\n{"arguments": {"path": "file.md"}}\n</tool_call>'],
    ['a name and the arguments alone', '<tool_call>read\n{"path": "file.md"}\n</tool_call>'],
    ['a name on a line of its own', '<tool_call>\nread\n{"path": "file.md"}\n</tool_call>'],
    ['a name on the line of the object', '<tool_call>read {"path": "file.md"}</tool_call>'],
    ['a name twice', '<tool_call>read\n{"name": "read", "args": {"path": "file.md"}}'],
    ['the tail of a template', `<tool_call>${CALL}</arg_value></tool_call>`],
    ['the tail of a template on its own lines', `<tool_call>\n${CALL}\n</arg_value>\n</tool_call>`],
    ['half the tail of a template', `<tool_call>${CALL}</arg_value>`],
    ['a brace too many', `<tool_call>${CALL}}</tool_call>`],
    ['two opening tags', `<tool_call><tool_call>${CALL}</tool_call>`],
    ['two closing tags', `<tool_call>${CALL}</tool_call></tool_call>`],
    ['inline code', `\`<tool_call>${CALL}</tool_call>\``],
    ['an array of calls', `<tool_call>[{"name":"list"}, ${CALL}]</tool_call>`],
    ['several: the last one', `<tool_call>{"name":"write"}</tool_call> <tool_call>${CALL}</tool_call>`],
    [
      'several that are not closed: the last one',
      '<tool_call>list\n{"prefix":"a"}\n<tool_call>read\n{"path":"file.md"}</arg_value></tool_call>',
    ],
  ])('%s', (_what, block) => {
    expect(extractToolCall(block)).toEqual(READ);
    expect(extractToolCall(`before ${block} after`)).toEqual(READ);
    expect(stripToolBlocks(`I'll read that file for you.\n${block}`)).toBe("I'll read that file for you.");
    expect(stripToolBlocks(`Before.\n${block}\n\nAfter.`)).toMatch(/^Before\.\s+After\.$/);
  });

  test.each([
    ['tool', `\`\`\`tool\n${CALL}\n\`\`\``],
    ['a carriage return', `\`\`\`tool\r\n${CALL}\r\n\`\`\``],
    ['blanks in front', `\`\`\`  tool\n${CALL}\n\`\`\``],
    ['a tab in front', `\`\`\`\ttool  \n${CALL}\n\`\`\``],
    ['a line of its own', `\`\`\`\ntool\n${CALL}\n\`\`\``],
    ['a line of its own, with blanks', `\`\`\` \n  tool \n\n${CALL}\n\`\`\``],
    ['a line of its own, in capitals', `\`\`\`\nTOOL\n${CALL}\n\`\`\``],
    ['capitals', `\`\`\`TOOL\n${CALL}\n\`\`\``],
    ['mixed case', `\`\`\`Tool\n${CALL}\n\`\`\``],
    ['the object on its line', `\`\`\`tool ${CALL} \`\`\``],
    ['no blank', `\`\`\`tool${CALL}\`\`\``],
    ['four backticks', `\`\`\`\`tool\n${CALL}\n\`\`\`\``],
    ['no end', `\`\`\`tool\n${CALL}`],
    ['a note behind the object', `\`\`\`tool\n${CALL}\n// that is all\n\`\`\``],
    ['closing tags', `\`\`\`tool\n${CALL}</arg_value></tool_call>\n\`\`\``],
    ['a block in it', `\`\`\`tool\n<tool_call>${CALL}</tool_call>\n\`\`\``],
    ['a fence around it', `\`\`\`\`md\n\`\`\`tool\n${CALL}\n\`\`\`\n\`\`\`\``],
    ['a fence around a block', `\`\`\`xml\n<tool_call>\n${CALL}\n</tool_call>\n\`\`\``],
    [
      'a fence around two blocks',
      `\`\`\`\n<tool_call>{"name":"f"}</tool_call>\n<tool_call>${CALL}</tool_call>\n\`\`\``,
    ],
    ['a fence around an object with a retrigger', `\`\`\`json\n${CALL}\n\`\`\``],
  ])('may be fenced: %s', (_what, block) => {
    expect(extractToolCall(block)).toEqual(READ);
    expect(stripToolBlocks(`Before.\n${block}\n\nAfter.`)).toMatch(/^Before\.\s+After\.$/);
  });

  it('may have fences and tags in its strings', () => {
    const content = '```js\nconst a = 1;\n```\n<tool_call>{"name":"f"}</tool_call>';
    const json = JSON.stringify({ name: 'write', arguments: { path: 'a', content } });
    for (const block of [`<tool_call>${json}</tool_call>`, `\`\`\`tool\n${json}\n\`\`\``]) {
      expect(extractToolCall(block)).toEqual(JSON.parse(json));
      expect(stripToolBlocks(`${block}\nz`)).toBe('z');
    }
  });

  it('may be a bare object with a name and a retrigger', () => {
    expect(extractToolCall(CALL)).toEqual(READ);
    expect(stripToolBlocks(`{"a": {"b": 1}} {not JSON} I read.\n${CALL}\nDone.`)).toBe(
      '{"a": {"b": 1}} {not JSON} I read.\n\nDone.',
    );
    expect(stripToolBlocks('{"name": "read", "retrigger": {"message": "cut of')).toBe('');
    expect(stripToolBlocks(`${CALL}</arg_value></tool_call>`)).toBe('');
  });

  it('may lack its arguments', () => {
    const none = { name: 'list', arguments: {} };
    expect(extractToolCall('<tool_call>{"name":"list"}</tool_call>')).toEqual(none);
    expect(extractToolCall('<tool_call>list\n{"name":"list"}</tool_call>')).toEqual(none);
    expect(extractToolCall('<tool_call>list\n{}</tool_call>')).toEqual(none);
  });

  it('has its name even if an argument is called name', () => {
    expect(extractToolCall('<tool_call>add_user\n{"name":"Ann"}</tool_call>')).toEqual({
      name: 'add_user',
      arguments: { name: 'Ann' },
    });
  });

  it('keeps arguments that are a text', () => {
    for (const [open, close] of [
      ['<tool_call>{"name":"f","arguments":', '}</tool_call>'],
      ['<TOOL_CALL>f\n', '</arg_value></TOOL_CALL>'],
      ['```\ntool\n{"retrigger":1,"name":"f","args":', '}\n```'],
    ]) {
      const [call] = cutToolBlocks(
        `é${open}{"b": 1.0,"a":1e400,"\\u0041":12345678901234567890}${close}`,
      ).calls;
      expect(text(call?.arguments as Uint8Array)).toBe('{"b": 1.0,"a":1e400,"\\u0041":12345678901234567890}');
    }
  });
});

test.each([
  '',
  'no call',
  '```toolbox\n```',
  '```toolbox\n{"name":"f","arguments":{}}\n```',
  '```tools\n{"name":"f"}\n```',
  '```tool-versions\nnodejs 20\n```',
  '```tool.py\n{"name":"f"}\n```',
  '```json\n{"name":"f"}\n```',
  '```json\n{"name":"f","arguments":{}}\n```',
  '```\ntool\nhammer\n```',
  '```\nThe tool\n{"name":"f"}\n```',
  '```js\nlet a;\n```\ntool\n{"x": 1}',
  '```js\nuse("tool");\n```',
  'Ask the ```tool``` for it.',
  'a <tool_call> b',
  'Wrap it in `<tool_call>` and `</tool_call>`.',
  'Write `<tool_call>{...}</tool_call>`, then stop.',
  'It takes {"retrigger": true} and {"name": "f"}.',
  '{"name": "f", "note": "no \\"retrigger\\" here"}',
  '{"tool": {"name": "f", "retrigger": 1}}',
  '<toolcall>{"name":"f"}</toolcall>',
])('%j holds no call and stays unchanged', (content) => {
  expect(extractToolCall(content)).toBeUndefined();
  expect(cutToolBlocks(content)).toEqual({ calls: [], text: content, stripped: 0 });
  expect(stripToolBlocks(content)).toBe(content);
});

describe('a block without a readable call is cut and counted', () => {
  test.each([
    ['an object that is not JSON', '<tool_call>{"name": read}</tool_call>', 1],
    ['an object without a name', '<tool_call>{"arguments":{}}</tool_call>', 1],
    ['a name that is empty', '<tool_call>{"name":""}</tool_call>', 1],
    ['an array of text', '<tool_call>["name"]</tool_call>', 1],
    ['words', '<tool_call>I would read it.</tool_call>', 1],
    ['nothing', '<TOOL_CALL></TOOL_CALL>', 1],
    [
      'the XML of another template',
      '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n</tool_call>',
      1,
    ],
    ['line breaks in a string', '<tool_call>{"name":"write","args":{"content":"a\n\nb } c"}}', 1],
    ['a text that ends in it', '<tool_call>{"name":"write","args":{"content":"a\n\nb', 1],
    ['single quotes', "<tool_call>{'name': 'read'}", 1],
    ['a tag at the end', '<tool_call>', 1],
    ['a tag in capitals at the end', '<TOOL_CALL>', 1],
    ['tags at the end', '<tool_call> <tool_call>\n', 2],
    ['a tag and a name at the end', '<tool_call>read', 1],
    ['a closing tag', '</tool_call>', 1],
    ['the tail of a template', '</arg_value></tool_call>', 1],
    ['a fence with words', '```tool\nhammer\n```', 1],
    ['a fence with an object that is not JSON', '```TOOL\n{"name": read}\n```', 1],
    ['a fence with an object that is not JSON, never closed', '```tool\n{"name": "read", "args": {"a', 1],
    ['a fence with nothing', '```tool\n```', 1],
    ['a fence at the end', '```tool', 1],
    ['a word in a fence, and an object that is not JSON', '```\ntool\n{"name": read}\n```', 1],
    ['a bare object that ends in the text', '{"name":"f","retrigger":{"message":"a', 1],
  ])('%s', (_what, block, count) => {
    const { calls, text: rest, stripped } = cutToolBlocks(`Before.\n${block}`);
    expect([calls, rest.trim(), stripped]).toEqual([[], 'Before.', count]);
  });

  it('but an answer after an unclosed object stays', () => {
    const open = '<tool_call>{"name": "read", "args": {"path": "a"}';
    expect(stripToolBlocks(`${open}\n\nIt says "hello" to {you}.`)).toBe('It says "hello" to {you}.');
    expect(stripToolBlocks('```tool\n{"name": "f"}\n\nProse.\n\n```\ncode\n```')).toBe(
      'Prose.\n\n```\ncode\n```',
    );
    expect(stripToolBlocks('```tool\n{"name": "f"}\n```js\ncode\n```')).toBe('```js\ncode\n```');
  });
});

it('text next to a block stays', () => {
  const content = '\ud800<tool_call>{</tool_call> x <tool_call>{"name":"f"}</tool_call> é';
  expect(cutToolBlocks(content).text).toBe('\ufffd x  é');
});

it('several forms in one message are all cut the first time', () => {
  const content = [
    'One.\n```tool\n{"name":"a","args":{}}\n```\nTwo.\n<TOOL_CALL>b\n{"args":{"n":1.0}}\n</arg_value></TOOL_CALL>',
    'Three.\n```\ntool\n{"name":"c"}\n```\nFour. {"name":"d","retrigger":{}}\n```tool\nbroken\n```\nFive.',
    '```ts\nconst tool = "<tool>";\n```\nSix.<tool_call>{"name":"e"\n<tool_call>',
  ].join('\n');
  const { calls, text: rest, stripped } = cutToolBlocks(content);
  expect(calls.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  expect(stripped).toBe(3);
  expect(rest.split(/\n+/)).toEqual([
    ...['One.', 'Two.', 'Three.', 'Four. ', 'Five.', '```ts', 'const tool = "<tool>";', '```', 'Six.', ''],
  ]);
  expect(cutToolBlocks(rest)).toEqual({ calls: [], text: rest, stripped: 0 });
});

it('any text around a block stays', () => {
  const words = fc.stringMatching(/^[a-z é\n{}"`]{0,20}$/u);
  fc.assert(
    fc.property(words, words, (before, after) => {
      fc.pre(!/^[\s}]*`/.test(after) && !before.includes('```') && !before.endsWith('`'));
      const { calls, text: rest } = cutToolBlocks(`${before}<tool_call>{"name":"f"}</tool_call>${after}`);
      expect([calls.length, rest]).toEqual([1, before + after]);
    }),
  );
});

it('cutting twice is the same as once', () => {
  const piece = fc.constantFrom(
    ...[
      '<tool_call>',
      '</tool_call>',
      '<TOOL_CALL>',
      '</arg_value>',
      '```',
      '```tool',
      '``` tool\n',
      'tool\n',
    ],
    ...[
      CALL,
      '{"name":"f"}',
      '{"name":',
      '{',
      '}',
      '"retrigger"',
      '"',
      '`',
      '\n',
      '\n\n',
      ' ',
      'read\n',
      'a b',
      '<tool_',
      'call>',
    ],
    ...['```js\n', '\n```\n', '[', ']', '\\', 'é', '\ud83d'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const once = stripToolBlocks(pieces.join(''));
      expect(stripToolBlocks(once)).toBe(once);
    }),
    { numRuns: 3000 },
  );
});

const BYTES = LONG ? 2 ** 20 : 2 ** 18;

describe(`${BYTES} bytes are read in linear time`, () => {
  const OPENERS = [
    ...[
      '<tool_call>',
      '</tool_call>',
      '</arg_value>',
      '```tool',
      '```tool\n',
      '```\ntool\n',
      '```\ntool\n{"',
      '`',
    ],
    ...[
      '<tool_call>{"',
      '<tool_call>{"a":"',
      '<tool_call>{"a":["\\"',
      '<tool_call> \n ',
      '<tool_call>{\n',
      '[{',
    ],
    ...[
      '"retrigger"{"name":',
      '{"name":"x","retrigger":',
      '{"retrigger":1,"a":"<tool_call>{',
      '<tool_call>read\n{"a":',
    ],
    ...[
      '```tool\n{"a":1}\nx ',
      '`<tool_call>',
      '<tool_call>x\n',
      '{"retrigger" ',
      '```x\n<tool_call>{}\n```\n',
    ],
  ];

  test.each(OPENERS)('of %j', (opener) => {
    const content = opener.repeat(BYTES / opener.length);
    for (const [before, after] of [
      ['', ''],
      ['<tool_call>{', ''],
      ['{"name":', '"retrigger"'],
    ]) {
      const { calls, text: rest } = cutToolBlocks(`${before}${content}${after}`);
      expect(calls).toEqual([]);
      expect(rest.length).toBeLessThanOrEqual(BYTES + 32);
    }
  });

  it('of calls', () => {
    const { calls, text: rest } = cutToolBlocks('<tool_call>{"name":"f"}</tool_call>'.repeat(30_000));
    expect([calls.length, rest]).toEqual([30_000, '']);
  });
});
