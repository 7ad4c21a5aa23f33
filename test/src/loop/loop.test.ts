/** The agent's loop against a server that plays the model. */
import { describe, expect, test } from 'vitest';
import { endpoint, promptText } from '../../../src/loop/endpoint.ts';
import {
  DEFAULT_LOOP,
  eachTurn,
  type LoopOptions,
  recordedReplies,
  runLoop,
} from '../../../src/loop/run-loop.ts';
import type { LoopRecord } from '../../../src/loop/tape.ts';
import { fakeModel } from './fake-model.ts';

const call = (name: string, args: unknown, id = 'a') => ({
  ...{ id, type: 'function' },
  function: { name, arguments: JSON.stringify(args) },
});
const block = (name: string, args: unknown): string =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
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
