import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import anthropic from '../../../transforms/dialects/anthropic.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Entry, Rejection } from '../../../transforms/model/element.ts';
import { objectText } from '../arbitraries.ts';
import { asBuffer, KINDS, type MakeBytes, text } from '../bytes.ts';
import { lineOf, why } from '../log-lines.ts';

const reading = (lines: readonly string[], userTurn?: string, make: MakeBytes = asBuffer) => {
  const reader = anthropic.create(undefined, { userTurn });
  return lines.flatMap((json, i) => [...reader.read(lineOf(json, make, i + 1))]);
};
const read = (...lines: readonly string[]) => reading(lines);
const one = (json: string): Entry => read(json)[0] as Entry;
const texts = (items: readonly { readonly bytes: Uint8Array }[]) => items.map(({ bytes }) => text(bytes));
const pair = (messages: string, more = '', response = 'null') =>
  `{"request":{"messages":${messages}${more}},"response":${response}}`;
const blocks = (role: string, list: string) => `[{"role":"${role}","content":[${list}]}]`;
/** Reads one message of these blocks. */
const said = (role: string, list: string) => texts(one(pair(blocks(role, list))).messages);
/** Notes on that message. */
const noted = (role: string, list: string) =>
  one(pair(blocks(role, list))).messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));
const reply = (content: string, stop = 'end_turn') =>
  one(pair('[]', '', `{"content":${content},"stop_reason":"${stop}"}`)).reply;
const replied = (content: string) => text(reply(content)?.bytes as Uint8Array);

describe('content', () => {
  test.each([
    ['"a\\u0041"', '{"role":"user","content":"a\\u0041"}'],
    ['null', '{"role":"user","content":null}'],
    ['[]', '{"role":"user","content":""}'],
    ['[{"type":"text","text":"a\\u0041\\/"}]', '{"role":"user","content":"a\\u0041\\/"}'],
    ['[{"type":"text","text":"a"},{"type":"text","text":"b\\n"}]', '{"role":"user","content":"a\\nb\\n"}'],
    [
      '[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"text","text":"a"}]',
      '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}},{"type":"text","text":"a"}]}',
    ],
    [
      '[{"type":"image","source":{"type":"url","url":"https:\\/\\/x"}}]',
      '{"role":"user","content":[{"type":"image_url","image_url":{"url":"https:\\/\\/x"}}]}',
    ],
    [
      '[{"type":"text","text":"a","citations":[{"n":1.0}],"cache_control":{}}]',
      '{"role":"user","content":[{"type":"text","text":"a","citations":[{"n":1.0}]}]}',
    ],
    ['[{"type":"text","text":"a","citations":null}]', '{"role":"user","content":"a"}'],
    ['[{"type":"text","text":"a","citations":[ ]}]', '{"role":"user","content":"a"}'],
  ])('%s', (content, message) => {
    const entry = one(pair(`[{"role":"user","content":${content}}]`));
    expect(texts(entry.messages)).toEqual([message]);
    expect(entry.messages[0]?.notes).toBeUndefined();
  });

  test.each([
    ['{"type":"image","source":{"type":"file","file_id":"x"}}', 'image'],
    ['{"type":"redacted_thinking","data":"x"}', 'redacted_thinking'],
    ['{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1.0}}', 'server_tool_use'],
    ['{"type":"web_search_tool_result","tool_use_id":"s","content":[]}', 'web_search_tool_result'],
    ['{"type":"document","source":{}}', 'document'],
    ['{"type":"text","text":1}', 'text'],
    ['{"x":1}', 'unknown'],
    ['{"type":"<b>"}', 'unknown'],
    ['7', 'unknown'],
  ])('%s is kept as a part, with a finding', (block, type) => {
    const [message] = one(pair(blocks('assistant', block))).messages;
    expect(text(message?.bytes as Uint8Array)).toBe(`{"role":"assistant","content":[${block}]}`);
    expect(message?.notes).toMatchObject([{ rule: 'block-kept', severity: 'WARNING' }]);
    expect(message?.notes?.[0]?.message).toContain(`of type ${type} `);
  });

  it('leaves the other members of a message alone', () => {
    const message =
      '{ "id":1.0, "content" : [{"type":"text","text":"a"}] ,"role":"user","cache_control":{} }';
    expect(texts(one(pair(`[${message}]`)).messages)).toEqual([
      '{ "id":1.0, "content" : "a" ,"role":"user" }',
    ]);
  });
});

describe('calls', () => {
  it('have the own text of their input as arguments', () => {
    const input = '{"b": 1.0,"a":[12345678901234567890,1e400], "\\u0041":"\\/"}';
    const call = `{"type":"tool_use","id":"t1","name":"f","input":${input},"cache_control":{"type":"ephemeral"}}`;
    expect(said('assistant', `{"type":"text","text":"x"},${call}`)).toEqual([
      `{"role":"assistant","content":"x","tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":${JSON.stringify(input)}}}]}`,
    ]);
  });

  it('keep every input, byte for byte but for the layout of several lines', () => {
    const bare = (json: string) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
    let seen = 0;
    fc.assert(
      fc.property(objectText, (input) => {
        const [message] = said('assistant', `{"type":"tool_use","id":"t","name":"f","input":${input}}`);
        const { arguments: args } = JSON.parse(message as string).tool_calls[0].function;
        if (/[\r\n]/.test(input)) {
          seen++;
          expect(args).not.toMatch(/[\r\n]/);
          expect(bare(args)).toBe(bare(input));
        } else expect(args).toBe(input);
      }),
    );
    expect(seen).toBeGreaterThan(0);
  });

  it('of a document with indentation have none', () => {
    const input = '{\n    "a": [\n      1.0,\n      "x,\\n y"\n    ],\r\n\t"b": {}\n  }';
    const [message] = said('assistant', `{"type":"tool_use",\n"id":"t","name":"f","input":${input}}`);
    expect(message).not.toMatch(/[\r\n]/);
    expect(JSON.parse(message as string).tool_calls[0].function.arguments).toBe(
      '{"a": [1.0, "x,\\n y"], "b": {}}',
    );
    const parts = '{"type":"redacted_thinking",\n "data":"x"}';
    expect(said('assistant', parts)).toEqual([
      '{"role":"assistant","content":[{"type":"redacted_thinking",  "data":"x"}]}',
    ]);
  });

  it('may lack what a call should have', () => {
    expect(said('assistant', '{"type":"tool_use"},{"type":"tool_use","name":7,"id":7,"input":[]}')).toEqual([
      '{"role":"assistant","tool_calls":[{"type":"function","function":{}},{"type":"function","function":{"arguments":"[]"}}]}',
    ]);
  });

  it('a thought beside them is the reasoning; its signature is left out', () => {
    const thoughts =
      '{"type":"thinking","thinking":"a\\u0041","signature":"s"},{"type":"thinking","thinking":"b"}';
    expect(said('assistant', thoughts)).toEqual([
      '{"role":"assistant","content":"","reasoning_content":"a\\u0041\\nb"}',
    ]);
    expect(noted('assistant', thoughts)).toEqual([]);
  });

  it('a thought that is not shown is none', () => {
    const hidden = '{"type":"thinking","thinking":"","signature":"s"}';
    const call = '{"type":"tool_use","id":"t","name":"f"}';
    const called = '"tool_calls":[{"id":"t","type":"function","function":{"name":"f"}}]';
    expect(said('assistant', `${hidden},${call}`)).toEqual([`{"role":"assistant",${called}}`]);
    expect(said('assistant', `${hidden},{"type":"thinking","thinking":"b"},${call}`)).toEqual([
      `{"role":"assistant","reasoning_content":"b",${called}}`,
    ]);
  });

  test.each(['{"type":"text","text":"x"}', '{"type":"thinking","thinking":"x"}'])(
    '%s after one: the order is lost',
    (block) => {
      const call = '{"type":"tool_use","id":"t","name":"f","input":{}}';
      expect(noted('assistant', `${call},${block}`)).toEqual(['order-lost']);
      expect(noted('assistant', `${block},${call},${call}`)).toEqual([]);
    },
  );
});

describe('results', () => {
  const result = (id: string, more: string) => `{"type":"tool_result","tool_use_id":"${id}"${more}}`;

  it("are separate messages, before the rest of the user's", () => {
    const list = [
      '{"type":"text","text":"and"}',
      result('a', ',"content":"A"'),
      result(
        'b',
        ',"content":[{"type":"text","text":"B","cache_control":{}},{"type":"image","source":{"type":"url","url":"u"}}]',
      ),
      result('c', ''),
    ];
    expect(said('user', list.join())).toEqual([
      '{"role":"tool","tool_call_id":"a","content":"A"}',
      '{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"B"},{"type":"image_url","image_url":{"url":"u"}}]}',
      '{"role":"tool","tool_call_id":"c","content":""}',
      '{"role":"user","content":"and"}',
    ]);
    expect(said('user', result('a', ',"content":null'))).toHaveLength(1);
  });

  it('that are errors, and unknown parts, are findings', () => {
    expect(noted('user', result('a', ',"is_error":true,"content":"x"'))).toEqual(['result-is-error']);
    expect(noted('user', result('a', ',"is_error":false,"content":[{"type":"document"}]'))).toEqual([
      'block-kept',
    ]);
    expect(said('user', result('a', ',"content":[{"type":"document","cache_control":{}},"x"]'))).toEqual([
      '{"role":"tool","tool_call_id":"a","content":[{"type":"document"},"x"]}',
    ]);
  });
});

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
  ])('system %s', (system, messages) => {
    expect(texts(one(pair('[]', `,"system":${system}`)).messages)).toEqual(messages);
  });

  it('tools are functions: input_schema is parameters, cache marks are gone', () => {
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

  it('has the ids and times that are logged, else its source and none', () => {
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
    expect(replied('[{"type":"tool_result","tool_use_id":"a"}]')).toBe(
      '{"role":"assistant","content":[{"type":"tool_result","tool_use_id":"a"}]}',
    );
  });

  test.each(['null', '{}', '{"type":"error","error":{}}', '{"content":"x"}', '{"body":null}'])(
    '%s is none',
    (response) => {
      expect(one(pair('[]', '', response)).reply).toBeUndefined();
    },
  );

  test.each([
    '[]',
    '[{"type":"text","text":""}]',
    '[{"type":"text","text":" \\n"},{"type":"text","text":"\\u2003"}]',
    '[{"type":"thinking","thinking":"","signature":"c2ln"}]',
  ])('with the content %s is empty and not a message', (content) => {
    const response = `{"type":"message","content":${content}}`;
    expect(one(pair('[]', '', response))).toMatchObject({ reply: undefined, emptyReply: true });
    expect(one(response)).toMatchObject({ reply: undefined, emptyReply: true, lacks: ['tools'] });
  });

  test.each([
    '[{"type":"thinking","thinking":"t"}]',
    '[{"type":"tool_use","id":"t","name":"f","input":{}}]',
    '[{"type":"redacted_thinking","data":"x"}]',
  ])('of the content %s says something', (content) => {
    expect(one(pair('[]', '', `{"content":${content}}`)).reply?.role).toBe('assistant');
  });

  it('that was cut off in a call has a finding', () => {
    const call = '[{"type":"tool_use","id":"t","name":"f","input":{}}]';
    const rules = (content: string, stop: string) => reply(content, stop)?.notes?.map(({ rule }) => rule);
    expect(rules(call, 'max_tokens')).toEqual(['truncated-call', 'reply-cut']);
    expect(rules(call, 'tool_use')).toBeUndefined();
    expect(rules('[{"type":"text","text":"a"}]', 'max_tokens')).toEqual(['reply-cut']);
    expect(rules('[{"type":"text","text":"a"}]', 'refusal')).toEqual(['reply-filtered']);
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
    expect(one(json).messages).toEqual([]);
  });
});

describe.each(KINDS)('what a request repeats, in a %s', (_kind, make) => {
  const marked = (content: string) =>
    `{"role":"user","content":[{"type":"text","text":"${content}","cache_control":{"type":"ephemeral"}}]}`;
  const plain = (content: string) => `{"role":"user","content":[{"type":"text","text":"${content}"}]}`;

  it('is the same objects, wherever the cache mark stands', () => {
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

  it('is forgotten with the source', () => {
    const reader = anthropic.create();
    const [a] = reader.read(lineOf(pair(`[${plain('x')}]`), make)) as [Entry];
    reader.forget();
    const [b] = reader.read(lineOf(pair(`[${plain('x')}]`), make)) as [Entry];
    expect(b.messages[0]).not.toBe(a.messages[0]);
  });

  it('survives its line', () => {
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
  it('with bodies in bodies, deeper than the stack is', () => {
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

describe('is detected', () => {
  const detects = (json: string) =>
    anthropic.detect(
      new Map(Object.entries(JSON.parse(json)).map(([key, value]) => [key, encode(JSON.stringify(value))])),
    );

  test.each([
    ['{"request":{"messages":[]},"response":{"content":[]}}', true],
    ['{"request":{"body":{}},"response":{"body":{"content":[]}}}', true],
    ['{"request":{"messages":[],"system":"s"}}', true],
    ['{"request":{"messages":[],"tools":[{"name":"f","input_schema":{}}]},"response":null}', true],
    ['{"content":[{"type":"text","text":"a"}]}', true],
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
  ])('%s: %s', (json, yes) => {
    expect(detects(json)).toBe(yes);
  });
});
