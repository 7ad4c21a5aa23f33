import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { settingsOf } from '../../../src/cli/options/settings-of.ts';
import { SOURCE_REASONS } from '../../../src/errors.ts';
import { report } from '../../../src/job/report.ts';
import { REASONS } from '../../../src/ledger/reasons.ts';
import { REMEDIES, remedyText } from '../../../src/ledger/remedies.ts';
import { consumerRules } from '../../../transforms/consumers/consumer-rules.ts';
import { formats } from '../../../transforms/formats/index.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const PLACES: Readonly<Record<string, string>> = {
  ...{ 'FILE:LINE': 'a.jsonl:1', FILE: resolve(import.meta.dirname, '../../../LICENSE'), GLOB: 'x*' },
  ...{ LOGS: 'logs', LOG: 'a.jsonl', OUT: 'out', NAME: 'calls', SIZE: '300MiB', N: '5', PERCENT: '5' },
};

/** The words of a command, with examples in place of capital names. */
const wordsOf = (text: string): string[] => text.split(' ').map((word) => PLACES[word] ?? word);

/** The commands and options that a remedy names. */
const commandsIn = (remedy: string): string[] =>
  [...remedy.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

/** A command line that parses if the text does. */
function commandLine(text: string): readonly string[] {
  const words = wordsOf(text);
  if (words[0] === 'turnmill') return words.slice(1);
  const shown = text === '--format NAME' ? ['--format', 'chat'] : words;
  const rule = /^--on-finding ([a-z-]+)=/.exec(text)?.[1];
  const format = formats.find(({ rules }) => rule !== undefined && rules.includes(rule))?.name;
  const as = text.startsWith('--as ') ? ['--format', 'samples'] : [];
  const destination = text.startsWith('--update') ? [] : ['--dry-run'];
  return ['build', 'logs', ...destination, ...(format === undefined ? as : ['--format', format]), ...shown];
}

function problemWith(text: string): string | undefined {
  try {
    const read = readArguments(commandLine(text));
    if ('text' in read) return read.text;
    if (read.command.name === 'build') settingsOf(['logs'], read.values);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

describe('the remedy of a reason', () => {
  it('exists for every reason, and for no other name', () => {
    expect(Object.keys(REMEDIES).sort()).toEqual(Object.keys(REASONS).sort());
    for (const remedy of Object.values(REMEDIES)) expect(remedy).toMatch(/^[A-Z`].*\.$/);
    expect(remedyText('no-such-reason')).toBeUndefined();
    expect(remedyText('too-deep')).toBe('Allow more with --max-depth N.');
  });

  it.each(Object.entries(REMEDIES).filter(([, remedy]) => remedy.includes('`')))('%s parses', (_, remedy) => {
    for (const text of commandsIn(remedy)) expect([text, problemWith(text)]).toEqual([text, undefined]);
  });

  it('of what a consumer refuses parses', () => {
    const remedies = consumerRules.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal.remedy]));
    const texts = remedies.map(
      (text) => /^(--[a-z-]+ [a-z-]+(?:=[a-z]+)?|turnmill .*)(?: rejects| shows|$)/.exec(text)?.[1],
    );
    expect(texts).not.toContain(undefined);
    for (const text of texts) expect([text, problemWith(String(text))]).toEqual([text, undefined]);
  });

  it('is the only thing that names an option that does not exist', () => {
    expect(problemWith('--max-unpacked SIZE')).toContain('--max-unpacked');
    expect(Object.keys(SOURCE_REASONS).length).toBeGreaterThan(10);
  });
});

describe('what is printed can be pasted', () => {
  /** Returns the words of the first command in a text that begins so. */
  function commandFrom(text: string, start: string): readonly string[] {
    const lines = text.split('\n').filter((one) => one.includes(start) && !one.includes('FILE:LINE'));
    const [line = ''] = lines;
    return line.slice(line.indexOf(start)).split(' ').slice(1);
  }

  async function rejecting() {
    const folder = temporaryFolder();
    writeLog(join(folder, 'logs/2026-01-13'), 'a.jsonl', [entry(), '{']);
    writeLog(join(folder, 'logs/2026-01-13'), 'b.jsonl', [entry({ id: 'b', reply: null })]);
    const out = join(folder, 'out');
    const built = await turnmill(['build', join(folder, 'logs'), '--out', out]);
    return { folder, out, built };
  }

  it('of the summary, quarantine list and the report', async () => {
    const { out, built } = await rejecting();
    const listed = await turnmill(['quarantine', 'list', out]);
    const page = await report({ dataset: out });
    for (const text of [built.stderr, listed.stdout.toString(), page.replaceAll(/<[^>]*>/g, '\n')]) {
      const words = commandFrom(text, 'turnmill explain ');
      const { status, stdout } = await turnmill(words.map((word) => (word === 'DATASET' ? out : word)));
      expect([words, status, stdout.toString()]).toEqual([
        words,
        0,
        expect.stringContaining(': rejected: invalid-json\n'),
      ]);
    }
    expect(built.stderr).toContain(
      'What to do about invalid json: turnmill explain FILE:LINE shows the place.',
    );
    expect(listed.stdout.toString()).toContain('what to do about invalid json: ');
    expect(page).toContain('What to do: turnmill explain FILE:LINE shows the place.');
  });

  it('of check --target and explain', async () => {
    const { folder, out } = await rejecting();
    const { stdout } = await turnmill(['check', join(folder, 'logs'), '--target', 'openai']);
    const [address = ''] = /^.*?:\d+(?=: )/m.exec(stdout.toString()) ?? [];
    expect(stdout.toString()).toContain('(--on-finding no-answer=keep writes the record anyway.)');
    const explained = await turnmill(['explain', address, '--in', out]);
    expect(explained.status).toBe(0);
    const record = /^ {2}record +(.+):\d+$/m.exec(explained.stdout.toString())?.[1] ?? '';
    expect([record, existsSync(record)]).toEqual([expect.stringContaining('.jsonl'), true]);
    expect(readdirSync(join(out, 'data'))).toContain(record.split('/').at(-1));
  });
});
