/** Runs of `claude -p --output-format stream-json` whose output was appended to one file. */
import { expect, it } from 'vitest';
import claudeCode from '../../../../transforms/dialects/claude-code.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const line = (session_id: string, uuid: string, more: object) => ({
  ...{ session_id, uuid: `${session_id}-${uuid}`, parent_tool_use_id: null },
  ...more,
});
const init = (id: string) => line(id, 'i', { type: 'system', subtype: 'init', mcp_servers: [] });
const hook = (id: string) => line(id, 'h', { type: 'system', subtype: 'hook_started' });
const says = (id: string, words: string) =>
  line(id, words, {
    type: 'assistant',
    message: { id: `m-${words}`, role: 'assistant', content: [{ type: 'text', text: words }] },
  });
const end = (id: string, result: string) => line(id, 'r', { type: 'result', subtype: 'success', result });

/** The texts of each conversation, and whether it has the finding about several ids. */
function read(...lines: readonly object[]) {
  const elements = readLog(
    claudeCode.create(),
    lines.map((one) => JSON.stringify(one)),
  );
  const entries = elements.filter(({ kind }) => kind === 'entry') as readonly Entry[];
  return entries.map(({ sessionId, messages, reply }) => {
    const all = [...messages, ...(reply === undefined ? [] : [reply])];
    return {
      sessionId,
      said: all.map(({ bytes }) => JSON.parse(text(bytes)).content),
      hasTwoIds: all.some(({ notes = [] }) => notes.some(({ rule }) => rule === 'two-session-ids')),
    };
  });
}

const one = [init('A'), says('A', 'a'), end('A', 'a')];
const other = [init('B'), says('B', 'b'), end('B', 'b')];

it('are sessions of their own', () => {
  const runs = [
    { sessionId: 'A', said: ['a'], hasTwoIds: false },
    { sessionId: 'B', said: ['b'], hasTwoIds: false },
  ];
  expect(read(...one, ...other)).toEqual(runs);
  expect(read(...one, hook('B'), ...other)).toEqual(runs);
});

it('are one session if they have one id', () => {
  const again = [init('A'), says('A', 'b'), end('A', 'b')];
  expect(read(...one, ...again)).toEqual([{ sessionId: 'A', said: ['a', 'b'], hasTwoIds: false }]);
});

it('are not mixed if they print their lines in turns', () => {
  const mixed = [init('A'), says('A', 'a'), init('B'), says('B', 'b'), says('A', 'c'), says('B', 'd')];
  expect(read(...mixed, end('A', 'c'), end('B', 'd'))).toEqual([
    { sessionId: 'A', said: ['a', 'c'], hasTwoIds: false },
    { sessionId: 'B', said: ['b', 'd'], hasTwoIds: false },
  ]);
});

it('keep their sub-agents apart if they print their lines in turns', () => {
  const call = (id: string) => [{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: id } }];
  const asks = (id: string) =>
    line(id, 'c', { type: 'assistant', message: { id: 'm', role: 'assistant', content: call(id) } });
  const inside = (id: string) => ({ ...says(id, `${id} found`), parent_tool_use_id: 't1' });
  const mixed = [init('A'), asks('A'), init('B'), asks('B'), inside('A'), inside('B')];
  expect(read(...mixed).map(({ sessionId, said }) => [sessionId, said.at(-1)])).toEqual([
    ['A', undefined],
    ['B', undefined],
    ['A/t1', 'A found'],
    ['B/t1', 'B found'],
  ]);
});

it('are not all held: the one that was idle the longest ends', () => {
  const ids = Array.from({ length: 66 }, (_, i) => `${i}`);
  const lines = ids.flatMap((id) => [init(id), says(id, 'a')]);
  const sessions = read(...lines, says('0', 'b'), says('65', 'b')).map(({ said }) => said.length);
  expect(sessions).toEqual([...ids.map((id) => (id === '65' ? 2 : 1)), 1]);
});
