/** Steps of SWE-agent: what the model received, beside the history that is read. */
import { expect, it } from 'vitest';
import runs from '../../../../transforms/dialects/runs.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { readLog } from '../../log-lines.ts';

const system = { role: 'system', content: 'Be brief.' };
const answer = { role: 'assistant', content: 'I look.', thought: 'I look.', action: 'ls' };
const result = { role: 'tool', content: 'a.txt\nb.txt\n' };
const history = [system, { role: 'user', content: 'What is here?' }, answer, result, answer];

const rulesOf = (steps: readonly object[]): readonly string[] => {
  const run = JSON.stringify({ history, trajectory: steps, info: {} });
  const [entry] = readLog(runs.create(), [run]).filter((one): one is Entry => one.kind === 'entry');
  const messages = [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])];
  return messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));
};

it.each(['messages', 'query'])('say in %s whether the model received shorter results in the end', (name) => {
  const step = (last: object) => ({ action: 'ls', [name]: [system, { ...answer, content: 'ls' }, last] });
  const marked = { type: 'text', text: 'a.txt\nb.txt', cache_control: { type: 'ephemeral' } };
  expect(rulesOf([step({ role: 'tool', content: [marked] })])).not.toContain('context-cut');
  const cut = { role: 'tool', content: 'Old environment output: (2 lines omitted)' };
  expect(rulesOf([step(result), step(cut)])).toContain('context-cut');
  expect(rulesOf([step(cut), { action: 'submit', [name]: [] }])).toContain('context-cut');
});
