import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import openai from '../../../transforms/formats/openai.ts';
import { textOfValue, toolCallsOf } from '../../../transforms/model/message.ts';
import type { ToolCall } from '../../../transforms/model/tool-call.ts';
import { KINDS, text } from '../bytes.ts';
import { conversationOf } from '../checks/samples.ts';
import { tokensOf } from '../json-tokens.ts';
import {
  argumentsIn,
  callingJson,
  callJson,
  conversation,
  encodedArguments,
  findingsOf,
  recordOf,
} from './encoded.ts';

const USER = '{"role":"user","content":"hi"}';

test('writes a conversation byte for byte', () => {
  const messages = [
    '{"role":"system","content":"Be brief."}',
    '{"role":"user","content":[{"type":"text","text":"Weather?"},{"type":"image_url","image_url":{"url":"data:"}}]}',
    '{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"w","arguments":"{\\"b\\": 1.0, \\"a\\":1}"},"index":0}, {"id":"b","type":"function","function":{"arguments":{"n":12345678901234567890,"é":"\\u00e9\\""},"name":"w"}}],"x":1e400}',
    '{"role":"tool","tool_call_id":"a","content":"12"}',
    '{"role":"tool","tool_call_id":"b","content":"13"}',
    '{"role":"assistant","content":"25","weight":0}',
  ];
  const tools = [
    '{"name":"w","parameters":{"type":"object"}}',
    '{ "type":"function" , "name":"v","strict":true}',
  ];
  const called = (messages[2] as string).replace(
    '{"n":12345678901234567890,"é":"\\u00e9\\""}',
    String.raw`"{\"n\":12345678901234567890,\"é\":\"\\u00e9\\\"\"}"`,
  );
  const written = messages.with(2, called);
  expect(recordOf(openai, messages, tools)).toBe(
    `{"messages":[${written.join(',')}],"tools":[{"type":"function","function":{"name":"w","parameters":{"type":"object"}}},{"type":"function","function":{ "name":"v","strict":true}}],"parallel_tool_calls":true}`,
  );
  expect(findingsOf(openai, messages, tools)).toEqual([]);
});

describe.each(KINDS)('messages in a %s', (_kind, make) => {
  it('are the same objects if their arguments are strings', () => {
    const messages = [
      USER,
      callingJson(callJson('"{}"')),
      callingJson(callJson('"no"'), '7', '{}', '{"function":{}}', '{"function":7}'),
      '{"role":"assistant","tool_calls":{"a":1}}',
      '{"role":"user","tool_calls":[{"function":{"name":"f","arguments":{}}}]}',
    ].map((json) => ({ role: JSON.parse(json).role, bytes: make(json) }));
    const { written } = openai.encode(conversationOf(messages));
    expect(written.every((message, i) => message === messages[i])).toBe(true);
  });

  it('keep every other byte', () => {
    const json =
      '{ "role":"assistant" , "tool_calls" : [ {"function":{ "name":"f" ,"arguments": {"a":1.0} }} , {} ] }';
    const { written } = openai.encode(conversationOf([{ role: 'assistant', bytes: make(json) }]));
    expect(text(written[0]?.bytes as Uint8Array)).toBe(json.replace('{"a":1.0}', '"{\\"a\\":1.0}"'));
  });
});

describe('the arguments', () => {
  test.each<[string, string | undefined, string, readonly string[]]>([
    ['a string that is JSON', '" {\\n\\"b\\": 1}"', '" {\\n\\"b\\": 1}"', []],
    ['a string that is not an object', '"[1]"', '"[1]"', []],
    ['a string that does not parse', '"{\\"a\\": "', '"{\\"a\\": "', ['WARNING arguments-not-json']],
    ['a string of two values', '"{}{}"', '"{}{}"', ['WARNING arguments-not-json']],
    ['an empty string', '""', '""', ['WARNING arguments-not-json']],
    ['a lone surrogate', '"[\\"\\ud800\\"]"', '"[\\"\\ud800\\"]"', ['WARNING arguments-not-json']],
    ['an object', '{"a": [1.0,-0]}', '"{\\"a\\": [1.0,-0]}"', []],
    ['a list', '[1e400]', '"[1e400]"', []],
    ['a number', '7', '"7"', []],
    ['null', 'null', '"{}"', ['WARNING empty-arguments']],
    ['nothing', undefined, '"{}"', ['WARNING empty-arguments']],
  ])('%s', (_what, args, expected, findings) => {
    expect(argumentsIn(openai, args)).toBe(expected);
    expect(findingsOf(openai, [callingJson(callJson(args))])).toEqual(findings);
  });

  it('are reported with their position', () => {
    const messages = [USER, callingJson(callJson('"{}"'), callJson('"no"'))];
    expect(openai.encode(conversation(messages)).findings.map(({ message }) => message)).toEqual([
      'messages[1].tool_calls[1] has arguments that are not JSON: kept as text',
    ]);
  });

  it('keep their keys, values and numbers', () => {
    fc.assert(
      fc.property(fc.array(encodedArguments, { minLength: 1, maxLength: 3 }), (calls) => {
        const json = callingJson(...calls.map(([, args]) => callJson(args)));
        const { bytes, written, findings } = openai.encode(conversation([json]));
        expect(findings).toEqual([]);
        expect(() => JSON.parse(text(bytes))).not.toThrow();
        expect(text(bytes)).not.toMatch(/[\r\n]/);
        const writtenCalls = toolCallsOf(written[0] as (typeof written)[0]) as readonly ToolCall[];
        writtenCalls.forEach((call, i) => {
          const [source, args] = calls[i] as (typeof calls)[0];
          expect(tokensOf(textOfValue(call.arguments) as string)).toEqual(tokensOf(source));
          if (args.startsWith('"')) expect(text(call.arguments as Uint8Array)).toBe(args);
        });
      }),
    );
  });
});

describe('parallel_tool_calls', () => {
  const has = (...messages: readonly string[]) => recordOf(openai, messages).includes('parallel_tool_calls');

  it('is true if any turn has more than one call, and otherwise absent', () => {
    expect(has(USER, callingJson(callJson('"{}"'), callJson('"{}"')), USER)).toBe(true);
    expect(has(callingJson(callJson('"{}"')), callingJson(callJson('"{}"')))).toBe(false);
    expect(has('{"role":"user","tool_calls":[{},{}]}')).toBe(false);
    expect(has('{"role":"assistant","tool_calls":{"length":2}}')).toBe(false);
    expect(has()).toBe(false);
  });
});

describe('a tool definition', () => {
  const tool = (json: string) => JSON.parse(recordOf(openai, [USER], [json])).tools[0];

  test.each([
    ['a function', '{"name":"f"}', { name: 'f' }],
    ['a flat one with its type', '{"type":"function","name":"f"}', { name: 'f' }],
  ])('of %s is wrapped', (_what, json, fn) => {
    expect(tool(json)).toEqual({ type: 'function', function: fn });
    expect(findingsOf(openai, [USER], [json])).toEqual([]);
  });

  test.each([
    '{"x":1}',
    '{"name":""}',
    '{"name":7}',
    '{"type":"web_search"}',
    '{"type":"custom","name":"f"}',
  ])('is unchanged, with a finding, if it is %s', (json) => {
    expect(recordOf(openai, [USER], [json])).toContain(`"tools":[${json}]`);
    expect(findingsOf(openai, [USER], [json])).toEqual(['ERROR tool-not-function']);
  });
});
