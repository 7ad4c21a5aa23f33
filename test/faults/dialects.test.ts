/** Every dialect through the built command on real files: its records, counts and messages. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Built {
  readonly status: number | null;
  readonly stderr: string;
  /** Records of the shard `conversations`. */
  readonly shard: string;
  readonly summary: {
    readonly fates: Readonly<Record<string, number>>;
    readonly findings: Readonly<Record<string, number>>;
    readonly rewrites: Readonly<Record<string, number>>;
  };
  readonly out: string;
}

async function build(files: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<Built> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(logs, name)), { recursive: true });
    writeFileSync(join(logs, name), text);
  }
  const { status, stderr } = await turnmill(['build', logs, '--out', out, '--workers', '1', ...args]);
  const summary = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')) as Built['summary'];
  const shard = summary.fates.snapshot === undefined ? '' : join(out, 'data/conversations-00000.jsonl');
  return { status, stderr, out, summary, shard: shard && readFileSync(shard, 'utf8') };
}

describe('calls', () => {
  it('a call whose answer lies elsewhere, or has an unknown form, is rejected', async () => {
    const request = { messages: [{ role: 'user', content: [{ text: 'a' }] }] };
    const elsewhere = {
      ...{ schemaType: 'ModelInvocationLog', operation: 'Converse', input: { inputBodyJson: request } },
      output: { outputBodyS3Path: 's3://b/data/r_output.json.gz' },
    };
    const strange = { request, response: { b: 1 } };
    const text = [elsewhere, strange].map((one) => `${JSON.stringify(one)}\n`).join('');
    const { status, summary } = await build({ 'a.jsonl': text });
    expect([status, summary.fates]).toEqual([
      3,
      { 'rejected:body-elsewhere': 1, 'rejected:unknown-content': 1 },
    ]);
  });

  it('a folder with archives of Inspect or cassettes in YAML says what to do with them', async () => {
    const good = `${JSON.stringify({ messages: [{ role: 'user', content: 'a' }], response: 'b' })}\n`;
    const files = { 'a.jsonl': good, 'b.eval': 'PK\u0003\u0004xx', 'c.yaml': 'interactions:\n- request:\n' };
    const { status, stderr, summary } = await build(files);
    expect([status, summary.fates]).toEqual([3, { snapshot: 1 }]);
    expect(stderr).toContain(
      'b.eval  known program, other form (known-but-unread): this is an archive of Inspect',
    );
    expect(stderr).toContain(
      'c.yaml  known program, other form (known-but-unread): this is a cassette of recorded HTTP',
    );
  });
});

describe('spans', () => {
  it('joins the halves of a run, and rejects what it does not understand', async () => {
    const run = {
      id: 'r',
      trace_id: 't',
      run_type: 'llm',
      inputs: { messages: [{ role: 'user', content: 'a' }] },
    };
    const begun = { post: [{ ...run, outputs: {} }], patch: [] };
    const end = { id: 'r', trace_id: 't', end_time: 'x', outputs: { role: 'assistant', content: 'b' } };
    const strange = { ...run, id: 's', trace_id: 'u', outputs: { bees: 7 } };
    const lost = { id: 'q', trace_id: 'v', end_time: 'x', outputs: { role: 'assistant', content: 'c' } };
    const lines = [begun, { post: [], patch: [end] }, { post: [strange], patch: [lost] }];
    const text = lines.map((one) => `${JSON.stringify(one)}\n`).join('');
    const { status, summary } = await build({ 'a.jsonl': text });
    expect([status, summary.fates]).toEqual([
      3,
      {
        'dropped:joined-run': 1,
        'rejected:context-missing': 1,
        'rejected:unknown-content': 1,
        snapshot: 1,
      },
    ]);
  });
});

describe('what was not understood', () => {
  const ask = { role: 'user', content: 'a' };
  const chat = (...messages: object[]): object => ({
    request: { model: 'm', messages: [ask, ...messages] },
    response: { choices: [{ message: { role: 'assistant', content: 'b' } }] },
  });

  it.each([
    ['a speaker that is not known', 'unknown-speaker', chat({ role: 'constructor', content: 'x' })],
    ['an object as content', 'unknown-content', chat({ role: 'user', content: { a: 'x' } })],
    [
      'a part of an unknown type',
      'unknown-content',
      chat({ role: 'user', content: [{ type: 'x', text: 'x' }] }),
    ],
    ['a text under another name', 'unknown-content', chat({ role: 'user', body: 'x' })],
  ])('%s is rejected', async (_what, reason, line) => {
    const { status, summary } = await build({
      'a.jsonl': `${JSON.stringify(line)}\n${JSON.stringify(chat())}\n`,
    });
    expect([status, summary.fates]).toEqual([3, { [`rejected:${reason}`]: 1, snapshot: 1 }]);
  });
});

describe('messages', () => {
  const records = [
    '{"messages":[{"role":"user","content":"\\u0041","n":[1.0,12345678901234567890,1e400]},{"role":"assistant","content":""},{"role":"assistant","content":"b"}],"tools":[{"name":"f","n":1.0}]}',
    '{"messages":[{"role":"system","content":"s"},{"role":"user","content":"c"}],"tools":[]}',
    '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\\"x\\": 1.0}"}}]}],"tools":[]}',
  ];

  it('a dataset that is read again stays the same, byte for byte, in the group without a date', async () => {
    const text = records.map((record) => `${record}\n`).join('');
    const first = await build({ 'a.jsonl': text }, ['--no-cleanup']);
    expect([first.status, first.shard]).toEqual([0, text]);
    expect(first.summary.fates).toEqual({ snapshot: 3 });
    const second = await build({ 'b.jsonl': first.shard });
    expect(second.shard.split('\n').slice(1)).toEqual(text.split('\n').slice(1));
    expect((await turnmill(['verify', first.out])).status).toBe(0);
  });

  it('members that are not read are named once per source', async () => {
    const line = (more: object): string =>
      `${JSON.stringify({ messages: [{ role: 'user', content: 'a' }], tools: null, ...more })}\n`;
    const text = line({ label: true }) + line({ label: false, images: ['a.png'] }) + line({ 'a b': 1 });
    const { status, summary, out } = await build({ 'a.jsonl': text, 'b.jsonl': line({ label: true }) });
    expect([status, summary.findings['members-ignored']]).toEqual([0, 4]);
    const named = readFileSync(join(out, 'reports/integrity.jsonl'), 'utf8').match(/are not read: [^"]*/g);
    expect(named).toEqual([
      'are not read: label',
      'are not read: images',
      'are not read: a key that is not a word',
      'are not read: label',
    ]);
  });

  it('parts with a type and a value are read, and an unknown type rejects the line', async () => {
    const line = (type: string): string =>
      `${JSON.stringify({ messages: [{ role: 'user', content: [{ type, value: 'a' }] }] })}\n`;
    const { status, summary, shard } = await build({ 'a.jsonl': line('text') + line('hologram') });
    expect([status, summary.fates]).toEqual([3, { snapshot: 1, 'rejected:unknown-part': 1 }]);
    expect(shard).toBe('{"messages":[{"role":"user","content":"a"}],"tools":[]}\n');
  });

  it.each(['openai', 'trl', 'axolotl', 'sharegpt'])(
    'output of --format %s is detected and read',
    async (format) => {
      const call = records[2] as string;
      const there = await build({ 'a.jsonl': `${call}\n` }, ['--format', format]);
      const back = await build({ 'b.jsonl': there.shard });
      expect([there.status, back.status, back.summary.fates]).toEqual([0, 0, { snapshot: 1 }]);
      const written = JSON.parse(back.shard) as {
        messages: { tool_calls?: { function: { arguments: unknown } }[] }[];
      };
      const args = written.messages[1]?.tool_calls?.[0]?.function.arguments;
      expect(typeof args === 'string' ? JSON.parse(args) : args).toEqual({ x: 1 });
      expect(back.shard).toContain('1.0');
    },
  );

  it('a bad line goes to quarantine, and explain names its place', async () => {
    const bad = '{"messages":[{"content":"no role"}]}';
    const { status, summary, shard } = await build({ 'a.jsonl': `${records[1]}\n${bad}\n${records[2]}\n` });
    expect([status, summary.fates]).toEqual([3, { snapshot: 2, 'rejected:bad-messages': 1 }]);
    expect(shard.split('\n')).toHaveLength(3);
  });

  it('can be read as another dialect on request', async () => {
    const { status, summary } = await build({ 'a.jsonl': `${records[1]}\n` }, ['--dialect', 'exchange']);
    expect([status, summary.fates]).toEqual([3, { 'rejected:bad-timestamp': 1 }]);
  });

  it('standard input: each line a session, one group by scenario', async () => {
    const out = join(temporaryFolder(), 'out');
    const ended = await turnmill(['build', '-', '--out', out, '--group-by', 'scenario'], records.join('\n'));
    expect(ended.status).toBe(0);
    const written = readFileSync(join(out, 'data/conversations-00000.jsonl'), 'utf8');
    expect(written.trim().split('\n')).toHaveLength(3);
    expect((await turnmill(['verify', out])).status).toBe(0);
  });
});

describe('anthropic', () => {
  const response =
    '{"type":"message","content":[{"type":"text","text":"Selecting symbols..."},{"type":"tool_use","name":"select_symbols","input":{"selected":["Foo","Bar"]}}]}';

  it('a bare response and the user turn from a file make one record', async () => {
    const file = join(temporaryFolder(), 'turn.txt');
    writeFileSync(file, 'Context here\n');
    const args = ['--format', 'functiongemma-teaching', '--user-turn', file];
    const { status, shard, out } = await build({ 'r.jsonl': `${response}\n${response}\n` }, args);
    expect(status).toBe(0);
    const [line, again] = shard.trim().split('\n') as [string, string];
    expect(again).toBe(line);
    const { text, ...rest } = JSON.parse(line) as { readonly text: string };
    expect(rest).toEqual({});
    for (const part of [
      '/* Selecting symbols... */',
      'call:select_symbols{selected:<escape>Foo,Bar<escape>}',
      'Context here',
    ])
      expect(text).toContain(part);
    expect(text.match(/(?<=<start_of_turn>)\w+/g)).toEqual(['developer', 'user', 'model']);
    const { settings } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')) as {
      readonly settings: object;
    };
    expect(settings).toHaveProperty('userTurnSha256');
    expect(JSON.stringify(settings)).not.toContain('Context');
  });

  it('a response without the user turn is rejected', async () => {
    const { status, summary } = await build({ 'r.jsonl': response }, ['--format', 'functiongemma-teaching']);
    expect([status, summary.fates]).toEqual([3, { 'rejected:no-user-turn': 1 }]);
  });

  it.each([
    ['a missing file', '/nowhere/turn.txt', 'cannot read'],
    ['invalid UTF-8', undefined, 'is not UTF-8'],
  ])('--user-turn with %s is a usage error', async (_what, path, problem) => {
    const file = path ?? join(temporaryFolder(), 'turn.txt');
    if (path === undefined) writeFileSync(file, Buffer.from([0xff, 0xfe]));
    const ended = await turnmill(['build', '.', '--out', '-', '--user-turn', file]);
    expect(ended.status).toBe(64);
    expect(ended.stderr).toContain(problem);
  });
});

describe('--reasoning', () => {
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: '<think>t</think> b' },
    { role: 'user', content: 'c' },
    { role: 'assistant', content: 'd', reasoning_content: 'u' },
  ];
  const replies = async (...args: string[]) => {
    const { status, shard, summary } = await build({ 'a.jsonl': JSON.stringify({ messages }) }, args);
    const answers = JSON.parse(shard).messages.filter(({ role }: { role: string }) => role === 'assistant');
    return [status, answers, summary.rewrites];
  };
  const [, first, , second] = messages;
  const short = { role: 'assistant', content: 'b' };

  it('keeps all, drops all, keeps the last or inlines it', async () => {
    expect(await replies()).toEqual([0, [first, second], {}]);
    expect(await replies('--reasoning', 'drop')).toEqual([
      0,
      [short, { role: 'assistant', content: 'd' }],
      { 'reasoning-dropped': 2 },
    ]);
    expect(await replies('--reasoning', 'last')).toEqual([0, [short, second], { 'reasoning-dropped': 1 }]);
    expect(await replies('--reasoning', 'inline')).toEqual([
      0,
      [first, { role: 'assistant', content: '<think>\nu\n</think>\n\nd' }],
      { 'reasoning-inlined': 1 },
    ]);
  });

  it('refuses any other value', async () => {
    expect((await turnmill(['build', '.', '--out', '-', '--reasoning', 'some'])).status).toBe(64);
  });
});

describe('a recording of Qwen Code that goes back to a conversation which has ended', () => {
  const line = (uuid: string | undefined, parentUuid: string, type: string, text: string): string =>
    JSON.stringify({
      ...{ type, uuid, parentUuid, sessionId: 's', timestamp: '2026-01-02T03:00:00Z' },
      ...(uuid === undefined && { content: 'damaged' }),
      message: { role: type === 'user' ? 'user' : 'model', parts: [{ text }] },
    });

  it('gives each line one fate', async () => {
    const log = [
      line('2', '1', 'assistant', 'a'),
      line('4', '3', 'assistant', 'b'),
      line('5', '2', 'user', 'c'),
      line(undefined, '6', 'assistant', 'd'),
      line('8', '4', 'user', 'e'),
    ].join('\n');
    const { status, stderr, summary } = await build({ 'a.jsonl': log }, ['--group-by', 'none']);
    expect(status, stderr).toBe(3); // the damaged line holds a message that is not read
    expect(Object.values(summary.fates).reduce((sum, count) => sum + count, 0)).toBe(5);
  });
});
