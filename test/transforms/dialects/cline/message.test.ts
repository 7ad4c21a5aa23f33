import { describe, expect, it } from 'vitest';
import cline from '../../../../transforms/dialects/cline.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const ask = { role: 'user', content: [{ type: 'text', text: 'Which key opens the shed?' }] };
const thought = (words: string) => ({ type: 'reasoning.text', text: words });
const sealed = { type: 'reasoning.encrypted', data: 'c2VhbGVk' };

/** The answers to a question, and the findings about the conversation. */
function read(...content: readonly object[]) {
  const lines = [ask, { role: 'assistant', content }].map((one) => JSON.stringify(one));
  const [entry] = readLog(cline.create(), lines).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const notes = [...(entry?.messages ?? [])].flatMap((message) => message.notes ?? []);
  const answer = entry?.reply === undefined ? undefined : JSON.parse(text(entry.reply.bytes));
  return { answer, rules: notes.map(({ rule }) => rule).filter((rule) => rule !== 'no-system') };
}

describe('reasoning of OpenRouter in the blocks of Cline', () => {
  const said = (more: object) => ({ type: 'text', text: 'The long one.', ...more });

  it('is the reasoning of the answer', () => {
    const { answer } = read(said({ reasoning_details: [thought('It is long.')] }));
    expect(answer).toEqual({
      ...{ role: 'assistant', content: 'The long one.', reasoning_content: 'It is long.' },
    });
    const call = { type: 'tool_use', id: 't1', name: 'look', input: {} };
    const again = read({ ...call, reasoning_details: [{ type: 'reasoning.summary', summary: 'Look.' }] });
    expect(again.answer).toMatchObject({ reasoning_content: 'Look.', tool_calls: [{ id: 't1' }] });
  });

  it('is read once, although each block and a thought have it', () => {
    const reasoning_details = [thought('It is long.'), sealed];
    const call = { type: 'tool_use', id: 't1', name: 'look', input: {}, reasoning_details };
    const { answer, rules } = read(said({ reasoning_details }), call);
    expect(answer.reasoning_content).toBe('It is long.');
    expect(rules).toEqual(['reasoning-sealed']);
    const thinking = { type: 'thinking', thinking: 'It is long.', summary: reasoning_details };
    expect(read(thinking, said({})).answer.reasoning_content).toBe('It is long.');
    expect(read(thinking, said({})).rules).toEqual(['reasoning-sealed']);
  });

  it('is counted where it is encrypted', () => {
    expect(read(said({ reasoning_details: [sealed] })).rules).toEqual(['reasoning-sealed']);
    const providerOptions = { openrouter: { reasoning_details: [sealed] } };
    expect(read(said({ providerOptions })).rules).toEqual(['reasoning-sealed']);
  });

  it('is reported where it has another form', () => {
    expect(
      read(said({ reasoning_details: [{ type: 'reasoning.text', words: 'It is long.' }] })).rules,
    ).toEqual(['unread-text']);
  });
});

describe('calls that the provider of Cline ran itself', () => {
  const activity = { toolCallId: 't', toolName: 'web_search', execution: 'provider', input: { q: 'a' } };
  const rulesOf = (modelToolActivities: readonly object[]) => {
    const said = { ...{ role: 'assistant', content: 'b', ts: 1 }, metadata: { modelToolActivities } };
    const lines = [ask, said].map((one) => JSON.stringify(one));
    const [entry] = readLog(cline.create(), lines).filter(({ kind }) => kind === 'entry') as readonly Entry[];
    return (entry?.messages ?? []).flatMap(({ notes = [] }) => notes.map(({ rule }) => rule));
  };

  it('are reported, because only the metadata of the answer has them', () => {
    expect(rulesOf([activity])).toContain('unread-text');
    expect(rulesOf([])).not.toContain('unread-text');
  });
});
