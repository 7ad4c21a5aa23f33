import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArguments } from '../../../src/cli/arguments.ts';
import { commands } from '../../../src/cli/commands/index.ts';
import { readConfig } from '../../../src/cli/config.ts';
import { settingsOf } from '../../../src/cli/options/settings-of.ts';
import { flagOf, type NamedOption } from '../../../src/settings/option.ts';
import { temporaryFolder } from '../../support/folder.ts';

const FILE = resolve(import.meta.dirname, '../../../LICENSE');

/** A minimal command line for the command. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  explain: ['a.jsonl:1'],
  verify: ['out'],
  quarantine: ['list', 'out'],
  list: [],
  formats: [],
  dialects: [],
};

/** Parsed values by option name, including options of formats. */
function valuesOf(command: string, flags: readonly string[]): Readonly<Record<string, unknown>> {
  const read = readArguments([command, ...(WORDS[command] ?? ['logs']), ...flags]);
  if ('text' in read) throw new Error(read.text);
  const { formatOptions, ...others } = read.values;
  return { ...others, ...formatOptions };
}

/** For each placeholder a good value with its parsed form, and a bad one with the start of its error. */
const BY_PLACEHOLDER: Readonly<
  Record<string, readonly [good: string, value: unknown, bad: string, text: string]>
> = {
  N: ['7', 7, '7.0', "'7.0' is not a whole number"],
  'I/N': ['2/8', { index: 2, of: 8 }, '0/8', '0/8 does not name a slice: I is a number from 1 to N'],
  SIZE: ['8MiB', 8 * 1024 * 1024, '2x', "'2x' is not a size: write 1GiB, 100MB, 512k or a number of bytes"],
  FILE: [
    FILE,
    readFileSync(FILE, 'utf8').replace(/\n$/, ''),
    `${FILE}.gone`,
    `cannot read '${FILE}.gone': no such file or directory (ENOENT)`,
  ],
  KEYFILE: ['some/key', 'some/key', '', 'needs a value'],
  TOML: ['some/rules.toml', 'some/rules.toml', '', 'needs a value'],
  'N|P%': ['0.5%', '0.5%', '101%', "'101%' is neither a whole number nor a percentage up to 100%"],
  MODE: ['0640', 0o640, '0750', "'0750' has x bits: leave them out, folders get theirs automatically"],
  DIR: ['some/dir', 'some/dir', '', 'needs a value'],
  IDS: [
    FILE,
    readFileSync(FILE, 'utf8').split('\n').filter(Boolean),
    `${FILE}.gone`,
    `cannot read '${FILE}.gone': no such file or directory (ENOENT)`,
  ],
  LICENSE: ['cc-by-4.0', 'cc-by-4.0', 'MIT', "'MIT' is not the id of a licence"],
  MARKDOWN: [
    FILE,
    readFileSync(FILE, 'utf8').replace(/\n$/, ''),
    `${FILE}.gone`,
    `cannot read '${FILE}.gone': no such file or directory (ENOENT)`,
  ],
  OUT: ['out', 'out', '', 'needs a value'],
  ORIGIN: ['http://a:1', ['http://a:1'], '', 'needs a value'],
  SIDE: ['recorded', 'recorded', 'no-such', "'no-such' is not one of recorded"],
  OLD: ['out', 'out', '', 'needs a value'],
  PAGE: ['out', 'out', '', 'needs a value'],
  STAGE: ['parse', 'parse', '', 'needs a value'],
  TEXT: ['a b', 'a b', '', 'needs a value'],
  PATH: ['logs', ['logs'], '', 'needs a value'],
  URL: ['https://example.com', 'https://example.com', '', 'needs a value'],
  REGION: ['eu-north-1', 'eu-north-1', '', 'needs a value'],
  METHOD: ['aws:kms', 'aws:kms', '', 'needs a value'],
  GLOB: ['*.jsonl', ['*.jsonl'], '', 'needs a value'],
  WHEN: [
    '2026-11-20T18:00:00+02:00',
    Date.UTC(2026, 10, 20, 16),
    'yesterday',
    "'yesterday' is not a time: write 2026-11-20, 2026-11-20T18:00:00Z, 12h or 7d",
  ],
  TIME: ['2h', 7_200_000, '2', "'2' is not a time: write 90s, 30m, 24h or 7d"],
  PERCENT: ['50', 50, '101', "'101' is not a whole number from 0 to 100"],
  NAMES: ['source_id,usage', ['source_id', 'usage'], '', "'' is not one of source_id"],
  'DIR|-': ['-', '-', '', 'needs a value'],
  'NAME=SHARE,...': [
    'train=0.75,test=.25',
    { train: 0.75, test: 0.25 },
    'train=0.75,test=0.5',
    'the shares add up to 1.25, not to 1',
  ],
  'RULE=reject|keep': [
    'non-text-part=reject',
    { 'non-text-part': 'reject' },
    'non-text-part',
    "'non-text-part' is not RULE=reject or RULE=keep",
  ],
};

function caseOf({ type, flagOnly }: NamedOption): (typeof BY_PLACEHOLDER)[string] | undefined {
  const { placeholder = '', choices, repeatable } = type;
  if (flagOnly === true) return ['', undefined, '', 'needs a value'];
  const words = choices ?? (placeholder.includes('=') ? undefined : placeholder.split('|'));
  const first = words?.[0];
  if (BY_PLACEHOLDER[placeholder] !== undefined) return BY_PLACEHOLDER[placeholder];
  if (words === undefined || first === undefined || words.length < 2) return undefined;
  const isList = repeatable === true || placeholder === 'RULES' || placeholder === 'KINDS';
  return [first, isList ? [first] : first, 'no-such', `'no-such' is not one of ${words.join(', ')}`];
}

/** The same value in a configuration file: as text only where JSON has nothing better. */
function jsonOf({ type }: NamedOption, good: string, value: unknown): unknown {
  if (type.placeholder === undefined) return true;
  const isWord = ['SIZE', 'FILE', 'MARKDOWN', 'MODE', 'IDS', 'TIME', 'WHEN', 'I/N'].includes(
    type.placeholder,
  );
  return isWord ? good : value;
}

const ALL = commands.flatMap(({ name, options }) => options.map((option) => ({ command: name, option })));
const VALUED = ALL.filter(
  ({ option }) => option.type.placeholder !== undefined && option.negative?.only !== true,
);
const FLAGS = ALL.filter(
  ({ option }) => option.type.placeholder === undefined && option.negative?.only !== true,
);
const NEGATIVE = ALL.filter(({ option }) => option.negative !== undefined);
const title = ({ command, option }: (typeof ALL)[number]): string => `${command} --${flagOf(option.name)}`;

describe('an option with a value', () => {
  test.each(VALUED.map((each) => [title(each), each] as const))('%s', (_, { command, option }) => {
    const known = caseOf(option);
    if (known === undefined) throw new Error(`no case for ${option.type.placeholder}`);
    const [good, value, bad, complaint] = known;
    const flag = `--${flagOf(option.name)}`;
    if (option.flagOnly !== true) {
      expect(valuesOf(command, [`${flag}=${good}`])).toEqual({ [option.name]: value });
      expect(valuesOf(command, [flag, good])).toEqual({ [option.name]: value });
    }
    expect(() => valuesOf(command, [`${flag}=${bad}`])).toThrow(`${flag}: ${complaint}`);
    expect(() => valuesOf(command, [flag])).toThrow(`${flag} needs a value`);
  });
});

describe('in a configuration file', () => {
  const keys = ALL.filter(({ option }) => option.flagOnly !== true);
  test.each(keys.map((each) => [title(each), each] as const))('%s', (_, { option }) => {
    const [good = '', value = true] = option.type.placeholder === undefined ? [] : (caseOf(option) ?? []);
    const path = join(temporaryFolder(), 'config.json');
    writeFileSync(path, JSON.stringify({ [option.name]: jsonOf(option, good, value) }));
    expect(readConfig(path, [option])).toEqual({ [option.name]: value });
    writeFileSync(path, JSON.stringify({ [option.name]: null }));
    expect(() => readConfig(path, [option])).toThrow(`configuration file ${path}: ${option.name}: must be`);
  });
});

test.each(FLAGS.map((each) => [title(each), each] as const))('the flag %s', (_, { command, option }) => {
  const flag = `--${flagOf(option.name)}`;
  expect(valuesOf(command, [flag])).toEqual({ [option.name]: true });
  expect(() => valuesOf(command, [`${flag}=1`])).toThrow(`${flag} takes no value`);
  expect(() => valuesOf(command, [flag, flag])).toThrow(`${flag} appears twice`);
});

test.each(NEGATIVE.map((each) => [title(each), each] as const))(
  'the negative of %s',
  (_, { command, option }) => {
    const flag = `--no-${flagOf(option.name)}`;
    expect(valuesOf(command, [flag])).toEqual({ [option.name]: option.negative?.value });
  },
);

test.each(commands.map(({ name }) => name))(
  '%s sets nothing without flags, so that defaults apply',
  (name) => {
    expect(valuesOf(name, [])).toEqual({});
  },
);

test.each(ALL.map((each) => [title(each), each] as const))(
  '%s is described in plain English',
  (_, { option }) => {
    for (const text of [option.help, ...(option.negative === undefined ? [] : [option.negative.help])]) {
      expect(text).toMatch(/^[A-Z][a-z]+ /);
      expect(text).not.toMatch(/\.$|so many|so much|is no |are no |^Of |^What /);
    }
  },
);

test('settings have the names of the options, and unset ones are undefined', () => {
  const settings = settingsOf(['logs'], { out: 'd', maxLine: 5, onFinding: { b: 'keep', a: 'reject' } });
  expect(settings).toMatchObject({
    inputs: ['logs'],
    out: 'd',
    maxLine: 5,
    onFinding: { b: 'keep', a: 'reject' },
  });
  expect(settings.follow).toBeUndefined();
  expect(settingsOf(['logs'], { follow: true }).follow).toBe('inside');
  expect(settingsOf(['logs'], { follow: true, followOutside: true }).follow).toBe('anywhere');
  expect(settingsOf(['logs'], { out: 'd', dryRun: true }).out).toBeUndefined();
  expect(settingsOf(['logs'], { jsonToolCalls: true }).format).toEqual(['chat-inline']);
  expect(() => settingsOf(['logs'], { out: 'a', update: 'b' })).toThrow(
    '--out a and --update b name different folders',
  );
});
