/**
 * Replies without a role, empty replies and contents that are not text, through the built command: what is counted and reported, and that
 * no format writes an empty record for them.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { messageFormats } from '../../transforms/formats/format-rules.ts';
import { formats } from '../../transforms/formats/index.ts';
import { buildLogs, entryLine, USER } from '../support/build-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

const build = (lines: readonly string[], args: readonly string[] = [], name = 's.jsonl') =>
  buildLogs({ files: { [name]: `${lines.join('\n')}\n` } }, args);
const KEEPING = [...messageFormats];
const rulesOf = (findings: readonly { readonly rule: string }[]) => findings.map(({ rule }) => rule);
const lastMessage = (record: string | undefined): unknown => JSON.parse(record ?? '').messages.at(-1);

describe('a reply without a role', () => {
  it.each(KEEPING)('becomes an assistant message in %s, and is counted', async (format) => {
    const { sums, records, status } = await build(
      [entryLine({ reply: { content: 'hi' } })],
      ['--format', format],
    );
    expect([status, sums.repairs, sums.findings]).toEqual([0, { 'reply-role': 1 }, {}]);
    expect(records[0]).toContain('{"role":"assistant","content":"hi"}');
  });

  it('is counted for each entry, including those of rejected sessions', async () => {
    const reply = { role: null, content: 'hi' };
    const more = { role: 'assistant', content: 'hi' };
    const log = [
      entryLine({ at: 1, reply }),
      entryLine({ at: 2, messages: [USER, more, USER], reply }),
      entryLine({ at: 1, messages: [USER, more, USER], reply }),
    ];
    const whole = await build(log.slice(0, 2));
    expect(whole.sums.repairs).toEqual({ 'reply-role': 2 });
    expect(lastMessage(whole.records[0])).toEqual({ role: 'assistant', content: 'hi' });
    const rejected = await build(log);
    expect([rejected.sums.repairs, rejected.records]).toEqual([{ 'reply-role': 3 }, []]);
  });

  it('is counted beside other objects on its line', async () => {
    const log = entryLine({ at: 1, reply: { content: 'a' } }) + entryLine({ at: 2, reply: { content: 'b' } });
    const { sums, records } = await build([log]);
    expect(sums.repairs).toEqual({ 'reply-role': 2, 'split-objects': 1 });
    expect(lastMessage(records[0])).toEqual({ role: 'assistant', content: 'b' });
  });
});

describe('an empty reply', () => {
  const nothing = [{}, { role: 'assistant', content: ' \n' }, { content: [], tool_calls: [], refusal: null }];

  it.each(nothing)('is reported: %j', async (reply) => {
    const { findings } = await build([entryLine({ reply })]);
    expect(rulesOf(findings)).toEqual(['no-reply', 'protocol-open', 'no-answer']);
  });

  it.each(formats.map(({ name }) => name))('is not a message in %s', async (format) => {
    const without = await build([entryLine({ reply: null })], ['--format', format]);
    for (const reply of nothing) {
      const { sums, records } = await build([entryLine({ reply })], ['--format', format]);
      expect(sums.repairs).toEqual({});
      expect(records).toEqual(without.records);
      // a format that needs an answer rejects the session
      if (records.length > 0) expect(sums.findings['no-reply']).toBe(1);
    }
  });

  it('does not keep the entry from becoming the snapshot of its session', async () => {
    const first = entryLine({ at: 1, reply: { content: 'partial' } });
    const { sums, records } = await build([first, entryLine({ at: 2, reply: {} })]);
    expect(sums.fates).toEqual({ snapshot: 1, superseded: 1 });
    expect(lastMessage(records[0])).toEqual(USER);
  });

  test('of the Messages API', async () => {
    const request = { model: 'm', system: 's', messages: [USER], tools: [] };
    const pair = { session_id: 'a', request, response: { type: 'message', content: [] } };
    const { records, findings } = await build([JSON.stringify(pair)]);
    expect(lastMessage(records[0])).toEqual(USER);
    expect(rulesOf(findings)).toEqual(['no-reply', 'protocol-open', 'no-tools', 'no-answer']);
  });

  test('at the end of a conversation or an old chat', async () => {
    const messages = [USER, { role: 'assistant', content: '' }];
    const talk = await build([JSON.stringify({ messages, tools: [] })]);
    expect(lastMessage(talk.records[0])).toEqual(USER);
    expect(rulesOf(talk.findings)).toEqual(['no-reply', 'no-tools', 'no-answer']);
    const chat = JSON.stringify({ meta: { id: 'c' }, settings: {}, state: 'idle', messages });
    const old = await build([chat], [], 'c.json');
    expect(lastMessage(old.records[0])).toEqual(USER);
    expect(rulesOf(old.findings)).toEqual(['no-reply', 'no-answer']);
  });

  test('of a sample is kept: a grader may need it', async () => {
    const messages = [USER, { role: 'assistant', content: ' ' }];
    const { records, findings } = await build(
      [JSON.stringify({ messages, expected: 1 })],
      ['--format', 'samples'],
    );
    expect(lastMessage(records[0])).toEqual(messages[1]);
    expect(findings).toEqual([]);
  });

  test.each(['keep', 'drop'])('that is only a thought, with --reasoning %s', async (mode) => {
    const { records, sums } = await build(
      [entryLine({ reply: { content: '', reasoning_content: 'hm' } })],
      ['--reasoning', mode],
    );
    expect(lastMessage(records[0])).toEqual(USER);
    expect([sums.findings['no-reply'], sums.findings['no-answer']]).toEqual([1, 1]);
  });
});

describe('a content that is not text', () => {
  const [KEEP, REJECT] = ['keep', 'reject'].map((what) => ['--on-finding', `content-not-text=${what}`]) as [
    string[],
    string[],
  ];
  const log = [
    entryLine({ messages: [{ role: 'user', content: 5 }], reply: { role: 'assistant', content: false } }),
  ];

  it.each(formats.map(({ name }) => name).filter((name) => name !== 'functiongemma-teaching'))(
    'in %s',
    async (format) => {
      const { status, quarantine } = await build(log, ['--format', format]);
      expect([status, quarantine[0]?.reason]).toEqual([3, 'unread-text']);
      const flags = ['--format', format, '--on-finding', 'unread-text=keep'];
      const ofFormat = await build(log, messageFormats.has(format) ? [...flags, ...REJECT] : flags);
      expect([ofFormat.status, ofFormat.quarantine[0]?.reason]).toEqual([3, 'content-not-text']);
      if (format === 'samples') return;
      const { sums, records, ...kept } = await build(log, [...flags, ...KEEP]);
      expect([kept.status, sums.findings['content-not-text']]).toEqual([0, 2]);
      expect(records.join('\n')).toContain(messageFormats.has(format) ? '"content":5' : '5'); // sts writes several lines
    },
  );

  it.each(KEEPING)('is reported by check --target %s', async (target) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 's.jsonl'), `${log[0]}\n`);
    const { stdout } = await turnmill([
      ...['check', folder, '--target', target, '--on-finding', 'unread-text=keep'],
    ]);
    expect(stdout.toString()).toContain(
      's.jsonl:1: alters: content is not text (content-not-text): messages[0] has a number as its content, neither text nor parts: written as it is',
    );
  });
});

describe('members that a dialect never has are not reported as missing', () => {
  const request = { messages: [USER] };
  test.each([
    ['samples', 's.jsonl', JSON.stringify({ ...request, expected: 1 }), []],
    ['a deck', 's.toml', '[[samples]]\nmessages = [{role = "user", content = "a"}]\n', []],
    ['old chats', 's.json', JSON.stringify({ ...request, meta: {}, settings: {} }), ['no-answer']],
    ['conversations, which may have tools', 's.jsonl', JSON.stringify(request), ['no-tools', 'no-answer']],
    [
      'a bare response',
      's.jsonl',
      '{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}]}',
      ['no-question'],
    ],
    [
      'a request',
      's.jsonl',
      entryLine({ reply: null, tools: [] }),
      ['no-reply', 'protocol-open', 'no-tools', 'no-answer'],
    ],
  ])('%s', async (_what, name, log, rules) => {
    expect(rulesOf((await build([log], [], name)).findings)).toEqual(rules);
  });
});

describe('explain on a rejected line', () => {
  const good = '{"messages":[{"role":"user","content":"a"}],"expected":1}';
  const bad = '{"messages":[],"expected":1}';
  test.each([
    ['a sample between others', [good, bad, good], 2, 's.jsonl:2'],
    ['a sample before others', [bad, good], 1, 's.jsonl:1'],
    ['samples only', [good.replace('"user"', '""'), bad], 2, 's.jsonl:2'],
    ['one that is not JSON', [good, '{"messages":'], 2, 's.jsonl:2'],
    [
      'a conversation',
      ['{"messages":[{"role":"user"}]}', '{"messages":[1]}', '{"messages":[]}'],
      2,
      's.jsonl:2',
    ],
  ])('%s names its own line', async (_what, lines, line, session) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 's.jsonl'), `${lines.join('\n')}\n`);
    const { stdout } = await turnmill(['explain', `${join(folder, 's.jsonl')}:${line}`, '--json']);
    const found = JSON.parse(stdout.toString());
    expect(found).toMatchObject({
      line,
      session,
      sessionFate: 'rejected',
      findings: [],
      sessionFindings: [],
    });
    expect(found.fate).toMatch(/^rejected:/);
  });

  it('of several objects on a line names each one', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 's.jsonl'), `${good} ${bad} ${good}\n`);
    const { stdout } = await turnmill(['explain', `${join(folder, 's.jsonl')}:1`, '--json']);
    const sessions = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((json) => JSON.parse(json).session);
    expect(sessions).toEqual(['s.jsonl:1', 's.jsonl:1.2', 's.jsonl:1.3']);
  });
});

test('functiongemma-teaching reports an object in an array in an array', async () => {
  const called = { id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":[[{}]]}' } };
  const log = [entryLine({ reply: { role: 'assistant', content: null, tool_calls: [called] } })];
  const { status, quarantine } = await build(log, ['--format', 'functiongemma-teaching']);
  expect([status, quarantine[0]?.reason]).toEqual([3, 'nested-arguments']);
  expect(quarantine[0]?.error?.message).toBe(
    'messages[1] has a call with an object inside its arguments (line 1)',
  );
});
