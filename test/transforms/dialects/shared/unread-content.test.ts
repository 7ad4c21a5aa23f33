import { describe, expect, it } from 'vitest';
import { unreadContent } from '../../../../transforms/dialects/shared/unread-content.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

const detailOf = (message: object): string | undefined =>
  unreadContent({
    bytes: encode(JSON.stringify(message)),
    role: (message as { role: string }).role,
  })?.message;

const user = (members: object) => ({ role: 'user', ...members });
const model = (members: object) => ({ role: 'assistant', ...members });
const result = (members: object) => ({ role: 'tool', tool_call_id: 'c', ...members });
const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];

describe('a message whose content is known, or that says nothing', () => {
  it.each([
    user({ content: 'a' }),
    user({ content: '\u00a0é' }),
    user({ content: [{ type: 'text', text: '' }], text: 'a' }),
    user({ content: ['a', { type: 'image_url', image_url: { url: 'x' } }] }),
    user({ content: '', images: ['AAAA'], name: 'ada' }),
    user({ content: 'a', text: 'b' }),
    model({ content: null, tool_calls, refusal: null, annotations: [] }),
    model({ content: null, tool_calls, provider_specific_fields: { a: 'b' }, sender: 'bot', note: 'a b' }),
    model({ content: '', reasoning_content: 'a' }),
    model({ content: '', text: '', parts: [], output: {}, value: 7 }),
    model({}),
    model({ content: 'a', tool_calls: '' }),
    model({ content: 'a', tool_calls: {} }),
    model({ content: 'a', tool_calls, toolCalls: [{ id: 'c' }] }),
    model({ content: 'a', toolCalls: [], toolInvocations: null }),
    model({ content: 'a', channel: 'final' }),
    model({ content: 'a', channel: 'commentary', recipient: null }),
    model({ content: 'the "channel" was "analysis"' }),
    user({ content: 'a', channel: 'analysis' }),
    result({ content: '', tool_name: 'f', is_error: true }),
    result({ content: "[TextContent(type='text', text='a'), TextBlock(text='b')]" }),
    model({ content: "[TextBlock(text='a')] is what it prints." }),
    model({ content: "['a', 'b']" }),
    model({ content: '[{"type":"text","text":"a","bold":true}]' }),
    model({ content: '[{"type":"text","text":"a"},{"type":"button","label":"b"}]' }),
    model({ content: '[{"type":"text","text":"a"}] is what the API returns.' }),
    model({ content: '{"type":"text","text":"a"}' }),
    user({ content: '[{"type":"text","text":"a"}]' }),
    result({ content: '[{"type":"text","text":"a"}]' }),
    result({ content: [{ type: 'tool_reference', tool_name: 'f' }] }),
    { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'f' } }] },
    { role: 'system', content: [{ type: 'tool_removal', tool: { type: 'tool_reference', name: 'f' } }] },
  ])('%j', (message) => {
    expect(detailOf(message)).toBeUndefined();
  });
});

describe('a message whose content is of an unknown form', () => {
  const NO_TEXT = 'the content is neither a text nor a list of parts';
  it.each([
    [NO_TEXT, user({ content: { text: 'a' } })],
    [NO_TEXT, model({ content: {} })],
    [NO_TEXT, result({ content: 7 })],
    [NO_TEXT, user({ content: false })],
    ['the calls are not a list', model({ content: 'a', tool_calls: JSON.stringify(tool_calls) })],
    ['the calls are not a list', model({ content: 'a', tool_calls: tool_calls[0] })],
    [
      'the calls are in a member that is not read: toolInvocations',
      model({ content: 'a', toolInvocations: [{ toolCallId: 'c', state: 'result' }] }),
    ],
    [
      'the calls are in a member that is not read: toolCalls',
      model({ content: 'a', tool_calls: [], toolCalls: [{ id: 'c' }] }),
    ],
    [
      'content[0] is not a part of a known type',
      model({ content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} }] }),
    ],
    [
      'content[0] is not a part of a known type',
      model({ content: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] }),
    ],
    [
      'content[0] is not a part of a known type',
      result({ content: [{ type: 'tool_result', tool_result: { a: 1 } }] }),
    ],
    ['content[0] is not a part of a known type', model({ content: [{ type: 'reasoning_text', text: 'a' }] })],
    [
      'content[0] is not a part of a known type',
      result({ content: [{ type: 'tool-result', toolCallId: 'c', output: { type: 'text', value: 'r' } }] }),
    ],
    ['in the channel analysis, the content is a thought', model({ channel: 'analysis', content: 'a' })],
    [
      'in the channel commentary, the content is a call',
      model({ channel: 'commentary', recipient: 'functions.f', content: '{}' }),
    ],
    ['content[0] is not a part of a known type', model({ content: [{ type: 'text', content: 'a' }] })],
    [
      'content[1] is not a part of a known type',
      user({ content: [{ type: 'text', text: 'a' }, { toolCallId: 'c' }] }),
    ],
    ['content[0] is not a part of a known type', user({ content: [7] })],
    ['content[0] is not a part of a known type', model({ content: ["TextBlock(text='a', type='text')"] })],
  ])('%s: %j', (detail, message) => {
    expect(detailOf(message)).toBe(detail);
  });
});

it.each([
  "[TextBlock(text='a')]",
  "\n [ToolUseBlock(id='c', name='f', input={})]",
  "[{'type': 'text', 'text': 'a'}]",
  '[{"type":"text","text":"a"}]',
  '[\n  { "type": "thinking", "thinking": "a" },\n  { "type": "tool_use", "id": "c", "name": "f", "input": {} }\n]',
  '[{"type":"tool-call","toolCallId":"c","toolName":"f","args":{}}]',
  '[{"type":"text","text":"a half',
])('an answer that is a list of blocks as a program printed it: %s', (content) => {
  expect(detailOf(model({ content }))).toBe('the content is a list of blocks as a program printed it');
});

describe('a message whose content is empty, but another member says something', () => {
  it.each([
    user({ text: 'a' }),
    user({ content: null, text: 'a' }),
    user({ content: ' \n', note: { a: 1 } }),
    user({ content: [], attachments: ['a'] }),
    model({ content: '', text: 'a' }),
    model({ content: '', tool_calls, text: 'a' }),
    model({ content: null, reasoning_content: 'a', output: ['b'] }),
    result({ content: '', result: 'a' }),
  ])('%j', (message) => {
    expect(detailOf(message)).toBe('the content is empty, but another member says something');
  });
});

it('reports the result of a tool in a message of the model', () => {
  const part = { type: 'tool_result', tool_use_id: 'c', content: 'r' };
  expect(detailOf(model({ content: [{ type: 'text', text: 'a' }, part] }))).toBe(
    'content[1] is not a part of a known type',
  );
  expect(detailOf(user({ content: [part] }))).toBeUndefined();
});
