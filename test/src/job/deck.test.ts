/** Decks in Markdown, with the files that they embed. */
import { chmodSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDeck } from '../../../src/job/deck.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { write } from '../../support/quarantine-logs.ts';

const deckOf = (files: Record<string, string>): string => join(write(temporaryFolder(), files), 'grader.md');

const sample = (score: number, content = 'Hi', id = ''): string =>
  `[[samples]]\n${id && `id = "${id}"\n`}messages = [{ role = "user", content = "${content}" }]\nexpected = { score = ${score} }\n`;
const line = (score: number): string => JSON.stringify({ messages: [{ role: 'user', content: 'a' }], score });

async function faultOf(files: Record<string, string>): Promise<string> {
  const path = deckOf(files);
  const error = (await readDeck(path).catch((thrown: unknown) => thrown)) as Error & { code: string };
  expect(error).toMatchObject({ name: 'TurnmillError' });
  return `${error.code}: ${error.message.replaceAll(`${dirname(path)}/`, '')}`;
}

describe('a deck', () => {
  test('gives the samples of the files that it embeds, in their order and with their places', async () => {
    const { samples, text } = await readDeck(
      deckOf({
        'grader.md': '# Grade\n\n![b](sets/b.toml)\nBe strict.\n![a](a.jsonl) ![ids](ids.toml)\n',
        'sets/b.toml': `# two\n${sample(1)}\n${sample(-1, 'Ho')}`,
        'a.jsonl': `${line(2)}\n\n${line(3)}\n`,
        'ids.toml':
          '[samples.short]\nscore = 0\nmessages = [{ role = "user", content = "x" }]\n[samples.inline]\n',
      }),
    );
    expect(text).toBe('# Grade\n\n\nBe strict.');
    expect(samples.map(({ sample: _, ...place }) => place)).toEqual([
      { source: 'sets/b.toml', embedded: 'grader.md:3', number: 1, line: 2, id: null },
      { source: 'sets/b.toml', embedded: 'grader.md:3', number: 2, line: 6, id: null },
      { source: 'a.jsonl', embedded: 'grader.md:5', number: 1, line: 1, id: null },
      { source: 'a.jsonl', embedded: 'grader.md:5', number: 3, line: 3, id: null },
      { source: 'ids.toml', embedded: 'grader.md:5', number: 1, line: 1, id: 'short' },
      { source: 'ids.toml', embedded: 'grader.md:5', number: 2, line: 4, id: 'inline' },
    ]);
    expect(samples.at(-1)?.sample).toEqual({
      skipped: 'bad-sample',
      problem: 'Sample must have messages array',
    });
  });

  test('includes other decks with their contexts, relative to those', async () => {
    const { text, contexts, samples } = await readDeck(
      deckOf({
        'grader.md': '![base](base/base.md)\nSums.\n![samples](s.toml)\n',
        'base/base.md':
          '---\nowner: me\n---\nYou grade.\n![contexts](../base/contexts.toml)\n![more](more.toml)',
        'base/contexts.toml':
          '[contexts.fullConversation]\nassistantQuestion = "What was said?"\n[contexts.scale]\nquestion = "Scale?"\ndefault = { low = 0, high = 1.0 }\n',
        'base/more.toml': `${sample(5)}[contexts.note]\nassistantQuestion = "Note?"\ndefault = "none"\n`,
        's.toml': sample(1),
      }),
    );
    expect(text).toBe('You grade.\n\n\nSums.');
    expect([...contexts]).toEqual([
      ['fullConversation', { question: 'What was said?', default: undefined }],
      ['scale', { question: 'Scale?', default: '{"low":0,"high":1.0}' }],
      ['note', { question: 'Note?', default: 'none' }],
    ]);
    expect(samples.map(({ source, embedded }) => [source, embedded])).toEqual([
      ['base/more.toml', 'base/base.md:6'],
      ['s.toml', 'grader.md:3'],
    ]);
  });

  test('takes one sample of a file, and none twice', async () => {
    const files = {
      'grader.md': '![one](s.toml#b)\n![all](s.toml)\n![again](./s.toml)\n',
      's.toml': sample(1, 'x', 'a') + sample(2, 'y', 'b'),
    };
    const { samples } = await readDeck(deckOf(files));
    expect(samples.map(({ id }) => id)).toEqual(['b', 'a']);
    const one = await readDeck(deckOf({ ...files, 'grader.md': '![one](s.toml#b)' }));
    expect(one.samples.map(({ id, line: at }) => [id, at])).toEqual([['b', 5]]);
  });

  test('is as private as the most private of its files', async () => {
    const path = deckOf({ 'grader.md': '![s](s.toml)', 's.toml': sample(1) });
    chmodSync(path, 0o644);
    chmodSync(join(dirname(path), 's.toml'), 0o600);
    expect((await readDeck(path)).permissions & 0o777).toBe(0o600);
  });

  test('keeps faulty lines among its samples', async () => {
    const { samples } = await readDeck(
      deckOf({ 'grader.md': '![s](s.jsonl)', 's.jsonl': `${line(1)}\n{oops\n${line(2)}\n` }),
    );
    expect(samples.map((one) => ('skipped' in one.sample ? one.sample.skipped : one.line))).toEqual([
      1,
      'bad-sample',
      3,
    ]);
  });
});

describe('a faulty deck', () => {
  test.each<[string, Record<string, string>, string]>([
    ['a missing file', { 'grader.md': 'a\n![s](s.toml)' }, 'rejected: grader.md:2: s.toml not found'],
    [
      'a missing file of another deck',
      { 'grader.md': '![b](b/b.md)', 'b/b.md': '\n\n![s](s.toml)' },
      'rejected: b/b.md:3: b/s.toml not found',
    ],
    [
      'TOML that is not',
      { 'grader.md': '![s](s.toml)', 's.toml': '[[samples]]\nmessages = [' },
      'rejected: grader.md:1: s.toml: line 2, column 12: ',
    ],
    [
      'TOML without samples or contexts',
      { 'grader.md': '![s](s.toml)', 's.toml': 'a = 1' },
      'rejected: grader.md:1: s.toml: the document has neither [[samples]] nor [samples.ID]',
    ],
    [
      'a context without a question, and one that nothing fills',
      {
        'grader.md': '![c](c.toml)',
        'c.toml': '[contexts.a]\ndefault = 1\n[contexts.b]\nassistantQuestion = "b?"',
      },
      'rejected: grader.md:1: c.toml: [contexts.a] has no assistantQuestion; grader.md:1: c.toml: [contexts.b] needs a default: samples do not fill it',
    ],
    [
      'an unknown id',
      { 'grader.md': '![s](s.toml#b)', 's.toml': sample(1, 'x', 'a') },
      'rejected: grader.md:1: s.toml has no sample or context b',
    ],
    ['itself', { 'grader.md': '![g](./grader.md)' }, 'rejected: grader.md:1: grader.md embeds itself'],
    [
      'a section',
      { 'grader.md': '![g](b.md#x)', 'b.md': '' },
      'rejected: grader.md:1: a section of a Markdown file (#x) cannot be embedded',
    ],
    [
      'no samples',
      { 'grader.md': 'Grade.' },
      'no-input: no samples found in grader.md: a deck is Markdown that embeds files of samples',
    ],
  ])('%s', async (_name, files, message) => {
    expect(await faultOf(files)).toContain(message);
  });

  test('a folder, a missing deck, a circle of links and decks that multiply', async () => {
    await expect(readDeck('/nowhere/grader.md')).rejects.toMatchObject({ code: 'no-input' });
    await expect(readDeck(temporaryFolder())).rejects.toThrow('is a folder, not a file');
    const path = deckOf({ 'grader.md': '![s](s.toml)' });
    symlinkSync('s.toml', join(dirname(path), 's.toml'));
    await expect(readDeck(path)).rejects.toThrow('s.toml: too many symbolic links encountered (ELOOP)');
    const doubling = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`${i}.md`, `![a](${i + 1}.md) ![b](${i + 1}.md)`]),
    );
    expect(await faultOf({ ...doubling, 'grader.md': '![a](0.md)', '30.md': '' })).toContain(
      'more than 1000 files are embedded',
    );
  });
});
