/** Comments are plain English, verb first, without these habits of translated prose. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const folders = ['src', 'transforms', 'bench', 'scripts', 'examples', 'test'];
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|tsx|mjs|c|h)$/.test(file) && existsSync(join(root, file)))
  .filter((file) => !file.startsWith('test/voice') && !file.startsWith('test/goldens/'));

/** Text of a line that consists of a comment. */
const COMMENT = /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s*(.*?)(?:\s*\*\/)?$/;
/** A sentence that begins with `Of` or `What` and is not a question. */
const BEGINNING = /(?:^|[.:!?] )(?:Of|What) [^?]*$/;
const WORDS = new RegExp(
  [
    /\b(?:[Nn]obody|[Ss]omebody|[Ww]hoever|in vain|tells of|so many|as many as may|without a word|that which)\b/,
    /\b(?:(?:to|cannot) be had|for a while|lets? go of|gives? back|g[ia]ven? back|in the place of)\b/,
    /\bstands? (?:for|in)\b/,
    /\bof (?:its|their|his|our|one's) own\b/,
    /\bbehind (?:the|it|its|a|that|them|each|every)\b/,
    // `is no error`, but `there is no error` and `is no longer`
    /(?<![Tt]here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|larger\b|later\b|earlier\b)[a-z]/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

function habitIn(line: string, before: string): string | undefined {
  const text = COMMENT.exec(line)?.[1];
  if (text === undefined) return undefined;
  const word = WORDS.exec(text)?.[0];
  if (word !== undefined) return word;
  const found = BEGINNING.exec(text);
  if (found === null) return undefined;
  const goesOn = found.index === 0 && /[^.:!?*/]$/.test(COMMENT.exec(before)?.[1] ?? '');
  return goesOn && !/^\s*\/\*/.test(line) ? undefined : found[0];
}

describe('comments', () => {
  it('are checked in all folders', () => {
    expect(files.length).toBeGreaterThan(800);
  });

  it.each(files)('%s', (file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    const found = lines.flatMap((line, i) => {
      const habit = habitIn(line, lines[i - 1] ?? '');
      return habit === undefined ? [] : [`${i + 1}: ${habit}`];
    });
    expect(found).toEqual([]);
  });
});

it.each([
  ['/** Of the records. */', true],
  ['  /** What it is. */', true],
  [' * Reads a file. What is left is dropped.', true],
  ['// nobody reads it', true],
  ['// the name is no file', true],
  ['// there is no file, and the name is no longer known', false],
  [' * The handle is to be had from the pool.', true],
  ['/** A folder of its own. */', true],
  ['/** Its own folder. */', false],
  ['// stands for the empty list', true],
  ['// what comes behind the comma', true],
  ['// behind a', true],
  ['// shows the files behind', false],
  ['// Reads what is left of it.', false],
  ['/** What is it? */', false],
  ["const text = 'Of the records';", false],
])('%s', (line, isHabit) => {
  expect(habitIn(line, '') !== undefined).toBe(isHabit);
});
