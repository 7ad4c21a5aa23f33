/** The command line, read by yargs: which command, with what words and values; or a text to print (help, version). */
import { TurnmillError } from '../errors.ts';
import { flagOf } from '../settings/settings.ts';
import type { Command } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { readConfig } from './config.ts';
import { mergeValues } from './merge-values.ts';
import type { Option, Values } from './options/option.ts';
import { createParser, type Given } from './parser.ts';
import { type Flag, readTokens } from './tokens.ts';

export type Invocation =
  | { readonly text: string }
  | { readonly command: Command; readonly words: readonly string[]; readonly values: Values };

/** Thrown out of yargs when it has found the command: it would lay out the whole help behind it, for nobody. */
const DECIDED = new Error('decided');
const PLUGIN: keyof Values = 'plugin';
/** Where a command's name is nearly right. */
const HINT = /^Did you mean .*$/m;

/** Throws `usage`, or `config` for the configuration file. */
export function readArguments(argv: readonly string[], columns: number = 80): Invocation {
  let chosen: { readonly command: Command; readonly given: Given } | undefined;
  const parser = createParser(columns, (command, given) => {
    chosen = { command, given };
    throw DECIDED;
  });
  const { words, flags } = readTokens(argv, allFlags());
  let text = '';
  let refusal: Error | undefined;
  const see = (error: Error | undefined | null, _argv: unknown, output: string): void => {
    refusal = error ?? undefined;
    text = output;
  };
  try {
    parser.parse([...words.slice(0, 1), ...flags], {}, see);
  } catch (error) {
    if (error !== DECIDED) throw error;
  }
  if (refusal !== undefined) throw usage([refusal.message, ...(HINT.exec(text) ?? [])].join('. '));
  if (chosen === undefined) return { text };
  return invocationOf(chosen.command, words.slice(1), chosen.given);
}

/** The flags of all commands: that one does not belong to this command is for yargs to say. */
function allFlags(): readonly Flag[] {
  const plain = { takesValue: false, repeatable: false };
  const options = new Map(
    commands.flatMap((command) => command.options.map((option) => [option.name, option])),
  );
  const flags: Flag[] = [...options.values()].flatMap(({ name, alias, type, beside, negative }) => [
    ...(negative?.only === true
      ? []
      : [
          {
            name: flagOf(name),
            alias,
            takesValue: type.placeholder !== undefined,
            beside: beside && flagOf(beside),
            repeatable: type.repeatable === true,
          },
        ]),
    ...(negative === undefined ? [] : [{ ...plain, name: `no-${flagOf(name)}` }]),
  ]);
  return [
    ...flags,
    { ...plain, name: 'help', alias: 'h', repeatable: true },
    { ...plain, name: 'version', repeatable: true },
  ];
}

function invocationOf(command: Command, words: readonly string[], given: Given): Invocation {
  const { least, most, missing } = command.words;
  if (words.length < least) throw usage(`${command.name}: ${missing}`);
  if (words.length > most) throw usage(`${command.name}: '${words[most]}' is one word too many`);
  const options = given[PLUGIN] === undefined ? command.options : command.options.map(besidePlugIns);
  const flags: Values = Object.fromEntries(options.flatMap((option) => flagValue(option, given)));
  const values = flags.config === undefined ? flags : mergeValues(readConfig(flags.config, options), flags);
  return { command, words, values };
}

function besidePlugIns(option: Option): Option {
  const { typeWithPlugIns } = option;
  return typeWithPlugIns === undefined ? option : { ...option, type: typeWithPlugIns };
}

/** The option and its value, when it was given. */
function flagValue({ name, type, negative }: Option, given: Given): readonly (readonly [string, unknown])[] {
  const flag = flagOf(name);
  const refused = given[`no-${flag}`] === true;
  const value = negative?.only === true ? undefined : given[flag];
  if (refused && value !== undefined) throw usage(`--${flag} and --no-${flag} contradict each other`);
  if (refused) return [[name, negative?.value]];
  if (value === undefined) return [];
  const texts = (Array.isArray(value) ? value : [value]).map(String);
  const read = type.fromTexts(texts, (problem) => {
    throw usage(`--${flag}: ${problem}`);
  });
  return [[name, read]];
}

function usage(message: string): TurnmillError {
  return new TurnmillError('usage', message);
}
