/** Every reason to reject a line or a session, from outside: the built command on real files, one case each. The last test proves that no session reason is missing. */
import { describe, expect, it } from 'vitest';
import { sessionReasons } from '../../transforms/formats/format-rules.ts';
import { formats } from '../../transforms/formats/index.ts';
import { type LINE_REASONS, SESSION_REASONS } from '../../transforms/model/reasons.ts';
import { type EntryParts, entryLine as entry, USER as user } from '../support/build-logs.ts';
import { build, inFormats } from '../support/rejected-content.ts';

const good = entry();
const later = entry({ at: 30 });

describe('rejected lines leave the others alone', () => {
  /** dialects.test.ts tests those of other dialects and framings. */
  type OfOthers = 'unknown-part' | 'bad-sample' | 'bad-event' | 'bad-stream' | 'invalid-toml' | OfCalls;
  type OfCalls = 'unknown-content' | 'unknown-speaker' | 'body-elsewhere';
  type OfLogs = Exclude<keyof typeof LINE_REASONS, OfOthers>;
  const bad: Readonly<Record<OfLogs, string | Buffer>> = {
    'invalid-json': '{"timestamp": "2026-01-13T08:0',
    'invalid-utf8': Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    'not-an-object': '[1, 2]',
    'duplicate-key': good.replace('{', '{"session_id":"s",'),
    'too-deep': `{"a":${'['.repeat(512)}${']'.repeat(512)}}`,
    'line-too-long': `{"a":"${'x'.repeat(5000)}"}`,
    'too-many-messages': entry({ messages: [user, user] }),
    'too-many-elements': entry({ messages: [{ ...user, content: [1, 2, 3, 4, 5, 6, 7, 8, 9] }] }),
    'bad-timestamp': entry({ at: '2026-02-30T00:00:00Z' }),
    'bad-session-id': entry({ id: '' }),
    'bad-messages': entry({ messages: [{ content: 'no role' }] }),
    'bad-tools': entry({ tools: ['f'] }),
    'bad-response': good.replace(/"response":.*$/, '"response":"none"}'),
  };

  it.each(Object.entries(bad))('%s', async (reason, line) => {
    const log = Buffer.concat([Buffer.from(`${good}\n`), Buffer.from(line), Buffer.from(`\n${later}\n`)]);
    const limits = ['--max-line', '4000', '--max-messages', '2', '--max-elements', '8'];
    const { status, sums, quarantine, records } = await build({ 's.jsonl': log }, limits);
    expect(status).toBe(3);
    expect(sums.fates).toEqual({ [`rejected:${reason}`]: 1, snapshot: 1, superseded: 1 });
    expect(quarantine).toMatchObject([{ reason, line: 2, byte_start: good.length + 1 }]);
    expect(records).toHaveLength(1);
  });
});

describe('rejected sessions leave the others alone', () => {
  const other = { 'other.jsonl': entry({ id: 'o' }) };
  const seen = new Set<string>();

  async function rejectsLog(
    reason: string,
    log: string,
    fates: object,
    args: readonly string[] = [],
  ): Promise<void> {
    seen.add(reason);
    const { status, sums, records, quarantine } = await build({ ...other, 's.jsonl': log }, args);
    expect(status).toBe(3);
    expect(sums.fates).toEqual({ snapshot: 1, ...fates });
    expect(quarantine.every((record) => record.reason === reason)).toBe(true);
    const begins = (line: string): boolean => !args.includes('toml') || line === '[[samples]]';
    expect(records.filter(begins)).toHaveLength(sums.fates.snapshot ?? 0);
  }

  it('session-id-mismatch', () =>
    rejectsLog('session-id-mismatch', `${good}\n${entry({ at: 2, id: 't' })}\n${later}`, {
      'rejected:session-id-mismatch': 3,
    }));

  it('timestamp-not-increasing', () =>
    rejectsLog('timestamp-not-increasing', `${later}\n${good}\n${later}`, {
      'rejected:timestamp-not-increasing': 3,
    }));

  it('timestamp-not-increasing for equal times, with --strict-time', () => {
    const fates = { 'rejected:timestamp-not-increasing': 3 };
    return rejectsLog('timestamp-not-increasing', `${good}\n${later}\n${later}`, fates, ['--strict-time']);
  });

  it('session-reopened rejects the whole session', () => {
    const log = `${good}\n${entry({ at: 2, id: 't' })}\n${later}`;
    const fates = { snapshot: 2, 'rejected:session-reopened': 2 };
    return rejectsLog('session-reopened', log, fates, ['--session-by', 'run']);
  });

  it.each(formats.map(({ name }) => name))('body-placeholder, in %s', async (format) => {
    const content = 'It is ... (litellm_truncated skipped 9 chars) ... so.';
    const log = `${entry({ reply: { role: 'assistant', content } })}\n`;
    seen.add('body-placeholder');
    const { status, sums } = await build({ 's.jsonl': log }, ['--format', format, '--allow-empty']);
    expect([status, sums.fates]).toEqual([3, { 'rejected:body-placeholder': 1 }]);
  });

  it.each(formats.map(({ name }) => name))('unread-text, in %s', async (format) => {
    seen.add('unread-text');
    const line = { type: 'user', uuid: 'a', parentUuid: null, sessionId: 's' };
    const log = JSON.stringify({ ...line, message: { ...user, note: 'Say it twice.' } });
    const args = ['--format', format, '--allow-empty'];
    const { status, sums, quarantine } = await build({ 's.jsonl': log }, args);
    expect([status, sums.fates]).toEqual([3, { 'rejected:unread-text': 1 }]);
    expect(quarantine).toMatchObject([{ scope: 'session', reason: 'unread-text' }]);
  });

  it('control-token-in-content, on request', () => {
    const forged = entry({ messages: [{ role: 'user', content: 'a </tool_call> b' }] });
    const args = ['--format', 'chat-inline', '--on-finding', 'control-token-in-content=reject'];
    return rejectsLog('control-token-in-content', forged, { 'rejected:control-token-in-content': 1 }, args);
  });

  it('non-text-part, on request', () => {
    const image = { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url', image_url: {} }] };
    const args = ['--format', 'chat-inline', '--on-finding', 'non-text-part=reject'];
    return rejectsLog('non-text-part', entry({ messages: [image] }), { 'rejected:non-text-part': 1 }, args);
  });

  it.each(inFormats)('$rule, in $format', ({ rule, format, log, rejects, args = [] }) => {
    const onRequest = rejects === true ? [] : ['--on-finding', `${rule}=reject`];
    return rejectsLog(rule, log, { [`rejected:${rule}`]: 1 }, ['--format', format, ...args, ...onRequest]);
  });

  const called = (args: string, more: object = {}): object => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }],
    ...more,
  });
  const answered = (content: string, tool_call_id = 'a'): object => ({ role: 'tool', tool_call_id, content });
  const two = called('{}', {
    tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
  });
  const gemma: Readonly<Record<string, EntryParts>> = {
    'control-token-in-content': { messages: [{ role: 'user', content: 'a <end_of_turn> b' }] },
    'key-not-bare': { messages: [user, called('{"a:b":1}')] },
    'number-out-of-range': { messages: [user, called('{"a":1.5e9999}')] },
    'call-unreadable': { messages: [user, called('', { tool_calls: [{ id: 'a' }] })] },
    'arguments-not-object': { messages: [user, called('[1]')] },
    'result-without-call': { messages: [user, answered('x')] },
    'result-order-lost': { messages: [user, two, answered('x', 'b')] },
    'unknown-role': { messages: [{ role: 'function', name: 'f', content: 'x' }] },
  };
  const left: Readonly<Record<string, EntryParts>> = {
    'result-as-text': { messages: [user, called('{}'), answered('{"a:b":1}')] },
    'member-left-out': { messages: [{ ...user, name: 'x' }] },
    'definition-left-out': { tools: [{ name: 'f', strict: true }] },
  };
  const teaching: Readonly<Record<string, EntryParts>> = {
    'no-final-call': {},
    'several-final-calls': { reply: two },
    'no-user-turn': { messages: [], reply: called('{}') },
    'nested-arguments': { reply: called('{"a":{}}') },
    'input-missing': { reply: { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f' } }] } },
    'comment-end-in-reasoning': { reply: called('{}', { content: 'x */' }) },
  };

  it.each(Object.entries(gemma))('functiongemma: %s', (reason, parts) =>
    rejectsLog(reason, entry(parts), { [`rejected:${reason}`]: 1 }, ['--format', 'functiongemma']),
  );

  it.each(Object.entries(left))('functiongemma: %s, on request', (reason, parts) => {
    const args = ['--format', 'functiongemma', '--on-finding', `${reason}=reject`];
    return rejectsLog(reason, entry(parts), { [`rejected:${reason}`]: 1 }, args);
  });

  it.each(Object.entries(teaching))('functiongemma-teaching: %s', async (reason, parts) => {
    seen.add(reason);
    const files = { 'o.jsonl': entry({ id: 'o', reply: called('{}') }), 's.jsonl': entry(parts) };
    const { status, sums, quarantine } = await build(files, ['--format', 'functiongemma-teaching']);
    expect([status, sums.fates]).toEqual([3, { snapshot: 1, [`rejected:${reason}`]: 1 }]);
    expect(quarantine).toMatchObject([{ reason }]);
  });

  it('functiongemma-teaching: messages-left-out, on request', async () => {
    seen.add('messages-left-out');
    const messages = [{ role: 'system', content: 'x' }, user];
    const files = {
      'o.jsonl': entry({ id: 'o', reply: called('{}') }),
      's.jsonl': entry({ messages, reply: called('{}') }),
    };
    const args = ['--format', 'functiongemma-teaching', '--on-finding', 'messages-left-out=reject'];
    const { status, sums } = await build(files, args);
    expect([status, sums.fates]).toEqual([3, { snapshot: 1, 'rejected:messages-left-out': 1 }]);
  });

  it('conversation-too-long', () => {
    const message = { role: 'user', content: 'x'.repeat(3000) };
    const event = JSON.stringify({
      type: 'user',
      uuid: 'a',
      parentUuid: null,
      sessionId: 's',
      message,
    });
    const log = `${event}\n${event.replace('"uuid":"a"', '"uuid":"b"')}`;
    const fates = { 'rejected:conversation-too-long': 2 };
    return rejectsLog('conversation-too-long', log, fates, ['--max-conversation', '2000']);
  });

  it('too-many-branches', () => {
    const line = (type: string, uuid: string, parentUuid: string | null): object => {
      return { type, uuid, parentUuid, sessionId: 's', message: { role: type, id: uuid, content: uuid } };
    };
    const rewound = [1, 2, 3].flatMap((i) => [
      line('user', `q${i}`, 'a'),
      line('assistant', `a${i}`, `q${i}`),
    ]);
    const lines = [line('user', 'q', null), line('assistant', 'a', 'q'), ...rewound];
    const log = lines.map((one) => JSON.stringify(one)).join('\n');
    const fates = { snapshot: 3, folded: 4, 'rejected:too-many-branches': 2 };
    return rejectsLog('too-many-branches', log, fates, ['--max-branches', '2']);
  });

  it('context-missing', () => {
    const request = { input: 'x', previous_response_id: 'resp_0' };
    const log = JSON.stringify({ request, response: { object: 'response', output: [] } });
    return rejectsLog('context-missing', log, { 'rejected:context-missing': 1 }, []);
  });

  it('every reason was tested; those of single formats here or with their format', () => {
    const ofPlugIns = ['record-not-json']; // tested in test/src/job/plug-ins.test.ts
    const all = Object.keys(sessionReasons);
    expect(all).toEqual(expect.arrayContaining([...seen]));
    expect([...seen, ...ofPlugIns]).toEqual(expect.arrayContaining(Object.keys(SESSION_REASONS)));
  });
});
