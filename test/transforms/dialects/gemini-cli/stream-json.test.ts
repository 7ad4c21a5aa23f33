import { describe, expect, it } from 'vitest';
import geminiCli from '../../../../transforms/dialects/gemini-cli.ts';
import type { Entry, Rejection } from '../../../../transforms/model/element.ts';
import { detectDialect } from '../../../../transforms/stages/choose-dialect.ts';
import { asBuffer, text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const timestamp = '2026-01-14T08:00:00Z';
const init = { type: 'init', timestamp, session_id: 's', model: 'm' };
const says = (content: unknown, more: object = {}) => ({
  ...{ type: 'message', timestamp, role: 'assistant', content },
  ...more,
});
const asks = (content: string) => says(content, { role: 'user' });
const delta = (content: string) => says(content, { delta: true });
const calls = (id: string) => ({ type: 'tool_use', timestamp, tool_name: 'f', tool_id: id, parameters: {} });
const returns = (id: string, more: object) => ({
  ...{ type: 'tool_result', timestamp, tool_id: id, status: 'success' },
  ...more,
});

const elementsOf = (...objects: readonly object[]) =>
  readLog(
    geminiCli.create(),
    objects.map((object) => JSON.stringify(object)),
  );

function conversationsOf(...objects: readonly object[]): readonly string[][] {
  const entries = elementsOf(...objects).filter(({ kind }) => kind === 'entry') as readonly Entry[];
  return entries.map(({ messages, reply }) =>
    [...messages, ...(reply === undefined ? [] : [reply])].map(({ bytes }) => {
      const { role, content, tool_calls: made = [] } = JSON.parse(text(bytes));
      return [role, content ?? '', ...made.map(({ id }: { id: string }) => id)].join(' ');
    }),
  );
}

describe('stream-json output of Gemini CLI', () => {
  it('reads an answer once that comes in pieces and then as a whole', () => {
    for (const pieces of [[delta('I l'), delta('ook.')], [delta('I look.')]]) {
      expect(conversationsOf(init, asks('q'), ...pieces, says('I look.'))).toEqual([
        ['user q', 'assistant I look.'],
      ]);
      expect(conversationsOf(init, asks('q'), ...pieces, says('So.'))).toEqual([
        ['user q', 'assistant I look.\nSo.'],
      ]);
    }
  });

  it('reads lines to which another program added a time', () => {
    const lines = [init, asks('q'), calls('c'), returns('c', {}), says('So.')];
    expect(conversationsOf(...lines.map((line) => ({ ...line, ts: '2026-01-14T08:00:00.250907' })))).toEqual([
      ['user q', 'assistant  c', 'assistant So.'],
    ]);
  });

  it('joins the pieces of a text, and begins an answer after the results', () => {
    const run = [calls('c'), calls('d'), returns('c', { output: 'r' }), returns('d', { output: '' })];
    expect(
      conversationsOf(
        init,
        asks('q'),
        delta('I l'),
        delta('ook\n'),
        delta('.'),
        ...run,
        delta('So'),
        delta('.'),
      ),
    ).toEqual([['user q', 'assistant I look\n. c d', 'tool r', 'tool ', 'assistant So.']]);
  });

  it('joins the pieces of a text before and after a warning', () => {
    const warning = { type: 'error', timestamp, severity: 'warning', message: 'A loop may have begun.' };
    expect(conversationsOf(init, asks('q'), delta('I l'), warning, delta('ook.'))).toEqual([
      ['user q', 'assistant I look.'],
    ]);
  });

  it('joins a text of more than a mebibyte', () => {
    const piece = 'x'.repeat(300_000);
    const [[, reply] = []] = conversationsOf(
      init,
      asks('q'),
      ...Array.from({ length: 9 }, () => delta(piece)),
    );
    expect(reply).toBe(`assistant ${piece.repeat(9)}`);
  });

  it('begins a conversation with each init', () => {
    expect(conversationsOf(init, asks('a'), delta('b'), init, asks('c'), delta('d'))).toEqual([
      ['user a', 'assistant b'],
      ['user c', 'assistant d'],
    ]);
  });

  it('has no result where the client shows none', () => {
    expect(conversationsOf(init, asks('a'), calls('c'), returns('c', {}), delta('b'))).toEqual([
      ['user a', 'assistant  c', 'assistant b'],
    ]);
  });

  it.each([
    ['unknown-speaker', says('a', { role: 'reviewer' })],
    ['unknown-content', says({ a: 'b' })],
    ['unknown-content', returns('c', { output: { a: 'b' } })],
    ['bad-event', { type: 'thought', timestamp, content: 'hidden words' }],
  ])('rejects with %s', (reason, event) => {
    const rejected = elementsOf(init, asks('a'), event).filter(({ kind }) => kind === 'rejection');
    expect((rejected as readonly Rejection[]).map((one) => one.reason)).toEqual([reason]);
  });

  it.each([[init], [delta('a')], [calls('c')], [returns('c', {})]])('is recognised by %o', (event) => {
    expect(detectDialect(asBuffer(JSON.stringify(event)))?.name).toBe('gemini-cli');
  });

  it('is not taken for a list of bare messages', () => {
    expect(detectDialect(asBuffer(JSON.stringify(asks('a'))))).toBeUndefined();
    expect(detectDialect(asBuffer(JSON.stringify({ ...asks('a'), ts: 1 })))?.name).not.toBe('cline');
  });
});
