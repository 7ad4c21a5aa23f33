/**
 * Every reason for a rejection, every cleanup rule, every rewrite and every finding, seen from outside: the built command on real
 * files, one session each. The tables at the end of each group prove that none of the closed lists was forgotten.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checks } from '../../transforms/checks/index.ts';
import { formats } from '../../transforms/formats/index.ts';
import { type LINE_REASONS, SESSION_REASONS } from '../../transforms/model/rejection.ts';
import { rules } from '../../transforms/rules/index.ts';
import {
  type Built,
  buildLogs,
  type EntryParts,
  entryLine as entry,
  readDataset,
  type Sums,
  TOOL as tool,
  USER as user,
} from '../support/build-logs.ts';
import { COMMAND, turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';

const build = (
  files: Readonly<Record<string, string | Buffer>>,
  args: readonly string[] = [],
): Promise<Built> => buildLogs({ files }, args);

/** Builds from a folder that is there. */
async function buildFrom(logs: string, out: string): Promise<Built> {
  const ended = await turnmill(['build', logs, '--out', out, '--group-by', 'none', '--workers', '1']);
  return { ...ended, ...readDataset(out) };
}

const call = (id: string, args: unknown = '{}', name = 'f'): object => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const calls = (...tool_calls: unknown[]): object => ({ role: 'assistant', content: null, tool_calls });
const result = (id: string, content: string): object => ({ role: 'tool', tool_call_id: id, content });
const withMessages = (...messages: unknown[]): string => entry({ messages });

interface Inexpressible {
  readonly rule: string;
  readonly format: string;
  readonly log: string;
  /** Does the rule reject by itself? */
  readonly rejects?: true;
  /** Options of the format. */
  readonly args?: readonly string[];
}

/** Content that a format cannot say as it is. */
const inFormats: readonly Inexpressible[] = [
  {
    rule: 'arguments-not-json',
    format: 'openai',
    log: withMessages(user, calls(call('a', '{')), result('a', '1')),
  },
  {
    rule: 'arguments-not-object',
    format: 'trl',
    log: withMessages(user, calls(call('a', '[]')), result('a', '1')),
    rejects: true,
  },
  {
    rule: 'empty-arguments',
    format: 'axolotl',
    log: withMessages(user, calls(call('a', '')), result('a', '1')),
  },
  { rule: 'tool-not-function', format: 'openai', log: entry({ tools: [{ type: 'web_search' }] }) },
  {
    rule: 'malformed-call',
    format: 'sharegpt',
    log: withMessages(user, calls(call('a'), {}), result('a', '1')),
    rejects: true,
  },
  { rule: 'members-dropped', format: 'sharegpt', log: withMessages({ ...user, name: 'x' }) },
  { rule: 'messages-merged', format: 'sharegpt', log: withMessages(user, user) },
  {
    rule: 'not-alternating',
    format: 'sharegpt',
    log: withMessages({ role: 'assistant', content: 'first' }, user),
    rejects: true,
  },
  {
    rule: 'control-token-in-content',
    format: 'sharegpt',
    log: withMessages(user, calls(call('a', '{"a":"<tool_call>"}')), result('a', '1')),
    rejects: true,
  },
  {
    rule: 'reasoning-inlined',
    format: 'sharegpt',
    log: entry({ reply: { role: 'assistant', reasoning_content: 'hm' } }),
  },
  {
    rule: 'results-reordered',
    format: 'sharegpt',
    log: withMessages(user, calls(call('a'), call('b', '{"b":1}')), result('b', '1'), result('a', '1')),
  },
  {
    rule: 'unanswered-end',
    format: 'sharegpt',
    log: entry({ messages: [user, { role: 'assistant', content: 'a' }, user], reply: null }),
  },
  { rule: 'calls-inlined', format: 'samples', log: withMessages(user, calls(call('a'))) },
  {
    rule: 'content-not-text',
    format: 'samples',
    log: withMessages({ role: 'user', content: '' }),
    rejects: true,
  },
  { rule: 'no-messages', format: 'samples', log: entry({ messages: [], reply: null }), rejects: true },
  {
    rule: 'not-toml',
    format: 'samples',
    log: withMessages({ ...user, weight: { of: null } }),
    rejects: true,
    args: ['--as', 'toml'],
  },
  {
    rule: 'parts-joined',
    format: 'samples',
    log: withMessages({ role: 'user', content: [{ type: 'text', text: 'x' }] }),
  },
];

/** Rules whose findings a golden log shows: they are compared in test/contracts/goldens.test.ts. */
function inGoldens(): readonly string[] {
  const folder = join(import.meta.dirname, '../goldens');
  const rulesOf = (name: string): readonly string[] =>
    Object.keys(JSON.parse(readFileSync(join(folder, name, 'expected.json'), 'utf8')).findings);
  return readdirSync(folder).flatMap(rulesOf);
}

const good = entry();
const later = entry({ at: 30 });

describe('lines that are rejected: the others go on', () => {
  /** Those of other dialects and framings are in dialects.test.ts. */
  type OfOthers = 'unknown-part' | 'bad-sample' | 'bad-event' | 'bad-stream' | 'invalid-toml';
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

describe('sessions that are rejected: the others go on', () => {
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
    rejectsLog('timestamp-not-increasing', `${good}\n${later}\n${later}`, {
      'rejected:timestamp-not-increasing': 3,
    }));

  it('session-reopened rejects the session as a whole', () => {
    const log = `${good}\n${entry({ at: 2, id: 't' })}\n${later}`;
    const fates = { snapshot: 2, 'rejected:session-reopened': 2 };
    return rejectsLog('session-reopened', log, fates, ['--session-by', 'id']);
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
    const asked = rejects === true ? [] : ['--on-finding', `${rule}=reject`];
    return rejectsLog(rule, log, { [`rejected:${rule}`]: 1 }, ['--format', format, ...args, ...asked]);
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
    'nested-arrays': { reply: called('{"a":[[]]}') },
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
    const said = { role: 'user', content: 'x'.repeat(3000) };
    const event = JSON.stringify({
      type: 'user',
      uuid: 'a',
      parentUuid: null,
      sessionId: 's',
      message: said,
    });
    const log = `${event}\n${event.replace('"uuid":"a"', '"uuid":"b"')}`;
    const fates = { 'rejected:conversation-too-long': 2 };
    return rejectsLog('conversation-too-long', log, fates, ['--max-conversation', '2000']);
  });

  it('context-missing', () => {
    const asked = { input: 'x', previous_response_id: 'resp_0' };
    const log = JSON.stringify({ request: asked, response: { object: 'response', output: [] } });
    return rejectsLog('context-missing', log, { 'rejected:context-missing': 1 }, []);
  });

  it('no reason was forgotten', () => {
    expect([...seen].sort()).toEqual(Object.keys(SESSION_REASONS).sort());
  });
});

describe('sources that are rejected or skipped: the others are read', () => {
  const folderWith = (make: (logs: string) => void): { logs: string; out: string } => {
    const folder = temporaryFolder();
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    writeFileSync(join(logs, 'good.jsonl'), good);
    make(logs);
    return { logs, out: join(folder, 'out') };
  };

  it('corrupt-gzip: nothing of it counts', async () => {
    const { logs, out } = folderWith((logs) => {
      const path = join(logs, 'cut.jsonl.gz');
      const bytes = gzipSync(`${entry({ id: 'c' })}\n`.repeat(1));
      writeFileSync(path, bytes);
      truncateSync(path, bytes.length - 3);
    });
    const { status, sums, quarantine } = await buildFrom(logs, out);
    expect(status).toBe(3);
    expect(sums.sources).toEqual({ read: 1, rejected: 1 });
    expect(sums.fates.snapshot).toBe(1);
    expect(quarantine).toMatchObject([{ reason: 'corrupt-gzip' }]);
  });

  const zstdFrame = Buffer.from('28b52ffd0458110000780ac3051fc7', 'hex'); // "x\n" with its checksum
  it.each([
    ['corrupt-zstd', 'cut.jsonl.zst', zstdFrame.subarray(0, -1)],
    ['trailing-data', 'more.jsonl.gz', Buffer.concat([gzipSync(good), Buffer.from('more')])],
  ])('%s: nothing of it counts', async (reason, name, bytes) => {
    const { logs, out } = folderWith((logs) => writeFileSync(join(logs, name), bytes));
    const { status, sums, quarantine } = await buildFrom(logs, out);
    expect([status, sums.fates, sums.sources]).toEqual([3, { snapshot: 1 }, { read: 1, rejected: 1 }]);
    expect(quarantine).toMatchObject([{ reason }]);
  });

  it('unsupported-compression', async () => {
    const { logs, out } = folderWith((logs) =>
      writeFileSync(join(logs, 'z.jsonl'), Buffer.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00])),
    );
    const { status, quarantine } = await buildFrom(logs, out);
    expect([status, quarantine]).toMatchObject([3, [{ reason: 'unsupported-compression' }]]);
  });

  it('not-regular: a FIFO does not stop the run', async () => {
    const { logs, out } = folderWith((logs) => execFileSync('mkfifo', [join(logs, 'pipe.jsonl')]));
    const { status, sums } = await buildFrom(logs, out);
    expect(status).toBe(3);
    expect(sums.skipped).toMatchObject({ 'not-regular': 1 });
  });

  /**
   * Runs as a user to whom file modes apply: the system's user without rights, if root can become that user and it may
   * read the command.
   */
  const nobody = ['setpriv', '--reuid=65534', '--clear-groups'] as const;
  const canBeNobody =
    process.getuid?.() === 0 &&
    spawnSync(nobody[0], [...nobody.slice(1), 'test', '-r', COMMAND]).status === 0;

  it.skipIf(!canBeNobody)('unreadable: a file that may not be read does not stop the run', () => {
    const { logs, out } = folderWith((logs) => writeFileSync(join(logs, 'secret.jsonl'), good, { mode: 0 }));
    chmodSync(dirname(logs), 0o777);
    const args = [process.execPath, COMMAND, 'build', logs, '--out', out];
    const { status } = spawnSync(nobody[0], [...nobody.slice(1), ...args]);
    const sums = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')) as Sums;
    expect([status, sums.sources]).toEqual([3, { read: 1, rejected: 1 }]);
    expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).toContain('"unreadable"');
  });

  it('duplicate-inode: a file that is linked twice is read once', async () => {
    const { logs, out } = folderWith((logs) => linkSync(join(logs, 'good.jsonl'), join(logs, 'again.jsonl')));
    const { status, sums } = await buildFrom(logs, out);
    expect([status, sums.skipped, sums.fates]).toMatchObject([0, { 'duplicate-inode': 1 }, { snapshot: 1 }]);
  });

  it('a symbolic link is skipped and counted', async () => {
    const { logs, out } = folderWith((logs) => symlinkSync('good.jsonl', join(logs, 'link.jsonl')));
    const { status, sums } = await buildFrom(logs, out);
    expect([status, sums.skipped]).toMatchObject([0, { symlink: 1 }]);
  });
});

describe('cleanup rules and rewrites', () => {
  const titleSystem = { role: 'system', content: 'Reply with only a description in four words or less.' };
  const titleUser = { role: 'user', content: 'Here are the first few user messages: hello' };
  const title = entry({
    messages: [titleSystem, titleUser],
    reply: { role: 'assistant', content: 'A greeting' },
  });
  const messages = [
    { role: 'system', content: 'You are a general-purpose AI agent called goose, at 8:01' },
    user,
    { role: 'assistant', content: ' \n' },
    { role: 'assistant', content: 'yes' },
    { role: 'user', content: '<info-msg>8:01</info-msg>' },
  ];
  const cases: Readonly<Record<string, readonly [string, object]>> = {
    'goose-info': [entry({ messages }), { 'goose-info': 1 }],
    'goose-bootstrap': [entry({ messages }), { 'goose-bootstrap': 1 }],
    'empty-assistant': [entry({ messages }), { 'empty-assistant': 1 }],
    'developer-role': [entry({ messages: [{ role: 'developer', content: 'x' }] }), { 'developer-role': 1 }],
    'null-fields': [entry({ messages: [{ role: 'user', content: 'x', name: null }] }), { 'null-fields': 1 }],
  };

  it.each(Object.entries(cases))('%s is counted', async (_rule, [line, rewrites]) => {
    const { status, sums } = await build({ 's.jsonl': line });
    expect([status, sums.rewrites]).toMatchObject([0, rewrites]);
  });

  it('goose-title drops the entry', async () => {
    const { status, sums } = await build({ 's.jsonl': `${title}\n${later}` });
    expect([status, sums.fates]).toEqual([0, { 'dropped:goose-title': 1, snapshot: 1 }]);
  });

  it('--no-cleanup leaves everything as it was logged', async () => {
    const { records, sums } = await build({ 's.jsonl': entry({ messages }) }, ['--no-cleanup']);
    expect(sums.rewrites).toEqual({});
    expect(records[0]).toContain(messages.map((message) => JSON.stringify(message)).join(','));
  });

  it('no rule was forgotten', () => {
    expect(Object.keys(cases)).toEqual(
      expect.arrayContaining(rules.map(({ name }) => name).filter((name) => name !== 'goose-title')),
    );
  });
});

describe('findings', () => {
  const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
  const answer = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
  /** A chat of an old agent. */
  const chat = (content: string): string =>
    JSON.stringify({ meta: {}, settings: {}, messages: [user, { role: 'assistant', content }] });
  /** A pair of the Messages API. */
  const pair = (content: object[], asked: unknown = 'hello', stop_reason = 'end_turn'): string => {
    const called = asked === 'hello' ? [] : [user, { role: 'assistant', content: [use] }];
    const request = {
      messages: [...called, { role: 'user', content: asked }],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
    };
    return JSON.stringify({ request, response: { content, stop_reason } });
  };
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
    'tool-calls-not-a-list': [withMessages(user, { role: 'assistant', content: 'x', tool_calls: {} })],
    'tool-call-not-object': [withMessages(user, calls('f'))],
    'tool-call-no-function': [withMessages(user, calls({ id: 'a' }))],
    'tool-call-no-name': [withMessages(user, calls({ id: 'a', function: {} }))],
    'legacy-function-call': [
      withMessages(user, { role: 'assistant', content: '', function_call: { name: 'f', arguments: '{}' } }),
    ],
    'repeated-tool-call': [
      withMessages(calls(call('a')), result('a', '1'), calls(call('b')), result('b', '1')),
    ],
    'block-kept': [pair([{ type: 'redacted_thinking', data: 'x' }])],
    'calls-left-out': [chat('<tool_call>{"name":"f"}</tool_call><tool_call>{"name":"g"}</tool_call>')],
    'protocol-debris': [chat('Use <TOOL_CALL> to call.')],
    'reasoning-not-inlined': [
      entry({ reply: { role: 'assistant', reasoning_content: 'a </think> b' } }),
      ['--reasoning', 'inline'],
    ],
    'order-lost': [pair([use, { type: 'text', text: 'after' }])],
    'result-is-error': [pair([{ type: 'text', text: 'x' }], [{ ...answer, is_error: true }])],
    'truncated-call': [pair([use], undefined, 'max_tokens')],
    'tool-result-error': [withMessages(calls(call('a')), result('a', '{"deep":[{"Error":"no"}]}'))],
    'tool-result-empty': [withMessages(calls(call('a')), result('a', ' '))],
    'tool-result-missing': [withMessages(calls(call('a')), user)],
    'tool-result-orphan': [withMessages(user, result('z', 'x'))],
    'unbalanced-tool-call-tags': [
      withMessages({ role: 'assistant', content: 'a <tool_call> b' }, user),
      inline,
    ],
    'tool-calls-left': [withMessages({ role: 'assistant', content: 'x', tool_calls: { a: 1 } }), inline],
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
  /** Those always reject: each is among the sessions above. */
  const rejecting: readonly (keyof typeof SESSION_REASONS)[] = [
    ...(['key-not-bare', 'number-out-of-range', 'call-unreadable', 'arguments-not-object'] as const),
    ...(['result-without-call', 'result-order-lost', 'unknown-role'] as const),
    ...(['no-final-call', 'several-final-calls', 'no-user-turn'] as const),
    ...(['nested-arguments', 'nested-arrays', 'comment-end-in-reasoning'] as const),
  ];
  /** A log of this dialect cannot hold it: such an entry is rejected as `bad-tools`. */
  const unreachable = ['tool-not-object'];

  it.each(Object.entries(cases))('%s', async (rule, [log, args]) => {
    const { sums, status } = await build({ 's.jsonl': log, 'ok.jsonl': entry({ id: 'ok' }) }, args ?? []);
    expect(sums.findings[rule], JSON.stringify(sums.findings)).toBe(1);
    expect(status).toBe(rule === 'no-record' || rule === 'damaged-tail' ? 3 : 0);
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
    expect([status, sums.findings]).toEqual([0, { 'messages-left-out': 1, 'protocol-open': 2 }]);
  });

  it('a clean session has none, and --no-integrity writes none', async () => {
    expect((await build({ 's.jsonl': good })).sums.findings).toEqual({});
    expect((await build({ 's.jsonl': entry({ tools: [] }) }, ['--no-integrity'])).sums.findings).toEqual({});
  });

  it('no rule was forgotten', () => {
    const known = new Set([...checks, ...formats].flatMap((plugIn) => plugIn.rules));
    const seen = new Set([
      ...[...Object.keys(cases), 'messages-left-out', ...rejecting, ...unreachable],
      ...inFormats.map(({ rule }) => rule),
      ...inGoldens(),
    ]);
    expect([...seen].sort()).toEqual([...known].sort());
  });
});
