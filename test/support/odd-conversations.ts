/**
 * Generates conversations that may break formats: nested arguments in either encoding, 64-bit ids, Unicode, empty, null and missing
 * content, parallel calls, results out of order or without a call, control tokens of every format.
 */
import fc from 'fast-check';

/** A generated call; `args` is the JSON text of an object, or undefined. */
export interface OddCall {
  readonly name: string;
  readonly args: string | undefined;
  readonly encoding: 'object' | 'string' | 'none' | 'other';
}

export interface OddMessage {
  readonly role: string;
  readonly json: string;
  readonly calls: readonly OddCall[];
}

export interface OddConversation {
  readonly messages: readonly OddMessage[];
  /** JSON texts of flat definitions. */
  readonly tools: readonly string[];
}

const NAMES = ['read', 'list_files', 'suche-é', 'f'];
const plainText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    'Is it warm?',
    'x'.repeat(300),
    '  spaced \n\n\n lines ',
    '日本語 🙂',
    '{"a": 1}',
    'null',
    '0',
  ),
);
const tokens = fc.constantFrom(
  '<tool_call>',
  '</tool_result>',
  '<end_of_turn>',
  '<escape>',
  '<think>',
  '*/',
  '<start_function_call>call:f{}<end_function_call>',
);
const anyText = fc.oneof({ arbitrary: plainText, weight: 15 }, { arbitrary: tokens, weight: 1 });
const numbers = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }).map(String),
  fc.constantFrom('1.0', '-0', '1e400', '-1.50', '1.5e3', '2.5E-4', '0.10', '12345678901234567890.5'),
);
const strings = anyText.map((text) => JSON.stringify(text));
const keys = fc.oneof(
  fc.constantFrom('"path"', '"id"', '"größe"', '"a b"', '"1"', '"__proto__"'),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 }).map((text) => JSON.stringify(text)),
);
const { object } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(numbers, strings, fc.constantFrom('true', 'false', 'null')),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(keys, tie('value')), { maxLength: 3, selector: ([key]) => JSON.parse(key) })
    .map((members) => `{${members.map(([key, json]) => `${key}: ${json}`).join(',')}}`),
}));

const oddCall: fc.Arbitrary<OddCall & { readonly json: string | undefined }> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(fc.constantFrom(...NAMES), object, fc.boolean()).map(([name, args, inString]) => ({
      ...{ name, args, encoding: inString ? ('string' as const) : ('object' as const) },
      json: inString ? JSON.stringify(args) : args,
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMES), fc.constantFrom('""', 'null', undefined, '" "'))
      .map(([name, json]) => ({ name, args: undefined, encoding: 'none' as const, json })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMES), fc.constantFrom('"{"', '"[1]"', '[1]', '3', '"\\ud800"'))
      .map(([name, json]) => ({ name, args: undefined, encoding: 'other' as const, json })),
  },
);

const content = fc.oneof(
  { weight: 8, arbitrary: anyText.map((text) => `,"content":${JSON.stringify(text)}`) },
  { weight: 3, arbitrary: fc.constantFrom(',"content":""', ',"content":null', '') },
  {
    weight: 1,
    arbitrary: anyText.map((text) => `,"content":[{"type":"text","text":${JSON.stringify(text)}}]`),
  },
  { weight: 1, arbitrary: fc.constant(',"content":[{"type":"image_url","image_url":{"url":"u"}}]') },
);
const more = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(',"name":"n"', ',"reasoning_content":"hm"', ',"x":1.0,"x":2') },
);
const textMessage = (role: string): fc.Arbitrary<OddMessage[]> =>
  fc
    .tuple(content, more)
    .map(([text, rest]) => [{ role, json: `{"role":"${role}"${text}${rest}}`, calls: [] }]);

/** Calls of an assistant and the messages after them: all results in any order, some of them, or one without a call. */
const turnOfCalls: fc.Arbitrary<OddMessage[]> = fc
  .tuple(
    fc.array(oddCall, { minLength: 1, maxLength: 3 }),
    content,
    fc.oneof(
      { weight: 9, arbitrary: fc.constant('all') },
      { weight: 3, arbitrary: fc.constantFrom('reversed', 'some', 'orphan') },
    ),
    anyText,
    fc.nat(999),
  )
  .map(([calls, text, answers, answer, number]) => {
    const listed = calls.map(({ name, json }, i) => {
      const args = json === undefined ? '' : `,"arguments":${json}`;
      return `{"id":"c${number}-${i}","type":"function","function":{"name":${JSON.stringify(name)}${args}}}`;
    });
    const results = calls.map((_call, i) => `c${number}-${i}`);
    if (answers === 'reversed') results.reverse();
    if (answers === 'some') results.pop();
    if (answers === 'orphan') results.push('nobody');
    return [
      { role: 'assistant', json: `{"role":"assistant"${text},"tool_calls":[${listed.join(',')}]}`, calls },
      ...results.map((id) => ({
        role: 'tool',
        json: `{"role":"tool","tool_call_id":"${id}","content":${JSON.stringify(answer)}}`,
        calls: [],
      })),
    ];
  });

const exchange = fc
  .tuple(textMessage('user'), fc.array(turnOfCalls, { maxLength: 2 }), textMessage('assistant'))
  .map(([asks, calls, answers]) => [...asks, ...calls.flat(), ...answers]);
const tool = fc
  .tuple(fc.constantFrom(...NAMES), plainText)
  .map(
    ([name, text]) =>
      `{"name":${JSON.stringify(name)},"description":${JSON.stringify(text)},"parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}`,
  );

/** Ends in one call with flat arguments, so that functiongemma-teaching accepts it. */
const lastCall: fc.Arbitrary<OddMessage[]> = fc
  .tuple(textMessage('user'), fc.array(numbers, { maxLength: 2 }), strings)
  .map(([asks, list, text]) => {
    const args = `{"path":${text},"ids":[${list.join(',')}]}`;
    const json = `{"role":"assistant","content":"so","tool_calls":[{"id":"z","type":"function","function":{"name":"f","arguments":${args}}}]}`;
    const call = { name: 'f', args, encoding: 'object' as const };
    return [...asks, { role: 'assistant', json, calls: [call] }];
  });

export const oddConversation: fc.Arbitrary<OddConversation> = fc
  .tuple(
    fc.option(textMessage('system'), { nil: [] }),
    fc.array(
      fc.oneof(
        { weight: 8, arbitrary: exchange },
        {
          weight: 1,
          arbitrary: fc.oneof(
            textMessage('user'),
            textMessage('assistant'),
            turnOfCalls,
            textMessage('critic'),
          ),
        },
      ),
      { maxLength: 3 },
    ),
    fc.array(tool, { maxLength: 2 }),
    fc.option(lastCall, { nil: [], freq: 2 }),
  )
  .map(([system, turns, tools, last]) => ({ messages: [...system, ...turns.flat(), ...last], tools }));
