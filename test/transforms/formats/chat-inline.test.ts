import { describe, expect, it, test } from 'vitest';
import chatInline from '../../../transforms/formats/chat-inline.ts';
import type { Message } from '../../../transforms/model/element.ts';
import { KINDS, text } from '../bytes.ts';
import { call, conversationOf, GOOD_TOOL, messageOf } from '../checks/samples.ts';
import { IMAGE, part, SPACES } from '../rules/rule-samples.ts';

const encode = (...messages: readonly Message[]) => chatInline.encode(conversationOf(messages));
/** The message in the record. */
const one = (message: Message) => text(encode(message).written[0]?.bytes as Uint8Array);
const raw = (role: string, json: string): Message => ({ role, bytes: Buffer.from(json) });
const content = (message: Message) => JSON.parse(one(message)).content;
const found = (...messages: readonly Message[]) =>
  encode(...messages).findings.map(({ severity, rule }) => `${severity} ${rule}`);
const calling = (calls: readonly unknown[], more: object = {}) =>
  messageOf({ role: 'assistant', ...more, tool_calls: calls });
const result = (id: unknown, value?: unknown) =>
  messageOf({ role: 'tool', tool_call_id: id, content: value });

const CALL = '<tool_call>{"name": "read", "arguments": {}}</tool_call>';

describe.each(KINDS)('a message in a %s', (_kind, make) => {
  it('without calls is the same object', () => {
    const messages = [
      '{"role":"user","content":"x","tool_calls":[1]}',
      '{"role":"assistant","content":" x "}',
      '{"role":"assistant","tool_calls":[]}',
      '{"role":"assistant","tool_calls":null}',
      '{"role":"assistant","tool_calls":{"a":1}}',
      '{"role":"tool","content":"x"}',
      '{"role":"tool","tool_call_id":"","content":"x"}',
      '{"role":"tool","tool_call_id":7,"content":"x"}',
      '{"role":"user","tool_call_id":"x","content":"x"}',
    ].map((json): Message => ({ role: JSON.parse(json).role, bytes: make(json) }));
    const { written, findings } = encode(...messages);
    expect(written.every((message, i) => message === messages[i])).toBe(true);
    expect(findings).toEqual([]);
  });

  it('with calls has them in its content and keeps its other bytes', () => {
    const json = `{ "n":1.0 ,"content" : null, "tool_calls":[{"id":"1","function":{"name":"read","arguments":"{}"}}] , "a":1}`;
    const bytes = make(json.replace('{ "n"', '{ "role":"assistant","n"'));
    const message = { role: 'assistant', bytes };
    expect(one(message)).toBe(`{ "role":"assistant","n":1.0 ,"content" : ${JSON.stringify(CALL)} , "a":1}`);
    expect(text(bytes)).toContain('"tool_calls":[');
  });
});

describe('an assistant message with calls', () => {
  test.each<[string, object, string]>([
    ['no content', {}, CALL],
    ['null content', { content: null }, CALL],
    ['empty content', { content: '' }, CALL],
    ['white space', { content: SPACES }, CALL],
    ['a text', { content: 'I read.' }, `I read.\n${CALL}`],
    ['a text with white space around it', { content: `${SPACES}I read. ` }, `I read. \n${CALL}`],
    ['a part', { content: [part('I read.')] }, `I read.\n${CALL}`],
    ['no parts', { content: [] }, CALL],
    ['a byte order mark', { content: '\ufeff' }, `\ufeff\n${CALL}`],
  ])('and %s is one plain text', (_what, more, expected) => {
    const message = calling([call('1', 'read')], more);
    expect(JSON.parse(one(message))).toEqual({ role: 'assistant', content: expected });
    expect(found(message)).toEqual([]);
  });

  it('and parts is one text with a line for each part', () => {
    const message = calling([call('1', 'read')], { content: [part('I read.'), part('And I write.')] });
    expect(content(message)).toBe(`I read.\nAnd I write.\n${CALL}`);
    expect(found(message)).toEqual(['WARNING parts-joined']);
  });

  it('has one line for each call, in order', () => {
    const message = calling([call('1', 'read'), call('2', 'write', '{"a":1}')], { content: 'x' });
    expect(content(message)).toBe(
      `x\n${CALL}\n<tool_call>{"name": "write", "arguments": {"a": 1}}</tool_call>`,
    );
  });

  it('keeps its other members in order, with its content at the end if it had none', () => {
    expect(
      one(raw('assistant', '{"tool_calls":[{"function":{"name":"read"}}],"role":"assistant","name":"x"}')),
    ).toBe(`{"role":"assistant","name":"x","content":${JSON.stringify(CALL)}}`);
    expect(one(calling([call('1', 'read')], { content: 'a', refusal: null, function_call: {} }))).toBe(
      `{"role":"assistant","content":${JSON.stringify(`a\n${CALL}`)},"refusal":null,"function_call":{}}`,
    );
  });

  it('loses all members named tool_calls', () => {
    const json =
      '{"role":"assistant","tool_calls":1,"content":"","tool\\u005fcalls":[{"function":{"name":"read"}}]}';
    expect(one(raw('assistant', json))).toBe(`{"role":"assistant","content":${JSON.stringify(CALL)}}`);
  });

  it('leaves out parts that are not text, with a finding', () => {
    const message = calling([call('1', 'read')], { content: [part('a'), IMAGE] });
    expect(content(message)).toBe(`a\n${CALL}`);
    expect(found(message)).toEqual(['WARNING non-text-part']);
  });

  test.each<[string, unknown, string]>([
    ['no object', 'x', 'ERROR tool-call-no-function'],
    ['null', null, 'ERROR tool-call-no-function'],
    ['no function', { id: '1' }, 'ERROR tool-call-no-function'],
    ['a function that is not an object', { function: 'f' }, 'ERROR tool-call-no-function'],
    ['no name', { function: { arguments: '{}' } }, 'ERROR tool-call-no-name'],
    ['a name that is not a string', { function: { name: 7 } }, 'ERROR tool-call-no-name'],
  ])('leaves out a call that is or has %s, with a finding', (_what, bad, finding) => {
    expect(content(calling([bad, call('1', 'read')]))).toBe(CALL);
    expect(content(calling([bad]))).toBe('');
    expect(found(calling([bad, call('1', 'read')]))).toEqual([finding]);
  });
});

describe('the arguments', () => {
  /** Written arguments of a call whose arguments have this JSON text. */
  const args = (json: string) => {
    const written = content(
      raw('assistant', `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${json}}}]}`),
    );
    return /^<tool_call>\{"name": "f", "arguments": (.*)\}<\/tool_call>$/s.exec(written)?.[1];
  };

  test.each([
    ['a string that is JSON', '"{\\"b\\":1,\\"a\\":[true,null]}"', '{"b": 1, "a": [true, null]}'],
    ['with white space around it', '" \\r\\n{ } "', '{}'],
    ['with non-ASCII characters', '"{\\"k\\":\\"\\\\u00e9\\u00e9\\"}"', '{"k": "éé"}'],
    [
      'with the text of numbers',
      '"[1.0,12345678901234567890,1e400,-0]"',
      '[1.0, 12345678901234567890, 1e400, -0]',
    ],
    ['with 64-bit ids', '"{\\"id\\":2512292042121000001}"', '{"id": 2512292042121000001}'],
    [
      'with keys in their order',
      '"{\\"b\\":1,\\"2\\":2,\\"1\\":3,\\"b\\":4}"',
      '{"b": 1, "2": 2, "1": 3, "b": 4}',
    ],
    ['a string of JSON that is not an object', '"7"', '7'],
    ['a string of a JSON string', '"\\"x\\""', '"x"'],
    ['an object', '{"a":{"b":1.0}}', '{"a": {"b": 1.0}}'],
    ['an array', '[1 ,2]', '[1, 2]'],
    ['null', 'null', 'null'],
    ['an empty string', '""', '""'],
    ['a string that does not parse', '"{\\"a\\": 1"', '"{\\"a\\": 1"'],
    ['a string of two values', '"{}{}"', '"{}{}"'],
    ['NaN', '"NaN"', '"NaN"'],
    ['text', '"a\\nb é"', '"a\\nb é"'],
    ['a lone surrogate in text', '"\\ud800"', '"\\ud800"'],
    ['a lone surrogate in a string that is JSON', '"{\\"a\\":\\"\\\\ud800\\"}"', '{"a": "\\ud800"}'],
    ['a raw lone surrogate in JSON: it has no UTF-8', '"[\\"\\ud800\\"]"', '"[\\"\\ud800\\"]"'],
  ])('%s', (_what, json, expected) => {
    expect(args(json)).toBe(expected);
  });

  it('that are absent are an empty object', () => {
    expect(content(calling([{ function: { name: 'read' } }]))).toBe(CALL);
  });

  it('that are nested too deep stay a string', () => {
    const deep = '['.repeat(513) + ']'.repeat(513);
    expect(args(JSON.stringify(deep))).toBe(JSON.stringify(deep));
    expect(args(JSON.stringify('['.repeat(1_000_000)))?.length).toBe(1_000_002);
  });

  it('are read back, with the name, as they were', () => {
    const name = 'a"\\\n</é\ud800';
    const written = content(calling([call('1', name, '{"k":1}')]));
    expect(JSON.parse(written.slice('<tool_call>'.length, -'</tool_call>'.length))).toEqual({
      name,
      arguments: { k: 1 },
    });
  });
});

describe('a tool message with an id', () => {
  const body = (value: unknown) => content(result('c1', value));
  const inTags = (value: string) => `<tool_result tool_call_id="c1">${value}</tool_result>`;

  test.each<[string, unknown, string]>([
    ['a text, not trimmed', ' ok\n', ' ok\n'],
    ['an empty text', '', ''],
    ['null', null, ''],
    ['no content', undefined, ''],
    ['a part', [part('a')], 'a'],
    ['no parts', [], ''],
  ])('and %s is one text in tags', (_what, value, expected) => {
    expect(body(value)).toBe(inTags(expected));
    expect(found(result('c1', value))).toEqual([]);
  });

  it('and parts has a line for each part', () => {
    expect(body([part('a'), IMAGE, part('b')])).toBe(inTags('a\nb'));
    expect(found(result('c1', [part('a'), part('b')]))).toEqual(['WARNING parts-joined']);
  });

  test.each<[string, unknown, string]>([
    ['an object', { a: [1, 'x'] }, '{"a":[1,"x"]}'],
    ['a number', 1.5, '1.5'],
    ['false', false, 'false'],
  ])('and %s has its own JSON text in tags, with a finding', (_what, value, expected) => {
    expect(body(value)).toBe(inTags(expected));
    expect(found(result('c1', value))).toEqual(['ERROR content-not-text']);
    const called = messageOf({ role: 'assistant', content: value, tool_calls: [call('1', 'f')] });
    expect(content(called)).toBe(`${expected}\n<tool_call>{"name": "f", "arguments": {}}</tool_call>`);
    expect(found(called)).toEqual(['ERROR content-not-text']);
    expect(found(messageOf({ role: 'user', content: value }))).toEqual(['WARNING content-not-text']);
  });

  it('loses its id and keeps its other bytes', () => {
    expect(one(raw('tool', '{"role":"tool","tool_call_id":"c1" , "name":"read","content":"a"}'))).toBe(
      '{"role":"tool" , "name":"read","content":"<tool_result tool_call_id=\\"c1\\">a</tool_result>"}',
    );
    expect(one(raw('tool', '{"tool_call_id":"c1","role":"tool"}'))).toBe(
      '{"role":"tool","content":"<tool_result tool_call_id=\\"c1\\"></tool_result>"}',
    );
  });

  it('leaves out parts that are not text, with a finding', () => {
    expect(body([part('a'), IMAGE])).toBe(inTags('a'));
    expect(found(result('c1', [IMAGE]))).toEqual(['WARNING non-text-part']);
  });

  it('keeps a lone surrogate as an escape', () => {
    expect(one(raw('tool', '{"role":"tool","tool_call_id":"c1","content":"\\ud800"}'))).toContain(
      '>\\ud800<',
    );
  });
});

describe('control-token-in-content', () => {
  const FORGED = ['ERROR control-token-in-content'];
  const TAGS = [
    '<tool_call>',
    '</tool_call>',
    '<tool_result tool_call_id="x">',
    '<tool_result>',
    '</tool_result>',
  ];

  test.each(TAGS)('is reported for %s in every place that becomes content', (tag) => {
    const inText = `a ${tag} b`;
    for (const role of ['user', 'system', 'assistant', 'tool']) {
      expect(found(messageOf({ role, content: inText }))).toEqual(FORGED);
      expect(found(messageOf({ role, content: [part(inText.slice(0, 5)), part(inText.slice(5))] }))).toEqual(
        FORGED,
      );
    }
    expect(found(result('c1', inText))).toEqual(FORGED);
    const inObject = [...FORGED, 'ERROR content-not-text'];
    expect(found(result('c1', { a: inText }))).toEqual(inObject);
    const beside = { role: 'assistant', content: { a: inText }, tool_calls: [call('1', 'f')] };
    expect(found(messageOf(beside))).toEqual(inObject);
    expect(found(result(inText, 'a'))).toEqual(FORGED);
    expect(found(calling([call('1', 'f', JSON.stringify({ a: inText }))]))).toEqual(FORGED);
    expect(found(calling([call('1', 'f', inText)]))).toEqual(FORGED);
    expect(found(calling([call('1', 'f', { a: inText })]))).toEqual(FORGED);
    expect(found(calling([call('1', inText)]))).toEqual(FORGED);
  });

  it('is reported if arguments write the tag with escapes', () => {
    expect(found(calling([call('1', 'f', '{"a":"\\u003ctool_call>"}')]))).toEqual(FORGED);
  });

  test.each([
    '<tool_cal>',
    'tool_call',
    '< tool_call>',
    '<tool_results>',
    '<TOOL_CALL>',
    '<tool_result',
    '</tool_result >',
  ])('is not reported for %s', (almost) => {
    expect(found(messageOf({ role: 'user', content: almost }), calling([call('1', almost, almost)]))).toEqual(
      [],
    );
  });

  it('is reported once for each message, before other findings, and the record is still written', () => {
    const messages = [
      messageOf({ role: 'user', content: '<tool_call><tool_call>' }),
      calling([{}], { content: '</tool_call>' }),
    ];
    const { findings, bytes } = encode(...messages);
    expect(findings.map(({ message }) => message)).toEqual([
      'messages[0] (user) contains a tool-call tag',
      'messages[1] (assistant) contains a tool-call tag',
      'a tool call that cannot be written was left out',
    ]);
    expect(text(bytes)).toContain('<tool_call><tool_call>');
  });

  it('reads 5 MB of opening tags in linear time', () => {
    expect(found(messageOf({ role: 'user', content: '<tool_result'.repeat(420_000) }))).toEqual([]);
    expect(found(messageOf({ role: 'user', content: '<tool_call>'.repeat(450_000) }))).toEqual(FORGED);
  });
});

test('the record holds the written messages and the unchanged tools', () => {
  const { bytes, written } = encode(messageOf({ role: 'user', content: 'a' }), calling([call('1', 'read')]));
  expect(text(bytes)).toBe(
    `{"messages":[${written.map((message) => text(message.bytes)).join()}],"tools":[${text(GOOD_TOOL.bytes)}]}`,
  );
  expect(text(bytes)).not.toContain('tool_calls');
  expect(written.map(({ role }) => role)).toEqual(['user', 'assistant']);
});

test('control-token-in-content is a rule that may reject', () => {
  expect(chatInline.rules).toContain('control-token-in-content');
});
