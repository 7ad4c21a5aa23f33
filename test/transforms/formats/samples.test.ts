import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import samples from '../../../transforms/formats/samples.ts';
import { decode, encode } from '../../../transforms/json/utf8.ts';
import type { Conversation, Message } from '../../../transforms/model/element.ts';
import {
  assistant,
  call,
  calling,
  conversationOf,
  messageOf,
  rawMessage,
  result,
  user,
} from '../checks/samples.ts';

const bare = (messages: readonly Message[], more: Partial<Conversation> = {}): Conversation =>
  conversationOf(messages, { tools: [], ...more });
const sample = (members: Readonly<Record<string, string>>): ReadonlyMap<string, Uint8Array> =>
  new Map(Object.entries(members).map(([key, json]) => [key, encode(json)]));
const text = (conversation: Conversation, as: 'jsonl' | 'toml' | 'context' = 'jsonl'): string =>
  decode(samples.encode(conversation, { as }).bytes);
const rules = (conversation: Conversation, as: 'jsonl' | 'toml' | 'context' = 'jsonl') =>
  samples.encode(conversation, { as }).findings.map(({ rule, rejects }) => `${rule}${rejects ? '!' : ''}`);

const EXPECTED = { expected: '{"score": 1.0, "id": 12345678901234567890}', tags: '["a"]' };
const ODD = '{ "role":"user","x":1e5, "content":"\\u0041" }';

describe('a sample', () => {
  it('has the messages byte for byte and the other members of the log', () => {
    const conversation = bare([rawMessage('user', ODD), assistant('b')], { sample: sample(EXPECTED) });
    expect(text(conversation)).toBe(
      `{"messages":[${ODD},{"role":"assistant","content":"b"}],"expected":${EXPECTED.expected},"tags":${EXPECTED.tags}}`,
    );
    expect(rules(conversation)).toEqual([]);
  });

  it('keeps calls beside a text and any role', () => {
    const critic = messageOf({ role: 'critic', content: 'a', tool_calls: [call('1', 'f')] });
    expect(samples.encode(bare([critic, result('1', 'r')])).written).toEqual([critic, result('1', 'r')]);
  });

  it('has only the conversation and the expected answer as the context of a grader', () => {
    const conversation = bare([user('a')], { sample: sample(EXPECTED) });
    expect(text(conversation, 'context')).toBe(
      `{"fullConversation":[{"role":"user","content":"a"}],"expected":${EXPECTED.expected}}`,
    );
    expect(text(bare([user('a')]), 'context')).toBe('{"fullConversation":[{"role":"user","content":"a"}]}');
  });

  it.each<[string, Conversation, string[]]>([
    ['calls without a text become one', bare([calling(call('1', 'f'))]), ['calls-inlined']],
    ['so does an empty result', bare([result('1', '')]), ['calls-inlined']],
    ['parts are joined', bare([user([{ type: 'text', text: 'a' }])]), ['parts-joined']],
    [
      'images are left out',
      bare([user([{ type: 'image_url' }, { type: 'text', text: 'a' }])]),
      ['non-text-part', 'parts-joined'],
    ],
    [
      'an image alone is no text',
      bare([user([{ type: 'image_url' }])]),
      ['non-text-part', 'content-not-text!'],
    ],
    ['no text', bare([user('')]), ['content-not-text!']],
    ['no content', bare([messageOf({ role: 'assistant' })]), ['content-not-text!']],
    ['no role', bare([rawMessage('', '{"content":"a"}')]), ['unknown-role!']],
    ['no messages', bare([]), ['no-messages!']],
    ['tools have no place', conversationOf([user('a')]), ['definition-left-out']],
  ])('%s', (_what, conversation, expected) => {
    expect(rules(conversation)).toEqual(expected);
  });

  it('has a text in every accepted message', () => {
    const { written } = samples.encode(
      bare([calling(call('1', 'f', '{"a": 1.0}')), result('1', ''), user([{ type: 'text', text: 'x' }])]),
    );
    expect(written.map(({ bytes }) => JSON.parse(decode(bytes)).content)).toEqual([
      '<tool_call>{"name": "f", "arguments": {"a": 1.0}}</tool_call>',
      '<tool_result tool_call_id="1"></tool_result>',
      'x',
    ]);
  });
});

describe('a deck of TOML', () => {
  it('has a table for each sample, with unchanged numbers', () => {
    const members = {
      expected: '{"score":1.50,"a b":[1e3,true]}',
      tags: '[]',
      note: '"\\u007f\\n\\"[[samples]]"',
    };
    const table = text(bare([rawMessage('user', ODD)], { sample: sample(members) }), 'toml');
    expect(table).toBe(
      [
        ...['[[samples]]', 'messages = [', '  { role = "user", x = 1e5, content = "A" },', ']'],
        ...['expected = { score = 1.50, "a b" = [1e3, true] }', 'tags = []'],
        ...['note = "\\u007f\\n\\"[[samples]]"', ''],
      ].join('\n'),
    );
    expect(parseToml(`${table}\n${table}\n`)).toMatchObject({
      samples: [{ messages: [{ x: 1e5, content: 'A' }], note: '\u007f\n"[[samples]]' }, { tags: [] }],
    });
  });

  it.each([
    '{"a":null}',
    '{"a":1,"a":2}',
    '9223372036854775808',
    '-9223372036854775809',
    '1e400',
    '"\\ud800"',
    '{"\\udc00":1}',
  ])('cannot express %s', (json) => {
    expect(rules(bare([user('a')], { sample: sample({ expected: json }) }), 'toml')).toEqual(['not-toml!']);
  });

  it.each(['9223372036854775807', '-0', '0.10', '{}', '[[],{}]', '{"":""}', '1E05'])(
    'can express %s',
    (json) => {
      const conversation = bare([user('a')], { sample: sample({ expected: json }) });
      expect(rules(conversation, 'toml')).toEqual([]);
      const parsed = parseToml(text(conversation, 'toml'), { integersAsBigInt: true }) as {
        samples: object[];
      };
      expect(parsed.samples).toHaveLength(1);
    },
  );
});
