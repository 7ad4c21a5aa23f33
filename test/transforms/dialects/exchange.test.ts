import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import exchange from '../../../transforms/dialects/exchange.ts';
import type { Entry, Message, Rejection } from '../../../transforms/model/element.ts';
import { damage, damaged, jsonText, objectText } from '../arbitraries.ts';
import { asBuffer, KINDS, type MakeBytes, text } from '../bytes.ts';
import { entryJson, lineOf, plain } from '../log-lines.ts';

const read = (...lines: readonly (string | Uint8Array)[]) => {
  const reader = exchange.create();
  return lines.flatMap((json, i) => [...reader.read(lineOf(json, asBuffer, i + 1))]);
};
const entries = (...lines: readonly string[]) => read(...lines) as readonly Entry[];
const texts = (items: readonly { readonly bytes: Uint8Array }[]) => items.map(({ bytes }) => text(bytes));
const wrap = (messages: string, more = '') =>
  `{"timestamp":1,"session_id":"s","request":{"messages":${messages}${more}}}`;

describe('an entry', () => {
  it('keeps the bytes of its messages: numbers, key order, duplicate keys, escapes, white space', () => {
    const messages = [
      '{"role":"user","content":{"n":[1.0,12345678901234567890,1e400,-0,1.10]}}',
      '{ "2":2, "1":1,\t"role" :"user","role":"tool" }',
      '{"role":"a\\u0062","content":"\\/\\u0041\\ud800é\u2028"}',
    ];
    const [entry] = entries(wrap(`[ ${messages.join(' , ')} ]`));
    expect(texts((entry as Entry).messages)).toEqual(messages);
    expect(entry?.messages.map(({ role }) => role)).toEqual(['user', 'tool', 'ab']);
  });

  it('is read through escaped keys', () => {
    const [entry] = entries(
      '{"\\u0074imestamp":1,"session\\u005fid":"\\u0073","requ\\u0065st":{"\\u006dessages":[{"r\\u006fle":"user"}],"t\\u006fols":[{"n\\u0061me":"t"}]},"respons\\u0065":{"choice\\u0073":[{"messag\\u0065":{"role":"assistant","cont\\u0065nt":"a"}}]}}',
    );
    expect(entry).toMatchObject({ sessionId: 's', timestamp: 1_000_000_000n, reply: { role: 'assistant' } });
    expect(entry?.messages[0]?.role).toBe('user');
    expect(entry?.tools[0]?.name).toBe('t');
  });

  it('may have any other keys, repeated and in any order', () => {
    const [entry] = entries(
      '{"model":1,"model":2,"request":{"x":[],"x":{},"messages":[],"model":null},"__proto__":{},"session_id":"s","timestamp":2}',
    );
    expect(entry).toMatchObject({ kind: 'entry', timestamp: 2_000_000_000n });
  });

  it('has the tools of the old form if there are no others', () => {
    const toolsIn = (more: string) => entries(wrap('[]', more)).map(({ tools }) => texts(tools));
    const old = '"functions":[{"name":"f","parameters":{}}]';
    expect(toolsIn(`,${old}`)).toEqual([['{"name":"f","parameters":{}}']]);
    expect(toolsIn(`,${old},"tools":null`)).toEqual([['{"name":"f","parameters":{}}']]);
    expect(toolsIn(`,"tools":[],${old}`)).toEqual([['{"name":"f","parameters":{}}']]);
    expect(toolsIn(',"functions":"f"')).toEqual([[]]);
  });

  it('has no raw line break in anything that goes into a record', () => {
    const message = '{\r"role":\r\n"user"}';
    const tool = '{"type":"function","function":{\n"name":"t"\r}}';
    const reply = '{"role":\n"assistant","content":"a"}';
    const [entry] = entries(
      `{"timestamp":1,"session_id":"s","request":{"messages":[${message}],"tools":[${tool}]},"response":{"choices":[{"message":${reply}}]}}`,
    ) as [Entry];
    expect(texts(entry.messages)).toEqual(['{ "role":  "user"}']);
    expect(texts(entry.tools)).toEqual(['{ "name":"t" }']);
    expect(text(entry.reply?.bytes as Uint8Array)).toBe('{"role": "assistant","content":"a"}');
  });

  it('stays valid after its line is overwritten', () => {
    const line = lineOf(entryJson());
    const [entry] = exchange.create().read(line) as [Entry];
    line.bytes.fill(0);
    expect(texts([...entry.messages, entry.reply as NonNullable<Entry['reply']>])).toEqual([
      '{"role":"user","content":"hi"}',
      '{"role":"assistant","content":"ho"}',
    ]);
    expect(entry.sessionId).toBe('s');
  });

  it('may have a timestamp in any notation', () => {
    const stamps = [
      '"1970-01-01T00:00:01Z"',
      '1',
      '1.0e0',
      '1000000000000e-12',
      '"1970-01-01T01:00:01\\u002b01:00"',
    ];
    for (const stamp of stamps) {
      const [entry] = entries(wrap('[]').replace('1', stamp));
      expect(entry?.timestamp).toBe(1_000_000_000n);
    }
    const long = entries(wrap('[]').replace('1', `1.768342443${'0'.repeat(100)}e9`));
    expect(long[0]?.timestamp).toBe(1_768_342_443_000_000_000n);
  });
});

describe('the reply', () => {
  const reply = (response: string) => {
    const [entry] = entries(
      `{"timestamp":1,"session_id":"s","request":{"messages":[]},"response":${response}}`,
    );
    expect(entry?.kind).toBe('entry');
    return entry?.reply && [entry.reply.role, text(entry.reply.bytes)];
  };

  test.each([
    [
      '{"choices":[{"message":{"role":"assistant","content":"a"}}]}',
      'assistant',
      '{"role":"assistant","content":"a"}',
    ],
    [
      '{"choices":[ {"index":0,"message": {"role":"x","refusal":"no"} ,"finish_reason":"stop"},{"message":{}}]}',
      'x',
      '{"role":"x","refusal":"no"}',
    ],
    [
      '{"choices":[],"choices":[{"message":1,"message":{"role":"x","content":5}}]}',
      'x',
      '{"role":"x","content":5}',
    ],
    ['{"choices":[{"message":{"role":"x","content":[1]}},1,[],null]}', 'x', '{"role":"x","content":[1]}'],
  ])('from %s has the role %j', (response, role, json) => {
    expect(reply(response)).toEqual([role, json]);
  });

  test.each([
    ['{"content":"a"}', '{"role":"assistant","content":"a"}'],
    ['{ "n":1.0 ,"content":"a"}', '{"role":"assistant", "n":1.0 ,"content":"a"}'],
    ['{"role":null,"content":"a"}', '{"role":"assistant","content":"a"}'],
    ['{"content":"a","role" : ""}', '{"content":"a","role" : "assistant"}'],
    ['{"role":{"a":1},"content":"a"}', '{"role":"assistant","content":"a"}'],
    ['{"role":"user","role":7,"refusal":"no"}', '{"role":"user","role":"assistant","refusal":"no"}'],
  ])('gets the role assistant, which is counted, in %s', (message, json) => {
    expect(reply(`{"choices":[{"message":${message}}]}`)).toEqual(['assistant', json]);
    const [entry] = entries(
      `{"timestamp":1,"session_id":"s","request":{"messages":[]},"response":{"choices":[{"message":${message}}]}}`,
    );
    expect(entry?.repairs).toEqual(['reply-role']);
  });

  test.each([
    '{}',
    '{"role":"assistant"}',
    '{"role":null,"content":null}',
    '{"content":" \\t\\n\\u00a0\\u2003\\u001c"}',
    '{"role":"assistant","content":"","tool_calls":[],"function_call":null,"refusal":null,"audio":null}',
    '{"content":[]}',
    '{"content":"a","content":null}',
    '{"content":[ ],"reasoning_content":"","thinking":" ","reasoning":null}',
    '{"content":[{"type":"text","text":"  "}, {"text":"","type":"text"}]}',
    '{"role":"assistant","content":"","annotations":[],"name":"n"}',
  ])('is absent, and counted as empty, for %s', (message) => {
    const [entry] = entries(
      `{"timestamp":1,"session_id":"s","request":{"messages":[]},"response":{"choices":[{"message":${message}}]}}`,
    );
    expect(entry).toMatchObject({ reply: undefined, emptyReply: true });
    expect(entry?.repairs).toBeUndefined();
  });

  test.each([
    '"content":0',
    '"content":false',
    '"content":{}',
    '"content":"\\ufeff"',
    '"content":["a"]',
    '"content":[{"type":"text"}]',
    '"content":[{"type":"text","text":" "},{"type":"image_url"}]',
    '"tool_calls":[{}]',
    '"tool_calls":[{"type":"text","text":""}]',
    '"content":null,"content":"a"',
    '"function_call":{"name":"f"}',
    '"refusal":"r"',
    '"audio":{"id":"a"}',
  ])('with %s is a message', (member) => {
    const json = `{"role":"assistant",${member}}`;
    expect(reply(`{"choices":[{"message":${json}}]}`)).toEqual(['assistant', json]);
  });

  test.each([
    'null',
    '{}',
    '{"choices":null}',
    '{"choices":{}}',
    '{"choices":[]}',
    '{"choices":[null]}',
    '{"choices":[[{"message":{"role":"x"}}]]}',
    '{"choices":[{}]}',
    '{"choices":[{"message":null}]}',
    '{"choices":[{"message":[]}]}',
    '{"choices":[{"delta":{"role":"x"}}]}',
    '{"choices":[1,{"message":{"role":"x"}}]}',
    '{"choices":[{"message":{"role":"x"},"message":null}]}',
    '{"choices":[{"message":{"role":"x"}}],"choices":[]}',
    '{"error":{"message":{"role":"x"}}}',
  ])('is absent for %s', (response) => {
    expect(reply(response)).toBeUndefined();
  });

  it('is absent without a response, even after a line with one', () => {
    const [, entry] = entries(entryJson(), wrap('[]'));
    expect(entry?.reply).toBeUndefined();
  });
});

describe('findings about the answer', () => {
  const message = '"message":{"role":"assistant","content":"a"}';
  const line = (response: string, messages = '{"role":"user"}'): string =>
    `{"timestamp":1,"session_id":"s","request":{"messages":[${messages}]},"response":${response}}`;
  const rulesOf = ({ notes = [] }: Message): readonly string[] => notes.map(({ rule }) => rule);

  test.each([
    [`{"choices":[{${message},"finish_reason":"length"}]}`, ['reply-cut']],
    [`{"choices":[{"finish\\u005freason":"l\\u0065ngth",${message}}]}`, ['reply-cut']],
    [`{"choices":[{${message},"finish_reason":"content_filter"}]}`, ['reply-filtered']],
    [`{"choices":[{${message},"finish_reason":"error"}]}`, ['response-error']],
    [`{"choices":[{${message},"finish_reason":"MAX_TOKENS"}]}`, ['reply-cut']],
    [`{"choices":[{${message},"finish_reason":"abort"}]}`, ['reply-cut']],
    [`{"choices":[{${message},"finish_reason":"insufficient_system_resource"}]}`, ['response-error']],
    [`{"choices":[{${message},"finish_reason":"end_turn"}]}`, []],
    [`{"choices":[{${message}}],"error":{"code":500}}`, ['response-error']],
    [`{"error":"","choices":[{${message}}]}`, ['response-error']],
    [`{"choices":[{${message}},{"finish_reason":"length"}]}`, ['other-choices']],
    [
      `{"error":{},"choices":[{${message},"finish_reason":"length"},null]}`,
      ['reply-cut', 'response-error', 'other-choices'],
    ],
    [`{"choices":[{"finish_reason":"length"},1],"choices":[{${message}}]}`, []],
    [`{"choices":[{${message},"finish_reason":"length","finish_reason":null}]}`, []],
    [`{"choices":[{${message},"finish_reason":"stop"}],"error":1,"error":null}`, []],
    [`{"choices":[{${message},"finish_reason":["length"]}],"errors":1}`, []],
  ])('%s: %j, on the reply', (response, rules) => {
    const [entry] = entries(line(response)) as [Entry];
    expect(rulesOf(entry.reply as Message)).toEqual(rules);
    expect(entry.messages.flatMap(rulesOf)).toEqual([]);
  });

  test.each([
    ['{"error":{"message":"overloaded"}}', ['response-error']],
    ['{"choices":[],"error":"overloaded"}', ['response-error']],
    ['{"choices":[{"message":null,"finish_reason":"length"}]}', ['reply-cut']],
    ['{"choices":[{"message":{"content":""},"finish_reason":"length"}]}', ['reply-cut']],
    ['{"choices":["x","y"]}', ['other-choices']],
    ['{"choices":[]}', []],
    ['null', []],
  ])('%s: %j, on the last message', (response, rules) => {
    const [entry] = entries(line(response, '{"role":"system"},{"role":"user"}')) as [Entry];
    expect(entry.reply).toBeUndefined();
    expect(entry.messages.map(rulesOf)).toEqual([[], rules]);
    expect(entries(line(response, ''))[0]?.messages).toEqual([]);
  });

  it('belong to that answer, and not to the message that later entries repeat', () => {
    const reply = '{"role":"assistant","content":"a"}';
    const [cut, next, last] = entries(
      line(`{"choices":[{"message":${reply},"finish_reason":"length"}]}`),
      line('{"error":{}}', `{"role":"user"},${reply}`),
      line('null', `{"role":"user"},${reply}`),
    ) as [Entry, Entry, Entry];
    expect(rulesOf(cut.reply as Message)).toEqual(['reply-cut']);
    expect(cut.messages.flatMap(rulesOf)).toEqual([]);
    expect(next.messages.map(rulesOf)).toEqual([[], ['response-error']]);
    expect(last.messages.flatMap(rulesOf)).toEqual([]);
  });

  it('are not those of the line before', () => {
    const cut = `{"error":{},"choices":[{${message},"finish_reason":"length"},1]}`;
    const [, entry] = entries(line(cut), line('{}'));
    expect(entry?.messages.flatMap(rulesOf)).toEqual([]);
  });
});

describe('repeated messages', () => {
  const messages = ['{"role":"user","n":1}', '{"role":"user","n":2}', '{"role":"user","n":3}'];

  it('are the same objects', () => {
    const [a, b] = entries(wrap(`[${messages.slice(0, 2)}]`), wrap(`[${messages.join(' , ')}]`)) as [
      Entry,
      Entry,
    ];
    expect(b.messages[0]).toBe(a.messages[0]);
    expect(b.messages[1]).toBe(a.messages[1]);
  });

  it('are recognised after a changed first message and after a rejected line', () => {
    const changed = wrap(`[{"role":"system","n":9},${messages.slice(1)}]`);
    const [a, , b] = entries(wrap(`[${messages}]`), changed.replace(':1,', ':null,'), changed) as [
      Entry,
      Rejection & Entry,
      Entry,
    ];
    expect(b.messages.slice(1)).toEqual(a.messages.slice(1));
    expect(b.messages[1]).toBe(a.messages[1]);
  });

  it('are forgotten with the source', () => {
    const reader = exchange.create();
    const [a] = reader.read(lineOf(wrap(`[${messages}]`))) as [Entry];
    reader.forget();
    const [b] = reader.read(lineOf(wrap(`[${messages}]`))) as [Entry];
    expect(b.messages[0]).not.toBe(a.messages[0]);
    expect(texts(b.messages)).toEqual(texts(a.messages));
  });
});

describe('detect', () => {
  const has = (...keys: readonly string[]) =>
    exchange.detect(new Map(keys.map((key) => [key, asBuffer('1')])));

  test('accepts no object without a request with messages', () => {
    expect([has('request', 'timestamp', 'session_id'), has('timestamp', 'session_id')]).toEqual([
      false,
      false,
    ]);
    expect([has(), has('session_id', 'response')]).toEqual([false, false]);
  });

  test('accepts a request with messages, without a time and a session id too', () => {
    const knows = (request: string) => exchange.detect(new Map([['request', asBuffer(request)]]));
    expect([knows('{"messages":null}'), knows('{"contents":[]}'), knows('1')]).toEqual([true, false, false]);
  });
});

/** Lines of logs with histories that grow and change, and with odd parts. */
const message = fc.oneof(
  { weight: 6, arbitrary: fc.nat(6).map((n) => `{"role":"user","n":${n}}`) },
  { weight: 2, arbitrary: objectText.map((json) => `{"role":"tool","content":${json}}`) },
  fc.oneof(objectText, jsonText),
);
const tools = fc.constantFrom(
  ...[
    '[]',
    'null',
    '[{"name":"a"}]',
    '[{"type":"function","function":{"name":"a"}},{"name":"b"}]',
    '{}',
    '[1]',
    '[{},]',
  ],
);
const member = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(message, { maxLength: 6 }).map((all) => `"request":{"messages":[${all.join()}]}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(message, { maxLength: 3 }), tools)
      .map(([all, some]) => `"request":{"tools":${some},"messages":[${all.join(' , ')}]}`),
  },
  { weight: 3, arbitrary: message.map((json) => `"response":{"choices":[{"message":${json}}]}`) },
  fc.tuple(fc.constantFrom('"timestamp"', '"x"', '"respons\\u0065"'), jsonText).map((pair) => pair.join(':')),
);
const line = fc
  .array(member, { minLength: 1, maxLength: 4 })
  .map((members) => `{"timestamp":1,"session_id":"s",${members.join()}}`);
const lines = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: line.map((json) => json) },
    fc.tuple(line, line).map((two) => two.join(' ')),
  ),
  { minLength: 2, maxLength: 6 },
);

/** Reads all lines with one reader, and each line with a fresh one. */
function compare(all: readonly Uint8Array[], make: MakeBytes): void {
  const reader = exchange.create();
  all.forEach((bytes, i) => {
    const [warm, cold] = [reader, exchange.create()].map((one) =>
      [...one.read(lineOf(bytes, make, i + 1))].map(plain),
    );
    expect(warm).toEqual(cold);
  });
}

describe.each(KINDS)('a reader that remembers (%s)', (_kind, make) => {
  it('reads every line like a fresh one', () => {
    fc.assert(
      fc.property(lines, (all) =>
        compare(
          all.map((json) => Buffer.from(json)),
          make,
        ),
      ),
      { numRuns: 300 },
    );
  });

  it('reads every damaged line like a fresh one', () => {
    fc.assert(
      fc.property(lines, fc.array(damage, { minLength: 6, maxLength: 6 }), (all, changes) => {
        const bytes = all.flatMap((json, i) => {
          const good = Buffer.from(json);
          return [good, damaged(good, changes[i] as (typeof changes)[number]), good];
        });
        compare(bytes, make);
      }),
      { numRuns: 300 },
    );
  });
});

describe('messages and answers in a second place', () => {
  const user = { role: 'user', content: 'q' };
  const message = { role: 'assistant', content: 'a' };
  const line = (more: object, request: object = {}, response: object = {}) =>
    JSON.stringify({
      ...{ timestamp: 1, session_id: 's', ...more },
      request: { messages: [user], ...request },
      response: { choices: [{ message }], ...response },
    });
  const rulesOf = (json: string) =>
    read(json).map((one) =>
      one.kind === 'entry' ? (one.reply?.notes ?? []).map(({ rule }) => rule) : 'reason' in one && one.reason,
    );

  it('reject the pair if they are messages that say something else', () => {
    const other = [{ role: 'user', content: 'x' }];
    for (const key of ['input', 'prompt', 'contents']) {
      expect(rulesOf(line({}, { [key]: other }))).toEqual(['unknown-content']);
      expect(rulesOf(line({ [key]: other }))).toEqual(['unknown-content']);
    }
    expect(rulesOf(line({ messages: [user, ...other] }))).toEqual(['unknown-content']);
    const [rejected] = read(` ${line({ messages: other })}`) as readonly Rejection[];
    expect(rejected?.detail).toMatch(/^the call has other messages in a second list: messages at byte 44 /);
  });

  it('are passed over if they say the same', () => {
    expect(
      rulesOf(line({ messages: [user, message] }, { input: [user], prompt: 'p', contents: [] })),
    ).toEqual([[]]);
    expect(
      rulesOf(line({ messages: null, output: 'a', completion: ' a' }, {}, { output_text: 'a' })),
    ).toEqual([[]]);
  });

  it('are none beside the error of a call, which is reported, or left out if it is the answer', () => {
    for (const key of ['error', 'exception', 'error_message'])
      expect(rulesOf(line({ [key]: { message: 'the server closed the stream' } }))).toEqual([
        ['response-error'],
      ]);
    for (const empty of [null, '', {}, false]) expect(rulesOf(line({ error: empty }))).toEqual([[]]);
    const error = 'the server closed the stream';
    const [failed] = entries(line({ error }, {}, { choices: [{ message: { ...message, content: error } }] }));
    expect([failed?.reply, failed?.messages[0]?.notes?.map(({ rule }) => rule)]).toEqual([
      undefined,
      ['response-error'],
    ]);
  });

  it('are other choices if they are an answer that says something else', () => {
    for (const key of ['output', 'completion'])
      expect(rulesOf(line({ [key]: 'x' }))).toEqual([['other-choices']]);
    for (const key of ['output_text', 'text', 'content'])
      expect(rulesOf(line({}, {}, { [key]: 'x' }))).toEqual([['other-choices']]);
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const choices = [{ message: { role: 'assistant', content: null, tool_calls: calls } }];
    expect(rulesOf(line({ choices }))).toEqual([['other-choices']]);
  });

  it('of a line are not looked for in the next one', () => {
    const none = JSON.stringify({ timestamp: 2, session_id: 's', request: { messages: [user] } });
    expect(read(line({}, {}, { text: 'x' }), none)).toMatchObject([
      { kind: 'entry' },
      { kind: 'entry', messages: [{ role: 'user' }] },
    ]);
  });
});

describe('a system text and an answer that are not where this API has them', () => {
  const line = (request: object, message: object = { role: 'assistant', content: 'a' }) =>
    JSON.stringify({
      ...{ timestamp: 1, session_id: 's', response: { choices: [{ message }] } },
      request: {
        messages: [
          { role: 'system', content: 's t' },
          { role: 'user', content: 'q' },
        ],
        ...request,
      },
    });

  it.each([
    'system',
    'instructions',
    'system_prompt',
    'system_message',
    'systemMessage',
    'systemPrompt',
    'systemInstruction',
    'system_instruction',
    'system_content',
    'preamble',
    'developer',
    'instruction',
  ])('reject the pair if %s says what the messages do not', (key) => {
    expect(read(line({ [key]: 'x y' }))).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
    expect(read(line({ [key]: [{ type: 'text', text: 'x y' }] }))).toMatchObject([
      { reason: 'unknown-content' },
    ]);
    for (const same of ['s  t', [{ text: 's t' }], { parts: [{ text: 's t' }] }, null, ''])
      expect(read(line({ [key]: same }))).toMatchObject([{ kind: 'entry' }]);
  });

  it('reject the conversation by default if the answer names another speaker', () => {
    const rulesOf = (role: unknown) => {
      const [entry] = entries(line({}, { role, content: 'a' }));
      return (entry?.reply?.notes ?? []).map(({ rule }) => rule);
    };
    for (const role of ['user', 'tool', 'system']) expect(rulesOf(role)).toEqual(['unread-text']);
    for (const role of ['assistant', '', null]) expect(rulesOf(role)).toEqual([]);
  });
});
