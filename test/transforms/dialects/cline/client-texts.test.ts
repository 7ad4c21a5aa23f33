import { describe, expect, it } from 'vitest';
import cline from '../../../../transforms/dialects/cline.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const ONE_TOOL = 'Only one tool may be used at a time and should be placed at the end of the message.';
const typed = (words: string) => ({ role: 'user', content: [{ type: 'text', text: words }], ts: 1 });
const said = (...content: readonly unknown[]) => ({ role: 'assistant', content, ts: 2 });
const words = (one: string) => ({ type: 'text', text: one });

/** The contents of a conversation, and the findings and changes of its last answer. */
function read(...messages: readonly object[]) {
  const lines = messages.map((one) => JSON.stringify(one));
  const [entry] = readLog(cline.create(), lines).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const all = [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])];
  return {
    contents: all.map(({ bytes }) => (JSON.parse(text(bytes)) as { content?: unknown }).content),
    notes: (entry?.reply?.notes ?? []).map(({ message }) => message),
    changes: Object.fromEntries(entry?.changes ?? []),
  };
}

describe('texts that Cline writes into answers', () => {
  it.each([
    ['user', 'the user interrupted the model here'],
    ['user feedback', 'the user interrupted the model here'],
    ['API Error', 'the response is an error'],
    [`a tool use result. ${ONE_TOOL}`, 'the client ended the answer after its first call'],
  ])('are no words of the model: interrupted by %s', (who, note) => {
    const text = `Read "a\\b".\n\n[Response interrupted by ${who}]`;
    const answers = [said(words(text)), { ...said(), content: text }];
    for (const answer of answers)
      expect(read(typed('a'), answer)).toEqual({
        contents: ['a', 'Read "a\\b".'],
        notes: [note],
        changes: { 'interrupt-mark': 1 },
      });
  });

  it('are left out with an answer that has nothing else', () => {
    const mark = words('\n\n[Response interrupted by user]');
    const none = words('Failure: I did not provide a response.');
    const all = [typed('a'), said(mark), typed('b'), said(none), typed('c'), said(words('d'))];
    expect(read(...all).contents).toEqual(['a', 'b', 'c', 'd']);
    const call = { type: 'tool_use', id: 't', name: 'look', input: {} };
    expect(read(typed('a'), said(mark, call)).contents).toEqual(['a', undefined]);
  });

  it.each([
    'The log says [Response interrupted by user]',
    'It says:\n\n[Response interrupted by a dog]',
    '[Response interrupted by user] is a mark.',
    'Failure: I did not provide a response. Again.',
  ])('are not the words of a model that quotes them: %s', (quoted) => {
    expect(read(typed(quoted), said(words(quoted)))).toEqual({
      ...{ contents: [quoted, quoted], notes: [], changes: {} },
    });
  });
});
