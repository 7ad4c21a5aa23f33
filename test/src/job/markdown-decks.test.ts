/** A Markdown deck as an input: the files of samples that it embeds are the sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { write } from '../../support/quarantine-logs.ts';

const deckOf = (files: Record<string, string>): string => write(temporaryFolder(), files);

const sample = (content: string): string =>
  `[[samples]]\nmessages = [{ role = "user", content = "${content}" }]\nexpected = { score = 1 }\n`;
const CONTEXTS = '[contexts.fullConversation]\nassistantQuestion = "What are the samples?"\n';

const linesIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function built(folder: string, deck: string) {
  const out = join(folder, 'out');
  const args = ['build', join(folder, deck), '--out', out, '--format', 'samples'];
  const { status, stderr } = await turnmill(args);
  return { out, status, stderr: stderr.toString() };
}

test('gives the samples of the embedded files, also of other decks, each once', async () => {
  const folder = deckOf({
    'decks/grader.md': 'Grade.\n![base](base.md)\n![a](a.toml#x) ![a](./a.toml)\n![b](../shared/b.jsonl)\n',
    'decks/base.md': '![contexts](contexts.toml) ![more](more/c.toml)',
    'decks/contexts.toml': CONTEXTS,
    'decks/a.toml': sample('one') + sample('two'),
    'decks/more/c.toml': CONTEXTS + sample('three'),
    'decks/unused.toml': sample('never'),
    'shared/b.jsonl': '{"messages":[{"role":"user","content":"four"}],"expected":{"score":1.0}}\n',
  });
  const { out, status } = await built(folder, 'decks/grader.md');
  expect(status).toBe(0);
  const sources = linesIn(join(out, 'ledger/sources.jsonl'));
  expect(sources.map(({ source }) => source)).toEqual([
    'decks/a.toml',
    'decks/more/c.toml',
    'shared/b.jsonl',
  ]);
  const records = linesIn(join(out, 'data/conversations-00000.jsonl'));
  expect(records.map(({ messages }) => messages[0].content)).toEqual(['one', 'two', 'three', 'four']);
  expect((await turnmill(['verify', out])).status).toBe(0);
});

test('keeps the faults of embedded files as rejections with their own places', async () => {
  const folder = deckOf({
    'grader.md': '![a](a.toml) ![b](b.toml)\n',
    'a.toml': `${sample('one')}[[samples]]\nmessages = []\n`,
    'b.toml': '[[samples]]\nmessages = [\n',
  });
  const { out, status } = await built(folder, 'grader.md');
  expect(status).toBe(3);
  expect(linesIn(join(out, 'quarantine/rejected.jsonl'))).toMatchObject([
    { source: { uri: 'a.toml' }, line: 2, reason: 'bad-sample' },
    {
      source: { uri: 'b.toml' },
      error: { code: 'invalid-toml', message: expect.stringMatching(/^line \d+, column \d+: /) },
    },
  ]);
});

test('names the line that embeds a missing file, and publishes nothing', async () => {
  const folder = deckOf({ 'grader.md': 'Grade.\n\n![a](a.toml)\n' });
  const { status, stderr } = await built(folder, 'grader.md');
  expect(status).toBe(66);
  expect(stderr).toContain(`${join(folder, 'grader.md')}:3: ${join(folder, 'a.toml')} not found`);
});

test('Markdown that embeds no data is read as a log, as before', async () => {
  const folder = deckOf({ 'notes.md': '# Notes\n![logo](logo.png)\n' });
  const { status, stderr } = await built(folder, 'notes.md');
  expect(status).toBe(3);
  expect(stderr).toContain('notes.md');
});
