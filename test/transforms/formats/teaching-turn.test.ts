import { execFileSync } from 'node:child_process';
import { describe, expect, it, test } from 'vitest';
import * as library from '../../../src/index.ts';
import {
  anthropicToFunctionGemma,
  extractTeachingTurn,
  formatFunctionCall,
  formatGemmaConversation,
  TeachingError,
  wrapAsJsonl,
} from '../../../src/index.ts';
import { CONTROL_TOKENS, NO_TOKENS, TEACHING_GOLDEN } from './gemma-samples.ts';

const text = (value: string) => ({ type: 'text', text: value });
const use = (more: object = {}) => ({
  type: 'tool_use',
  name: 'select_symbols',
  input: { selected: ['Foo', 'Bar'] },
  ...more,
});
const TURN = {
  reasoning: 'Selecting symbols...',
  toolName: 'select_symbols',
  toolArgs: { selected: ['Foo', 'Bar'] },
};

/** Code and message of the thrown error. */
function thrown(run: () => unknown): readonly [string, string] {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TeachingError);
    const { code, message, name } = error as TeachingError;
    expect(name).toBe('TeachingError');
    return [code, message];
  }
  throw new Error('nothing was thrown');
}

describe('extractTeachingTurn', () => {
  it('reads the reasoning and the call', () => {
    const response = JSON.parse(
      '{"content":[{"type":"text","text":"Analyzing..."},{"type":"tool_use","name":"select_symbols","input":{"selected":["Foo","Bar"]}}]}',
    );
    expect(extractTeachingTurn(response)).toEqual({
      reasoning: 'Analyzing...',
      toolName: 'select_symbols',
      toolArgs: { selected: ['Foo', 'Bar'] },
    });
  });

  it('joins text blocks with a line feed, wherever they are', () => {
    expect(extractTeachingTurn({ content: [text('a'), text('b'), use()] }).reasoning).toBe('a\nb');
    expect(extractTeachingTurn({ content: [text('a'), use(), text('b')] }).reasoning).toBe('a\nb');
  });

  it('returns empty reasoning without text and skips other blocks', () => {
    const others = [{ type: 'thinking', thinking: 'x' }, { type: 'text' }, null, 'x'];
    expect(extractTeachingTurn({ content: [...others, use()] }).reasoning).toBe('');
  });

  test.each<[string, string, unknown]>([
    ['response-not-object', 'Response must be a JSON object', 'x'],
    ['response-not-object', 'Response must be a JSON object', null],
    ['response-not-object', 'Response must be a JSON object', []],
    ['content-missing', "Missing 'content' field in response", {}],
    ['content-not-array', 'content field must be an array', { content: 'x' }],
    ['content-not-array', 'content field must be an array', { content: null }],
    ['no-tool-use', 'No tool_use block found in content', { content: [] }],
    ['no-tool-use', 'No tool_use block found in content', { content: [text('x')] }],
    [
      'several-tool-uses',
      'Multiple tool_use blocks found (expected exactly one)',
      { content: [use(), use()] },
    ],
    ['name-missing', "Missing 'name' in tool_use block", { content: [use({ name: undefined })] }],
    ['name-missing', "Missing 'name' in tool_use block", { content: [use({ name: '' })] }],
    ['name-missing', "Missing 'name' in tool_use block", { content: [use({ name: 7 })] }],
    ['input-missing', "Missing 'input' in tool_use block", { content: [use({ input: undefined })] }],
  ])('%s: %s', (code, message, response) => {
    expect(thrown(() => extractTeachingTurn(response))).toEqual([code, message]);
  });
});

describe('formatFunctionCall', () => {
  test.each<[string, string, object, string]>([
    [
      'a list',
      'select_symbols',
      { selected: ['A', 'B', 'C'] },
      'select_symbols{selected:<escape>A,B,C<escape>}',
    ],
    ['a string', 'get_info', { name: 'foo' }, 'get_info{name:<escape>foo<escape>}'],
    ['a number', 'f', { count: 42 }, 'f{count:<escape>42<escape>}'],
    ['true', 'f', { enabled: true }, 'f{enabled:<escape>true<escape>}'],
    ['false and null', 'f', { b: false, a: null }, 'f{a:<escape>null<escape>,b:<escape>false<escape>}'],
    [
      'numbers in plain notation',
      'f',
      { a: [1e21, 1e-7, -2.5e-7, 0.5] },
      'f{a:<escape>1000000000000000000000,0.0000001,-0.00000025,0.5<escape>}',
    ],
    [
      'keys sorted',
      'f',
      { key2: ['v1', 'v2'], key: 'value' },
      'f{key:<escape>value<escape>,key2:<escape>v1,v2<escape>}',
    ],
    ['mixed lists', 'f', { a: ['x', 1, true, null] }, 'f{a:<escape>x,1,true,null<escape>}'],
    ['an empty list and an empty string', 'f', { a: [], b: '' }, 'f{a:<escape><escape>,b:<escape><escape>}'],
    ['lists in lists', 'f', { a: [['x', [1, 2]], 'y'] }, 'f{a:<escape>x,1,2,y<escape>}'],
    ['nothing', 'f', {}, 'f{}'],
  ])('%s', (_what, name, args, expected) => {
    expect(formatFunctionCall(name, args)).toBe(expected);
  });

  test.each<[string, string, unknown]>([
    ['nested-arguments', 'Nested objects not supported', { a: { b: 1 } }],
    ['nested-arguments', 'Nested objects not supported', { a: [{ b: 1 }] }],
    ['nested-arguments', 'Nested objects not supported', { a: [[{ b: 1 }]] }],
    ['arguments-not-object', 'Tool args must be object', 'x'],
    ['arguments-not-object', 'Tool args must be object', ['x']],
    ['arguments-not-object', 'Tool args must be object', null],
    ['key-not-bare', 'A name or a key cannot be written bare', { 'a:b': 1 }],
  ])('%s: %s', (code, message, args) => {
    expect(thrown(() => formatFunctionCall('f', args))).toEqual([code, message]);
  });

  test.each(CONTROL_TOKENS)('refuses a value, key or name with %s', (token) => {
    for (const args of [{ a: token }, { a: ['x', `y${token}`] }, { [token]: 1 }]) {
      expect(thrown(() => formatFunctionCall('f', args))[0]).toBe('control-token-in-content');
    }
    expect(thrown(() => formatFunctionCall(token, {}))[0]).toBe('control-token-in-content');
  });

  test.each(NO_TOKENS)('accepts a value, key or name with %s', (almost) => {
    expect(formatFunctionCall('f', { a: almost })).toBe(`f{a:<escape>${almost}<escape>}`);
  });
});

describe('formatGemmaConversation', () => {
  it('writes three turns, line by line', () => {
    expect(formatGemmaConversation('Context here', TURN)).toBe(TEACHING_GOLDEN);
  });

  it('writes an empty line for empty reasoning', () => {
    const output = formatGemmaConversation('x', { ...TURN, reasoning: '' });
    expect(output).toContain('<start_of_turn>model\n\n<start_function_call>\n');
    expect(output).not.toContain('/*');
  });

  it("uses the layout's lines for the developer's turn", () => {
    const parameters = [
      { name: 'a', type: 'string', description: 'A.', required: false },
      { name: 'b', type: 'number', description: '', required: true },
    ];
    const output = formatGemmaConversation('x', TURN, { system: 'S', description: 'D', parameters });
    expect(output).toMatch(/^<start_of_turn>developer\nS\nYou have access/);
    expect(output).toContain(
      'select_symbols\nD\nParameters:\n  a (string): A.\n  b (number): (required)\n<end_function_declaration>',
    );
  });

  test.each<[string, string, Partial<typeof TURN>]>([
    ['comment-end-in-reasoning', 'x', { reasoning: 'a */ b' }],
    ['control-token-in-content', 'x', { reasoning: '<end_of_turn>' }],
    ['control-token-in-content', '<start_of_turn>', {}],
    ['key-not-bare', 'x', { toolName: 'a{b' }],
  ])('%s', (code, userTurn, more) => {
    expect(thrown(() => formatGemmaConversation(userTurn, { ...TURN, ...more }))[0]).toBe(code);
  });

  it('allows an opening comment and stars in the reasoning', () => {
    expect(formatGemmaConversation('x', { ...TURN, reasoning: '/* a * / b' })).toContain(
      '/* /* a * / b */\n',
    );
  });
});

describe('anthropicToFunctionGemma', () => {
  const line = anthropicToFunctionGemma('Context here', TURN);

  it('returns one line of JSON with the single key text', () => {
    expect(line).not.toMatch(/[\r\n]/);
    const record = JSON.parse(line);
    expect(Object.keys(record)).toEqual(['text']);
    expect(record.text).toBe(formatGemmaConversation('Context here', TURN));
    expect(line).toBe(wrapAsJsonl(record.text));
  });

  it('returns the reasoning, the call and the three turns', () => {
    const { text: output } = JSON.parse(line);
    expect(output).toContain('/* Selecting symbols... */');
    expect(output).toContain('call:select_symbols{selected:<escape>Foo,Bar<escape>}');
    expect(output).toContain('<start_of_turn>model');
    expect([...output.matchAll(/<start_of_turn>(\w+)/g)].map((match) => match[1])).toEqual([
      'developer',
      'user',
      'model',
    ]);
  });

  it('returns lines that jq accepts', ({ skip }) => {
    try {
      execFileSync('jq', ['--version']);
    } catch {
      skip('jq is not installed');
    }
    expect(execFileSync('jq', ['-c', '.'], { input: `${line}\n${line}\n`, encoding: 'utf8' })).toBe(
      `${line}\n${line}\n`,
    );
  });

  it('accepts any text', () => {
    const odd = '"\\\u0000\u2028\ud800 \u{1f600}\n';
    expect(JSON.parse(wrapAsJsonl(odd))).toEqual({ text: odd });
  });
});

it('the library exports these functions', () => {
  expect(library).toMatchObject({ anthropicToFunctionGemma, extractTeachingTurn, formatFunctionCall });
  expect(library).toMatchObject({ formatGemmaConversation, wrapAsJsonl, TeachingError });
});
