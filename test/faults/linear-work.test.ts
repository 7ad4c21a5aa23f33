/**
 * F110, F111: text on which a quadratic scanner never ends. Each attack is 1 MB (n^2 steps would take an hour), in every place that is
 * scanned, through every format. The rule on info-msg blocks agrees with the oracle.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/job/build.ts';
import { formats } from '../../transforms/formats/index.ts';
import { blockOf, isBlocks } from '../../transforms/rules/blocks.ts';
import { entryLine } from '../support/build-logs.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { isOnlyInfo } from '../support/oracle/cleanup.ts';

const isInfo = (text: string): boolean => isBlocks(text, [blockOf('info-msg')]);
const MB = 1024 * 1024;

const ATTACKS: readonly string[] = [
  ...[' ', '\n', '\t\u0085\u001c', 'a', 'a ', '0', '-', '\\', '"', '[', '{', '{"a":', '\ud83d', '\u2028'],
  ...[
    '<info-msg>',
    '</info-msg>',
    '<info-msg> ',
    '<info-msg></info-msg>',
    '<',
    '<tool_call>',
    '</tool_call>',
    '<tool_call>{',
  ],
  ...[
    '<tool_result tool_call_id="a">',
    '<think>',
    '</think>',
    '<think>\n',
    '<start_of_turn>',
    '<end_of_turn>',
    '<escape>',
  ],
  ...[
    'general-purpose ',
    'general-purpose AI agent called ',
    'Reply with only ',
    'error',
    '/*',
    '*/',
    'a@',
    'call:',
    '<start_function_call>',
  ],
];

const attackOf = (piece: string, bytes: number): string =>
  piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)));

/** The text in every place: messages of each role, arguments, results, names, tools, the reply. */
function sessionOf(text: string, id: string): string {
  const call = (args: string): object => ({
    id: 'a',
    type: 'function',
    function: { name: 'f', arguments: args },
  });
  const messages = [
    { role: 'system', content: text },
    { role: 'user', content: text },
    { role: 'user', content: [{ type: 'text', text }] },
    { role: 'assistant', content: text, tool_calls: [call(JSON.stringify({ text }))] },
    { role: 'tool', tool_call_id: 'a', content: text },
    { role: 'assistant', content: text },
    { role: 'assistant', content: null, tool_calls: [call(text)] },
    { role: 'tool', tool_call_id: 'a', content: JSON.stringify({ text }) },
  ];
  return entryLine({ id, messages, reply: { role: 'assistant', content: text } });
}

describe('F110 text on which a quadratic scanner never ends', () => {
  const throughFormat = async (format: string, bytes: number): Promise<void> => {
    const folder = join(temporaryFolder(), 'logs');
    mkdirSync(folder);
    for (const [i, piece] of ATTACKS.entries())
      writeFileSync(join(folder, `${i}.jsonl`), sessionOf(attackOf(piece, bytes), `s-${i}`));
    const { sums } = await build({ inputs: [folder], format, workers: 1 });
    expect([sums.sessions.seen, sums.lines]).toEqual([ATTACKS.length, ATTACKS.length]);
  };

  for (const { name } of formats) {
    faultTest(
      'F110',
      `${ATTACKS.length} attacks of 1 MB in every place, format ${name}`,
      { long: true },
      () => throughFormat(name, MB),
    );
  }

  faultTest('F110', 'the same with 100 kB, format chat-inline', {}, () =>
    throughFormat('chat-inline', 100_000),
  );

  it('F110 as ids, file names, timestamps and keys', async () => {
    const folder = join(temporaryFolder(), 'logs');
    mkdirSync(folder);
    let written = 0;
    for (const piece of [
      '-',
      '-1',
      'a-',
      '0',
      ' ',
      '.',
      '-0b1f6c2e-94a7-4d35-8e1c-72d9a5f3b480',
      '2026-',
      ':',
      'é',
    ]) {
      const text = attackOf(piece, MB);
      const lines = [
        entryLine({ id: text }),
        entryLine({ at: text }),
        entryLine({ messages: [{ role: text, content: '' }] }),
      ];
      const key = entryLine({
        messages: [{ role: 'user', [text]: 1 }],
        tools: [{ type: 'function', function: { name: text } }],
      });
      const name = piece.repeat(120 / piece.length);
      for (const [i, line] of [...lines, key].entries())
        writeFileSync(join(folder, `${name}-${i}-${written++}.jsonl`), line);
    }
    for (const groupBy of ['date', 'scenario'] as const) {
      const { sums } = await build({ inputs: [folder], groupBy, workers: 1 });
      expect([sums.lines, sums.fates['rejected:bad-timestamp']]).toEqual([written, written / 4]);
    }
  });
});

describe('F111 info-msg blocks', () => {
  const piece = fc.constantFrom(
    ...[
      '<info-msg>',
      '</info-msg>',
      '<info-msg',
      '</info-msg',
      '<INFO-MSG>',
      '<info-msg a="b">',
      '<info-msg/>',
    ],
    ...[
      ' ',
      '\n',
      '\r\n',
      '\t',
      '\u0085',
      '\u001c',
      '\u001f',
      '\u00a0',
      '\u2028',
      '\u3000',
      '\ufeff',
      '\u200b',
      '\u180e',
    ],
    ...['a', '<', '>', '/', '<info-msg></info-msg>', '<info-msg>x</info-msg>\n', '<info-msg>\n\n</info-msg>'],
  );

  it('F111 any mix of tags, white space and text: the oracle agrees', () => {
    let dropped = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const info = isInfo(text);
        if (info) dropped++;
        expect([text, info]).toEqual([text, isOnlyInfo(text)]);
      }),
      { numRuns: 20_000 },
    );
    expect(dropped).toBeGreaterThan(200);
  });

  it('F111 10 MB of blanks, openers, closers and whole blocks', () => {
    const size = 10 * 1024 * 1024;
    const long = (text: string): string => text.repeat(size / text.length);
    expect(isInfo(long(' '))).toBe(false);
    expect(isInfo(`<info-msg>${long('\n')}</info-msg>${long('\u0085')}`)).toBe(true);
    expect(isInfo(`<info-msg>${long(' ')}`)).toBe(false);
    for (const piece of ['<info-msg>', '</info-msg>', '<info-msg> ', '<'])
      expect(isInfo(long(piece))).toBe(false);
    expect(isInfo(long('<info-msg> </info-msg> '))).toBe(true);
    expect(isInfo(`${long('<info-msg></info-msg>')}x`)).toBe(false);
  });
});
