/** The oracle's inline tool calls: layout, arguments of every kind, results. */
import { describe, expect, test } from 'vitest';
import { parseJson } from '../support/oracle/parse-json.ts';
import { messagesOf } from '../support/oracle/run-case.ts';
import { get } from '../support/oracle/tree.ts';
import { dump } from '../support/oracle/write-python.ts';

function inline(message: string): string {
  return messagesOf(`[${message}]`, { inline: true }).slice(1, -1);
}

function content(message: string): string {
  const tree = get(parseJson(inline(message)), 'content');
  return tree?.kind === 'string' ? tree.value : '(none)';
}

function called(args: string): string {
  const fn = `{"name":"f"${args === '' ? '' : `,"arguments":${args}`}}`;
  const text = content(`{"role":"assistant","tool_calls":[{"function":${fn}}]}`);
  return text.replace('<tool_call>{"name": "f", "arguments": ', '').replace('}</tool_call>', '');
}

test('the layout is that of json.dumps without ASCII escapes', () => {
  const text = '{"b":[1.0,-0,1E+2,{}],"2":"\\u00e9\\/\\u2028\\u007f\\n\\u0001\\"\\\\","1":null,"1":[]}';
  expect(dump(parseJson(text))).toBe(
    '{"b": [1.0, -0, 1E+2, {}], "2": "\u00e9/\u2028\u007f\\n\\u0001\\"\\\\", "1": null, "1": []}',
  );
  expect(dump(parseJson('"\\ud83d\\ude00 \\uD83D"'))).toBe('"\u{1f600} \\ud83d"');
});

describe('arguments', () => {
  test.each([
    ['"{\\"b\\":1.0,\\"2\\": 12345678901234567890}"', '{"b": 1.0, "2": 12345678901234567890}'],
    ['"\\n [1 , 2]\\t"', '[1, 2]'],
    ['{"a":{"b" :1e400}}', '{"a": {"b": 1e400}}'],
    ['"5"', '5'],
    ['""', '""'],
    ['"{\'a\'}"', '"{\'a\'}"'],
    ['"NaN"', '"NaN"'],
    ['"\\"x\\""', '"x"'],
    ['null', 'null'],
    ['', '{}'],
    ['[1,2]', '[1, 2]'],
    ['1.0', '1.0'],
  ])('%s', (args, expected) => {
    expect(called(args)).toBe(expected);
  });

  test('a string nested more than 512 levels deep stays a string', () => {
    const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(called(`"${deep(512)}"`)).toBe(deep(512));
    expect(called(`"${deep(513)}"`)).toBe(`"${deep(513)}"`);
  });
});

describe('calls', () => {
  const call = '{"id":"c","function":{"name":"f","arguments":"{}"}}';
  const line = '<tool_call>{"name": "f", "arguments": {}}</tool_call>';
  test.each([
    ['text and two calls', `"content":" hi\\n","tool_calls":[${call},${call}]`, `hi\n\n${line}\n${line}`],
    ['null content', `"content":null,"tool_calls":[${call}]`, line],
    [
      'parts',
      `"content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}],"tool_calls":[${call}]`,
      `a\nb\n${line}`,
    ],
    ['no function', '"content":"x","tool_calls":[{"name":"f"},null,"f",{"function":{"name":1}}]', 'x'],
    ['nothing left', '"tool_calls":[{}]', ''],
    [
      'an empty name',
      '"tool_calls":[{"function":{"name":"","arguments":{}}}]',
      '<tool_call>{"name": "", "arguments": {}}</tool_call>',
    ],
    [
      'an odd name',
      '"tool_calls":[{"function":{"name":"\\"\\u00e9"}}]',
      '<tool_call>{"name": "\\"\u00e9", "arguments": {}}</tool_call>',
    ],
  ])('%s', (_name, members, expected) => {
    expect(content(`{"role":"assistant",${members}}`)).toBe(expected);
  });

  test('other members stay, and the content keeps its place or goes to the end', () => {
    expect(inline(`{"n":1.0,"content":null,"role":"assistant","tool_calls":[${call}],"z":null}`)).toBe(
      `{"n":1.0,"role":"assistant","content":${JSON.stringify(line)}}`,
    );
    expect(inline(`{"role":"assistant","tool_calls":[${call}],"n":1}`)).toBe(
      `{"role":"assistant","n":1,"content":${JSON.stringify(line)}}`,
    );
  });

  test.each([
    '{"role":"assistant","content":"x","tool_calls":[]}',
    '{"role":"assistant","content":"x","tool_calls":{}}',
    `{"role":"user","tool_calls":[${call}]}`,
    '{"role":"assistant","content":"<tool_call>"}',
  ])('%s stays', (message) => {
    expect(inline(message)).toBe(message);
  });
});

describe('results', () => {
  test.each([
    ['"tool_call_id":"c","content":" x\\n"', '<tool_result tool_call_id="c"> x\n</tool_result>'],
    ['"tool_call_id":"a\\"<","content":""', '<tool_result tool_call_id="a"<"></tool_result>'],
    ['"tool_call_id":"c","content":null', '<tool_result tool_call_id="c"></tool_result>'],
    ['"tool_call_id":"c"', '<tool_result tool_call_id="c"></tool_result>'],
    [
      '"tool_call_id":"c","content":[{"type":"text","text":"a"},{"type":"x"},{"type":"text","text":"b"}]',
      '<tool_result tool_call_id="c">a\nb</tool_result>',
    ],
  ])('%s', (members, expected) => {
    expect(content(`{"role":"tool",${members}}`)).toBe(expected);
    expect(inline(`{"role":"tool",${members}}`)).not.toContain('"tool_call_id":');
  });

  test.each([
    '{"role":"tool","content":"x"}',
    '{"role":"tool","tool_call_id":"","content":"x"}',
    '{"role":"tool","tool_call_id":7,"content":"x"}',
    '{"role":"function","tool_call_id":"c","content":"x"}',
  ])('%s stays', (message) => {
    expect(inline(message)).toBe(message);
  });
});
