/** Old chats, leftovers of the text protocol, and samples of graders, through the built command on real files. */
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

describe('astracodex', () => {
  const chat = {
    meta: { id: 'c1', createdAt: '2026-01-13T08:00:00Z' },
    settings: {},
    state: {},
    messages: [
      { role: 'user', text: 'Read it' },
      {
        role: 'assistant',
        text: '<think>hm</think>STATE: x\nYes.\n```tool\n{"name":"read","args":{"n":1.0}}\n```',
      },
      { role: 'tool', toolResult: 'text' },
    ],
  };

  it.each([
    ['a document', 'c.json', JSON.stringify(chat, null, 2)],
    ['a line', 'c.jsonl', `${JSON.stringify(chat)}\n`],
  ])('%s is a session, and changes to its text are counted', async (_what, name, text) => {
    const { status, out, summary, shard } = await build({ [name]: text }, ['--group-by', 'none']);
    expect([status, summary.fates]).toEqual([0, { snapshot: 1 }]);
    expect(summary.rewrites).toEqual({ 'leaked-header': 1, 'recovered-call': 1, 'think-block': 1 });
    expect(shard).toBe(
      '{"messages":[{"role":"user","content":"Read it"},{"role":"assistant","content":"Yes.","reasoning_content":"hm","tool_calls":[{"id":"0-read","type":"function","function":{"name":"read","arguments":"{\\"n\\":1.0}"}}]},{"role":"tool","tool_call_id":"0-read","content":"text"}],"tools":[]}\n',
    );
    expect((await turnmill(['verify', out])).status).toBe(0);
  });
});

describe('leftovers of the text protocol', () => {
  const GO = '"retrigger":{"message":"Go on."}';
  const replies: readonly string[] = [
    `State: idle\nHere it is.\n\`\`\`\ntool\n{"name":"list","args":{"prefix":"a","n":1.0},${GO}}\n\`\`\``,
    'Reading.\n<tool_call>read\n{"args":{"path":"é"}}',
    'Reading.\n<TOOL_CALL>\n{"name":"read","arguments":{"n":12345678901234567890}}\n</TOOL_CALL>',
    `<tool_call>{"name":"active_file","args":{},${GO}}</arg_value></tool_call>`,
    'All done.\n<tool_call>',
    'Working.\n```  TOOL\n{"name": "append", "args": {"content": "cut',
    `{"name":"append","args":{"path":"b","retrigger":1},${GO}}`,
    'He lives in\nState: California',
    'RETRIGGER: I go on.\nIt holds ```toolbox``` and `<tool_call>`.',
  ];
  const messages = replies.flatMap((content, i) => [
    { role: 'user', content: i === 0 ? 'State: idle <tool_call>' : `Question ${i}` },
    { role: 'assistant', content },
  ]);
  const chat = { meta: { id: 'c' }, settings: {}, state: {}, messages };
  const written = (shard: string) =>
    (JSON.parse(shard) as { messages: { role: string; content: string; tool_calls?: object[] }[] }).messages;

  it('in old chats: calls are restored, stripped text is counted, the rest is reported', async () => {
    const { status, shard, summary, out } = await build({ 'c.json': JSON.stringify(chat) }, [
      '--group-by',
      'none',
    ]);
    expect([status, summary.fates]).toEqual([0, { snapshot: 1 }]);
    const answers = written(shard).filter(({ role }) => role === 'assistant');
    expect(answers.map(({ content }) => content)).toEqual([
      'Here it is.',
      'Reading.',
      'Reading.',
      '',
      'All done.',
      'Working.',
      '',
      'He lives in\nState: California',
      'It holds ```toolbox``` and `<tool_call>`.',
    ]);
    expect(shard.match(/"function":\{.*?\}"\}/g)).toEqual([
      '"function":{"name":"list","arguments":"{\\"prefix\\":\\"a\\",\\"n\\":1.0}"}',
      '"function":{"name":"read","arguments":"{\\"path\\":\\"é\\"}"}',
      '"function":{"name":"read","arguments":"{\\"n\\":12345678901234567890}"}',
      '"function":{"name":"active_file","arguments":"{}"}',
      '"function":{"name":"append","arguments":"{\\"path\\":\\"b\\"}"}',
    ]);
    expect(written(shard)[0]?.content).toBe('State: idle <tool_call>');
    expect(shard).not.toMatch(/retrigger/i);
    expect(summary.rewrites).toEqual({
      'dropped-retrigger': 1,
      'leaked-header': 2,
      'recovered-call': 5,
      'stripped-block': 2,
    });
    expect(summary.findings['protocol-debris']).toBe(1);
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  it('in other dialects stay untouched', async () => {
    const record = { messages, tools: [] };
    const { status, shard, summary } = await build({ 'm.jsonl': `${JSON.stringify(record)}\n` }, [
      '--no-cleanup',
    ]);
    expect([status, summary.rewrites]).toEqual([0, {}]);
    expect(shard).toBe(`${JSON.stringify(record)}\n`);
    expect(summary.findings).not.toHaveProperty(['protocol-debris']);
  });

  it('never appear in a dataset: reading a record back as a chat gives the same record', async () => {
    const first = await build({ 'c.json': JSON.stringify(chat) }, ['--group-by', 'none']);
    const again = { ...chat, messages: written(first.shard) };
    const second = await build({ 'c.json': JSON.stringify(again) }, ['--group-by', 'none']);
    expect(second.shard).toBe(first.shard);
    expect(second.summary.rewrites).toEqual({});
  });
});

describe('samples', () => {
  const deck = [
    '# a deck',
    '[[samples]]',
    'tags = ["a"]',
    'score = 1234567890123456789',
    'messages = [{ role = "judge", content = "[[samples]]" }]',
    '[[samples]]',
    'userMessage = "old"',
    '[[samples]]',
    '[[samples.messages]]',
    'role = "user"',
    'content = """',
    '[samples.x]"""',
  ].join('\n');

  it('a deck: the bad sample goes to quarantine with its bytes, and the others are read', async () => {
    const args = ['--format', 'samples', '--quarantine-content', 'raw'];
    const { status, shard, summary, out } = await build({ 'd.toml': deck }, args);
    expect([status, summary.fates]).toEqual([3, { snapshot: 2, 'rejected:bad-sample': 1 }]);
    expect(shard).toBe(
      '{"messages":[{"role":"judge","content":"[[samples]]"}],"tags":["a"],"score":1234567890123456789}\n{"messages":[{"role":"user","content":"[samples.x]"}]}\n',
    );
    const rejected = JSON.parse(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8'));
    const start = deck.lastIndexOf('[[samples]]', deck.indexOf('userMessage'));
    expect(rejected).toMatchObject({ reason: 'bad-sample', line: 2, byte_start: start });
    expect(Buffer.from(rejected.raw_b64, 'base64').toString()).toBe('[[samples]]\nuserMessage = "old"\n');
    expect(JSON.stringify(rejected)).toMatch(/Sample must have messages array: .*role: /);
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  it('a document that is not TOML is one rejection with its place', async () => {
    const { status, summary, out } = await build({ 'd.toml': '[[samples]]\ntags = [' });
    expect([status, summary.fates]).toEqual([3, { 'rejected:invalid-toml': 1 }]);
    expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).toContain('line 2, column');
  });

  it('JSONL: bad samples are skipped, and extra fields of the others are kept', async () => {
    const lines = [
      '{"messages":[{"role":"user","content":"a"}],"expected":{"score":1.0,"reason":"r"}}',
      '{"expected":1,"messages":[]}',
    ];
    const { status, shard, summary } = await build({ 's.jsonl': lines.join('\n') }, ['--format', 'samples']);
    expect([status, summary.fates]).toEqual([3, { snapshot: 1, 'rejected:bad-sample': 1 }]);
    expect(shard).toBe(`${lines[0]}\n`);
  });
});
