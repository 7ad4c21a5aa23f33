/** Model calls in records of logs: events that name their span, in bodies of OTLP and as SDKs write them. */
import { describe, expect, it } from 'vitest';
import spans from '../../../transforms/dialects/spans.ts';
import { readLog } from '../log-lines.ts';
import { entriesOf, messagesOf, read } from './span-samples.ts';

const json = JSON.stringify;
const DETAILS = 'gen_ai.client.inference.operation.details';
const record = (time: number, eventName: string, body: object = {}, more: object = {}) => ({
  timeUnixNano: `${time}`,
  eventName,
  body,
  traceId: 't',
  spanId: 's',
  ...more,
});
const asked = record(1, 'gen_ai.user.message', { content: 'a' });
const said = record(2, 'gen_ai.choice', { index: 0, message: { content: 'b' } });
const messages = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'b' },
];
const lines = (...objects: readonly object[]) => objects.map((one) => json(one));
const conversations = (...objects: readonly object[]) =>
  entriesOf(read(lines(...objects))).map((entry) => messagesOf(entry));

describe('events of a model call in a log', () => {
  it('have the calls of a choice inside its message or beside it', () => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const answer = { role: 'assistant', content: 'b' };
    const inside = record(2, 'gen_ai.choice', { message: { ...answer, tool_calls } });
    const beside = record(2, 'gen_ai.choice', { message: { ...answer, tool_calls: null }, tool_calls });
    const whole = [
      { role: 'user', content: 'a' },
      { ...answer, tool_calls },
    ];
    expect([inside, beside].flatMap((choice) => conversations(asked, choice))).toEqual([whole, whole]);
  });
  it('are in the order of their times, also in a log that begins with the newest', () => {
    const system = record(1, 'gen_ai.system.message', { content: 'c' });
    const whole = [{ role: 'system', content: 'c' }, ...messages];
    expect(conversations(system, asked, said)).toEqual([whole]);
    expect(conversations(said, asked, system)).toEqual([whole]);
  });

  it('may be in a body of OTLP in the words of its protocol buffers', () => {
    const log_records = [asked, said].map(({ timeUnixNano, eventName, body }) => ({
      time_unix_nano: timeUnixNano,
      event_name: eventName,
      body,
      trace_id: 't',
      span_id: 's',
    }));
    expect(conversations({ resource_logs: [{ scope_logs: [{ log_records }] }] })).toEqual([messages]);
  });

  it('may have the details in two events, as attributes in any form', () => {
    const parts = (role: string, content: string) => [{ role, parts: [{ type: 'text', content }] }];
    const flat = (key: string, value: object) =>
      record(1, DETAILS, {}, { attributes: { [key]: json(value) } });
    const [input, output] = [parts('user', 'a'), parts('assistant', 'b')];
    expect(
      conversations(flat('gen_ai.input.messages', input), flat('gen_ai.output.messages', output)),
    ).toEqual([messages]);
    const nested = (member: object) => record(1, DETAILS, {}, { attributes: { gen_ai: member } });
    expect(
      conversations(nested({ input: { messages: input } }), nested({ output: { messages: output } })),
    ).toEqual([messages]);
  });

  it('belong to the span with the same ids, which may say more', () => {
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
    const span = { traceId: 't', spanId: 's', attributes };
    const [entry] = entriesOf(read(lines(asked, said, span)));
    expect(entry?.meta?.has('model')).toBe(true);
  });

  it('are rejected if they name no span, or are not of a model call', () => {
    const rejected = (...objects: readonly object[]) => read(lines(...objects)).at(-1);
    const bad = { kind: 'rejection', reason: 'bad-event' };
    expect(rejected({ ...asked, spanId: '0000' })).toMatchObject(bad);
    const agent = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.input.messages': '[]' };
    expect(rejected(record(1, DETAILS, {}, { attributes: agent }))).toMatchObject({
      kind: 'entry',
      refused: { reason: 'bad-event' },
    });
  });

  it('are rejected if what they say is not known', () => {
    const isRejected = (first: object, reason: string) =>
      expect(read(lines(first, said)).at(-1)).toMatchObject({ kind: 'entry', refused: { reason } });
    isRejected(record(1, 'gen_ai.user.message', { content: { words: 'a' } }), 'unknown-content');
    isRejected(record(1, 'gen_ai.user.message', { words: 'a' }), 'unknown-content');
    isRejected(record(1, 'gen_ai.warden.message', { content: 'a' }), 'unknown-content');
    isRejected(record(1, 'gen_ai.user.message', { role: 'warden', content: 'a' }), 'unknown-speaker');
    isRejected(record(1, 'gen_ai.user.message', { role: 'assistant', content: 'a' }), 'unknown-speaker');
  });

  it('are rejected if another one of their span was not understood', () => {
    const reasons = (...objects: readonly object[]) =>
      entriesOf(read(lines(...objects))).map(({ refused }) => refused?.reason);
    const stray = { ...record(2, 'gen_ai.assistant.message', {}), words: { content: 'c' } };
    expect(reasons(asked, stray, said)).toEqual(['context-missing']);
    expect(reasons(record(2, 'warden', { content: 'c' }), asked, said)).toEqual(['context-missing']);
    expect(reasons(asked, said, record(2, 'warden', { message: { text: 'c' } }))).toEqual([
      'context-missing',
    ]);
    expect(reasons(asked, said, record(2, 'warden', { message: 'started' }))).toEqual([undefined]);
    expect(reasons(asked, said, { ...record(2, 'warden', { content: 'c' }), spanId: 'z' })).toEqual([
      undefined,
    ]);
  });

  it('are rejected if they do not fit into memory', () => {
    const elements = readLog(spans.create(undefined, { maxConversation: 110 }), lines(asked, said));
    expect(entriesOf(elements).map(({ refused }) => refused?.reason)).toEqual(['context-missing']);
  });
});
