import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import sharegpt from '../../../transforms/formats/sharegpt.ts';
import { elementsOf, valueBytes } from '../../../transforms/json/members.ts';
import { text } from '../bytes.ts';
import { tokensOf } from '../json-tokens.ts';
import { callingJson, callJson, conversation, encodedArguments, findingsOf, recordOf } from './encoded.ts';

const messageWith = (role: string, content: unknown, more: object = {}) =>
  JSON.stringify({ role, content, ...more });
const USER = messageWith('user', 'hi');
const BYE = messageWith('assistant', 'bye');
const result = (content: string, id = 'a') => messageWith('tool', content, { tool_call_id: id });
const CALL = callingJson(callJson('{}'));
const withText = (content: string, more: object = {}, args = '{}') =>
  messageWith('assistant', content, { ...more, tool_calls: [JSON.parse(callJson(args))] });

/** Turns as `from: value`. */
const turns = (...messages: readonly string[]): readonly string[] =>
  JSON.parse(recordOf(sharegpt, messages)).conversations.map(
    ({ from, value }: { from: string; value: string }) => `${from}: ${value}`,
  );
const found = (...messages: readonly string[]) => findingsOf(sharegpt, messages);
const details = (...messages: readonly string[]) =>
  sharegpt.encode(conversation(messages)).findings.map(({ message }) => message);

const WRITTEN_CALL = '{"name": "f", "arguments": {}}';
const BAD_ORDER = 'ERROR not-alternating!';

test('writes a conversation byte for byte', () => {
  const messages = [
    messageWith('system', 'Be brief.'),
    messageWith('user', 'Weather\n"here"?'),
    callingJson(callJson('{"n":1.0,"2":12345678901234567890,"1":"\\u00e9"}')),
    result('12'),
    BYE,
  ];
  expect(recordOf(sharegpt, messages, ['{"name":"f","x":1.0}', '{"type":"function","name":"g"}'])).toBe(
    String.raw`{"conversations":[{"from":"human","value":"Weather\n\"here\"?"},{"from":"function_call","value":"{\"name\": \"f\", \"arguments\": {\"n\":1.0,\"2\":12345678901234567890,\"1\":\"\\u00e9\"}}"},{"from":"observation","value":"12"},{"from":"gpt","value":"bye"}],"system":"Be brief.","tools":"[{\"name\":\"f\",\"x\":1.0},{\"name\":\"g\"}]"}`,
  );
  expect(found(...messages)).toEqual([]);
});

test('always writes system and tools', () => {
  expect(recordOf(sharegpt, [USER, BYE])).toMatch(/\],"system":"","tools":"\[\]"\}$/);
});

describe('the value of a call', () => {
  const value = (message: string) => turns(USER, message, result('x'), BYE)[1];

  it('is the call, or a list of several', () => {
    expect(value(CALL)).toBe(`function_call: ${WRITTEN_CALL}`);
    expect(value(callingJson(callJson('{}'), callJson('"{\\"a\\":1e400}"', 'g')))).toBe(
      `function_call: [${WRITTEN_CALL}, {"name": "g", "arguments": {"a":1e400}}]`,
    );
  });

  it('begins with the text and has the call in tags', () => {
    expect(value(withText('I look.\n'))).toBe(
      `function_call: I look.\n\n<tool_call>${WRITTEN_CALL}</tool_call>`,
    );
    expect(value(withText(''))).toBe(`function_call: ${WRITTEN_CALL}`);
  });

  it('begins with the thought, without tags around the call', () => {
    expect(value(withText('', { reasoning_content: 'hm' }))).toBe(
      `function_call: <think>\nhm\n</think>\n\n${WRITTEN_CALL}`,
    );
    expect(value(withText('x', { reasoning_content: 'hm' }))).toBe(
      `function_call: <think>\nhm\n</think>\n\nx\n<tool_call>${WRITTEN_CALL}</tool_call>`,
    );
  });

  it('may come from a function_call, with the result from a function message', () => {
    const legacy = messageWith('assistant', '', { function_call: { name: 'f', arguments: '{}' } });
    const messages = [USER, legacy, messageWith('function', '1', { name: 'f' }), BYE];
    expect(turns(...messages).slice(1, 3)).toEqual([`function_call: ${WRITTEN_CALL}`, 'observation: 1']);
    expect(found(...messages)).toEqual([]);
  });

  it('keeps keys, values and numbers, alone, in a list or after a text', () => {
    const counts = fc.array(encodedArguments, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(counts, fc.constantFrom('', 'a', 'é\n{'), (calls, before) => {
        const list = calls.map(([, args]) => callJson(args)).join(',');
        const asking = `{"role":"assistant","content":${JSON.stringify(before)},"tool_calls":[${list}]}`;
        const { bytes, findings } = sharegpt.encode(conversation([USER, asking]));
        expect(findings).toEqual([]);
        expect(text(bytes)).not.toMatch(/[\r\n]/);
        const value: string = JSON.parse(text(bytes)).conversations[1].value;
        expect(value.startsWith(before)).toBe(true);
        const json = /<tool_call>(.*?)<\/tool_call>$/s.exec(value)?.[1] ?? value;
        const written = json.startsWith('[') ? elementsOf(Buffer.from(json)) : [Buffer.from(json)];
        expect(written).toHaveLength(calls.length);
        written.forEach((call, i) => {
          const source = (calls[i] as (typeof calls)[0])[0];
          expect(tokensOf(text(valueBytes(call, 'arguments') as Uint8Array))).toEqual(tokensOf(source));
        });
      }),
    );
  });
});

describe('arguments', () => {
  const ask = (args: string | undefined) => [USER, callingJson(callJson(args))] as const;

  test.each([undefined, 'null', '""'])('that are empty (%s) are {}', (args) => {
    expect(turns(...ask(args))[1]).toBe(`function_call: ${WRITTEN_CALL}`);
    expect(found(...ask(args))).toEqual(['WARNING empty-arguments']);
  });

  test.each([
    ['"{"', '"{"'],
    ['[1.0]', '[1.0]'],
    ['"[1.0]"', '[1.0]'],
  ])('that are not an object (%s) reject, or are JSON when kept', (args, written) => {
    expect(turns(...ask(args))[1]).toBe(`function_call: {"name": "f", "arguments": ${written}}`);
    expect(found(...ask(args))).toEqual(['ERROR arguments-not-object!']);
  });
});

describe('messages-merged', () => {
  const MERGED = 'WARNING messages-merged';

  it('joins adjacent messages of one kind with a blank line and leaves out only empty ones', () => {
    expect(turns(USER, messageWith('user', 'there'), messageWith('user', ''), BYE, BYE)).toEqual([
      'human: hi\n\nthere',
      'gpt: bye\n\nbye',
    ]);
    expect(details(USER, messageWith('user', 'there'), BYE)).toEqual([
      'messages[1] is merged into messages[0]',
    ]);
  });

  it('joins leading system messages', () => {
    const record = recordOf(sharegpt, [messageWith('system', 'a'), messageWith('system', 'b'), USER, BYE]);
    expect(JSON.parse(record).system).toBe('a\n\nb');
    expect(found(messageWith('system', 'a'), messageWith('system', 'b'), USER, BYE)).toEqual([MERGED]);
  });

  it('puts a text before the calls that follow it', () => {
    expect(turns(USER, BYE, CALL)[1]).toBe(`function_call: bye\n<tool_call>${WRITTEN_CALL}</tool_call>`);
    expect(turns(USER, BYE, withText('now'))[1]).toBe(
      `function_call: bye\n\nnow\n<tool_call>${WRITTEN_CALL}</tool_call>`,
    );
    const thinking = messageWith('assistant', '', { reasoning_content: 'hm' });
    expect(turns(USER, thinking, CALL)[1]).toBe(`function_call: <think>\nhm\n</think>\n\n${WRITTEN_CALL}`);
  });

  it('makes one list of adjacent calls, but not across a text', () => {
    expect(turns(USER, CALL, CALL)[1]).toBe(`function_call: [${WRITTEN_CALL}, ${WRITTEN_CALL}]`);
    expect(found(USER, CALL, withText('then'))).toEqual([BAD_ORDER]);
  });

  it('joins the results of several calls', () => {
    const both = callingJson(callJson('{}', 'f', 'a'), callJson('{}', 'g', 'b'));
    expect(turns(USER, both, result('1', 'a'), result('2', 'b'), BYE)[2]).toBe('observation: 1\n\n2');
    expect(found(USER, both, result('1', 'a'), result('2', 'b'), BYE)).toEqual([MERGED]);
  });

  it('is not reported for alternating turns', () => {
    expect(found(USER, BYE, USER, CALL, result('1'), CALL, result('2'), BYE)).toEqual([]);
  });
});

describe('results-reordered', () => {
  const both = callingJson(callJson('{}', 'f', 'a'), callJson('{}', 'g', 'b'));
  const REORDERED = ['WARNING results-reordered', 'WARNING messages-merged'];
  const order = (...results: readonly string[]) => turns(USER, both, ...results, BYE)[2];

  it('puts results into the order of their calls', () => {
    expect(order(result('2', 'b'), result('1', 'a'))).toBe('observation: 1\n\n2');
    expect(found(USER, both, result('2', 'b'), result('1', 'a'), BYE)).toEqual(REORDERED);
  });

  it('leaves results in place when their ids do not determine the order', () => {
    expect(order(result('2', 'b'), result('1', 'z'))).toBe('observation: 2\n\n1');
    expect(order(result('2', 'b'), messageWith('tool', '1'))).toBe('observation: 2\n\n1');
    const twice = callingJson(...['a', 'b', 'a'].map((id) => callJson('{}', 'f', id)));
    const results = [result('2', 'b'), result('1', 'a'), result('3', 'a')];
    expect(turns(USER, twice, ...results, BYE)[2]).toBe('observation: 2\n\n1\n\n3');
    expect(found(USER, twice, ...results, BYE)).not.toContain('WARNING results-reordered');
  });
});

describe('unanswered-end', () => {
  it('leaves out everything after the last answer', () => {
    expect(turns(USER, BYE, USER)).toEqual(['human: hi', 'gpt: bye']);
    expect(turns(USER, CALL, result('1'))).toEqual(['human: hi', `function_call: ${WRITTEN_CALL}`]);
    expect(details(USER, CALL, result('1'))).toEqual(['messages[2] has no answer: left out']);
    expect(details(USER, CALL, result('1'), result('2')).at(-1)).toBe(
      'messages[2] and the messages after it have no answer: left out',
    );
    expect(found(USER, BYE, USER)).toEqual(['WARNING unanswered-end']);
  });

  it('leaves out nothing without an answer, but rejects the record', () => {
    expect(turns(USER)).toEqual(['human: hi']);
    expect(found(USER)).toEqual([BAD_ORDER]);
  });
});

describe('not-alternating', () => {
  test.each<[string, readonly string[], string]>([
    ['nothing', [], 'the conversation has no answer'],
    ['a system message alone', [messageWith('system', 'a')], 'the conversation has no answer'],
    ['a question alone', [USER], 'the conversation has no answer'],
    [
      'a model that speaks first',
      [BYE, USER, BYE],
      'messages[0] must be a question or a result, because turns alternate',
    ],
    [
      'a human after a result',
      [USER, CALL, result('1'), USER, BYE],
      'messages[3] must be an answer or a call, because turns alternate',
    ],
    [
      'a text after a call without a result',
      [USER, CALL, BYE],
      'messages[2] must be a question or a result, because turns alternate',
    ],
    [
      'a system message later',
      [USER, messageWith('system', 'a'), BYE],
      'messages[1] must be an answer or a call, because turns alternate',
    ],
  ])('rejects %s', (_what, messages, message) => {
    expect(found(...messages)).toEqual([BAD_ORDER]);
    expect(details(...messages)).toEqual([message]);
  });

  it.each(['critic', 'human', 'gpt', 'constructor'])('rejects the role %s', (role) => {
    expect(found(USER, messageWith(role, 'no'), BYE)).toContain('ERROR unknown-role!');
  });

  it('keeps the turns unchanged on request', () => {
    expect(turns(messageWith('toString', 'a'), messageWith('system', 'b'), USER, BYE)).toEqual([
      'toString: a',
      'system: b',
      'human: hi',
      'gpt: bye',
    ]);
  });

  it('allows a result without its call', () => {
    expect(turns(result('1'), BYE)).toEqual(['observation: 1', 'gpt: bye']);
  });
});

describe('an empty answer', () => {
  const EMPTY = messageWith('assistant', ' \n');

  it('at the end is left out with its question', () => {
    expect(turns(USER, BYE, USER, EMPTY)).toEqual(['human: hi', 'gpt: bye']);
    expect(found(USER, BYE, USER, EMPTY)).toEqual(['WARNING unanswered-end']);
  });

  it('that is the only one rejects the session', () => {
    expect(found(USER, EMPTY)).toEqual(['ERROR unanswered-end!']);
  });

  it('is not empty with a thought or a call', () => {
    const thought = messageWith('assistant', '', { reasoning_content: 'hm' });
    expect(found(USER, thought)).toEqual(['WARNING reasoning-inlined']);
    expect(found(USER, CALL)).toEqual([]);
  });
});

describe('content that a turn has no place for', () => {
  it('members-dropped: reported once, with the first message and their number', () => {
    const messages = [
      messageWith('user', 'a', { name: 'x' }),
      messageWith('assistant', 'b', { refusal: '', audio: 1 }),
    ];
    expect(found(...messages)).toEqual(['WARNING members-dropped']);
    expect(details(...messages)).toEqual([
      'messages[0] and 1 more has members that a turn has no place for: left out',
    ]);
  });

  test.each([
    messageWith('user', 'a', { tool_calls: [] }),
    messageWith('user', 'a', { tool_call_id: 'a' }),
    messageWith('user', 'a', { reasoning_content: 'a' }),
  ])('members-dropped: %s', (message) => {
    expect(found(message, BYE)).toEqual(['WARNING members-dropped']);
  });

  test.each([
    messageWith('assistant', 'a', { reasoning_content: ['a'] }),
    messageWith('assistant', 'a', { thinking: { a: 1 } }),
    messageWith('assistant', 'a', { reasoning: 'a' }),
    withText('', { function_call: { name: 'g' } }),
    messageWith('assistant', 'a', { function_call: 'g' }),
  ])('members-dropped: %s', (message) => {
    expect(found(USER, message)).toEqual(['WARNING members-dropped']);
  });

  it('members-dropped: not for members that turns have', () => {
    expect(found(USER, CALL, messageWith('tool', 'x', { tool_call_id: 'a', name: 'f' }), BYE)).toEqual([]);
    expect(found(USER, messageWith('assistant', 'a', { reasoning_content: '', tool_calls: [] }))).toEqual([]);
  });

  it('non-text-part', () => {
    const parts = [{ type: 'text', text: 'a' }, { type: 'image_url' }, { type: 'text', text: 'b' }];
    expect(turns(messageWith('user', parts), BYE)[0]).toBe('human: a\nb');
    expect(found(messageWith('user', parts), BYE)).toEqual(['WARNING non-text-part', 'WARNING parts-joined']);
    expect(found(messageWith('user', [parts[0]]), BYE)).toEqual([]);
  });

  it('parts-joined', () => {
    const listed = ['README.md', 'diary.md'].map((text) => ({ type: 'text', text }));
    const told = [USER, CALL, messageWith('tool', listed, { tool_call_id: 'a' }), BYE] as const;
    expect(turns(...told)[2]).toBe('observation: README.md\ndiary.md');
    expect(found(...told)).toEqual(['WARNING parts-joined']);
    expect(found(USER, CALL, messageWith('tool', [listed[0]], { tool_call_id: 'a' }), BYE)).toEqual([]);
  });

  it('content that is not text becomes JSON text, and absent content is empty', () => {
    expect(turns(USER, CALL, '{"role":"tool","content":{"a":1.0}}', BYE)[2]).toBe('observation: {"a":1.0}');
    expect(turns('{"role":"user","content":1.0}', '{"role":"assistant"}')).toEqual(['human: 1.0', 'gpt: ']);
  });

  test.each([{ reasoning_content: 'hm' }, { thinking: 'hm' }, { thinking: 'hm', reasoning_content: 'hm' }])(
    'reasoning-inlined: %j',
    (members) => {
      const thinking = messageWith('assistant', 'so', members);
      expect(turns(USER, thinking)[1]).toBe('gpt: <think>\nhm\n</think>\n\nso');
      expect(found(USER, thinking)).toEqual(['WARNING reasoning-inlined']);
    },
  );

  test.each(['7', '{}', '{"function":7}', '{"function":{}}', '{"function":{"name":""}}'])(
    'malformed-call: %s rejects, or is left out when kept',
    (call) => {
      expect(turns(USER, callingJson(call, callJson('{}')))[1]).toBe(`function_call: ${WRITTEN_CALL}`);
      expect(found(USER, callingJson(call, callJson('{}')))).toEqual(['ERROR malformed-call!']);
    },
  );

  it('malformed-call: tool_calls that are not a list', () => {
    expect(found(USER, messageWith('assistant', 'a', { tool_calls: { a: 1 } }))).toEqual([
      'ERROR malformed-call!',
    ]);
  });

  it('tool-not-function: the tool stays in the list', () => {
    expect(findingsOf(sharegpt, [USER, BYE], ['{"x":1.0}'])).toEqual(['ERROR tool-not-function']);
    expect(recordOf(sharegpt, [USER, BYE], ['{"x":1.0}'])).toContain('"tools":"[{\\"x\\":1.0}]"');
  });
});

describe('control-token-in-content', () => {
  const FORGED = ['ERROR control-token-in-content!'];
  const inArguments = (token: string) => callingJson(callJson(JSON.stringify({ a: token })));

  test.each(['<tool_call>', '</tool_call>'])(
    'is reported for %s in a text beside a call, or in a call',
    (tag) => {
      expect(found(USER, withText(`a ${tag} b`))).toEqual(FORGED);
      expect(found(USER, messageWith('assistant', tag), CALL)).toEqual([
        'WARNING messages-merged',
        ...FORGED,
      ]);
      expect(found(USER, inArguments(tag))).toEqual(FORGED);
    },
  );

  test.each(['<think>', '</think>'])('is reported for %s in a call or a thought', (tag) => {
    expect(found(USER, inArguments(tag))).toEqual(FORGED);
    expect(found(USER, messageWith('assistant', '', { reasoning_content: tag }))).toEqual([
      'WARNING reasoning-inlined',
      ...FORGED,
    ]);
  });

  it('is not reported elsewhere', () => {
    const all = '<think></think><tool_call></tool_call>';
    expect(
      found(messageWith('user', all), messageWith('assistant', all), USER, CALL, result(all), BYE),
    ).toEqual([]);
    expect(found(USER, withText('<think>\nhm\n</think>\n\n'))).toEqual([]);
    expect(found(USER, inArguments('<tool_calls> <thinking> tool_call'))).toEqual([]);
  });
});
