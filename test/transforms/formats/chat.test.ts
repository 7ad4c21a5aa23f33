import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import chat, { chatRecord } from '../../../transforms/formats/chat.ts';
import { objectText } from '../arbitraries.ts';
import { KINDS, text } from '../bytes.ts';
import { conversationOf } from '../checks/samples.ts';

describe.each(KINDS)('of a %s', (_kind, make) => {
  const messages = ['{"role":"user","n":[1.0,1e400]}', '{ "role" : "assistant" }'].map((json) => ({
    role: 'user',
    bytes: make(json),
  }));
  const tools = ['{"name":"é"}', '{}'].map((json) => ({ name: undefined, bytes: make(json) }));

  it('the record consists of the bytes of its messages and tools', () => {
    const { bytes, written, findings } = chat.encode(conversationOf(messages, { tools }));
    expect(text(bytes)).toBe(
      '{"messages":[{"role":"user","n":[1.0,1e400]},{ "role" : "assistant" }],"tools":[{"name":"é"},{}]}',
    );
    expect(written).toBe(messages);
    expect(findings).toEqual([]);
  });

  it('the record of an empty conversation has empty lists', () => {
    expect(text(chatRecord([], []))).toBe('{"messages":[],"tools":[]}');
  });
});

test('the record is one line of JSON with the same values', () => {
  const objects = fc.array(
    objectText.map((json) => json.replace(/[\r\n]/g, ' ')),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(objects, objects, (messages, tools) => {
      const list = (texts: readonly string[]) =>
        texts.map((json) => ({ role: 'user', name: undefined, bytes: Buffer.from(json) }));
      const record = text(chatRecord(list(messages), list(tools)));
      const parsed = (texts: readonly string[]) => texts.map((json) => JSON.parse(json));
      expect(JSON.parse(record)).toEqual({ messages: parsed(messages), tools: parsed(tools) });
      expect(record).not.toContain('\n');
    }),
  );
});

test('changes by --arrow-safe and contents that are not text are reported', () => {
  expect(chat.rules).toEqual(['content-not-text', 'empty-arguments', 'no-answer']);
});
