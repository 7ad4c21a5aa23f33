import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import axolotl from '../../../transforms/formats/axolotl.ts';
import { textOfValue, toolCallsOf } from '../../../transforms/model/message.ts';
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
    '{"role":"assistant","reasoning_content":"hm","tool_calls":[{"id":"a","function":{"name":"w","arguments":{"b":1.0,"a":"é"}}},{"id":"b","function":{"name":"w","arguments":" {\\"n\\":1e400}"}}]}',
  ];
  const called = (messages[1] as string)
    .replace('"assistant",', '"assistant","content":"",')
    .replace('{"b":1.0,"a":"é"}', '"{\\"b\\":1.0,\\"a\\":\\"é\\"}"');
  expect(recordOf(axolotl, messages, ['{"name":"w","x":1.0}', '{"name":"v"}'])).toBe(
    String.raw`{"messages":[${messages[0]},${called}],"tools":"[{\"type\":\"function\",\"function\":{\"name\":\"w\",\"x\":1.0}},{\"type\":\"function\",\"function\":{\"name\":\"v\"}}]"}`,
  );
});

test('writes both columns for an empty conversation', () => {
  expect(recordOf(axolotl, [])).toBe('{"messages":[],"tools":"[]"}');
});

describe('arguments are always a string', () => {
  const NOT_OBJECT = ['ERROR arguments-not-object!'];

  test.each<[string, string | undefined, string, readonly string[]]>([
    ['a string of an object', '"{ \\"a\\":\\n1}"', '"{ \\"a\\":\\n1}"', []],
    ['an object', '{"a" :1.0}', '"{\\"a\\" :1.0}"', []],
    ['an empty string', '""', '"{}"', ['WARNING empty-arguments']],
    ['null', 'null', '"{}"', ['WARNING empty-arguments']],
    ['nothing', undefined, '"{}"', ['WARNING empty-arguments']],
    ['a string that does not parse', '"{"', '"{"', NOT_OBJECT],
    ['a string of a number', '"7"', '"7"', NOT_OBJECT],
    ['a list', '[1.0]', '"[1.0]"', NOT_OBJECT],
  ])('%s', (_what, args, expected, findings) => {
    expect(argumentsIn(axolotl, args)).toBe(expected);
    expect(findingsOf(axolotl, [callingJson(callJson(args))])).toEqual(findings);
  });

  it('with the same keys, values and numbers', () => {
    fc.assert(
      fc.property(encodedArguments, ([source, args]) => {
        const { bytes, written, findings } = axolotl.encode(conversation([callingJson(callJson(args))]));
        expect(findings).toEqual([]);
        expect(() => JSON.parse(text(bytes))).not.toThrow();
        expect(text(bytes)).not.toMatch(/[\r\n]/);
        const [call] = toolCallsOf(written[0] as (typeof written)[0]) as readonly ToolCall[];
        expect(tokensOf(textOfValue(call?.arguments) as string)).toEqual(tokensOf(source));
      }),
    );
  });
});

it('reports the same tool findings as openai', () => {
  expect(findingsOf(axolotl, [], ['{"x":1}'])).toEqual(['ERROR tool-not-function']);
  expect(JSON.parse(JSON.parse(recordOf(axolotl, [], ['{"x":1}'])).tools)).toEqual([{ x: 1 }]);
});
