import { describe, expect, it } from 'vitest';
import codex from '../../../../transforms/dialects/codex.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const head = { type: 'session_meta', payload: { id: 's' } };
const item = (payload: object) => ({ type: 'response_item', payload });
const event = (payload: object) => ({ type: 'event_msg', payload });
const said = (role: string, words: string) => {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return item({ type: 'message', role, content: [{ type, text: words }] });
};
const outcome = '<user_action>\n  <action>review</action>\n  <results>None.</results>\n</user_action>\n';
const interrupted = 'Review was interrupted. Please re-run /review and wait for it to complete.';

function read(...lines: readonly object[]) {
  const elements = readLog(
    codex.create(),
    [head, ...lines].map((line) => JSON.stringify(line)),
  );
  const [entry] = elements.filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const messages = [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])];
  return {
    said: messages.map(({ bytes }) => JSON.parse(text(bytes)).content),
    fates: elements.flatMap((one) => (one.kind === 'fate' ? one.fate : [])),
  };
}

describe('the outcome of a review of Codex', () => {
  const review = (words: string) => [
    ...[said('user', 'a'), said('assistant', 'b'), event({ type: 'entered_review_mode' })],
    ...[said('user', outcome), event({ type: 'exited_review_mode' }), said('assistant', words)],
    event({ type: 'agent_message', message: words }),
  ];

  it.each([interrupted, 'It breaks.\n\n- [P1] Bug'])(
    'is left out where the client says it for the model: %s',
    (words) => {
      const { said: all, fates } = read(...review(words), said('user', 'c'), said('assistant', 'd'));
      expect(all).toEqual(['a', 'b', outcome, 'c', 'd']);
      expect(fates).toContain('dropped:synthetic-message');
    },
  );

  it('does not take away later answers, or calls', () => {
    expect(read(...review('x'), said('assistant', 'y')).said.at(-1)).toBe('y');
    const call = item({ type: 'function_call', name: 'f', call_id: 'c', arguments: '{}' });
    expect(read(said('user', outcome), call).said).toHaveLength(2);
    expect(read(said('user', `Why ${outcome}`), said('assistant', 'z')).said.at(-1)).toBe('z');
  });
});
