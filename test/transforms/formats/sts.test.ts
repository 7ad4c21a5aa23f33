/** Session traces: a header and a line for each message, and content that a trace cannot hold. */
import { describe, expect, it } from 'vitest';
import stsDialect from '../../../transforms/dialects/sts.ts';
import sts from '../../../transforms/formats/sts.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Conversation, Entry } from '../../../transforms/model/element.ts';
import { shapeProblem } from '../../support/record-shape.ts';
import { text } from '../bytes.ts';
import { conversationOf, rawMessage } from '../checks/samples.ts';
import { lineOf } from '../log-lines.ts';

const conversation = (messages: readonly object[], tools: readonly object[] = []): Conversation =>
  conversationOf(
    messages.map((one) => rawMessage((one as { readonly role: string }).role, JSON.stringify(one))),
    { tools: tools.map((tool) => ({ bytes: encode(JSON.stringify(tool)), name: 'f' })) },
  );
const linesOf = (of: Conversation): readonly string[] => text(sts.encode(of).bytes).split('\n');
const rulesOf = (messages: readonly object[]): readonly (readonly [string, boolean])[] =>
  sts.encode(conversation(messages)).findings.map(({ rule, rejects = false }) => [rule, rejects]);
const call = (id: string | undefined, args: unknown) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
});
const user = { role: 'user', content: 'a' };
const whole = [
  { role: 'system', content: 's' },
  user,
  { role: 'assistant', reasoning_content: 'hm', tool_calls: [call('x', '{"n": 1.0}'), call('y', '{}')] },
  { role: 'tool', tool_call_id: 'x', content: 'X' },
  { role: 'tool', tool_call_id: 'y', content: 'Y' },
  { role: 'assistant', content: 'c' },
];

describe('a trace', () => {
  it('has a header and a line for each message', () => {
    const lines = linesOf(conversation(whole));
    expect(lines).toEqual([
      '{"type":"session","harness":"unknown","id":"s"}',
      '{"type":"message","message":{"role":"system","content":"s"}}',
      '{"type":"message","message":{"role":"user","content":"a"}}',
      '{"type":"message","message":{"role":"assistant","content":"","reasoningContent":"hm","toolCalls":[' +
        '{"id":"x","function":{"name":"f","arguments":"{\\"n\\": 1.0}"}},' +
        '{"id":"y","function":{"name":"f","arguments":"{}"}}]}}',
      '{"type":"message","message":{"role":"tool","content":"X","toolCallId":"x"}}',
      '{"type":"message","message":{"role":"tool","content":"Y","toolCallId":"y"}}',
      '{"type":"message","message":{"role":"assistant","content":"c"}}',
    ]);
    expect(shapeProblem('sts', { lines: lines.map((line) => JSON.parse(line)) })).toBeUndefined();
  });

  it('is the same conversation when it is read back', () => {
    const reader = stsDialect.create();
    const read = linesOf(conversation(whole)).flatMap((json, i) => [
      ...reader.read(lineOf(json, undefined, i + 1)),
    ]);
    const [entry] = [...read, ...(reader.end?.() ?? [])].filter(({ kind }) => kind === 'entry') as Entry[];
    const { messages, reply } = entry as Entry;
    const again = [...messages, reply].map((one) => JSON.parse(text(one?.bytes as Uint8Array)));
    expect(again).toEqual(whole);
  });

  it('is named after its session, or after its place when the id is a path', () => {
    const of = conversation([user]);
    const harness = new Map([['harness', encode('"pi"')]] as const);
    expect(linesOf({ ...of, sessionId: 't', meta: harness })[0]).toBe(
      '{"type":"session","harness":"pi","id":"t"}',
    );
    const { source, line } = of.origin;
    expect(JSON.parse(linesOf({ ...of, sessionId: '/home/ada/x' })[0] as string).id).toBe(
      `${source}:${line}`,
    );
    const origin = { ...of.origin, source: 'projects/-home-ada-x/y.jsonl' };
    const hidden = JSON.parse(linesOf({ ...of, origin, sessionId: origin.source })[0] as string).id;
    expect(hidden).toMatch(/^[\da-f]{32}$/);
  });

  it('has arguments that are objects as text, and calls of old logs as calls', () => {
    const old = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    const [, first, second] = linesOf(
      conversation([{ role: 'assistant', content: '', tool_calls: [call(undefined, { n: 1 })] }, old]),
    );
    expect(first).toContain('"toolCalls":[{"function":{"name":"f","arguments":"{\\"n\\":1}"}}]');
    expect(second).toContain('"toolCalls":[{"function":{"name":"f","arguments":"{}"}}]');
  });

  it('joins several parts into one text', () => {
    const content = [{ type: 'text', text: 'b' }, 'c', { type: 'image_url', image_url: { url: 'u' } }];
    const { bytes, findings } = sts.encode(conversation([{ role: 'user', content }]));
    expect(JSON.parse(text(bytes).split('\n')[1] as string).message.content).toBe('b\nc');
    expect(findings.map(({ rule }) => rule)).toEqual(['non-text-part', 'parts-joined']);
  });
});

describe('content that a trace cannot hold', () => {
  const calling = (toolCall: unknown) => ({ role: 'assistant', content: '', tool_calls: [toolCall] });

  it.each([
    ['arguments-not-json', [calling(call('x', 'no'))], false],
    ['content-not-text', [{ role: 'user', content: 7 }], true],
    ['empty-arguments', [calling(call('x', null))], false],
    ['malformed-call', [calling({ id: 'x', function: {} })], true],
    ['members-dropped', [{ ...user, name: 'ada' }], false],
    ['no-messages', [], true],
    ['non-text-part', [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }], false],
    ['unknown-role', [{ role: 'critic', content: 'a' }], true],
  ])('is reported as %s', (rule, messages, rejects) => {
    expect(rulesOf(messages)).toEqual([[rule, rejects]]);
  });

  it('includes tool definitions', () => {
    const { findings } = sts.encode(conversation([user], [{ name: 'f' }]));
    expect(findings.map(({ rule }) => rule)).toEqual(['definition-left-out']);
  });
});
