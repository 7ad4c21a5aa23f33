/** Exchanges of the Messages API: requests, replies, repeated parts, rejected lines and detection. */
import { describe, expect, it, test } from 'vitest';
import anthropic from '../../../transforms/dialects/anthropic.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Entry, Rejection } from '../../../transforms/model/element.ts';
import { KINDS, text } from '../bytes.ts';
import { lineOf, why } from '../log-lines.ts';
import { one, pair, read, reading, texts } from './anthropic-samples.ts';

const reply = (content: string, stop = 'end_turn') =>
  one(pair('[]', '', `{"content":${content},"stop_reason":"${stop}"}`)).reply;
const replied = (content: string) => text(reply(content)?.bytes as Uint8Array);

describe('the request', () => {
  test.each([
    ['"s\\u0041"', ['{"role":"system","content":"s\\u0041"}']],
    [
      '[{"type":"text","text":"a","cache_control":{}},{"type":"text","text":"b"}]',
      ['{"role":"system","content":"a\\nb"}'],
    ],
    ['""', []],
    ['[]', []],
    ['null', []],
    [
      '[{"type":"text","text":"x-anthropic-billing-header: v=1; h=0a;"},{"type":"text","text":"a\\u0041"}]',
      ['{"role":"system","content":"a\\u0041"}'],
    ],
    ['"x-anthropic-billing-header: v=1; h=0a;\\n\\na\\nb"', ['{"role":"system","content":"a\\nb"}']],
    ['"x-anthropic-billing-header: v=1;"', []],
    [
      '"Say x-anthropic-billing-header: v"',
      ['{"role":"system","content":"Say x-anthropic-billing-header: v"}'],
    ],
  ])('may have the system text %s', (system, messages) => {
    expect(texts(one(pair('[]', `,"system":${system}`)).messages)).toEqual(messages);
  });

  it('has tools as functions with input_schema as parameters and without cache marks', () => {
    const tools =
      '[{"name":"f","description":"d","input_schema":{"type":"object","n":1.0},"cache_control":{}},{"type":"custom","name":"g","input_schema":{}},{"type":"web_search_20250305","name":"web_search"}]';
    const entry = one(pair('[]', `,"tools":${tools}`));
    expect(texts(entry.tools)).toEqual([
      '{"name":"f","description":"d","parameters":{"type":"object","n":1.0}}',
      '{"name":"g","parameters":{}}',
      '{"type":"web_search_20250305","name":"web_search"}',
    ]);
    expect(entry.tools.map(({ name }) => name)).toEqual(['f', 'g', 'web_search']);
    expect(one(pair('[]', ',"tools":null')).tools).toEqual([]);
  });

  it('may be the body of a logged HTTP exchange', () => {
    const json =
      '{"request":{"timestamp":1768342443.5,"method":"POST","headers":{},"body":{"system":"s","messages":[{"role":"user","content":"q"}]}},"response":{"status_code":200,"body":{"content":[{"type":"text","text":"a"}]}},"logged_at":"2026-01-13T22:14:09Z"}';
    const entry = one(json);
    expect(texts([...entry.messages, entry.reply as NonNullable<Entry['reply']>])).toEqual([
      '{"role":"system","content":"s"}',
      '{"role":"user","content":"q"}',
      '{"role":"assistant","content":"a"}',
    ]);
    expect(entry.timestamp).toBe(1_768_342_449_000_000_000n);
    expect(one(json.replace(/,"logged_at":"[^"]*"/, '')).timestamp).toBe(1_768_342_443_500_000_000n);
  });

  it('has the logged id and time, otherwise its source and no time', () => {
    const stamped = one(`{"session_id":"s","timestamp":"2026-01-13T22:14:03Z",${pair('[]').slice(1)}`);
    expect(stamped).toMatchObject({ sessionId: 's', timestamp: 1_768_342_443_000_000_000n });
    expect(one(pair('[]'))).toMatchObject({ sessionId: 'a.jsonl', timestamp: undefined });
    expect(one(`{"session_id":null,"timestamp":null,${pair('[]').slice(1)}`)).toMatchObject({
      sessionId: 'a.jsonl',
    });
    expect(one(pair('[]'))).not.toHaveProperty('alone');
  });
});

describe('the reply', () => {
  it('is the content of the response', () => {
    expect(
      replied('[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"f","input":{"n":1.0}}]'),
    ).toBe(
      '{"role":"assistant","content":"a","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{\\"n\\":1.0}"}}]}',
    );
  });

  test.each(['null', '{}', '{"type":"error","error":{}}', '{"content":"x"}', '{"body":null}'])(
    'is absent for the response %s',
    (response) => {
      expect(one(pair('[]', '', response)).reply).toBeUndefined();
    },
  );

  test.each([
    '[]',
    '[{"type":"text","text":""}]',
    '[{"type":"text","text":" \\n"},{"type":"text","text":"\\u2003"}]',
    '[{"type":"thinking","thinking":"","signature":"c2ln"}]',
    '[{"type":"redacted_thinking","data":"x"}]',
    '[{"type":"thinking","thinking":"t"}]',
  ])('is absent, and counted as empty, for the content %s', (content) => {
    const response = `{"type":"message","content":${content}}`;
    expect(one(pair('[]', '', response))).toMatchObject({ reply: undefined, emptyReply: true });
    expect(one(response)).toMatchObject({ reply: undefined, emptyReply: true, lacks: ['tools'] });
  });

  test.each([
    '[{"type":"tool_use","id":"t","name":"f","input":{}}]',
    '[{"type":"server_tool_use","id":"t","name":"f","input":{}}]',
  ])('is present for the content %s', (content) => {
    expect(one(pair('[]', '', `{"content":${content}}`)).reply?.role).toBe('assistant');
  });

  it('is reported when it was cut off in a call', () => {
    const call = '[{"type":"tool_use","id":"t","name":"f","input":{}}]';
    const rules = (content: string, stop: string) => reply(content, stop)?.notes?.map(({ rule }) => rule);
    expect(rules(call, 'max_tokens')).toEqual(['truncated-call', 'reply-cut']);
    expect(rules(call, 'tool_use')).toBeUndefined();
    expect(rules('[{"type":"text","text":"a"}]', 'max_tokens')).toEqual(['reply-cut']);
    expect(rules('[{"type":"text","text":"a"}]', 'refusal')).toEqual(['reply-filtered']);
  });
});

describe('encrypted reasoning', () => {
  const content =
    '[{"type":"thinking","thinking":"","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"a"}]';
  const history = `[{"role":"user","content":"q"},{"role":"assistant","content":${content}},{"role":"user","content":"q"}]`;
  const json = pair(history, '', `{"content":${content}}`);

  it('is left out, counted by message and reported once', () => {
    const entry = one(json);
    const answer = '{"role":"assistant","content":"a"}';
    expect(texts(entry.messages)[1]).toBe(answer);
    expect(entry.reply && text(entry.reply.bytes)).toBe(answer);
    expect([...entry.changes]).toEqual([['sealed-reasoning', 2]]);
    const notes = [...entry.messages, ...(entry.reply === undefined ? [] : [entry.reply])].flatMap(
      (message) => message.notes ?? [],
    );
    expect(notes.map(({ rule, message }) => `${rule}: ${message}`)).toEqual([
      'reasoning-sealed: the reasoning of 2 messages is encrypted: only its provider can read it',
    ]);
    expect([...one(`{"type":"message","content":${content}}`).changes]).toEqual([['sealed-reasoning', 1]]);
  });

  it('may be kept', () => {
    const [entry] = anthropic.create(undefined, { keepSealed: true }).read(lineOf(json)) as unknown as [
      Entry,
    ];
    const details = '[{"type":"reasoning.encrypted","data":"s"},{"type":"reasoning.encrypted","data":"d"}]';
    expect(texts(entry.messages)[1]).toBe(
      `{"role":"assistant","content":"a","reasoning_details":${details}}`,
    );
    expect([...entry.changes]).toEqual([]);
  });

  it('of a thought that has a text is its signature, which is not counted', () => {
    const entry = one(
      pair(
        '[]',
        '',
        '{"content":[{"type":"thinking","thinking":"t","signature":"s"},{"type":"text","text":"a"}]}',
      ),
    );
    expect(entry.reply && text(entry.reply.bytes)).toBe(
      '{"role":"assistant","content":"a","reasoning_content":"t"}',
    );
    expect([...entry.changes]).toEqual([]);
  });
});

describe('a bare response', () => {
  const json =
    '{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}';

  it('is a separate session, after the supplied user turn', () => {
    const [entry] = reading([json], 'Context "here"') as [Entry];
    expect(entry).toMatchObject({ sessionId: 'a.jsonl:1', alone: true, tools: [] });
    expect(texts(entry.messages)).toEqual(['{"role":"user","content":"Context \\"here\\""}']);
    expect(text(entry.reply?.bytes as Uint8Array)).toBe('{"role":"assistant","content":"a"}');
    expect(entry.reply?.notes).toBeUndefined();
    expect(one(json).messages).toEqual([]);
    expect(one(json).reply?.notes?.map(({ rule }) => rule)).toEqual(['no-question']);
  });

  it.each([
    ['a role of another', '{"type":"message","role":"user","content":[]}'],
    ['a type of another', '{"type":"user","content":[]}'],
    ['neither type nor role', '{"stop_reason":"end_turn","content":[]}'],
    ['a sender', '{"type":"message","sender":"user","content":[]}'],
    ['an author', '{"role":"assistant","author":"user","content":[]}'],
    ['a kind', '{"type":"message","kind":"user","content":[]}'],
    ['a type of message', '{"type":"message","message_type":"user_message","content":[]}'],
  ])('is rejected with %s', (_what, json) => {
    expect(reading([json])).toMatchObject([{ kind: 'rejection', reason: 'unknown-speaker' }]);
  });
});

describe.each(KINDS)('a repeated part of a request, in a %s', (_kind, make) => {
  const marked = (content: string) =>
    `{"role":"user","content":[{"type":"text","text":"${content}","cache_control":{"type":"ephemeral"}}]}`;
  const plain = (content: string) => `{"role":"user","content":[{"type":"text","text":"${content}"}]}`;

  it('is the same object, wherever the cache mark is', () => {
    const system = ',"system":[{"type":"text","text":"s","cache_control":{}}]';
    const [a, b, c] = reading(
      [
        pair(`[${plain('x')},${marked('y')}]`, system),
        pair(`[${plain('x')},${plain('y')},${marked('z')}]`, ',"system":"s"'),
        pair(`[{"role":"user","content":"x"},${plain('y')},${plain('z')}]`, system),
      ],
      undefined,
      make,
    ) as [Entry, Entry, Entry];
    expect(b.messages.slice(0, 3).every((message, i) => message === a.messages[i])).toBe(true);
    expect(c.messages.every((message, i) => message === b.messages[i])).toBe(true);
  });

  it('is forgotten at the end of the source', () => {
    const reader = anthropic.create();
    const [a] = reader.read(lineOf(pair(`[${plain('x')}]`), make)) as [Entry];
    reader.forget();
    const [b] = reader.read(lineOf(pair(`[${plain('x')}]`), make)) as [Entry];
    expect(b.messages[0]).not.toBe(a.messages[0]);
  });

  it('stays valid after its line is overwritten', () => {
    const line = lineOf(pair(`[${marked('x')}]`, '', '{"content":[{"type":"text","text":"a"}]}'), make);
    const [entry] = anthropic.create().read(line) as [Entry];
    line.bytes.fill(0);
    expect(texts([...entry.messages, entry.reply as NonNullable<Entry['reply']>])).toEqual([
      '{"role":"user","content":"x"}',
      '{"role":"assistant","content":"a"}',
    ]);
  });
});

describe('a line is rejected', () => {
  const at = (byte: number) => ` at byte ${byte} of the line (${byte} of the source)`;
  it('with bodies in bodies, deeper than the stack', () => {
    const json = `{"request":${'{"body":'.repeat(30_000)}1${'}'.repeat(30_001)}`;
    expect(read(json).map((element) => why(element as Rejection))).toEqual([
      `too-deep: nested too deep${at(4099)}`,
    ]);
  });

  test.each<readonly [json: string, reason: string]>([
    ['{"request":{}}', 'bad-messages: request.messages is missing'],
    ['{"request":{"body":{}}}', 'bad-messages: request.messages is missing'],
    ['{"request":{"body":{"body":{"messages":[]}}}}', 'bad-messages: request.messages is missing'],
    ['{"request":[]}', 'bad-messages: request.messages is missing'],
    ['{}', 'bad-messages: request.messages is missing'],
    [pair('{}'), `bad-messages: request.messages is not valid${at(23)}`],
    [pair('[1]'), `bad-messages: request.messages is not valid${at(23)}`],
    [pair('[{"role":1}]'), `bad-messages: request.messages is not valid${at(23)}`],
    [
      pair('[]', '', '{"role":"user","content":[{"type":"text","text":"a"}]}'),
      'unknown-speaker: the answer has another role than that of the model',
    ],
    [
      pair('[{"role":"assistant","sender":"human","content":"a"}]'),
      'unknown-speaker: the members of messages[0] name different speakers',
    ],
    [pair('[]', ',"system":7'), `bad-messages: request.system is not valid${at(35)}`],
    [pair('[]', ',"system":[{"type":"image"}]'), `bad-messages: request.system is not valid${at(35)}`],
    [pair('[]', ',"tools":{}'), `bad-tools: request.tools is not valid${at(34)}`],
    [pair('[]', '', '"x"'), `bad-response: response is not valid${at(38)}`],
    ['{"content":"x"}', `bad-response: content is not valid${at(11)}`],
    [
      '{"timestamp":"x","request":{"messages":[]}}',
      `bad-timestamp: timestamp is not a readable time: a string of 1 character${at(13)}`,
    ],
    ['{"session_id":7,"request":{"messages":[]}}', `bad-session-id: session_id is not valid${at(14)}`],
    ['{"request":{"messages":[],"messages":[]}}', `duplicate-key: duplicate key${at(26)}`],
    ['{"request":{"messages":[}', `invalid-json: not JSON${at(24)}`],
    ['[]', `not-an-object: JSON, but not an object${at(0)}`],
  ])('%s', (json, reason) => {
    expect(read(json).map((element) => why(element as Rejection))).toEqual([reason]);
  });
});

describe('detection', () => {
  const detects = (json: string) =>
    anthropic.detect(
      new Map(Object.entries(JSON.parse(json)).map(([key, value]) => [key, encode(JSON.stringify(value))])),
    );

  test.each([
    ['{"request":{"messages":[]},"response":{"content":[]}}', true],
    ['{"request":{"body":{}},"response":{"body":{"content":[]}}}', true],
    ['{"request":{"messages":[],"system":"s"}}', true],
    ['{"request":{"messages":[],"tools":[{"name":"f","input_schema":{}}]},"response":null}', true],
    ['{"type":"message","content":[{"type":"text","text":"a"}]}', true],
    ['{"content":[{"type":"text","text":"a"}]}', false],
    ['{"type":"user","content":[{"type":"text","text":"a"}]}', false],
    ['{"type":"message","sender":"user","content":[{"type":"text","text":"a"}]}', false],
    ['{"message_type":"user_message","content":[{"type":"text","text":"a"}]}', false],
    ['{"role":"assistant","author":"user","usage":{},"content":[{"type":"text","text":"a"}]}', false],
    ['{"request":{"messages":[{"role":"user","content":"a"}]},"response":{"type":"error","error":{}}}', true],
    [
      '{"request":{"messages":[1,{"content":"a"},{"content":[7,{"type":"tool_use"}]}]},"response":null}',
      true,
    ],
    ['{"request":{"messages":[{"content":[{"type":"tool_use"}]}]},"response":{"choices":[]}}', false],
    ['{"request":{"messages":[{"content":[{"type":"tool_result"}]}]}}', false],
    ['{"request":{"messages":{}},"response":{"error":{"type":"error"}}}', false],
    ['{"content":[],"messages":[]}', false],
    ['{"content":"x"}', false],
    ['{"request":{"messages":[],"system":"s"},"response":{"choices":[],"content":[]}}', false],
    ['{"request":{"messages":[],"tools":[{"name":"f"},1]},"response":{}}', false],
    ['{"request":[],"content":[]}', false],
    ['{"type":"message","role":"user","content":[{"type":"text","text":"a"}]}', false],
    ['{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}', false],
  ])('of %s is %s', (json, yes) => {
    expect(detects(json)).toBe(yes);
  });
});

describe('messages and answers in a second place', () => {
  const user = { role: 'user', content: 'q' };
  const content = [{ type: 'text', text: 'a' }];
  const rulesOf = (object: object) =>
    read(JSON.stringify(object)).map((one) =>
      one.kind === 'entry' ? (one.reply?.notes ?? []).map(({ rule }) => rule) : 'reason' in one && one.reason,
    );
  const pairs = (list: readonly object[]): readonly object[] => [
    { request: { messages: [user] }, messages: list, response: { content } },
    { request: { messages: [user], input: list }, response: { content } },
    { request: { body: { messages: [user] }, input: list }, response: { body: { content } } },
    { request: { body: { messages: [user], prompt: list } }, response: { content } },
  ];

  it('reject the pair if they are messages that say something else', () => {
    for (const one of pairs([{ role: 'user', content: 'x' }]))
      expect(rulesOf(one)).toEqual(['unknown-content']);
    for (const one of pairs([user, { role: 'assistant', content }])) expect(rulesOf(one)).toEqual([[]]);
  });

  it('are none beside the error of a call, which is reported', () => {
    const failed = {
      request: { messages: [user] },
      response: { content },
      error: { type: 'overloaded_error' },
    };
    expect(rulesOf(failed)).toEqual([['response-error']]);
    expect(rulesOf({ ...failed, error: null })).toEqual([[]]);
  });

  it('are other choices if they are an answer that says something else', () => {
    for (const key of ['completion', 'text', 'output_text']) {
      const rules = (said: string) => [
        ...rulesOf({ request: { messages: [user] }, response: { content, [key]: said } }),
        ...rulesOf({ request: { messages: [user] }, response: { body: { content, [key]: said } } }),
      ];
      expect(rules('a')).toEqual([[], []]);
      expect(rules('x')).toEqual([['other-choices'], ['other-choices']]);
      const bare = { type: 'message', role: 'assistant', content, [key]: 'x' };
      expect(rulesOf(bare)).toEqual([['no-question', 'other-choices']]);
    }
    expect(rulesOf({ request: { messages: [user] }, response: { content }, output: 'x' })).toEqual([
      ['other-choices'],
    ]);
  });
});

it('rejects the result of a tool in a message of the model', () => {
  const result = '{"type":"tool_result","tool_use_id":"a","content":"r"}';
  const reasons = (json: string) => read(json).map((one) => ('reason' in one ? one.reason : one.kind));
  expect(reasons(pair('[]', '', `{"content":[${result}]}`))).toEqual(['unknown-content']);
  expect(reasons(pair(`[{"role":"assistant","content":[${result}]}]`, ',"system":"s"'))).toEqual([
    'unknown-content',
  ]);
  expect(reasons(pair(`[{"role":"user","content":[${result}]}]`, ',"system":"s"'))).toEqual(['entry']);
});

it('rejects a request with a system text under a second name, unless its messages have it', () => {
  const kinds = (more: string) =>
    ['null', '{"content":[{"type":"text","text":"b"}]}'].flatMap((response) =>
      read(pair('[{"role":"user","content":"a"}]', `,"system":"s t"${more}`, response)).map(
        ({ kind }) => kind,
      ),
    );
  expect(kinds(',"instructions":"s t"')).toEqual(['entry', 'entry']);
  expect(kinds(',"instructions":"x y"')).toEqual(['rejection', 'rejection']);
});
