/** A result that a log has twice in two forms: as a text, and as a list with that text. */
import { describe, expect, it } from 'vitest';
import anthropic from '../../../../transforms/dialects/anthropic.ts';
import claudeCode from '../../../../transforms/dialects/claude-code.ts';
import cline from '../../../../transforms/dialects/cline.ts';
import type { Dialect } from '../../../../transforms/dialects/dialect.ts';
import pi from '../../../../transforms/dialects/pi.ts';
import sts from '../../../../transforms/dialects/sts.ts';
import { buildLogs } from '../../../support/build-logs.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

type Content = string | readonly object[];
const list = (...words: readonly string[]): Content => words.map((word) => ({ type: 'text', text: word }));

const ask = { role: 'user', content: 'Which key?' };
const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: {} }] };
const block = (content: Content) => ({ type: 'tool_result', tool_use_id: 't1', content });
const user = (...content: readonly object[]) => ({ role: 'user', content });

/** The lines of a log with results of one call. */
const LOGS: readonly (readonly [Dialect, (...results: readonly Content[]) => readonly object[]])[] = [
  [
    claudeCode,
    (...results) =>
      [ask, call, ...results.map((one) => user(block(one)))].map((message, i) => ({
        ...{ type: message.role, message, uuid: `u${i}`, sessionId: 's' },
      })),
  ],
  [cline, (...results) => [ask, call, user(...results.map(block))].map((one) => ({ ...one, ts: 1 }))],
  [
    pi,
    (...results) => [
      { type: 'session', version: 3, id: 's', cwd: '/' },
      { type: 'message', message: ask },
      ...[
        {
          type: 'message',
          message: { ...call, content: [{ type: 'toolCall', id: 't1', name: 'look', arguments: {} }] },
        },
      ],
      ...results.map((content) => ({
        type: 'message',
        message: { role: 'toolResult', toolCallId: 't1', content },
      })),
    ],
  ],
  [
    sts,
    (...results) => [
      { type: 'session', id: 's', harness: 'h' },
      { type: 'message', message: ask },
      ...[
        {
          type: 'message',
          message: {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: 't1', function: { name: 'look', arguments: '{}' } }],
          },
        },
      ],
      ...results.map((content) => ({
        type: 'message',
        message: { role: 'tool', toolCallId: 't1', content },
      })),
    ],
  ],
  [
    anthropic,
    (...results) => [
      {
        request: { model: 'm', max_tokens: 9, messages: [ask, call, user(...results.map(block))] },
        response: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'The long one.' }] },
      },
    ],
  ],
];

/** The contents of the results that are read. */
function resultsIn({ create }: Dialect, lines: readonly object[]): readonly unknown[] {
  const elements = readLog(
    create(),
    lines.map((line) => JSON.stringify(line)),
  );
  const messages = elements.flatMap((one) => (one.kind === 'entry' ? one.messages : []));
  return messages.flatMap(({ role, bytes }) => (role === 'tool' ? [JSON.parse(text(bytes)).content] : []));
}

describe.each(LOGS)('the result of a call', (dialect, log) => {
  it(`is read once (${dialect.name})`, () => {
    expect(resultsIn(dialect, log('Brass.', list('Brass.')))).toEqual(['Brass.']);
    expect(resultsIn(dialect, log(list('Brass.'), 'Brass.'))).toEqual([list('Brass.')]);
    expect(resultsIn(dialect, log('Brass.', 'Brass.'))).toEqual(['Brass.']);
    expect(resultsIn(dialect, log(list('Br', 'ass.'), 'Brass.'))).toEqual([list('Br', 'ass.')]);
  });

  it(`is read twice if it says something else (${dialect.name})`, () => {
    expect(resultsIn(dialect, log('Brass.', list('Iron.')))).toEqual(['Brass.', list('Iron.')]);
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const shown = [{ type: 'text', text: 'Brass.' }, image];
    expect(resultsIn(dialect, log('Brass.', shown))).toHaveLength(2);
  });
});

it('a dataset has it once', async () => {
  const [, log] = LOGS[0] as (typeof LOGS)[number];
  const lines = log('Brass.', list('Brass.')).map((line) => `${JSON.stringify(line)}\n`);
  const { status, sums } = await buildLogs({ files: { 'a.jsonl': lines.join('') } });
  expect([status, sums.fates['dropped:copied-line'], sums.findings['tool-result-orphan']]).toEqual([
    0,
    1,
    undefined,
  ]);
});
