/** Knowledge of the client that OpenHands told the model, of which the log has only parts (`recall`). */
import { describe, expect, it } from 'vitest';
import openhands from '../../../../transforms/dialects/openhands.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { readLog } from '../../log-lines.ts';

const question = { id: 0, source: 'user', action: 'message', args: { content: 'a' } };
const asked = {
  id: 1,
  source: 'user',
  action: 'recall',
  args: { recall_type: 'workspace_context', query: 'a' },
};
const answer = { id: 3, source: 'agent', action: 'message', args: { content: 'b' } };
const nothing = {
  ...{ recall_type: 'workspace_context', repo_name: '', repo_directory: '', repo_instructions: '' },
  ...{ runtime_hosts: {}, additional_agent_instructions: '', date: '', microagent_knowledge: [] },
};
const recalled = (extras: object) => ({
  ...{ id: 2, source: 'environment', cause: 1, observation: 'recall', content: 'Added workspace context' },
  extras: { ...nothing, ...extras },
});

/** The rules of the findings about each message of the conversation except `no-system`, and the fates of the lines. */
function read(...objects: readonly object[]) {
  const elements = readLog(
    openhands.create(),
    objects.map((object) => JSON.stringify(object)),
  );
  const entry = elements.find((element): element is Entry => element.kind === 'entry');
  const all = [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])];
  return {
    rules: all.map(({ notes = [] }) => notes.map(({ rule }) => rule).filter((rule) => rule !== 'no-system')),
    drops: elements.flatMap((element) => (element.kind === 'fate' ? [element.fate] : [])),
  };
}

const knowledge = { name: 'github', trigger: 'git', content: 'Use the API.' };

describe('what the client told the model', () => {
  it.each([
    ['knowledge', { recall_type: 'knowledge', microagent_knowledge: [knowledge] }],
    ['instructions of the repository', { repo_instructions: 'Run the tests.' }],
    ['the date', { date: '2025-07-11' }],
    ['secrets', { custom_secrets_descriptions: { KEY: '' } }],
  ])('is a finding about the message before it: %s', (_what, extras) => {
    const { rules, drops } = read(question, asked, recalled(extras), answer);
    expect(rules).toEqual([['attachment-missing'], []]);
    expect(drops).toEqual(expect.arrayContaining(['dropped:client-event']));
  });

  it('is not a finding if it was nothing', () => {
    expect(read(question, asked, recalled({}), answer).rules).toEqual([[], []]);
    const { extras: _, ...bare } = recalled({});
    expect(read(question, asked, bare, answer).rules).toEqual([[], []]);
  });

  it('is not a finding in a run whose settings say that the model is not told', () => {
    const history = [question, asked, recalled({ date: '2025-07-11' }), answer];
    const run = (agent_config: object) =>
      read({ instance_id: 'i', history, metadata: { agent_config } }).rules;
    expect(run({ enable_prompt_extensions: false })).toEqual([[], []]);
    expect(run({ enable_prompt_extensions: true })).toEqual([['attachment-missing'], []]);
  });

  it('does not begin a conversation', () => {
    const { rules, drops } = read(recalled({ date: '2025-07-11' }));
    expect(rules).toEqual([]);
    expect(drops).toEqual(['dropped:client-event']);
  });
});
