/** Answers that a log has only in pieces, or only in a summary of the run, and that are reported. */
import { describe, expect, it } from 'vitest';
import claudeCode from '../../../../transforms/dialects/claude-code.ts';
import codex from '../../../../transforms/dialects/codex.ts';
import type { Dialect } from '../../../../transforms/dialects/dialect.ts';
import pi from '../../../../transforms/dialects/pi.ts';
import { buildLogs } from '../../../support/build-logs.ts';
import { readLog } from '../../log-lines.ts';

const LOST = 'an answer is only in pieces or in a summary of the run: no line has it as a whole';

/** Findings `unread-text` of the conversations, and why the source is rejected. */
function lostIn(dialect: Dialect, objects: readonly object[]): readonly string[] {
  const lines = objects.map((object) => JSON.stringify(object));
  return readLog(dialect.create(), lines).flatMap((element) => {
    if (element.kind === 'rejection') return [`${element.reason} ${element.detail}`];
    if (element.kind !== 'entry') return [];
    const { messages, reply } = element;
    const notes = [...messages, ...(reply === undefined ? [] : [reply])].flatMap((one) => one.notes ?? []);
    return notes.flatMap(({ rule, message }) => (rule === 'unread-text' ? [`${rule} ${message}`] : []));
  });
}

const noted = (line: number): readonly string[] => [`unread-text line ${line}: ${LOST}`];
const refused = (line: number): readonly string[] => [`nothing-read line ${line}: ${LOST}`];

describe('stream-json of Claude Code', () => {
  const own = { session_id: 's', parent_tool_use_id: null };
  const event = (inner: object) => ({ type: 'stream_event', event: inner, ...own });
  const begin = (id: string) => event({ type: 'message_start', message: { id, role: 'assistant' } });
  const piece = (delta: object) => event({ type: 'content_block_delta', index: 0, delta });
  const says = (text: string) => piece({ type: 'text_delta', text });
  const init = { type: 'system', subtype: 'init', tools: ['Bash'], ...own };
  const ask = { type: 'user', message: { role: 'user', content: 'Which boat leaves first?' }, ...own };
  const whole = (id: string, ...content: readonly object[]) => ({
    ...{ type: 'assistant', message: { id, role: 'assistant', content }, ...own },
  });
  const text = (words: string) => ({ type: 'text', text: words });
  const result = (words: string, more: object = {}) => ({
    ...{ type: 'result', subtype: 'success', is_error: false, result: words, ...own },
    ...more,
  });
  const lost = (...lines: readonly object[]) => lostIn(claudeCode, lines);

  it('says nothing if a line repeats the pieces', () => {
    const streamed = [begin('m1'), says('The '), says('ferry. '), whole('m1', text('The ferry.'))];
    expect(lost(init, ask, ...streamed, result('The ferry.'))).toEqual([]);
  });

  it('says nothing if several lines do, one for each block', () => {
    const thought = piece({ type: 'thinking_delta', thinking: 'Look at the table.' });
    const call = event({
      type: 'content_block_start',
      content_block: { type: 'tool_use', id: 't1', name: 'Bash' },
    });
    const input = piece({ type: 'input_json_delta', partial_json: '{"command":"ls"}' });
    const lines = [
      ...[begin('m1'), thought, whole('m1', { type: 'thinking', thinking: '', signature: 'x' })],
      ...[says('I look.'), whole('m1', text('I look.'))],
      ...[call, input, whole('m1', { type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'ls' } })],
    ];
    expect(lost(init, ask, ...lines)).toEqual([]);
    expect(lost(init, ask, ...lines.slice(0, -1))).toEqual(noted(8));
    expect(lost(init, ask, ...lines.slice(0, -4))).toEqual(noted(6));
  });

  it('reports pieces that no line repeats', () => {
    expect(lost(init, ask, begin('m1'), says('The ferry.'))).toEqual(noted(4));
    expect(lost(init, ask, says('The ferry.'))).toEqual(noted(3));
    const other = [begin('m2'), says('At six.'), whole('m2', text('At six.'))];
    expect(lost(init, ask, begin('m1'), says('The ferry.'), ...other)).toEqual(noted(4));
    expect(lost(init, ask, begin('m1'), says('The ferry.'), whole('m2', text('At six.')))).toEqual(noted(4));
    expect(lost(init, ask, begin('m1'), says('The ferry at six.'), whole('m1', text('The')))).toEqual(
      noted(4),
    );
  });

  it('says nothing about pieces that the client dropped', () => {
    const half = [init, ask, begin('m1'), says('The fer')];
    const mark = { ...ask, message: { role: 'user', content: '[Request interrupted by user]' } };
    expect(lost(...half, mark)).toEqual([]);
    const retry = { type: 'system', subtype: 'api_retry', ...own };
    expect(lost(...half, retry, begin('m2'), says('It.'), whole('m2', text('It.')))).toEqual([]);
  });

  it('reports the pieces of a sub-agent in its conversation', () => {
    const agent = { ...own, parent_tool_use_id: 't1' };
    const task = { ...ask, ...agent };
    expect(lost(init, ask, whole('m1', text('It.')), task, { ...says('The ferry.'), ...agent })).toEqual(
      noted(5),
    );
  });

  it('compares the text of a result with the last answer', () => {
    expect(lost(init, ask, result('The ferry.'))).toEqual(noted(3));
    expect(lost(init, ask, whole('m1', text('I look.')), result('The ferry.'))).toEqual(noted(4));
    const both = whole('m1', text('The ferry.'));
    expect(lost(init, ask, both, result('The ferry.\n'))).toEqual([]);
    expect(lost(init, ask, both, result('I look.The ferry.'))).toEqual([]);
  });

  it('says nothing about results that are not of the model', () => {
    expect(lost(init, ask, result('Overloaded.', { is_error: true }))).toEqual([]);
    expect(lost(init, ask, result('Cost: 0', { usage: { output_tokens: 0 } }))).toEqual([]);
    expect(lost(init, ask, result('{"a":1}', { structured_output: { a: 1 } }))).toEqual([]);
    const failed = { ...whole('m1', text('API Error')), isApiErrorMessage: true };
    expect(lost(init, ask, failed, result('API Error'))).toEqual([]);
  });

  it('rejects a source that has nothing else', () => {
    expect(lost(init, begin('m1'), says('The ferry.'), result('The ferry.'))).toEqual(refused(3));
    expect(lost(init, result('The ferry.'))).toEqual(refused(2));
  });

  it('ends a run with status 3', async () => {
    const lines = (...objects: readonly object[]) =>
      objects.map((one) => `${JSON.stringify(one)}\n`).join('');
    const files = {
      'question.jsonl': lines(init, ask, begin('m1'), says('The ferry.')),
      'run.jsonl': lines(init, result('The ferry.')),
    };
    const { status, records, quarantine } = await buildLogs({ files });
    expect([status, records, quarantine.map(({ reason }) => reason).sort()]).toEqual([
      ...[3, [], ['nothing-read', 'unread-text']],
    ]);
  });
});

describe('codex exec --json', () => {
  const item = (type: string, id: string, more: object) => ({ type: `item.${type}`, item: { id, ...more } });
  const said = (type: string, id: string, text: string) => item(type, id, { type: 'agent_message', text });
  const run = (type: string, id: string) =>
    item(type, id, { type: 'command_execution', command: 'ls', aggregated_output: '', status: 'completed' });
  const begin = [{ type: 'thread.started', thread_id: 't' }, { type: 'turn.started' }];
  const end = { type: 'turn.completed' };
  const lost = (...lines: readonly object[]) => lostIn(codex, [...begin, ...lines]);

  it('says nothing about items that end', () => {
    expect(lost(said('updated', 'a', 'The'), said('completed', 'a', 'The ferry.'), end)).toEqual([]);
    expect(lost(run('started', 'a'), run('completed', 'a'), said('completed', 'b', 'It.'), end)).toEqual([]);
    expect(lost(said('completed', 'a', 'It.'), run('started', 'b'), end)).toEqual([]);
    expect(
      lost(said('completed', 'a', 'It.'), item('updated', 'b', { type: 'todo_list', items: [] })),
    ).toEqual([]);
  });

  it('reports items that do not end', () => {
    expect(lost(said('completed', 'a', 'I look.'), said('updated', 'b', 'The ferry.'))).toEqual(noted(4));
    expect(lost(said('completed', 'a', 'I look.'), said('started', 'b', 'The ferry.'), end)).toEqual(
      noted(4),
    );
    expect(lost(said('completed', 'a', 'I look.'), run('started', 'b'))).toEqual(noted(4));
    expect(lost(said('updated', 'a', 'The ferry.'))).toEqual(refused(3));
  });
});

describe('rollouts of Codex', () => {
  const event = (type: string, more: object) => ({ type: 'event_msg', payload: { type, ...more } });
  const item = (role: string, type: string, text: string) => ({
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  });
  const head = { type: 'session_meta', payload: { id: 's' } };
  const ask = item('user', 'input_text', 'Which boat leaves first?');
  const answer = item('assistant', 'output_text', 'The ferry.');
  const delta = event('agent_message_delta', { delta: 'The fer' });
  const done = event('task_complete', { last_agent_message: 'The ferry.' });
  const lost = (...lines: readonly object[]) => lostIn(codex, [head, ask, ...lines]);

  it('says nothing if an item or a whole event follows', () => {
    expect(lost(delta, answer, done)).toEqual([]);
    expect(lost(delta, event('agent_message', { message: 'The ferry.' }), done)).toEqual([]);
    expect(lost(answer, event('task_complete', { last_agent_message: null }))).toEqual([]);
  });

  it('reports pieces that nothing repeats', () => {
    expect(lost(delta)).toEqual(noted(3));
    expect(lost(answer, done, delta, event('task_complete', {}))).toEqual(noted(5));
  });

  it('reports pieces of a rollout without items', () => {
    const asked = event('user_message', { message: 'Which boat leaves first?' });
    const system = { type: 'session_meta', payload: { id: 's', base_instructions: { text: 'Be brief.' } } };
    expect(lostIn(codex, [system, asked, delta, event('task_complete', {})])).toEqual(noted(3));
    expect(lostIn(codex, [system, asked, done])).toEqual(noted(3));
    const whole = event('agent_message', { message: 'The ferry.' });
    expect(lostIn(codex, [system, asked, delta, whole, done])).toEqual([]);
  });

  it('reports the last text of a task if no answer of the task has a line of it', () => {
    expect(lost(done)).toEqual(noted(3));
    expect(lost(item('assistant', 'output_text', 'I look.'), done)).toEqual(noted(4));
    expect(lost(answer, done, ask, item('assistant', 'output_text', 'I look.'), done)).toEqual(noted(7));
    expect(lost(answer, event('task_complete', { last_agent_message: 'The  ferry.\n' }))).toEqual([]);
    expect(lost(answer, event('task_complete', { last_agent_message: 'The ferry.\nIt is blue.' }))).toEqual(
      [],
    );
    expect(lost(answer, { type: 'compacted', payload: { message: 'Boats.' } }, done)).toEqual([]);
    expect(lostIn(codex, [head, done])).toEqual(refused(2));
  });
});

describe('pi --mode json', () => {
  const head = { type: 'session', version: 3, id: 's', cwd: '/' };
  const message = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] });
  const on = (type: string, role: string, text: string) => ({ type, message: message(role, text) });
  const begin = [{ type: 'agent_start' }, { type: 'turn_start' }, on('message_end', 'user', 'Which?')];
  const whole = on('message_end', 'assistant', 'The ferry.');
  const ends = [
    on('turn_end', 'assistant', 'The ferry.'),
    { type: 'agent_end', messages: [message('user', 'Which?'), message('assistant', 'The ferry.')] },
  ];
  const lost = (...lines: readonly object[]) => lostIn(pi, [head, ...begin, ...lines]);

  it('says nothing if the whole message follows', () => {
    const streamed = [on('message_start', 'assistant', ''), on('message_update', 'assistant', 'The')];
    expect(lost(...streamed, whole, ...ends)).toEqual([]);
    const aborted = {
      type: 'message_end',
      message: { role: 'assistant', content: [], stopReason: 'aborted' },
    };
    expect(lost(whole, ends[0] as object, { type: 'turn_start' }, aborted, ends[1] as object)).toEqual([]);
  });

  it('reports messages that do not end', () => {
    expect(lost(on('message_update', 'assistant', 'The ferry.'))).toEqual(noted(5));
    expect(lost(on('message_update', 'assistant', 'The'), { type: 'agent_start' }, whole)).toEqual(noted(5));
    expect(lostIn(pi, [head, on('message_update', 'assistant', 'The ferry.')])).toEqual(refused(2));
  });

  it('reports messages that only the end of a turn or of a run lists', () => {
    expect(lost(ends[0] as object)).toEqual(noted(5));
    expect(lost(ends[1] as object)).toEqual(noted(5));
    expect(lost(whole, { type: 'turn_start' }, ends[0] as object)).toEqual(noted(7));
  });
});
