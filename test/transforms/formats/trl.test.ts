import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import trl from '../../../transforms/formats/trl.ts';
import { toolCallsOf } from '../../../transforms/model/message.ts';
import type { ToolCall } from '../../../transforms/model/tool-call.ts';
import { text } from '../bytes.ts';
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

test('writes a conversation byte for byte', () => {
  const messages = [
    '{"role":"user","content":"Weather?"}',
    '{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"w","arguments":"{\\"b\\": 1.0,\\n\\"a\\":\\"\\\\u00e9\\"}"}},{"id":"b","function":{"name":"w","arguments":{"n":1}}}]}',
    '{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"12"}]}',
  ];
  const called = (messages[1] as string)
    .replace('"content":null', '"content":""')
    .replace('"{\\"b\\": 1.0,\\n\\"a\\":\\"\\\\u00e9\\"}"', '{"b": 1.0, "a":"\\u00e9"}');
  const result = '{"role":"tool","tool_call_id":"a","content":"12"}';
  expect(recordOf(trl, messages, ['{"name":"w"}'])).toBe(
    `{"messages":[${[messages[0], called, result].join(',')}],"tools":[{"type":"function","function":{"name":"w"}}]}`,
  );
});

test.each([false, true])('tools are null if there are none, with arrowSafe %s', (arrowSafe) => {
  const { bytes } = trl.encode(conversation(['{"role":"user","content":"Weather?"}']), { arrowSafe });
  expect(text(bytes)).toBe('{"messages":[{"role":"user","content":"Weather?"}],"tools":null}');
});

describe('the arguments', () => {
  const NOT_OBJECT = ['ERROR arguments-not-object!'];

  test.each<[string, string | undefined, string, readonly string[]]>([
    ['an object', '{"a" :1.0}', '{"a" :1.0}', []],
    [
      'a string of an object',
      '" {\\"2\\":12345678901234567890,\\"1\\":1e400} "',
      '{"2":12345678901234567890,"1":1e400}',
      [],
    ],
    ['an empty string', '""', '{}', ['WARNING empty-arguments']],
    ['a string of blanks', '" \\n"', '{}', ['WARNING empty-arguments']],
    ['null', 'null', '{}', ['WARNING empty-arguments']],
    ['nothing', undefined, '{}', ['WARNING empty-arguments']],
    ['a string of a list', '"[1]"', '"[1]"', NOT_OBJECT],
    ['a string of null', '"null"', '"null"', NOT_OBJECT],
    ['an object encoded twice', '"\\"{}\\""', '"\\"{}\\""', NOT_OBJECT],
    ['a string that does not parse', '"{\\"a\\":"', '"{\\"a\\":"', NOT_OBJECT],
    ['a string of two objects', '"{}{}"', '"{}{}"', NOT_OBJECT],
    ['a raw lone surrogate', '"{\\"a\\":\\"\\ud800\\"}"', '"{\\"a\\":\\"\\ud800\\"}"', NOT_OBJECT],
    ['a list', '[{}]', '[{}]', NOT_OBJECT],
  ])('%s', (_what, args, expected, findings) => {
    expect(argumentsIn(trl, args)).toBe(expected);
    expect(findingsOf(trl, [callingJson(callJson(args))])).toEqual(findings);
  });

  it('that would nest the record deeper than 512 levels are not an object', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(argumentsIn(trl, JSON.stringify(nested(506)))).toBe(nested(506));
    expect(findingsOf(trl, [callingJson(callJson(JSON.stringify(nested(507))))])).toEqual(NOT_OBJECT);
    expect(findingsOf(trl, [callingJson(callJson(JSON.stringify('['.repeat(1_000_000))))])).toEqual(
      NOT_OBJECT,
    );
  });

  it('keep their keys, values and numbers', () => {
    fc.assert(
      fc.property(fc.array(encodedArguments, { minLength: 1, maxLength: 3 }), (calls) => {
        const json = callingJson(...calls.map(([, args]) => callJson(args)));
        const { bytes, written, findings } = trl.encode(conversation([json]));
        expect(findings).toEqual([]);
        expect(() => JSON.parse(text(bytes))).not.toThrow();
        expect(text(bytes)).not.toMatch(/[\r\n]/);
        const writtenCalls = toolCallsOf(written[0] as (typeof written)[0]) as readonly ToolCall[];
        writtenCalls.forEach((call, i) => {
          const source = (calls[i] as (typeof calls)[0])[0];
          expect(tokensOf(text(call.arguments as Uint8Array))).toEqual(tokensOf(source));
        });
      }),
    );
  });
});

it('leave a call without a function or a name to the checks', () => {
  const calls = ['7', '{}', '{"function":{}}', '{"function":7}'];
  expect(recordOf(trl, [callingJson(...calls)])).toContain(`"tool_calls":[${calls.join(',')}]`);
  expect(findingsOf(trl, [callingJson(...calls)])).toEqual([]);
});

it('writes no parallel_tool_calls and reports the same tool findings as openai', () => {
  const parallel = callingJson(callJson('{}'), callJson('{}'));
  expect(Object.keys(JSON.parse(recordOf(trl, [parallel])))).toEqual(['messages', 'tools']);
  expect(findingsOf(trl, [parallel], ['{"x":1}'])).toEqual(['ERROR tool-not-function']);
});
