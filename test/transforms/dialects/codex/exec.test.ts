import { expect, it } from 'vitest';
import codex from '../../../../transforms/dialects/codex.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

function elementsOf(...objects: readonly object[]) {
  return readLog(
    codex.create(),
    objects.map((object) => JSON.stringify(object)),
  );
}

/** The messages of each conversation: an answer as its text and the names of its calls. */
function said(...objects: readonly object[]): readonly string[][] {
  const entries = elementsOf(...objects).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  return entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => {
      const { role, content, tool_calls: calls = [] } = JSON.parse(text(bytes));
      const names = calls.map((call: { function: { name: string } }) => ` ${call.function.name}`);
      return `${role} ${typeof content === 'string' ? content : JSON.stringify(content)}${names.join('')}`;
    }),
  );
}

const start = (thread: string) => ({ type: 'thread.started', thread_id: thread });
const done = (id: string, type: string, more: object) => ({
  type: 'item.completed',
  item: { id, type, ...more },
});
const begun = (id: string) => ({
  type: 'item.started',
  item: { id, type: 'command_execution', command: 'x', status: 'in_progress' },
});
const ran = (id: string, output: string, more: object = { exit_code: 0, status: 'completed' }) =>
  done(id, 'command_execution', { command: 'x', aggregated_output: output, ...more });
const text1 = done('t', 'agent_message', { text: 'b' });

it('joins commands that ran at the same time, and begins another answer after a result', () => {
  const lines = [begun('1'), begun('2'), ran('2', 'r2'), ran('1', 'r1'), begun('3'), ran('3', 'r3')];
  const run = 'command_execution';
  expect(said(start('s'), ...lines, text1)).toEqual([
    [
      ...[`assistant undefined ${run} ${run}`, 'tool r2', 'tool r1'],
      ...[`assistant undefined ${run}`, 'tool r3', 'assistant b'],
    ],
  ]);
});

it('says in the result why a command failed or did not run', () => {
  const failed = ran('1', 'no\n', { exit_code: 2, status: 'failed' });
  const declined = ran('2', '', { exit_code: null, status: 'declined' });
  const [messages] = said(start('s'), failed, declined, text1);
  expect(messages?.filter((message) => message.startsWith('tool'))).toEqual([
    'tool no\nexit code 2',
    'tool declined',
  ]);
});

it('takes the result of a tool of a server from its content, its error or what it gave', () => {
  const call = (more: object) =>
    done('m', 'mcp_tool_call', { server: 's', tool: 't', arguments: {}, ...more });
  const results = [
    call({ result: { content: [{ type: 'text', text: 'a' }] }, status: 'completed' }),
    call({ error: { message: 'away' }, status: 'failed' }),
    call({ result: { structured_content: 1 }, status: 'completed' }),
    call({ status: 'failed' }),
  ].map((line) => said(start('s'), line)[0]?.[1]);
  expect(results).toEqual(['tool a', 'tool away', 'tool {"structured_content":1}', 'tool failed']);
});

it('reads a call about another agent, and what is known of the agents', () => {
  const call = (more: object) => done('1', 'collab_tool_call', { tool: 'spawn_agent', ...more });
  const sent = { sender_thread_id: 's', receiver_thread_ids: ['t'], prompt: 'go' };
  const states = { t: { status: 'completed', message: 'x' } };
  const lines = [start('s'), call({ ...sent, agents_states: states, status: 'completed' }), text1];
  expect(said(...lines)).toEqual([
    ['assistant undefined spawn_agent', `tool ${JSON.stringify(states)}`, 'assistant b'],
  ]);
  const [entry] = elementsOf(...lines).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  expect(
    JSON.parse(text(entry?.messages[0]?.bytes ?? new Uint8Array())).tool_calls[0].function.arguments,
  ).toBe('{"prompt":"go","receiver_thread_ids":["t"]}');
  expect(said(start('s'), call({ agents_states: {}, status: 'failed' }))).toEqual([
    ['assistant undefined spawn_agent', 'tool failed'],
  ]);
});

it('keeps a search of the web as a part, and reports items that it does not know', () => {
  const search = done('w', 'web_search', { query: 'q' });
  const elements = elementsOf(start('s'), search, done('n', 'new_item', {}), text1);
  const [entry] = elements.filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const rules = [...(entry?.messages ?? []), entry?.reply].flatMap((message) => message?.notes ?? []);
  expect(rules.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['server-tool', 'unknown-event']));
  expect(elements).toContainEqual(expect.objectContaining({ fate: 'dropped:client-event' }));
});

it('goes on in a thread that is resumed, and begins a conversation with another thread', () => {
  const lines = [start('s'), text1, start('s'), text1, start('t'), text1];
  expect(said(...lines)).toEqual([['assistant b', 'assistant b'], ['assistant b']]);
});

it('reports a turn that failed, and rejects an item without a type', () => {
  const failure = { type: 'turn.failed', error: { message: 'm' } };
  const elements = elementsOf(start('s'), text1, failure, { type: 'item.completed', item: { id: '1' } });
  const [entry] = elements.filter(({ kind }) => kind === 'entry') as readonly Entry[];
  expect(entry?.reply?.notes?.map(({ rule }) => rule)).toContain('response-error');
  expect(elements).toContainEqual(expect.objectContaining({ kind: 'rejection', reason: 'bad-event' }));
});

it('reads the items of the first versions, which name their type differently', () => {
  const old = (id: string, item_type: string, more: object) => ({
    type: 'item.completed',
    item: { id, item_type, ...more },
  });
  const command = { command: 'x', aggregated_output: 'r', exit_code: 0, status: 'completed' };
  const lines = [old('1', 'command_execution', command), old('2', 'assistant_message', { text: 'b' })];
  expect(said(start('s'), ...lines)).toEqual([
    ['assistant undefined command_execution', 'tool r', 'assistant b'],
  ]);
});

it('reads an item once that a log has twice in a row', () => {
  expect(said(start('s'), ran('1', 'r1'), ran('1', 'r1'), text1, text1)).toEqual([
    ['assistant undefined command_execution', 'tool r1', 'assistant b'],
  ]);
});
