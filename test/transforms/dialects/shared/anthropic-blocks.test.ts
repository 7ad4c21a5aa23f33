/** Content blocks of the Messages API as messages: texts, images, thoughts, calls and results. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { objectText } from '../../arbitraries.ts';
import { text } from '../../bytes.ts';
import { blocks, one, pair, read, texts } from '../anthropic-samples.ts';

/** The messages that a message of these blocks becomes. */
const messagesOf = (role: string, list: string) => texts(one(pair(blocks(role, list))).messages);
/** Rules of the notes on such a message. */
const noted = (role: string, list: string) =>
  one(pair(blocks(role, list))).messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));

describe('the content', () => {
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
      '[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"a\\/b\\u002Bc\\r\\nd_-="}}]',
      '{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,a\\/b\\u002Bc\\r\\nd_-="}}]}',
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
    ['["a",{"type":"text","text":"b"}]', '{"role":"user","content":"a\\nb"}'],
  ])('%s', (content, message) => {
    const entry = one(pair(`[{"role":"user","content":${content}}]`));
    expect(texts(entry.messages)).toEqual([message]);
    expect(entry.messages[0]?.notes).toBeUndefined();
  });

  test.each([
    ['{"type":"image","source":{"type":"file","file_id":"x"}}', 'image'],
    ['{"type":"image","source":{"type":"base64","media_type":"image/png","data":"blob:sha256:00"}}', 'image'],
    ['{"type":"image","source":{"type":"base64","media_type":"image/png","data":"[image]"}}', 'image'],
    ['{"type":"image","source":{"type":"base64","media_type":"image/png","data":""}}', 'image'],
    ['{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1.0}}', 'server_tool_use'],
    ['{"type":"web_search_tool_result","tool_use_id":"s","content":[]}', 'web_search_tool_result'],
    ['{"type":"document","source":{}}', 'document'],
    ['{"type":"advisor_tool_result","tool_use_id":"s","content":{}}', 'advisor_tool_result'],
    ['{"type":"fallback","from":{"model":"a"},"to":{"model":"b"}}', 'fallback'],
  ])('keeps %s as a part, with a finding', (block, type) => {
    const [message] = one(pair(blocks('assistant', block))).messages;
    expect(text(message?.bytes as Uint8Array)).toBe(`{"role":"assistant","content":[${block}]}`);
    expect(message?.notes).toMatchObject([{ rule: 'block-kept', severity: 'WARNING' }]);
    expect(message?.notes?.[0]?.message).toContain(`of type ${type} `);
  });

  test.each([
    ...['{"type":"redacted_thinking"}', '{"type":"text","text":1}', '{"type":"text","content":"a"}'],
    ...['{"x":1}', '{"type":"<b>"}', '{"type":"constructor","text":"a"}', '7', 'null', '["a"]'],
  ])('of %s is not understood', (block) => {
    expect(one(pair(blocks('assistant', `{"type":"text","text":"a"},${block}`)))).toMatchObject({
      ...{ kind: 'rejection', reason: 'unknown-content' },
      detail: expect.stringMatching(/^messages\[0\]: content\[1\] is not a part of a known type/),
    });
  });

  it('does not affect other members of the message', () => {
    const message =
      '{ "id":1.0, "content" : [{"type":"text","text":"a"}] ,"role":"user","cache_control":{} }';
    expect(texts(one(pair(`[${message}]`)).messages)).toEqual([
      '{ "id":1.0, "content" : "a" ,"role":"user" }',
    ]);
  });
});

describe('a call', () => {
  it('has the text of its input as arguments', () => {
    const input = '{"b": 1.0,"a":[12345678901234567890,1e400], "\\u0041":"\\/"}';
    const call = `{"type":"tool_use","id":"t1","name":"f","input":${input},"cache_control":{"type":"ephemeral"}}`;
    expect(messagesOf('assistant', `{"type":"text","text":"x"},${call}`)).toEqual([
      `{"role":"assistant","content":"x","tool_calls":[{"id":"t1","type":"function","function":{"name":"f","arguments":${JSON.stringify(input)}}}]}`,
    ]);
  });

  it('keeps every input byte for byte, except for line breaks and indentation', () => {
    const bare = (json: string) => json.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
    let seen = 0;
    fc.assert(
      fc.property(objectText, (input) => {
        const [message] = messagesOf('assistant', `{"type":"tool_use","id":"t","name":"f","input":${input}}`);
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

  it('has no indentation in an indented document', () => {
    const input = '{\n    "a": [\n      1.0,\n      "x,\\n y"\n    ],\r\n\t"b": {}\n  }';
    const [message] = messagesOf('assistant', `{"type":"tool_use",\n"id":"t","name":"f","input":${input}}`);
    expect(message).not.toMatch(/[\r\n]/);
    expect(JSON.parse(message as string).tool_calls[0].function.arguments).toBe(
      '{"a": [1.0, "x,\\n y"], "b": {}}',
    );
    const parts = '{"type":"container_upload",\n "file_id":"x"}';
    expect(messagesOf('assistant', parts)).toEqual([
      '{"role":"assistant","content":[{"type":"container_upload",  "file_id":"x"}]}',
    ]);
  });

  it('may lack its id', () => {
    expect(messagesOf('assistant', '{"type":"tool_use","name":"f","id":7,"input":[]}')).toEqual([
      '{"role":"assistant","tool_calls":[{"type":"function","function":{"name":"f","arguments":"[]"}}]}',
    ]);
  });

  it('has empty arguments if its input is null', () => {
    const call = '{"type":"tool_use","name":"f","id":"t","input":null}';
    expect(messagesOf('assistant', call)).toEqual([
      '{"role":"assistant","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]}',
    ]);
  });

  it.each(['{"type":"tool_use","name":"f"}', '{"type":"tool_use","name":7,"input":{}}'])(
    'is rejected without a name or an input: %s',
    (call) => {
      expect(read(pair(blocks('assistant', call)))).toMatchObject([
        { kind: 'rejection', reason: 'unknown-content' },
      ]);
    },
  );

  it('may have thoughts beside it, which are the reasoning without their signature', () => {
    const thoughts =
      '{"type":"thinking","thinking":"a\\u0041","signature":"s"},{"type":"thinking","thinking":"b"}';
    expect(messagesOf('assistant', thoughts)).toEqual([
      '{"role":"assistant","content":"","reasoning_content":"a\\u0041\\nb"}',
    ]);
    expect(noted('assistant', thoughts)).toEqual([]);
  });

  it('may have hidden thoughts beside it, which are left out', () => {
    const hidden = '{"type":"thinking","thinking":"","signature":"s"}';
    const call = '{"type":"tool_use","id":"t","name":"f","input":{}}';
    const called = '"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]';
    expect(messagesOf('assistant', `${hidden},${call}`)).toEqual([`{"role":"assistant",${called}}`]);
    expect(messagesOf('assistant', `${hidden},{"type":"thinking","thinking":"b"},${call}`)).toEqual([
      `{"role":"assistant","reasoning_content":"b",${called}}`,
    ]);
  });

  test.each(['{"type":"text","text":"x"}', '{"type":"thinking","thinking":"x"}'])(
    'followed by %s is reported, because the order is lost',
    (block) => {
      const call = '{"type":"tool_use","id":"t","name":"f","input":{}}';
      expect(noted('assistant', `${call},${block}`)).toEqual(['order-lost']);
      expect(noted('assistant', `${block},${call},${call}`)).toEqual([]);
    },
  );
});

describe('a result', () => {
  const result = (id: string, more: string) => `{"type":"tool_result","tool_use_id":"${id}"${more}}`;

  it("is a separate message before the rest of the user's", () => {
    const list = [
      '{"type":"text","text":"and"}',
      result('a', ',"content":"A"'),
      result(
        'b',
        ',"content":[{"type":"text","text":"B","cache_control":{}},{"type":"image","source":{"type":"url","url":"u"}}]',
      ),
      result('c', ''),
    ];
    expect(messagesOf('user', list.join())).toEqual([
      '{"role":"tool","tool_call_id":"a","content":"A"}',
      '{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"B"},{"type":"image_url","image_url":{"url":"u"}}]}',
      '{"role":"tool","tool_call_id":"c","content":""}',
      '{"role":"user","content":"and"}',
    ]);
    expect(messagesOf('user', result('a', ',"content":null'))).toHaveLength(1);
  });

  it('is reported if it is an error or has unknown parts', () => {
    expect(noted('user', result('a', ',"is_error":true,"content":"x"'))).toEqual(['result-is-error']);
    expect(noted('user', result('a', ',"is_error":false,"content":[{"type":"document"}]'))).toEqual([
      'block-kept',
    ]);
    expect(
      messagesOf('user', result('a', ',"content":[{"type":"document","cache_control":{}},"x"]')),
    ).toEqual([
      '{"role":"tool","tool_call_id":"a","content":[{"type":"document"},{"type":"text","text":"x"}]}',
    ]);
  });
});
