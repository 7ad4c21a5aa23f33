import { describe, expect, it } from 'vitest';
import { faultIn, faultOf } from '../../../../transforms/dialects/shared/unreadable.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import type { Message } from '../../../../transforms/model/element.ts';

const messageOf = (json: string): Message => ({
  bytes: encode(json),
  role: (JSON.parse(json) as { role?: string }).role ?? '',
});
const reasonOf = (json: string): string | undefined => faultOf(messageOf(json), 'm')?.reason;

describe('a message that may be written', () => {
  it.each([
    '{"role":"user","content":"a"}',
    '{"role":"user","content":null}',
    '{"role":"function","name":"f","content":"a"}',
    '{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"x"}}]}',
    '{"role":"user","content":[{"fileData":{"fileUri":"x"}}]}',
    '{"role":"assistant"}',
    '{"role":"assistant","reasoning_content":"a"}',
    '{"role":"assistant","tool_calls":[]}',
    '{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":null}}]}',
    '{"role":"assistant","tool_calls":[{"type":"custom","custom":{"name":"f","input":"a"}}]}',
    '{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}',
    '{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.text","text":"b"},{"type":"reasoning.encrypted","data":"c"},{"index":0}]}',
    '{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}',
    '{"role":"assistant","id":"m_1","usage":{"total_tokens":1}}',
  ])('%s', (json) => {
    expect(reasonOf(json)).toBeUndefined();
  });
});

describe('a message from nobody known', () => {
  it.each(['session_meta', 'read_file', 'constructor', 'human'])('%s', (role) => {
    expect(reasonOf(`{"role":"${role}","content":"a"}`)).toBe('unknown-speaker');
  });
});

describe('a message of the model', () => {
  it.each(['type', 'kind', 'sender', 'author', 'message_type'])(
    'may not name another speaker in %s',
    (key) => {
      const fault = faultOf(messageOf(`{"role":"assistant","${key}":"human","content":"a"}`), 'm');
      expect(fault).toEqual({
        reason: 'unknown-speaker',
        detail: 'the members of m name different speakers',
      });
      for (const value of ['"message"', '"ai"', '"bot-7"', 'null', '{"name":"x"}'])
        expect(reasonOf(`{"role":"assistant","${key}":${value},"content":"a"}`)).toBeUndefined();
      expect(reasonOf(`{"role":"user","${key}":"human","content":"a"}`)).toBeUndefined();
    },
  );
});

it('is not one of the user that names the model', () => {
  expect(reasonOf('{"role":"user","type":"ai","content":"a"}')).toBe('unknown-speaker');
  expect(reasonOf('{"role":"user","sender":"assistant","content":"a"}')).toBe('unknown-speaker');
});

describe('a message of which nobody knows what it says', () => {
  it.each([
    '{"role":"user"}',
    '{"role":"user","text":"a"}',
    '{"role":"assistant","text":"a"}',
    '{"role":"assistant","parts":[{"text":"a"}]}',
    '{"role":"user","content":{"a":1}}',
    '{"role":"tool","tool_call_id":"c","content":{"stdout":"a"}}',
    '{"role":"user","content":7}',
    '{"role":"user","content":["a"]}',
    '{"role":"user","content":[{"text":"a"}]}',
    '{"role":"user","content":[{"type":"text","content":"a"}]}',
    '{"role":"user","content":[{"type":"texts","text":"a"}]}',
    '{"role":"user","content":[{"toolCallId":"a"}]}',
    '{"role":"assistant","content":"a","reasoning_content":{"b":"c"}}',
    '{"role":"assistant","content":"a","reasoning_details":[{"b":"c"}]}',
    '{"role":"assistant","content":[{"type":"thinking","thinking":{"a":"b"}}]}',
    '{"role":"assistant","tool_calls":{"a":1}}',
    '{"role":"assistant","tool_calls":[{"id":"c","function":{"arguments":"{}"}}]}',
    '{"role":"assistant","tool_calls":[{"id":"c","function":{"name":["f"],"arguments":"{}"}}]}',
    '{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f"}}]}',
    '{"role":"assistant","tool_calls":[{"type":"custom","custom":{"name":"f"}}]}',
    '{"role":"assistant","function_call":{"name":"f"}}',
    `{"role":"assistant","content":"[TextBlock(text='a', type='text')]"}`,
  ])('%s', (json) => {
    expect(reasonOf(json)).toBe('unknown-content');
  });
});

it('names the first message with a fault, never what it says', () => {
  const good = messageOf('{"role":"user","content":"a"}');
  const bad = messageOf('{"role":"user","content":{"secret":1}}');
  expect(faultIn([good, bad], undefined)?.detail).toBe(
    'messages[1] has a content that is neither a text nor a list of parts',
  );
  expect(faultIn([good], messageOf('{"role":"spy","content":"a"}'))?.detail).toMatch(
    /^the answer is not from /,
  );
  expect(faultIn([good], undefined)).toBeUndefined();
});

it('accepts any role and any content of copies, but not a content under another name', () => {
  const copy = (json: string) => faultIn([messageOf(json)], undefined, true)?.reason;
  expect(copy('{"role":"spy","content":{"a":1}}')).toBeUndefined();
  expect(copy('{"role":"user"}')).toBeUndefined();
  expect(copy('{"role":"user","text":"a"}')).toBe('unknown-content');
});
