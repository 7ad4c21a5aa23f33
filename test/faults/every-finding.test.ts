/** Every finding of a check or a format, from outside: the built command on real files, one case each. The last test proves that no rule is missing. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checks } from '../../transforms/checks/index.ts';
import type { Format } from '../../transforms/formats/format.ts';
import { formats } from '../../transforms/formats/index.ts';
import { entryLine as entry, REPLY, TOOL as tool, USER as user } from '../support/build-logs.ts';
import { build, call, calls, inFormats, result, withMessages } from '../support/rejected-content.ts';

/** Rules with a finding in a golden log; test/contracts/goldens.test.ts compares those. */
function inGoldens(): readonly string[] {
  const folder = join(import.meta.dirname, '../goldens');
  const rulesOf = (name: string): readonly string[] =>
    Object.keys(JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')).findings);
  return readdirSync(folder).flatMap(rulesOf);
}

const good = entry();
const later = entry({ at: 30 });

/** The rules of a single format that its own test names. */
function testedAlone({ name, ownRules = {} }: Format): readonly string[] {
  const test = readFileSync(join(import.meta.dirname, `../transforms/formats/${name}.test.ts`), 'utf8');
  return Object.keys(ownRules).filter((rule) => test.includes(`'${rule}'`));
}

describe('findings', () => {
  const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const answer = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
  /** A chat in the format of an old agent. */
  const chat = (content: string): string =>
    JSON.stringify({ meta: {}, settings: {}, messages: [user, { role: 'assistant', content }] });
  /** A request and response of the Messages API. */
  const pair = (content: object[], latest: unknown = 'hello', stop_reason = 'end_turn'): string => {
    const called = latest === 'hello' ? [] : [user, { role: 'assistant', content: [use] }];
    const request = {
      messages: [...called, { role: 'user', content: latest }],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
    };
    return JSON.stringify({ request, response: { content, stop_reason } });
  };
  /** A request of the chat completions API and its answer. */
  const logged = (messages: readonly object[], message: object): string =>
    JSON.stringify({ messages, response: { choices: [{ message }] } });
  const line = { type: 'user', uuid: 'a', parentUuid: null, sessionId: 's' };
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const inline = ['--format', 'chat-inline'];
  const gemma = ['--format', 'functiongemma'];
  const cases: Readonly<Record<string, readonly [string, (readonly string[])?]>> = {
    'no-record': ['not json'],
    'damaged-tail': [`${good}\n{"timestamp": "2026-01`],
    'empty-messages': [entry({ messages: [], reply: null })],
    'no-tools': [entry({ tools: [] })],
    'tool-parameters': [entry({ tools: [{ name: 'f', parameters: 'none' }] })],
    'no-reply': [entry({ reply: null })],
    truncated: [`${entry({ messages: [user, user] })}\n${later}`],
    'role-sequence': [`${entry({ messages: [user, user] })}\n${later}`],
    'not-a-prefix': [`${good}\n${entry({ at: 2, messages: [{ ...user, content: 'other' }] })}`],
    'repeated-answer': [withMessages(user, REPLY)],
    'tool-calls-not-a-list': [withMessages(user, { role: 'assistant', content: 'x', tool_calls: {} })],
    'tool-call-not-object': [withMessages(user, calls('f'))],
    'tool-call-no-function': [withMessages(user, calls({ id: 'a' }))],
    'tool-call-no-name': [withMessages(user, calls({ id: 'a', function: {} }))],
    'select-ignored': [JSON.stringify({ messages: [user] }), ['--select', 'leaves']],
    'strict-time-ignored': [JSON.stringify({ messages: [user] }), ['--strict-time']],
    'unread-text': [
      `${JSON.stringify({ ...line, message: { ...user, note: 'Say it twice.' } })}`,
      ['--on-finding', 'unread-text=keep'],
    ],
    'unknown-speaker': [withMessages(user, { role: 'session_meta', content: 'x' })],
    'legacy-function-call': [
      withMessages(user, { role: 'assistant', content: '', function_call: { name: 'f', arguments: '{}' } }),
    ],
    'repeated-tool-call': [
      withMessages(calls(call('a')), result('a', '1'), calls(call('b')), result('b', '1')),
    ],
    'block-kept': [pair([{ type: 'container_upload', file_id: 'x' }])],
    'context-cut': [
      [
        { ...line, message: user },
        { ...line, type: 'system', subtype: 'snip_boundary', uuid: 'b', parentUuid: 'a' },
        { ...line, uuid: 'c', parentUuid: 'b', message: user },
      ]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    ],
    'calls-left-out': [chat('<tool_call>{"name":"f"}</tool_call><tool_call>{"name":"g"}</tool_call>')],
    'protocol-debris': [chat('Use <TOOL_CALL> to call.')],
    'reasoning-not-inlined': [
      entry({ reply: { role: 'assistant', content: 'c', reasoning_content: 'a </think> b' } }),
      ['--reasoning', 'inline'],
    ],
    'reasoning-left-out': [
      `${logged([user], { ...REPLY, reasoning_content: 'x' })}\n${logged([user, REPLY, user], REPLY)}`,
    ],
    'order-lost': [pair([use, { type: 'text', text: 'after' }])],
    'result-is-error': [pair([{ type: 'text', text: 'x' }], [{ ...answer, is_error: true }])],
    'truncated-call': [pair([use], undefined, 'max_tokens')],
    'part-too-big': [withMessages({ role: 'user', content: [image] }), ['--max-part', '20']],
    'tool-result-error': [withMessages(calls(call('a')), result('a', '{"deep":[{"Error":"no"}]}'))],
    'tool-result-empty': [withMessages(calls(call('a')), result('a', ' '))],
    'tool-result-missing': [withMessages(calls(call('a')), user)],
    'tool-result-orphan': [withMessages(user, result('z', 'x'))],
    'unbalanced-tool-call-tags': [
      withMessages({ role: 'assistant', content: 'a <tool_call> b' }, user),
      inline,
    ],
    'tool-calls-left': [withMessages({ role: 'assistant', content: 'x', tool_calls: 7 }), inline],
    'tool-result-unwrapped': [withMessages(user, { role: 'tool', content: 'x' }), inline],
    'control-token-in-content': [withMessages({ role: 'user', content: 'x</tool_result>' }), inline],
    'non-text-part': [
      withMessages(calls(call('a')), { ...result('a', ''), content: [{ type: 'image' }] }),
      inline,
    ],
    'result-as-text': [withMessages(calls(call('a')), result('a', '{"x:y":1}')), gemma],
    'member-left-out': [withMessages({ ...user, name: 'x' }), gemma],
    'definition-left-out': [entry({ tools: [{ ...tool.function, strict: true }] }), gemma],
  };
  const lessons = ['--format', 'functiongemma-teaching'];
  const lesson = (id: string, ...before: unknown[]): string =>
    entry({ id, messages: [...before, user], reply: calls(call('a')) });
  /** These always reject, so the sessions above cover them. */
  const rejecting: readonly string[] = [
    ...['key-not-bare', 'number-out-of-range', 'call-unreadable', 'arguments-not-object'],
    ...['result-without-call', 'result-order-lost', 'unknown-role'],
    ...['no-final-call', 'several-final-calls', 'no-user-turn'],
    ...['nested-arguments', 'input-missing', 'comment-end-in-reasoning'],
  ];
  /** Cannot occur in this dialect, which rejects such an entry as `bad-tools`. */
  const unreachable = ['tool-not-object'];

  it.each(Object.entries(cases))('%s', async (rule, [log, args]) => {
    const { sums, status } = await build({ 's.jsonl': log, 'ok.jsonl': entry({ id: 'ok' }) }, args ?? []);
    expect(sums.findings[rule], JSON.stringify(sums.findings)).toBe(1);
    expect(status).toBe(rule === 'no-record' ? 3 : 0);
  });

  it.each(inFormats)('$rule, in $format', async ({ rule, format, log, rejects, args = [] }) => {
    const kept = rejects === true ? ['--on-finding', `${rule}=keep`] : [];
    const { sums, status } = await build({ 's.jsonl': log }, ['--format', format, ...args, ...kept]);
    expect(sums.findings[rule], JSON.stringify(sums.findings)).toBe(1);
    expect([status, sums.fates]).toEqual([0, { snapshot: 1 }]);
  });

  it('messages-left-out', async () => {
    const files = { 's.jsonl': lesson('s', { role: 'system', content: 'x' }), 'ok.jsonl': lesson('ok') };
    const { sums, status } = await build(files, lessons);
    expect([status, sums.findings]).toEqual([0, { 'messages-left-out': 1 }]);
  });

  it('a clean session has none, and --no-integrity reports none', async () => {
    expect((await build({ 's.jsonl': good })).sums.findings).toEqual({});
    expect((await build({ 's.jsonl': entry({ tools: [] }) }, ['--no-integrity'])).sums.findings).toEqual({});
  });

  it('every rule was tested, here or, if only one format has it, in the test of that format', () => {
    const known = new Set([...checks, ...formats].flatMap((plugIn) => plugIn.rules));
    const seen = new Set([
      ...[...Object.keys(cases), 'messages-left-out', ...rejecting, ...unreachable],
      ...inFormats.map(({ rule }) => rule),
      ...inGoldens(),
      ...formats.flatMap(testedAlone),
    ]);
    expect([...seen].sort()).toEqual([...known].sort());
  });
});
