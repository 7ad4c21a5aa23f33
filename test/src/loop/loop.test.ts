/** The agent's loop against a server that plays the model. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { endpoint, promptText } from '../../../src/loop/endpoint.ts';
import {
  DEFAULT_LOOP,
  eachTurn,
  type LoopOptions,
  recordedReplies,
  runLoop,
} from '../../../src/loop/run-loop.ts';
import type { LoopRecord } from '../../../src/loop/tape.ts';
import { turnmill } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { fakeModel } from './fake-model.ts';

const root = resolve(import.meta.dirname, '../../..');
const call = (name: string, args: unknown, id = 'a') => ({
  ...{ id, type: 'function' },
  function: { name, arguments: JSON.stringify(args) },
});
const block = (name: string, args: unknown): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
const silence = { role: 'assistant', content: null };
const text = (content: string) => ({ role: 'assistant', content });

const READ: LoopRecord = {
  messages: [
    { role: 'system', content: 'Answer.' },
    { role: 'user', content: 'Read test.md' },
    { role: 'assistant', content: '', tool_calls: [call('read', { path: 'test.md' })] },
    { role: 'tool', tool_call_id: 'a', content: '# Hello World' },
    { role: 'assistant', content: 'It greets.' },
  ],
  tools: [{ name: 'read' }],
};

async function looped(
  record: LoopRecord,
  answers: readonly (object | number)[],
  options: Partial<LoopOptions> = DEFAULT_LOOP,
  prompt: 'messages' | 'astracodex' = 'messages',
) {
  const model = await fakeModel(answers);
  const ask = endpoint({ base: model.base, model: 'm', prompt, waits: [0, 0] });
  return { report: await runLoop(record, ask, options), requests: model.requests };
}

describe('the loop', () => {
  test('requests replies with the whole history and answers their calls until a reply makes none', async () => {
    const { report, requests } = await looped(READ, [
      { role: 'assistant', content: null, tool_calls: [call('read', { path: 'test.md' }, 'x')] },
      text('It says hello.'),
    ]);
    expect(report).toMatchObject({
      end: 'done',
      steps: 2,
      same: 1,
      drifted: 0,
      missed: 0,
      repeated: 0,
      unused: 0,
    });
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(requests[0]).toMatchObject({
      model: 'm',
      temperature: 0,
      seed: 0,
      tools: [{ type: 'function', function: { name: 'read' } }],
    });
    expect(requests[1]?.messages.slice(2)).toEqual([
      { role: 'assistant', content: null, tool_calls: [call('read', { path: 'test.md' }, 'x')] },
      { role: 'tool', tool_call_id: 'x', content: '# Hello World' },
    ]);
  });

  test('ignores a retrigger anywhere', async () => {
    const { report } = await looped(READ, [
      text(block('read', { path: 'test.md', retrigger: true })),
      text('It says hello.'),
    ]);
    expect(report).toMatchObject({ end: 'done', same: 1, drifted: 0 });
  });

  test('takes the last block of a reply as its call, with an id from step and name', async () => {
    const reply = `I read it. ${block('list', {})} ${block('read', { path: 'test.md' })}`;
    const { report } = await looped(READ, [text(reply), text('It says hello.')]);
    expect(report.messages.slice(2, 4)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: '0-read' }] },
      { role: 'tool', tool_call_id: '0-read', content: '# Hello World' },
    ]);
  });

  test('reads args as arguments, and takes no call from text that is not JSON', async () => {
    const old = '<tool_call>{"name":"read","args":{"path":"test.md"}}</tool_call>';
    expect((await looped(READ, [text(old), text('end')])).report.same).toBe(1);
    expect((await looped(READ, [text('<tool_call>{read}</tool_call> done')])).report).toMatchObject({
      end: 'done',
      steps: 1,
    });
  });

  test('keeps the text of a call without its block', async () => {
    const { requests } = await looped(READ, [
      text(`I read it.\n${block('read', { path: 'test.md' })}`),
      text('end'),
    ]);
    expect(requests[1]?.messages[2]?.content).toBe('I read it.');
  });

  test('sends the astracodex prompt as one text: how to answer, the history as JSON, the request', async () => {
    const { requests } = await looped(
      READ,
      [text(block('read', { path: 'test.md' })), text('end')],
      DEFAULT_LOOP,
      'astracodex',
    );
    const [first, second] = requests.map(({ messages }) => String(messages[0]?.content));
    expect(requests[0]?.messages).toHaveLength(1);
    expect(first).toContain('At most one tool block per response.');
    expect(first).toContain('Do not repeat calls');
    expect(first).toContain('DO NOT output "STATE:" headers.');
    expect(first).toContain('User Request:\nRead test.md');
    const history = /Conversation History:\n([\s\S]*?)\n\nUser Request:/.exec(second ?? '')?.[1] ?? '';
    expect(JSON.parse(history)).toEqual([
      { role: 'system', content: 'Answer.' },
      { role: 'user', content: 'Read test.md' },
      { role: 'assistant', content: '', tool_calls: [{ name: 'read', arguments: { path: 'test.md' } }] },
      { role: 'tool', content: '# Hello World', tool_call_id: '0-read' },
    ]);
    expect(history).toMatch(/^\[\n {2}\{\n {4}"role"/);
    expect(second).not.toContain('[TOOL RESULT');
    expect(promptText(READ.messages.slice(0, 2), [])).not.toContain('Tools:');
  });

  test('counts repeated calls and limits the number of steps', async () => {
    const again = { role: 'assistant', content: null, tool_calls: [call('read', { path: 'test.md' })] };
    const { report, requests } = await looped(READ, Array(20).fill(again));
    expect(report).toMatchObject({ end: 'max-steps', steps: 8, repeated: 7 });
    expect(requests).toHaveLength(8);
  });

  test('reads test.md once, with one tool message', async () => {
    const { report } = await looped(READ, [text(block('read', { path: 'test.md' })), text('It greets.')]);
    expect(report.messages.filter(({ role }) => role === 'tool')).toHaveLength(1);
    expect(report.same).toBe(1);
  });

  test('lists, reads and summarises', async () => {
    const record: LoopRecord = {
      messages: [
        { role: 'user', content: 'Summarise my notes' },
        { role: 'assistant', content: '', tool_calls: [call('list', {}, 'l')] },
        { role: 'tool', tool_call_id: 'l', content: '["a.md"]' },
        { role: 'assistant', content: '', tool_calls: [call('read', { path: 'a.md' }, 'r')] },
        { role: 'tool', tool_call_id: 'r', content: 'a note' },
        { role: 'assistant', content: 'One note.' },
      ],
      tools: [],
    };
    const answers = [text(block('list', {})), text(block('read', { path: 'a.md' })), text('One note.')];
    const { report } = await looped(record, answers);
    expect(report).toMatchObject({ end: 'done', steps: 3, same: 2, unused: 0, repeated: 0 });
    expect(report.messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(['0-list', '1-read']);
  });

  test('answers other arguments with the next result of that tool, and reports the first divergence', async () => {
    const { report } = await looped(READ, [text(block('read', { path: 'other.md' })), text('end')]);
    expect(report).toMatchObject({ end: 'done', same: 0, drifted: 1 });
    expect(report.first).toEqual({
      step: 1,
      recorded: { name: 'read', arguments: { path: 'test.md' } },
      got: { name: 'read', arguments: { path: 'other.md' } },
    });
  });

  test('ignores the order of keys in arguments', async () => {
    const record = {
      ...READ,
      messages: READ.messages.with(2, {
        role: 'assistant',
        content: '',
        tool_calls: [call('read', { a: 1, b: 2 })],
      }),
    };
    expect((await looped(record, [text(block('read', { b: 2, a: 1 })), text('end')])).report.same).toBe(1);
  });

  test('stops at a call without a recorded result, or answers it with an error', async () => {
    const answers = [text(block('delete', {})), text('end')];
    expect((await looped(READ, answers)).report).toMatchObject({ end: 'missed', missed: 1, unused: 1 });
    const { report, requests } = await looped(READ, answers, { ...DEFAULT_LOOP, onMiss: 'tell' });
    expect(report).toMatchObject({ end: 'done', missed: 1 });
    expect(requests[1]?.messages.at(-1)?.content).toBe('{"error": "no recorded result for delete"}');
  });

  test('sends the next user request after each finished answer', async () => {
    const more = [
      ...READ.messages,
      { role: 'user', content: 'Thanks' },
      { role: 'assistant', content: 'Welcome' },
    ];
    const { report, requests } = await looped({ ...READ, messages: more }, [
      text('It greets.'),
      text('Welcome'),
    ]);
    expect(report).toMatchObject({ end: 'done', steps: 2, unused: 1 });
    expect(requests[1]?.messages.at(-1)).toEqual({ role: 'user', content: 'Thanks' });
  });

  test('ends when there is no reply and when its signal is aborted', async () => {
    expect((await looped(READ, [{ role: 'assistant', content: null }])).report.end).toBe('no-reply');
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(runLoop(READ, recordedReplies(READ), { ...DEFAULT_LOOP, signal })).rejects.toThrow('enough');
  });

  test('executes calls with a function, whatever the record has', async () => {
    const model = await fakeModel([
      { role: 'assistant', content: null, tool_calls: [call('read', { path: 'new.md' }, 'x')] },
    ]);
    const ask = endpoint({ base: model.base, model: 'm' });
    const record = { messages: [{ role: 'user', content: 'Read new.md' }], tools: [] };
    const got: unknown[] = [];
    const report = await runLoop(record, ask, { execute: async (one) => got.push(one) && { lines: 3 } });
    expect(got).toEqual([{ name: 'read', arguments: { path: 'new.md' } }]);
    expect(report).toMatchObject({ end: 'done', steps: 2, missed: 1 });
    expect(report.messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'x', content: '{"lines":3}' },
      { role: 'assistant', content: 'end' },
    ]);
  });

  test('requests each turn with the recorded history, whatever the model replied before', async () => {
    const model = await fakeModel([text('no call'), text('It greets.')]);
    const ask = endpoint({ base: model.base, model: 'm', prompt: 'messages' });
    const turns = [];
    for await (const { sameTools, sameArguments } of eachTurn(READ, ask))
      turns.push([sameTools, sameArguments]);
    expect(turns).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([2, 4]);
  });
});

describe('the endpoint', () => {
  test('is retried after 429 and 5xx, and is unavailable after that', async () => {
    const { report, requests } = await looped(READ, [429, 503, text('end')]);
    expect([report.end, requests.length]).toEqual(['done', 3]);
    await expect(looped(READ, [500, 500, 500])).rejects.toMatchObject({ code: 'unavailable' });
    await expect(looped(READ, [404])).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('that cannot be reached is unavailable', async () => {
    const ask = endpoint({ base: 'http://127.0.0.1:1/v1', model: 'm', prompt: 'messages' });
    await expect(ask([], [])).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('turnmill loop', () => {
  async function demo(): Promise<string> {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs: [join(root, 'examples/logs')], out });
    return out;
  }

  test('replays the recorded replies without an endpoint: 10 of the 11 examples finish', async () => {
    const out = await demo();
    const { status, stdout } = await turnmill(['loop', out, '--json']);
    expect(status).toBe(3);
    const lines = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ end }) => end === 'done')).toHaveLength(10);
    expect(Object.keys(lines[0])).toEqual([
      'session',
      'end',
      'steps',
      'same',
      'drifted',
      'missed',
      'repeated',
      'unused',
    ]);
    const open = lines.find(({ end }) => end !== 'done');
    expect(open).toMatchObject({ session: 'invoice-export-1768302018250700000', end: 'missed', drifted: 0 });
    const findings = readFileSync(join(out, 'reports/integrity.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(findings.filter(({ rule }) => rule === 'protocol-open').map(({ session }) => session)).toEqual([
      open.session,
    ]);
  });

  test('writes the same bytes twice, without the key of the endpoint', async () => {
    const out = await demo();
    const folder = temporaryFolder();
    const once = async (name: string): Promise<Record<string, string>> => {
      const model = await fakeModel([]);
      const to = join(folder, name);
      const args = [
        'loop',
        out,
        '--endpoint',
        model.base,
        '--model',
        'm',
        '--key-env',
        'LOOP_KEY',
        '--out',
        to,
        '--each-turn',
        '--prefer',
        'recorded',
      ];
      const { status, stdout, stderr } = await turnmill(args, undefined, {
        ...process.env,
        LOOP_KEY: 'sk-secret',
      });
      expect(status).toBe(3);
      expect(model.keys.every((key) => key === 'Bearer sk-secret')).toBe(true);
      const files = Object.fromEntries(
        readdirSync(to).map((file) => [file, readFileSync(join(to, file), 'utf8')]),
      );
      for (const written of [...Object.values(files), stdout.toString(), stderr])
        expect(written.includes('sk-secret')).toBe(false);
      return files;
    };
    const first = await once('first');
    expect(Object.keys(first)).toEqual(['continuations.jsonl', 'loop.jsonl', 'preferences.jsonl']);
    expect(await once('second')).toEqual(first);
    const pair = JSON.parse((first['preferences.jsonl'] ?? '').split('\n', 1)[0] ?? '');
    expect(Object.keys(pair)).toEqual(['prompt', 'chosen', 'rejected']);
  });

  test('counts the turns without an answer, and writes files as private as the dataset', async () => {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs: [join(root, 'examples/logs')], out, mode: 0o600 });
    const to = join(temporaryFolder(), 'turns');
    mkdirSync(to);
    writeFileSync(join(to, 'loop.jsonl'), 'of an earlier run', { mode: 0o644 });
    const model = await fakeModel(Array(200).fill(silence));
    const args = ['loop', out, '--endpoint', model.base, '--model', 'm', '--each-turn', '--out', to];
    const { status, stdout } = await turnmill(args);
    expect(status).toBe(3);
    const last = stdout.toString().trimEnd().split('\n').at(-1);
    const turns = model.requests.length;
    expect(last).toBe(
      `${turns} turns of 11 records: 0 with the recorded tools, 0 with the recorded arguments too, ${turns} without an answer that can be used`,
    );
    for (const name of readdirSync(to)) expect(statSync(join(to, name)).mode & 0o777).toBe(0o600);
    const page = join(to, 'report.html');
    await turnmill(['report', out, '-o', page]);
    expect(statSync(page).mode & 0o777).toBe(0o600);
  });

  test('replaces the key in the error of an endpoint that repeats it', async () => {
    const out = await demo();
    const { base } = await fakeModel([
      (response, key) => {
        response.statusCode = 401;
        response.end(`bad key ${key}`);
      },
    ]);
    const args = ['loop', out, '--endpoint', base, '--model', 'm', '--key-env', 'LOOP_KEY'];
    const run = await turnmill(args, undefined, { ...process.env, LOOP_KEY: 'sk-secret-of-mine' });
    expect(run.status).toBe(69);
    expect(run.stderr).toContain('status 401: bad key Bearer [key]');
    expect(run.stdout.toString() + run.stderr).not.toContain('sk-secret');
  });

  test('goes on with the other records after an answer that cannot be used', async () => {
    const out = await demo();
    const { base } = await fakeModel([{ role: 'assistant', tool_calls: [null] }]);
    const run = await turnmill(['loop', out, '--endpoint', base, '--model', 'm', '--json']);
    expect(run.status).toBe(3);
    const lines = run.stdout.toString().trimEnd().split('\n');
    expect(lines).toHaveLength(11);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      end: 'bad-answer',
      problem: 'tool_calls[0] is not a call of a named function',
    });
  });

  test('runs the listed sessions with --only; an unset key and a missing model are usage errors, no endpoint is 69', async () => {
    const out = await demo();
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'only.txt'), 'market-brief-1768342443120394000\n');
    const one = await turnmill(['loop', out, '--only', join(folder, 'only.txt')]);
    expect([one.status, one.stdout.toString()]).toEqual([0, '1 of 1 records close\n']);
    const usage = ['--endpoint', 'http://127.0.0.1:1/v1'];
    expect((await turnmill(['loop', out, ...usage])).status).toBe(64);
    expect((await turnmill(['loop', out, ...usage, '--model', 'm', '--key-env', 'NO_SUCH_KEY'])).status).toBe(
      64,
    );
    expect((await turnmill(['loop', out, '--each-turn'])).status).toBe(64);
    expect((await turnmill(['loop', out, ...usage, '--model', 'm'])).status).toBe(69);
  });

  test('names an output folder that cannot be created, with the status of an I/O error', async () => {
    const out = await demo();
    const inFile = join(out, 'manifest.json', 'loop');
    const { status, stderr } = await turnmill(['loop', out, '--out', inFile]);
    expect(status).toBe(74);
    expect(stderr).toContain(`cannot create ${inFile}: ENOTDIR`);
  });
});
