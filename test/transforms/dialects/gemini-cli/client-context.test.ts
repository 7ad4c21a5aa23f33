import { describe, expect, it } from 'vitest';
import geminiCli from '../../../../transforms/dialects/gemini-cli.ts';
import type { Entry } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const head = { sessionId: 's', projectHash: 'h', startTime: '2026-08-01T10:00:00.000Z' };
const user = (id: string, content: unknown = [{ text: id }]) => ({ id, type: 'user', content });
const answer = (id: string, content: unknown = id, more: object = {}) => ({
  ...{ id, type: 'gemini', content, model: 'gemini-3-pro' },
  ...more,
});
const response = (output: string, more: object = {}) => [
  { functionResponse: { id: 'c', name: 'look', response: { output, ...more } } },
];
const ran = (output: string, more: object = {}) => ({
  toolCalls: [{ id: 'c', name: 'look', args: {}, status: 'success', result: response(output, more) }],
});

/** The messages of each conversation, and the findings about them. */
function read(...lines: readonly object[]) {
  const all = [head, ...lines].map((line) => JSON.stringify(line));
  const entries = readLog(geminiCli.create(), all).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  const messages = entries.map((one) => [...one.messages, ...(one.reply === undefined ? [] : [one.reply])]);
  return {
    said: messages.map((list) => list.map(({ bytes }) => JSON.parse(text(bytes)).content)),
    rules: messages.flat().flatMap(({ notes = [] }) => notes.map(({ rule }) => rule)),
  };
}

describe('what Gemini CLI changes in the context', () => {
  it('does not replace a result that the model saw by a shorter one that later answers have', () => {
    const call = { functionCall: { id: 'c', name: 'look', args: {} } };
    const before = [user('1'), answer('2', 'Look', ran('all')), user('r', response('all')), answer('3')];
    const context = (output: string) => ({
      $set: {
        messages: [
          ...[user('1'), answer('2', [{ text: 'Look' }, call], ran(output))],
          ...[user('r', response(output)), answer('3', [{ text: '3' }])],
        ],
      },
    });
    const after = [user('4'), answer('5')];
    const said = ['1', 'Look', 'all', '3', '4', '5'];
    const masked = read(...before, context('<tool_output_masked>'), ...after);
    expect(masked.said).toEqual([said]);
    expect(masked.rules).toContain('context-cut');
    const same = read(...before, context('all'), ...after);
    expect(same.said).toEqual([said]);
    expect(same.rules).not.toContain('context-cut');
  });

  it.each([
    [{ text: '[The previous response was interrupted before it completed.]' }],
    [{ text: 'Binary content received. Proceeding with analysis.', thought: true, thoughtSignature: 's' }],
  ])('leaves out an answer that the client wrote: %j', (part) => {
    const own = { id: '2', type: 'gemini', content: [part] };
    expect(read(user('1'), own, user('3'), answer('4')).said).toEqual([['1', '3', '4']]);
    expect(read(user('1'), own, user('3'), answer('4')).rules).not.toContain('reasoning-summary');
    expect(read(user('1'), answer('2', part.text), user('3'), answer('4')).said[0]).toContain(part.text);
  });

  it('reads the files that the client sends after a response as parts of it', () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const other = { inlineData: { mimeType: 'application/pdf', data: 'QUJD' } };
    const call = answer('2', '', ran('Read.', { __binary_injection__: [image, other] }));
    const { said, rules } = read(user('1'), call, user('r', response('Read.')), answer('3'));
    const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
    expect(said[0]?.[2]).toEqual([{ type: 'text', text: 'Read.' }, shown, other]);
    expect(rules).toContain('block-kept');
  });

  it('does not make an image of another file', () => {
    const pdf = { inlineData: { mimeType: 'application/pdf', data: 'QUJD' } };
    const { said, rules } = read(user('1', [{ text: 'a' }, pdf]), answer('2'));
    expect(said[0]?.[0]).toEqual([{ type: 'text', text: 'a' }, pdf]);
    expect(rules).toContain('block-kept');
  });

  describe('a skill that the user started, which the client logs as calls of the model', () => {
    const call = { name: 'activate_skill', args: { name: 'review' } };
    const skill = [{ functionResponse: { id: 'k', name: call.name, response: { output: 'SKILL' } } }];
    const started = { toolCalls: [{ ...call, id: 'k', status: 'success', result: skill }] };
    const copy = (args: object = call.args, id?: string) => ({
      ...{ id: 'copy', type: 'gemini', content: [{ functionCall: { ...call, args, id } }], thoughts: [] },
    });
    const before = [user('1'), answer('2'), answer('2', '2', started), copy(), user('r', skill)];
    const after = [user('3'), answer('4')];
    const said = ['1', '2', 'SKILL', '3', '4'];

    it('is a message of the user', () => {
      expect(read(...before, ...after).said).toEqual([said]);
      const first = [answer('2', '', started), copy(), user('r', skill)];
      expect(read(...first, ...after).said).toEqual([['SKILL', '3', '4']]);
    });

    it('stays one when the context is logged again', () => {
      const context = [
        user('1'),
        answer('2', [{ text: '2' }], started),
        copy(call.args, 'x'),
        user('r', skill),
      ];
      expect(read(...before, { $set: { messages: context } }, ...after).said).toEqual([said]);
      const summary = [user('s'), ...context.slice(1)];
      expect(read(...before, { $set: { messages: summary } }, ...after).said).toEqual([
        ['1', '2', 'SKILL'],
        ['s', '2', 'SKILL', '3', '4'],
      ]);
    });

    it('is a call of the model if the copy has other arguments', () => {
      const other = copy({ name: 'other' });
      const { said: kept } = read(user('1'), answer('2', '2', started), other, ...after);
      expect(kept).toEqual([['1', '2', 'SKILL', undefined, '3', '4']]);
    });
  });
});
