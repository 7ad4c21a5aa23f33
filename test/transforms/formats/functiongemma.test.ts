import { describe, expect, it, test } from 'vitest';
import functiongemma, { functionGemmaRecord } from '../../../transforms/formats/functiongemma.ts';
import type { Conversation, Message } from '../../../transforms/model/element.ts';
import { text } from '../bytes.ts';
import { assistant, call, calling, messageOf, result, toolOf, user } from '../checks/samples.ts';
import { part } from '../rules/rule-samples.ts';
import {
  args,
  callingWith,
  found,
  plain,
  rulesOf,
  textIn,
  toolFrom,
  without,
  written,
} from './gemma-samples.ts';

const system = (content: unknown): Message => messageOf({ role: 'system', content });

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

describe('the documented examples', () => {
  const golden = `<start_of_turn>developer
You are a model that can do function calling with the following functions<start_function_declaration>declaration:get_current_weather{description:<escape>Gets the current weather in a given location.<escape>,parameters:{properties:{location:{description:<escape>The city and state, e.g. "San Francisco, CA" or "Tokyo, JP"<escape>,type:<escape>STRING<escape>},unit:{description:<escape>The unit to return the temperature in.<escape>,enum:[<escape>celsius<escape>,<escape>fahrenheit<escape>],type:<escape>STRING<escape>}},required:[<escape>location<escape>],type:<escape>OBJECT<escape>}}<end_function_declaration><end_of_turn>
<start_of_turn>user
Hey, what's the weather in Tokyo right now?<end_of_turn>
<start_of_turn>model
<start_function_call>call:get_current_weather{location:<escape>Tokyo, Japan<escape>}<end_function_call><start_function_response>response:get_current_weather{temperature:15,weather:<escape>sunny<escape>}<end_function_response>The current weather in Tokyo is sunny with a temperature of 15 degrees Celsius.<end_of_turn>
`;

  it('hold for a whole conversation', () => {
    const record = functiongemma.encode(without(WEATHER_TALK, { tools: [WEATHER] }));
    expect(textIn(record)).toBe(golden);
    expect(record.findings).toEqual([]);
    expect(text(record.bytes)).toBe(JSON.stringify({ text: golden }));
  });

  it('are the same with the trigger as the system message', () => {
    const record = functiongemma.encode(without([system(TRIGGER), ...WEATHER_TALK], { tools: [WEATHER] }));
    expect(textIn(record)).toBe(golden);
  });

  it('hold for the arguments of a call', () => {
    const message = callingWith(
      JSON.stringify('{"title":"Meeting with Mr. Dubois","datetime":"2026-01-20T15:00:00"}'),
      'create_calendar_event',
    );
    expect(written(message)).toContain(
      '<start_function_call>call:create_calendar_event{datetime:<escape>2026-01-20T15:00:00<escape>,title:<escape>Meeting with Mr. Dubois<escape>}<end_function_call>',
    );
  });

  it('hold for every kind of value', () => {
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
  ])('has trigger and declarations with tools and %s', (_what, messages, content) => {
    expect(developer([...messages, user('x')])).toBe(
      `<start_of_turn>developer\n${content}<end_of_turn>\n<start_of_turn>user\nx<end_of_turn>\n`,
    );
  });

  it('has all declarations with nothing between them', () => {
    expect(developer([], [toolOf({ name: 'f' }, 'f'), toolOf({ name: 'f' }, 'f')])).toBe(
      `<start_of_turn>developer\n${TRIGGER}${DECLARED}${DECLARED}<end_of_turn>\n`,
    );
  });

  it('has no trigger without tools, and is absent without a system message too', () => {
    expect(developer([system('S'), user('x')], [])).toBe(
      '<start_of_turn>developer\nS<end_of_turn>\n<start_of_turn>user\nx<end_of_turn>\n',
    );
    expect(developer([user('x')], [])).toBe('<start_of_turn>user\nx<end_of_turn>\n');
    expect(developer([user('x')], [toolOf({})])).toBe('<start_of_turn>user\nx<end_of_turn>\n');
  });

  it('is separate for a later system message', () => {
    expect(written(user('x'), system('S'))).toBe(
      '<start_of_turn>user\nx<end_of_turn>\n<start_of_turn>developer\nS<end_of_turn>\n',
    );
  });
});

describe('turns', () => {
  const CALL = '<start_function_call>call:f{}<end_function_call>';
  const response = (name: string, value: string) =>
    `<start_function_response>response:${name}{value:<escape>${value}<escape>}<end_function_response>`;

  test.each<[string, readonly Message[], string]>([
    ['trimmed text', [assistant('\n hi\u00a0')], 'hi<end_of_turn>\n'],
    ['a part', [assistant([part('a b ')])], 'a b<end_of_turn>\n'],
    ['no text', [assistant(null), assistant('b')], '<end_of_turn>\n<start_of_turn>model\nb<end_of_turn>\n'],
    ['a call at the end', [calling(call('1', 'f'))], `${CALL}<start_function_response>`],
    ['parallel calls', [calling(call('1', 'f'), call('2', 'f'))], `${CALL}${CALL}<start_function_response>`],
    [
      'text before its call',
      [messageOf({ role: 'assistant', content: 'Let me. ', tool_calls: [call('1', 'f')] })],
      `Let me.${CALL}<start_function_response>`,
    ],
    [
      'a result at the end, which leaves the turn open',
      [calling(call('1', 'f')), result('1', ' r\n')],
      `${CALL}${response('f', ' r\n')}`,
    ],
    [
      'a chain of calls in one turn',
      [calling(call('1', 'f')), result('1', 'a'), calling(call('1', 'g')), result('1', 'b'), assistant('ok')],
      `${CALL}${response('f', 'a')}${CALL.replace('f{', 'g{')}${response('g', 'b')}ok<end_of_turn>\n`,
    ],
    [
      'calls of two messages in one turn',
      [calling(call('1', 'f')), calling(call('2', 'g')), result('1', 'a'), result('2', 'b')],
      `${CALL}${CALL.replace('f{', 'g{')}${response('f', 'a')}${response('g', 'b')}`,
    ],
    [
      'two texts in two turns',
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
      `${CALL}${response('f', 'a')}${CALL.replace('f{', 'g{')}${CALL}${response('f', 'b')}${response('g', 'c')}`,
    ],
    [
      'the same id twice in one message',
      [calling(call('1', 'f'), call('1', 'g')), result('1', 'a'), result('1', 'b')],
      `${CALL}${CALL.replace('f{', 'g{')}${response('g', 'a')}${response('f', 'b')}`,
    ],
  ])('%s', (_what, messages, expected) => {
    expect(written(...messages)).toBe(`<start_of_turn>model\n${expected}`);
    expect(found(...messages)).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    [
      'an object, with sorted keys and unchanged numbers',
      '{"b":1.0,"a":[12345678901234567890]}',
      '{a:[12345678901234567890],b:1.0}',
    ],
    ['an object with white space', ' {"a" : "x\\n"}\n', '{a:<escape>x\n<escape>}'],
    ['an object instead of a string', { a: 1 }, '{a:1}'],
    ['a text', 'sunny', '{value:<escape>sunny<escape>}'],
    ['a part', [part('a')], '{value:<escape>a<escape>}'],
    ['a list', '[1]', '{value:<escape>[1]<escape>}'],
    ['broken JSON', '{"a":', '{value:<escape>{"a":<escape>}'],
    ['two objects', '{}{}', '{value:<escape>{}{}<escape>}'],
    ['nothing', null, '{value:<escape><escape>}'],
  ])('have a result that is %s', (_what, content, expected) => {
    const record = plain(calling(call('1', 'f')), result('1', content));
    expect(textIn(record)).toContain(`<start_function_response>response:f${expected}<end_function_response>`);
    expect(record.findings).toEqual([]);
  });

  it('have a line for each part of a text or a result', () => {
    const messages = [user([part('Which'), part('files?')]), calling(call('1', 'f'))];
    const listed = result('1', [part('README.md'), part('diary.md')]);
    expect(written(...messages, listed)).toBe(
      `<start_of_turn>user\nWhich\nfiles?<end_of_turn>\n<start_of_turn>model\n${CALL}${response('f', 'README.md\ndiary.md')}`,
    );
    expect(found(...messages, listed)).toEqual(['WARNING parts-joined', 'WARNING parts-joined']);
  });

  it('have a result that is a number as JSON text, with a finding', () => {
    const record = plain(calling(call('1', 'f')), result('1', 15));
    expect(textIn(record)).toContain('response:f{value:<escape>15<escape>}');
    expect(record.findings.map(({ rule }) => rule)).toEqual(['content-not-text']);
  });

  it('report no messages as written', () => {
    expect(plain(user('x')).written).toEqual([]);
  });
});

describe('options of functionGemmaRecord', () => {
  const talk: Conversation = without(WEATHER_TALK, { tools: [toolOf({ name: 'f' }, 'f')] });

  it('add bos and a trigger', () => {
    expect(textIn(functionGemmaRecord(talk, { bos: true, trigger: 'T' }))).toMatch(
      /^<bos><start_of_turn>developer\nT<start_function_declaration>/,
    );
  });

  it('cut prompt and completion before the last assistant message', () => {
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
  ])('write the completion of %s', (_what, messages, completion) => {
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
  ])('leave out %s after the completion as unanswered-end', (_what, messages, completion) => {
    const record = functionGemmaRecord(without(messages), { promptCompletion: true });
    expect(JSON.parse(text(record.bytes))).toEqual({
      prompt: '<start_of_turn>user\nx<end_of_turn>\n<start_of_turn>model\n',
      completion,
    });
    expect(record.findings).toEqual([
      {
        rule: 'unanswered-end',
        severity: 'WARNING',
        message: 'messages[2] has no answer: left out',
      },
    ]);
    expect(functionGemmaRecord(without(messages)).findings).toEqual([]);
  });

  it('name the first of several messages that are left out', () => {
    const record = functionGemmaRecord(without([assistant('y'), user('z'), user('z')]), {
      promptCompletion: true,
    });
    expect(record.findings.map(({ message }) => message)).toEqual([
      'messages[1] and the messages after it have no answer: left out',
    ]);
  });

  it('reject a conversation without an answer as unanswered-end', () => {
    const record = functionGemmaRecord(without([user('x')]), { promptCompletion: true });
    expect(rulesOf(record)).toEqual(['ERROR unanswered-end!']);
    expect(rulesOf(functionGemmaRecord(without([user('x')])))).toEqual([]);
  });
});
