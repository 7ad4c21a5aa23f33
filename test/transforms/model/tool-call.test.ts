import { expect, test } from 'vitest';
import { encode } from '../../../transforms/json/utf8.ts';
import { toolCallsOf } from '../../../transforms/model/message.ts';
import { type ToolCall, usualCall } from '../../../transforms/model/tool-call.ts';
import { randomFrom } from '../../support/plain-logs.ts';

const call = (id: string, name: string, args: string): string =>
  `{"id":${id},"type":"function","function":{"name":${name},"arguments":${args}}}`;

const read = (text: string, at = 0): unknown => shown(usualCall(encode(text), at));

const MEMBERS = ['bytes', 'isObject', 'id', 'function', 'name', 'arguments'] as const;

const shown = (one: ToolCall | undefined): unknown =>
  one &&
  Object.fromEntries(
    MEMBERS.map((name) => [name, one[name] instanceof Uint8Array ? `${Buffer.from(one[name])}` : one[name]]),
  );

test('a call in the usual form', () => {
  const args = String.raw`"{\"path\":\"a\\\\b\"}"`;
  const text = call('"c1"', '"read"', args);
  expect(read(`[${text},1]`, 1)).toEqual({
    bytes: text,
    isObject: true,
    id: 'c1',
    function: `{"name":"read","arguments":${args}}`,
    name: 'read',
    arguments: args,
  });
});

test.each([
  ['an escape in the id', call('"c\\u0031"', '"read"', '"{}"')],
  ['an escape in the name', call('"c1"', '"re\\nad"', '"{}"')],
  ['no id', '{"type":"function","function":{"name":"read","arguments":"{}"}}'],
  ['arguments that are an object', call('"c1"', '"read"', '{}')],
  ['a number as id', call('1', '"read"', '"{}"')],
  ['another member', '{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"},"index":0}'],
  [
    'another member of the function',
    '{"id":"c1","type":"function","function":{"name":"read","arguments":"{}","x":1}}',
  ],
  ['the id again', '{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"},"id":"c2"}'],
  ['blanks', '{"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}'],
  ['another value', '"text"'],
  ['bytes that end early', '{"id":"c1","type":"function"'],
])('leaves %s to the walk', (_, text) => {
  expect(read(text)).toBeUndefined();
});

test('gives what the walk gives, for any calls', () => {
  const random = randomFrom(1);
  const texts = ['"c1"', '"é"', '""', '"日本"', '"a\\"b"', '"\\u00e9"', '7', 'null'];
  const one = (): string => texts[Math.floor(random() * texts.length)] as string;
  let read = 0;
  for (let round = 0; round < 500; round++) {
    const text = call(one(), one(), one());
    const usual = usualCall(encode(text), 0);
    // a blank makes the walk read it
    const walked = toolCallsOf({
      role: 'assistant',
      bytes: encode(`{"tool_calls":[${text.replace(',"type"', ', "type"')}]}`),
    });
    if (usual === undefined) continue;
    read++;
    const [other] = walked as readonly { id: unknown; name: unknown; arguments: unknown }[];
    expect([usual.id, usual.name, `${usual.arguments}`]).toEqual([
      other?.id,
      other?.name,
      `${other?.arguments}`,
    ]);
  }
  expect(read).toBeGreaterThan(50);
});
