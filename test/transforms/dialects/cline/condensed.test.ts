import { describe, expect, it } from 'vitest';
import cline from '../../../../transforms/dialects/cline.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const use = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `r${id}` });
const message = (role: string, ts: number, ...content: readonly object[]) => ({ role, content, ts });
const says = (words: string) => ({ type: 'text', text: words });

/** The messages of each conversation in short, and the number of those that were copied. */
function read(...messages: readonly object[]) {
  const lines = messages.map((one) => JSON.stringify(one));
  const reader = cline.create();
  const entries = readLog(reader, lines).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const said = entries.map((one) => [...one.messages, ...(one.reply === undefined ? [] : [one.reply])]);
  return said.map((list) =>
    list.map(({ bytes }) => {
      const { role, content, tool_calls, reasoning_content } = JSON.parse(text(bytes));
      return [role, content, tool_calls?.[0]?.id, reasoning_content].filter(Boolean).join(' ');
    }),
  );
}

describe('a summary of Roo Code that is an answer before the messages that were kept', () => {
  const replaced = { condenseParent: 'x' };
  const before = [
    message('user', 1, says('task')),
    { ...message('assistant', 2, says('one'), use('a')), ...replaced },
    { ...message('user', 3, result('a')), ...replaced },
    { ...message('assistant', 4, says('two'), use('b')), ...replaced },
  ];
  const thought = { type: 'reasoning', text: 'Condensing conversation context. The summary below is short.' };
  const summary = (ts: number) => ({
    ...message('assistant', ts, thought, says('sum'), use('b')),
    ...{ isSummary: true, condenseId: 'x' },
  });
  const kept = [
    message('user', 15, result('b')),
    message('assistant', 16, says('three'), use('c')),
    message('user', 17, result('c')),
  ];
  const after = [message('assistant', 18, says('four')), message('user', 19, says('more'))];

  it('ends the conversation after them, and begins the next one with the task, itself and them', () => {
    const first = ['user task', 'assistant one a', 'tool ra', 'assistant two b', 'tool rb'];
    const last = ['assistant three c', 'tool rc'];
    expect(read(...before, summary(14), ...kept, ...after)).toEqual([
      [...first, ...last],
      ['user task', 'assistant sum b', 'tool rb', ...last, 'assistant four', 'user more'],
    ]);
  });

  it('begins the next one if nothing was kept', () => {
    expect(read(...before, summary(5), ...after)).toEqual([
      ['user task', 'assistant one a', 'tool ra', 'assistant two b'],
      ['user task', 'assistant sum b', 'assistant four', 'user more'],
    ]);
  });
});
