import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import functiongemma, { functionGemmaRecord } from '../../../transforms/formats/functiongemma.ts';
import type { Conversation, Message } from '../../../transforms/model/element.ts';
import { parseCall, parseCalls, type Value } from '../../support/gemma-call.ts';
import { text } from '../bytes.ts';
import { assistant, call, calling, messageOf, rawMessage, result, toolOf, user } from '../checks/samples.ts';
import { IMAGE, part } from '../rules/rule-samples.ts';
import {
  CONTROL_TOKENS,
  callingWith,
  NO_TOKENS,
  rulesOf,
  textIn,
  toolFrom,
  without,
} from './gemma-samples.ts';

const system = (content: unknown): Message => messageOf({ role: 'system', content });
const plain = (...messages: readonly Message[]) => functiongemma.encode(without(messages));
const written = (...messages: readonly Message[]) => textIn(plain(...messages));
const found = (...messages: readonly Message[]) => rulesOf(plain(...messages));
/** Text between `call:NAME` and the end of the call. */
const args = (json: string) =>
  /<start_function_call>call:f(.*)<end_function_call>/s.exec(written(callingWith(json)))?.[1];

const TRIGGER = 'You are a model that can do function calling with the following functions';
const WEATHER = toolFrom('get_current_weather', 'Gets the current weather in a given location.', {
  type: 'object',
  properties: {
    location: {
      type: 'string',
      description: 'The city and state, e.g. "San Francisco, CA" or "Tokyo, JP"',
    },
    unit: {
      type: 'string',
      enum: ['celsius', 'fahrenheit'],
      description: 'The unit to return the temperature in.',
    },
  },
  required: ['location'],
});
const WEATHER_TALK = [
  user("Hey, what's the weather in Tokyo right now?"),
  calling(call('c1', 'get_current_weather', '{"location":"Tokyo, Japan"}')),
  result('c1', '{"weather":"sunny","temperature":15}'),
  assistant('The current weather in Tokyo is sunny with a temperature of 15 degrees Celsius.'),
];

describe('the goldens of formats.md', () => {
  const golden = `<start_of_turn>developer
You are a model that can do function calling with the following functions<start_function_declaration>declaration:get_current_weather{description:<escape>Gets the current weather in a given location.<escape>,parameters:{properties:{location:{description:<escape>The city and state, e.g. "San Francisco, CA" or "Tokyo, JP"<escape>,type:<escape>STRING<escape>},unit:{description:<escape>The unit to return the temperature in.<escape>,enum:[<escape>celsius<escape>,<escape>fahrenheit<escape>],type:<escape>STRING<escape>}},required:[<escape>location<escape>],type:<escape>OBJECT<escape>}}<end_function_declaration><end_of_turn>
<start_of_turn>user
Hey, what's the weather in Tokyo right now?<end_of_turn>
<start_of_turn>model
<start_function_call>call:get_current_weather{location:<escape>Tokyo, Japan<escape>}<end_function_call><start_function_response>response:get_current_weather{temperature:15,weather:<escape>sunny<escape>}<end_function_response>The current weather in Tokyo is sunny with a temperature of 15 degrees Celsius.<end_of_turn>
`;

  it('a whole conversation', () => {
    const record = functiongemma.encode(without(WEATHER_TALK, { tools: [WEATHER] }));
    expect(textIn(record)).toBe(golden);
    expect(record.findings).toEqual([]);
    expect(text(record.bytes)).toBe(JSON.stringify({ text: golden }));
  });

  it('the same with the trigger as the system message', () => {
    const record = functiongemma.encode(without([system(TRIGGER), ...WEATHER_TALK], { tools: [WEATHER] }));
    expect(textIn(record)).toBe(golden);
  });

  it('the arguments of a call', () => {
    const message = callingWith(
      JSON.stringify('{"title":"Meeting with Mr. Dubois","datetime":"2026-01-20T15:00:00"}'),
      'create_calendar_event',
    );
    expect(written(message)).toContain(
      '<start_function_call>call:create_calendar_event{datetime:<escape>2026-01-20T15:00:00<escape>,title:<escape>Meeting with Mr. Dubois<escape>}<end_function_call>',
    );
  });

  it('every kind of value', () => {
    const json =
      '{"string_value":"foo","number_value":123,"boolean_value":true,"null_value":null,"nested_object":{"key":"value"},"nested_array":[4,5,6],"nested_array_of_objects":[{"key1":7},{"key2":8}]}';
    const golden =
      '{boolean_value:true,nested_array:[4,5,6],nested_array_of_objects:[{key1:7},{key2:8}],nested_object:{key:<escape>value<escape>},null_value:null,number_value:123,string_value:<escape>foo<escape>}';
    expect(args(json)).toBe(golden);
    expect(args(JSON.stringify(json))).toBe(golden);
  });
});

describe('the developer turn', () => {
  const DECLARED =
    '<start_function_declaration>declaration:f{description:<escape><escape>}<end_function_declaration>';
  const developer = (messages: readonly Message[], tools = [toolOf({ name: 'f' }, 'f')]) =>
    textIn(functiongemma.encode(without(messages, { tools })));

  test.each<[string, readonly Message[], string]>([
    ['no system message', [], `${TRIGGER}${DECLARED}`],
    ['a system message', [system(' Be kind.\n')], `Be kind.\n${TRIGGER}${DECLARED}`],
    ['an empty one', [system('')], `${TRIGGER}${DECLARED}`],
    ['one that holds the trigger', [system(`A. ${TRIGGER}: B`)], `A. ${TRIGGER}: B${DECLARED}`],
  ])('with tools and %s', (_what, messages, content) => {
    expect(developer([...messages, user('x')])).toBe(
      `<start_of_turn>developer\n${content}<end_of_turn>\n<start_of_turn>user\nx<end_of_turn>\n`,
    );
  });

  it('has all declarations with nothing between them', () => {
    expect(developer([], [toolOf({ name: 'f' }, 'f'), toolOf({ name: 'f' }, 'f')])).toBe(
      `<start_of_turn>developer\n${TRIGGER}${DECLARED}${DECLARED}<end_of_turn>\n`,
    );
  });

  it('without tools has no trigger, and is not there without a system message', () => {
    expect(developer([system('S'), user('x')], [])).toBe(
      '<start_of_turn>developer\nS<end_of_turn>\n<start_of_turn>user\nx<end_of_turn>\n',
    );
    expect(developer([user('x')], [])).toBe('<start_of_turn>user\nx<end_of_turn>\n');
    expect(developer([user('x')], [toolOf({})])).toBe('<start_of_turn>user\nx<end_of_turn>\n');
  });

  it('a later system message is a turn of its own', () => {
    expect(written(user('x'), system('S'))).toBe(
      '<start_of_turn>user\nx<end_of_turn>\n<start_of_turn>developer\nS<end_of_turn>\n',
    );
  });
});

describe('turns', () => {
  const CALL = '<start_function_call>call:f{}<end_function_call>';
  const said = (name: string, value: string) =>
    `<start_function_response>response:${name}{value:<escape>${value}<escape>}<end_function_response>`;

  test.each<[string, readonly Message[], string]>([
    ['a text, trimmed', [assistant('\n hi\u00a0')], 'hi<end_of_turn>\n'],
    ['parts', [assistant([part('a '), part('b')])], 'a b<end_of_turn>\n'],
    ['no text', [assistant(null), assistant('b')], '<end_of_turn>\n<start_of_turn>model\nb<end_of_turn>\n'],
    ['a call at the end', [calling(call('1', 'f'))], `${CALL}<start_function_response>`],
    ['parallel calls', [calling(call('1', 'f'), call('2', 'f'))], `${CALL}${CALL}<start_function_response>`],
    [
      'a text in front of its call',
      [messageOf({ role: 'assistant', content: 'Let me. ', tool_calls: [call('1', 'f')] })],
      `Let me.${CALL}<start_function_response>`,
    ],
    [
      'a result at the end: the turn is open',
      [calling(call('1', 'f')), result('1', ' r\n')],
      `${CALL}${said('f', ' r\n')}`,
    ],
    [
      'a chain of calls in one turn',
      [calling(call('1', 'f')), result('1', 'a'), calling(call('1', 'g')), result('1', 'b'), assistant('ok')],
      `${CALL}${said('f', 'a')}${CALL.replace('f{', 'g{')}${said('g', 'b')}ok<end_of_turn>\n`,
    ],
    [
      'calls of two messages in one turn',
      [calling(call('1', 'f')), calling(call('2', 'g')), result('1', 'a'), result('2', 'b')],
      `${CALL}${CALL.replace('f{', 'g{')}${said('f', 'a')}${said('g', 'b')}`,
    ],
    [
      'two texts: two turns',
      [assistant('a'), assistant('b')],
      'a<end_of_turn>\n<start_of_turn>model\nb<end_of_turn>\n',
    ],
    [
      'a user after a call without a result',
      [calling(call('1', 'f')), user('stop')],
      `${CALL}<end_of_turn>\n<start_of_turn>user\nstop<end_of_turn>\n`,
    ],
    [
      'the name of the nearest earlier open call with the id',
      [
        calling(call('1', 'f')),
        result('1', 'a'),
        calling(call('1', 'g'), call('2', 'f')),
        result('2', 'b'),
        result('1', 'c'),
      ],
      `${CALL}${said('f', 'a')}${CALL.replace('f{', 'g{')}${CALL}${said('f', 'b')}${said('g', 'c')}`,
    ],
    [
      'the same id twice in one message',
      [calling(call('1', 'f'), call('1', 'g')), result('1', 'a'), result('1', 'b')],
      `${CALL}${CALL.replace('f{', 'g{')}${said('g', 'a')}${said('f', 'b')}`,
    ],
  ])('%s', (_what, messages, expected) => {
    expect(written(...messages)).toBe(`<start_of_turn>model\n${expected}`);
    expect(found(...messages)).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    [
      'an object, its keys sorted and its numbers as they were',
      '{"b":1.0,"a":[12345678901234567890]}',
      '{a:[12345678901234567890],b:1.0}',
    ],
    ['an object with white space', ' {"a" : "x\\n"}\n', '{a:<escape>x\n<escape>}'],
    ['an object that is no string', { a: 1 }, '{a:1}'],
    ['a text', 'sunny', '{value:<escape>sunny<escape>}'],
    ['parts', [part('a'), part('b')], '{value:<escape>ab<escape>}'],
    ['a list', '[1]', '{value:<escape>[1]<escape>}'],
    ['broken JSON', '{"a":', '{value:<escape>{"a":<escape>}'],
    ['two objects', '{}{}', '{value:<escape>{}{}<escape>}'],
    ['nothing', null, '{value:<escape><escape>}'],
  ])('a result that is %s', (_what, content, expected) => {
    const record = plain(calling(call('1', 'f')), result('1', content));
    expect(textIn(record)).toContain(`<start_function_response>response:f${expected}<end_function_response>`);
    expect(record.findings).toEqual([]);
  });

  it('a result that is a number is its JSON text, with a finding', () => {
    const record = plain(calling(call('1', 'f')), result('1', 15));
    expect(textIn(record)).toContain('response:f{value:<escape>15<escape>}');
    expect(record.findings.map(({ rule }) => rule)).toEqual(['content-not-text']);
  });

  it('the record says that it holds no messages as they were', () => {
    expect(plain(user('x')).written).toEqual([]);
  });
});

describe('arguments', () => {
  test.each([
    ['keys sorted, case-insensitively', '{"b":1,"A":2,"a":3,"C":4,"_":5}', '{_:5,A:2,a:3,b:1,C:4}'],
    ['keys further in as they were', '{"x":{"b":1,"a":2}}', '{x:{b:1,a:2}}'],
    ['keys and text of any language', '{"k\\u00e9":"\\u65e5\\ud83d\\ude00"}', '{ké:<escape>日😀<escape>}'],
    ['both of two equal keys', '{"a":1,"a":2}', '{a:1,a:2}'],
    ['an empty key, object, list and string', '{"":{},"a":[],"b":""}', '{:{},a:[],b:<escape><escape>}'],
    [
      'the text of numbers',
      '{"a":[1.0,-0,12345678901234567890,1e400,1E5]}',
      '{a:[1.0,-0,12345678901234567890,1e400,1E5]}',
    ],
    [
      'a fraction and an exponent: written out',
      '{"a":[1.5e3,-2.50E-2,1.25e1,0.5e+1,1.0e0,9.99e22]}',
      '{a:[1500,-0.0250,12.5,5,1.0,99900000000000000000000]}',
    ],
    ['syntax inside strings', '{"a":"{b:1},[\\"x\\"]"}', '{a:<escape>{b:1},["x"]<escape>}'],
    ['no members', '{ }', '{}'],
  ])('%s', (_what, json, expected) => {
    expect(args(json)).toBe(expected);
    expect(args(JSON.stringify(` ${json} `))).toBe(expected);
  });

  it.each(['""', '" \\n"', 'null'])('that are %s are {}, as in trl', (json) => {
    expect(written(callingWith(json))).toContain('call:f{}<end_function_call>');
    expect(found(callingWith(json))).toEqual(['WARNING empty-arguments']);
  });

  it('that are absent are {}', () => {
    expect(written(calling({ id: '1', function: { name: 'f' } }))).toContain('call:f{}<');
    expect(found(calling({ id: '1', function: { name: 'f' } }))).toEqual(['WARNING empty-arguments']);
  });
});

describe('declarations', () => {
  const declared = (parameters: unknown, description: unknown = 'D') => {
    const record = functiongemma.encode(without([], { tools: [toolFrom('f', description, parameters)] }));
    return [
      /declaration:f\{description:<escape>.*?<escape>,?(.*)\}<end_function_declaration>/s.exec(
        textIn(record),
      )?.[1],
      rulesOf(record),
    ];
  };
  const property = (schema: unknown) => {
    const [made, rules] = declared({ type: 'object', properties: { p: schema } });
    return [/properties:\{p:(.*)\},type:<escape>OBJECT<escape>\}$/s.exec(made as string)?.[1], rules];
  };
  const LEFT = ['WARNING definition-left-out'];

  test.each<[string, unknown, string]>([
    ['no parameters', undefined, ''],
    ['null', null, ''],
    ['empty ones', {}, ''],
    [
      'empty properties: omitted',
      { type: 'object', properties: {}, required: [] },
      'parameters:{type:<escape>OBJECT<escape>}',
    ],
    [
      'properties sorted case-insensitively, required in its order',
      {
        required: ['b', 'A'],
        properties: { b: { type: 'null' }, C: { type: 'boolean' }, A: { type: 'integer' } },
        type: 'object',
      },
      'parameters:{properties:{A:{description:<escape><escape>,type:<escape>INTEGER<escape>},b:{description:<escape><escape>,type:<escape>NULL<escape>},C:{description:<escape><escape>,type:<escape>BOOLEAN<escape>}},required:[<escape>b<escape>,<escape>A<escape>],type:<escape>OBJECT<escape>}',
    ],
  ])('with %s', (_what, parameters, expected) => {
    expect(declared(parameters)).toEqual([expected, []]);
  });

  test.each<[string, unknown, string]>([
    ['nothing', {}, '{description:<escape><escape>,type:<escape><escape>}'],
    [
      'choices',
      { type: 'string', enum: ['a', 1.5, null, { b: true }] },
      '{description:<escape><escape>,enum:[<escape>a<escape>,1.5,null,{b:true}],type:<escape>STRING<escape>}',
    ],
    [
      'items and nullable, the type last',
      { type: 'array', nullable: true, items: { type: 'number' }, description: 'L' },
      '{description:<escape>L<escape>,items:{type:<escape>NUMBER<escape>},nullable:true,type:<escape>ARRAY<escape>}',
    ],
    [
      'items that are objects',
      { type: 'array', items: { required: ['x'], properties: { x: { type: 'string' } }, type: 'object' } },
      '{description:<escape><escape>,items:{properties:{x:{description:<escape><escape>,type:<escape>STRING<escape>}},required:[<escape>x<escape>],type:<escape>OBJECT<escape>},type:<escape>ARRAY<escape>}',
    ],
    [
      'nested properties',
      { description: 'O', type: 'object', properties: { z: { type: 'string' }, Y: {} }, required: ['z'] },
      '{description:<escape>O<escape>,properties:{Y:{description:<escape><escape>,type:<escape><escape>},z:{description:<escape><escape>,type:<escape>STRING<escape>}},required:[<escape>z<escape>],type:<escape>OBJECT<escape>}',
    ],
    [
      'properties named like keywords',
      { type: 'object', properties: { type: { type: 'string' } } },
      '{description:<escape><escape>,properties:{type:{description:<escape><escape>,type:<escape>STRING<escape>}},type:<escape>OBJECT<escape>}',
    ],
    [
      'a type that may be null',
      { type: ['string', 'null'] },
      '{description:<escape><escape>,nullable:true,type:<escape>STRING<escape>}',
    ],
    [
      'several types',
      { type: ['string', 'integer'] },
      '{description:<escape><escape>,type:[<escape>STRING<escape>,<escape>INTEGER<escape>]}',
    ],
    ['only null as a type', { type: ['null'] }, '{description:<escape><escape>,type:<escape>NULL<escape>}'],
    [
      'nullable: false',
      { type: 'string', nullable: false },
      '{description:<escape><escape>,type:<escape>STRING<escape>}',
    ],
    [
      'members that are null',
      { type: 'string', enum: null, description: null },
      '{description:<escape><escape>,type:<escape>STRING<escape>}',
    ],
  ])('a property with %s', (_what, schema, expected) => {
    expect(property(schema)).toEqual([expected, []]);
  });

  test.each<[string, unknown]>([
    ['another keyword', { type: 'string', minLength: 1 }],
    ['a default of null', { type: 'string', default: null }],
    ['a keyword inside items', { type: 'array', items: { format: 'x' } }],
    ['choices that are no list', { enum: 'a' }],
    ['items that are no object', { items: true }],
    ['properties that are no object', { properties: [] }],
    ['required that is no list', { required: true }],
    ['required that holds no text', { required: [1] }],
    ['a description that is no text', { description: 1 }],
    ['nullable that is no boolean', { nullable: 1 }],
    ['a type that is not text', { type: 1 }],
    ['types that are no text', { type: [1, 'string'] }],
    ['no schema', true],
  ])('definition-left-out: a property with %s', (_what, schema) => {
    expect(property(schema)[1]).toEqual(LEFT);
  });

  test.each<[string, unknown, unknown?]>([
    ['parameters that are no object', []],
    ['parameters with another keyword', { type: 'object', additionalProperties: false }],
    ['parameters with a description', { type: 'object', description: 'x' }],
    ['a description that is no text', {}, 7],
  ])('definition-left-out: a tool with %s', (_what, parameters, description) => {
    expect(declared(parameters, description)[1]).toEqual(LEFT);
  });

  it('definition-left-out: another member, or no name, once for each tool', () => {
    const tools = [
      toolOf({ name: 'f', strict: true, x: 1 }, 'f'),
      toolOf({ description: 'x' }),
      toolOf({ name: 'g', type: 'function' }, 'g'),
    ];
    const { findings } = functiongemma.encode(without([], { tools }));
    expect(findings.map(({ message }) => message)).toEqual([
      'tools[0] is only partly declared: a declaration has no place for the rest',
      'tools[1] is only partly declared: a declaration has no place for the rest',
    ]);
  });
});

describe('control-token-in-content rejects', () => {
  const TOKEN = ['ERROR control-token-in-content!'];

  test.each(CONTROL_TOKENS)('%s in every place that is written', (token) => {
    const inText = `a ${token} b`;
    expect(found(system(inText))).toEqual(TOKEN);
    expect(found(user(inText))).toEqual(TOKEN);
    expect(found(user([part(inText.slice(0, 4)), part(inText.slice(4))]))).toEqual(TOKEN);
    expect(found(assistant(inText))).toEqual(TOKEN);
    expect(found(calling(call('1', 'f')), result('1', inText))).toEqual(TOKEN);
    expect(found(calling(call('1', 'f')), result('1', JSON.stringify({ a: [inText] })))).toEqual(TOKEN);
    expect(found(callingWith(JSON.stringify({ a: { b: inText } })))).toEqual(TOKEN);
    expect(found(callingWith(JSON.stringify({ [inText]: 1 })))).toEqual(TOKEN);
    expect(found(callingWith('{}', inText))).toEqual(TOKEN);
    const tools = [
      [inText, 'D', {}],
      ['f', inText, {}],
      ['f', 'D', { required: [inText] }],
      ['f', 'D', { properties: { p: { enum: [inText] } } }],
      ['f', 'D', { properties: { p: { description: inText } } }],
    ] as const;
    for (const [name, description, parameters] of tools) {
      const record = functiongemma.encode(without([], { tools: [toolFrom(name, description, parameters)] }));
      expect(rulesOf(record)).toEqual(TOKEN);
    }
  });

  it('is seen through escapes', () => {
    expect(found(callingWith('"{\\"a\\":\\"\\\\u003cescape>\\"}"'))).toEqual(TOKEN);
  });

  test.each(NO_TOKENS)('but not %s', (almost) => {
    expect(
      found(user(almost), callingWith(JSON.stringify({ a: almost, [almost]: 1 })), result('1', almost)),
    ).toEqual([]);
  });

  it('5 MB of openers end', () => {
    expect(found(user('<start_of_'.repeat(500_000)))).toEqual([]);
    expect(found(user('<escape>'.repeat(600_000)))).toEqual(TOKEN);
  });
});

describe('the other rules', () => {
  const read = call('1', 'read');

  test.each<[string, readonly Message[]]>([
    ['key-not-bare!', [callingWith('{"a:b":1}')]],
    ['key-not-bare!', [callingWith('{"x":[{"a}":1}]}')]],
    ['key-not-bare!', [callingWith('{"a\\nb":1}')]],
    ['key-not-bare!', [callingWith('{}', 'f{')]],
    ['number-out-of-range!', [callingWith('{"a":1.5e1001}')]],
    ['number-out-of-range!', [callingWith('{"a":1.5e-99999999999999999999}')]],
    ['call-unreadable!', [calling({ id: '1' })]],
    ['call-unreadable!', [calling('x')]],
    ['call-unreadable!', [calling({ function: { name: '' } })]],
    ['call-unreadable!', [messageOf({ role: 'assistant', tool_calls: {} })]],
    ['call-unreadable!', [messageOf({ role: 'assistant', function_call: { name: 'f' } })]],
    ['arguments-not-object!', [callingWith('"not json"')]],
    ['arguments-not-object!', [callingWith('"[1]"')]],
    ['arguments-not-object!', [callingWith('[1]')]],
    ['arguments-not-object!', [callingWith('"{}{}"')]],
    ['result-without-call!', [user('x'), result('1', 'r')]],
    ['result-without-call!', [calling(read), result('2', 'r')]],
    ['result-without-call!', [calling(read), result(undefined, 'r')]],
    ['result-without-call!', [calling(read), result('1', 'r'), result('1', 'r')]],
    ['result-without-call!', [calling(read), user('x'), result('1', 'r')]],
    ['result-order-lost!', [calling(read, call('2', 'read')), result('2', 'b')]],
    ['unknown-role!', [messageOf({ role: 'function', content: 'x' })]],
    ['unknown-role!', [rawMessage('', '{"content":"x"}')]],
  ])('%s', (rule, messages) => {
    expect(found(...messages)).toEqual([`ERROR ${rule}`]);
  });

  test.each<[string, readonly Message[]]>([
    ['result-as-text', [calling(read), result('1', '{"http://x":1}')]],
    ['result-as-text', [calling(read), result('1', '{"x":1.5e2000}')]],
    ['non-text-part', [user([part('a'), IMAGE])]],
    ['content-not-text', [user({ a: 1 })]],
    ['content-not-text', [assistant(5)]],
    ['non-text-part', [calling(read), result('1', [IMAGE])]],
    ['member-left-out', [messageOf({ role: 'assistant', content: 'x', reasoning_content: 'y' })]],
    ['member-left-out', [messageOf({ role: 'user', content: 'x', name: 'y' })]],
    ['member-left-out', [messageOf({ role: 'user', content: 'x', tool_calls: [] })]],
  ])('%s is reported, and the record is written', (rule, messages) => {
    expect(found(...messages)).toEqual([`WARNING ${rule}`]);
  });

  test.each<[string, readonly Message[]]>([
    ['keys with other signs', [callingWith('{"a.b-c d/$é":{"(x)":1}}')]],
    ['the longest exponent', [callingWith('{"a":1.5e1000}')]],
    ['a long number without a fraction', [callingWith('{"a":1e9999}')]],
    [
      'results of one function in the order of its calls',
      [
        calling(read, call('2', 'read'), call('3', 'w')),
        result('1', 'a'),
        result('3', 'c'),
        result('2', 'b'),
      ],
    ],
    ['the same id for two calls of one function', [calling(read, read), result('1', 'a'), result('1', 'b')]],
    ['a legacy call that is null', [messageOf({ role: 'assistant', content: 'x', function_call: null })]],
    ['members that are null', [messageOf({ role: 'assistant', content: 'x', refusal: null })]],
    [
      'the name of a result',
      [calling(read), messageOf({ role: 'tool', tool_call_id: '1', name: 'read', content: 'x' })],
    ],
    ['a developer', [messageOf({ role: 'developer', content: 'x' })]],
  ])('none for %s', (_what, messages) => {
    expect(found(...messages)).toEqual([]);
  });

  it('a result that the syntax cannot say as an object keeps its whole text', () => {
    expect(written(calling(read), result('1', '{"http://x":1}'))).toContain(
      'response:read{value:<escape>{"http://x":1}<escape>}<',
    );
  });

  it('are found once for each message, with its number', () => {
    const { findings } = plain(user('<bos>'), user('<bos><eos>'));
    expect(findings.map(({ message }) => message)).toEqual([
      'messages[0] contains a control token of the format',
      'messages[1] contains a control token of the format',
    ]);
  });

  it('are all declared', () => {
    const all = ['key-not-bare', 'result-as-text', 'definition-left-out', 'control-token-in-content'];
    expect(functiongemma.rules).toEqual(expect.arrayContaining(all));
  });
});

describe('options of the function', () => {
  const talk: Conversation = without(WEATHER_TALK, { tools: [toolOf({ name: 'f' }, 'f')] });

  it('bos and trigger', () => {
    expect(textIn(functionGemmaRecord(talk, { bos: true, trigger: 'T' }))).toMatch(
      /^<bos><start_of_turn>developer\nT<start_function_declaration>/,
    );
  });

  it('prompt and completion are cut before the last assistant message', () => {
    const { prompt, completion } = JSON.parse(
      text(functionGemmaRecord(talk, { promptCompletion: true }).bytes),
    );
    expect(prompt + completion).toBe(textIn(functionGemmaRecord(talk)));
    expect(prompt).toMatch(/<end_function_response>$/);
    expect(completion).toMatch(/^The current weather .*<end_of_turn>\n$/);
  });

  test.each<[string, readonly Message[], string]>([
    ['a first answer', [user('x'), assistant('y')], 'y<end_of_turn>\n'],
    [
      'a call',
      [user('x'), callingWith('{}')],
      '<start_function_call>call:f{}<end_function_call><start_function_response>',
    ],
  ])('the completion of %s', (_what, messages, completion) => {
    const record = functionGemmaRecord(without(messages), { promptCompletion: true });
    expect(JSON.parse(text(record.bytes)).completion).toBe(completion);
    expect(record.findings).toEqual([]);
  });

  test.each<[string, readonly Message[], string]>([
    ['a question', [user('x'), assistant('y'), user('z')], 'y<end_of_turn>\n'],
    [
      'a system message',
      [user('x'), assistant('y'), messageOf({ role: 'system', content: 'z' })],
      'y<end_of_turn>\n',
    ],
    [
      'a result',
      [user('x'), callingWith('{}'), result('1', 'z')],
      '<start_function_call>call:f{}<end_function_call><start_function_response>',
    ],
    [
      'a question after a call',
      [user('x'), callingWith('{}'), user('z')],
      '<start_function_call>call:f{}<end_function_call><start_function_response>',
    ],
  ])(
    'unanswered-end: a completion is the message of the model, without %s behind it',
    (_what, messages, completion) => {
      const record = functionGemmaRecord(without(messages), { promptCompletion: true });
      expect(JSON.parse(text(record.bytes))).toEqual({
        prompt: '<start_of_turn>user\nx<end_of_turn>\n<start_of_turn>model\n',
        completion,
      });
      expect(record.findings).toEqual([
        {
          rule: 'unanswered-end',
          severity: 'WARNING',
          message: 'messages[2] and what follows has no answer: left out',
        },
      ]);
      expect(functionGemmaRecord(without(messages)).findings).toEqual([]);
    },
  );

  it('unanswered-end: without an answer there is no completion', () => {
    const record = functionGemmaRecord(without([user('x')]), { promptCompletion: true });
    expect(rulesOf(record)).toEqual(['ERROR unanswered-end!']);
    expect(rulesOf(functionGemmaRecord(without([user('x')])))).toEqual([]);
  });
});

describe('parse(render(x)) = x', () => {
  const key = fc
    .oneof(
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.constantFrom('', 'a', 'A', '__proto__', '1', 'é'),
    )
    .filter((name) => !/[:,{}[\]\p{Cc}\p{Surrogate}]/u.test(name) && !name.includes('<'));
  const string = fc
    .string({ unit: 'binary', maxLength: 12 })
    .filter((value) => !CONTROL_TOKENS.some((token) => value.includes(token)));
  const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,24})$/);
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits,
      fc.option(fc.stringMatching(/^[0-9]{1,8}$/), { nil: undefined }),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.stringMatching(/^[0-9]{1,2}$/)), {
        nil: undefined,
      }),
    )
    .map(([sign, whole, fraction, exponent]) =>
      [sign, whole, fraction === undefined ? '' : `.${fraction}`, ...(exponent ?? [])].join(''),
    );
  const { object } = fc.letrec<{ value: Value; object: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      string.map((value): Value => ({ kind: 'string', text: value })),
      number.map((value): Value => ({ kind: 'number', text: value })),
      fc.constantFrom('true', 'false', 'null').map((value): Value => ({ kind: 'word', text: value })),
      fc.array(tie('value'), { maxLength: 4 }).map((items): Value => ({ kind: 'array', items })),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(key, tie('value')), { maxLength: 5 })
      .map((members): Value => ({ kind: 'object', members })),
  }));

  const json = (value: Value): string => {
    if (value.kind === 'string') return JSON.stringify(value.text);
    if (value.kind === 'array') return `[${value.items.map(json).join(', ')}]`;
    if (value.kind === 'object')
      return `{${value.members.map(([name, inner]) => `${JSON.stringify(name)} : ${json(inner)}`).join(',')}}`;
    return value.text;
  };
  /** A number as sign, digits without zeros at the ends, and the power of ten: equal for equal numbers. */
  const decimal = (number: string): string => {
    const [, sign, whole = '', fraction = '', power = '0'] =
      /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
    const all = (whole + fraction).replace(/^0+/, '');
    const kept = all.replace(/0+$/, '');
    return `${sign}${kept}e${kept === '' ? 0 : Number(power) - fraction.length + all.length - kept.length}`;
  };
  /** Normal form for comparison: keys at the top sorted, numbers by text, or by value where they are written out. */
  const comparable = (value: Value, top = false): unknown => {
    if (value.kind === 'array') return value.items.map((item) => comparable(item));
    if (value.kind === 'number') return { number: value.text, decimal: decimal(value.text) };
    if (value.kind !== 'object') return value;
    const members = value.members.map(([name, inner]) => [name, comparable(inner)] as const);
    const lower = ([name]: readonly [string, unknown]) => Buffer.from(name.toLowerCase());
    return { members: top ? members.toSorted((a, b) => Buffer.compare(lower(a), lower(b))) : members };
  };
  /** Numbers with a fraction and an exponent only have to have the same value. */
  const expandable = (value: unknown, written: unknown): unknown => {
    if (Array.isArray(value) && Array.isArray(written))
      return value.map((item, i) => expandable(item, written[i]));
    if (typeof value !== 'object' || value === null || typeof written !== 'object' || written === null)
      return value;
    const [known, other] = [value as Record<string, unknown>, written as Record<string, unknown>];
    if (typeof known.number === 'string' && /\..*e/i.test(known.number)) {
      expect(other.number).not.toMatch(/e/i);
      return { ...known, number: other.number };
    }
    return Object.fromEntries(
      Object.entries(known).map(([name, inner]) => [name, expandable(inner, other[name])]),
    );
  };

  it.each([
    ['as an object', (source: string) => source],
    ['as a string', (source: string) => JSON.stringify(source)],
  ])('for generated arguments %s', (_how, encoded) => {
    fc.assert(
      fc.property(object, (value) => {
        const record = plain(callingWith(encoded(json(value)), 'do_it'));
        expect(record.findings).toEqual([]);
        const [parsed, ...others] = parseCalls(textIn(record));
        expect(others).toEqual([]);
        expect(parsed?.name).toBe('do_it');
        const read = comparable(parsed?.args as Value);
        expect(read).toEqual(expandable(comparable(value, true), read));
      }),
      { numRuns: 500 },
    );
  });

  it('the reader sees damage', () => {
    for (const bad of ['f', 'f{', 'f{a}', 'f{a:x}', 'f{a:<escape>x}', 'f{a:1 b:2}', 'f{a:[1}', 'f{}x']) {
      expect(() => parseCall(bad)).toThrow(SyntaxError);
    }
  });
});

it('deep arguments end', () => {
  const deep = `{"a":${'['.repeat(500)}${']'.repeat(500)}}`;
  expect(args(deep)).toBe(`{a:${'['.repeat(500)}${']'.repeat(500)}}`);
  expect(found(callingWith(JSON.stringify(`{"a":${'['.repeat(600)}${']'.repeat(600)}}`)))).toEqual([
    'ERROR arguments-not-object!',
  ]);
});
