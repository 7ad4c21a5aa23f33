/** Parses the command line into a command with its arguments and options, or into a text to print (help, version). */
import type { FormatOptionValues } from '../../transforms/formats/format-options.ts';
import { TurnmillError } from '../errors.ts';
import { flagOf } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import type { Command } from './commands/command.ts';
import { commands as builtIn } from './commands/index.ts';
import { mergeValues, readConfig } from './config.ts';
import { commandHelp, programHelp } from './help.ts';
import { flagNames, type Option, type Values } from './options/option.ts';
import { type Flag, readTokens } from './tokens.ts';

/** Flags of the command line, by name. */
type FlagValues = Readonly<Record<string, unknown>>;

export type Invocation =
  | { readonly text: string }
  | { readonly command: Command; readonly words: readonly string[]; readonly values: Values };

/** Thrown for a command line that no command accepts; usage-error.ts turns it into a message. */
export class RefusedLine extends Error {
  override readonly name = 'RefusedLine';
  /** The command and the flags, in the form that yargs parses. */
  readonly words: readonly string[];
  readonly commands: readonly Command[];

  constructor(words: readonly string[], commands: readonly Command[]) {
    super(`no command takes: ${words.join(' ')}`);
    this.words = words;
    this.commands = commands;
  }
}

/**
 * Parses a command line, without the name of the program.
 * @param columns width of the help
 * @param commands including the options that plug-ins add (plug-in-options.ts)
 * @throws TurnmillError `usage`, or `config` for the configuration file; RefusedLine
 */
export function readArguments(
  argv: readonly string[],
  columns: number = 80,
  commands: readonly Command[] = builtIn,
): Invocation {
  const { words, flags } = readTokens(argv, flagsOfAll(commands));
  const text = informationFor(commands, words, flags, columns);
  if (text !== undefined) return { text };
  const own = flags.filter((flag) => flag !== '--help=true');
  const command = commands.find(({ name }) => name === words[0]);
  const values = command && flagsOf(command, own);
  if (command === undefined || values === undefined)
    throw new RefusedLine([...words.slice(0, 1), ...own], commands);
  return invocationOf(command, words.slice(1), values);
}

/** Text for `--help`, `--version` or `turnmill help`; undefined when a command is to run, or its name is unknown. */
function informationFor(
  commands: readonly Command[],
  words: readonly string[],
  flags: readonly string[],
  columns: number,
): string | undefined {
  const isOn = (name: string): boolean => flags.includes(`--${name}=true`);
  if (isOn('version')) return toolVersion();
  const [first, second] = words;
  const topic = first === 'help' ? second : first;
  if (!isOn('help') && first !== 'help') {
    if (isOn('all')) throw usage('--all works only together with --help');
    return undefined;
  }
  if (topic === undefined) return programHelp(commands, columns);
  const command = commands.find(({ name }) => name === topic);
  return command && commandHelp(command, columns, isOn('all'));
}

/** Returns the flags by name, with an array for a repeated flag; undefined if the command lacks one of them. */
function flagsOf({ options }: Command, flags: readonly string[]): FlagValues | undefined {
  const names = new Set(options.flatMap(flagNames));
  const values: Record<string, string | true | string[]> = {};
  for (const flag of flags) {
    const at = flag.indexOf('=');
    const name = flag.slice(2, at);
    if (!names.has(name)) return undefined;
    const value = flag.slice(at + 1);
    const before = values[name];
    if (before === undefined) values[name] = takesValue(options, name) ? value : true;
    else values[name] = [before, value].flat().map(String);
  }
  return values;
}

function takesValue(options: readonly Option[], flag: string): boolean {
  return options.some(({ name, type }) => flagOf(name) === flag && type.placeholder !== undefined);
}

/** Flags of all commands. A flag that the chosen command lacks is refused later. */
function flagsOfAll(commands: readonly Command[]): readonly Flag[] {
  const plain = { takesValue: false, repeatable: false };
  const options = new Map(
    commands.flatMap((command) => command.options.map((option) => [option.name, option])),
  );
  const flags: Flag[] = [...options.values()].flatMap(({ name, alias, type, defaultsTo, negative }) => [
    ...(negative?.only === true
      ? []
      : [
          {
            name: flagOf(name),
            alias,
            takesValue: type.placeholder !== undefined,
            defaultsTo: defaultsTo && flagOf(defaultsTo),
            repeatable: type.repeatable === true,
          },
        ]),
    ...(negative === undefined ? [] : [{ ...plain, name: `no-${flagOf(name)}` }]),
  ]);
  return [
    ...flags,
    { ...plain, name: 'help', alias: 'h', repeatable: true },
    { ...plain, name: 'all', repeatable: true },
    { ...plain, name: 'version', repeatable: true },
  ];
}

function invocationOf(command: Command, words: readonly string[], flagValues: FlagValues): Invocation {
  const { least, most, missing } = command.words;
  if (words.length < least) throw usage(`${command.name}: ${missing}`);
  if (words.length > most) throw usage(`${command.name}: unexpected argument '${words[most]}'`);
  const { options } = command;
  const flags: Values = Object.fromEntries(options.flatMap((option) => flagValue(option, flagValues)));
  const merged = flags.config === undefined ? flags : mergeValues(readConfig(flags.config, options), flags);
  const values = { ...Object.fromEntries(options.flatMap(environmentValue)), ...merged };
  return { command, words, values: withFormatOptions(options, values) };
}

/** Moves the options of formats into `formatOptions`: formats choose their names, so `Values` cannot list them. */
function withFormatOptions(options: readonly Option[], values: Values): Values {
  const names = new Set<string>(options.filter(({ ofFormat }) => ofFormat).map(({ name }) => name));
  const all = Object.entries(values);
  const ofFormats = all.filter(([name]) => names.has(name));
  if (ofFormats.length === 0) return values;
  const others = all.filter(([name]) => !names.has(name));
  const formatOptions = Object.fromEntries(ofFormats) as FormatOptionValues;
  return { ...Object.fromEntries(others), formatOptions };
}

/** Name and value of an option that is set in the environment; empty if the variable is not set. */
function environmentValue({ name, type, fromEnvironment }: Option): readonly (readonly [string, unknown])[] {
  if (fromEnvironment !== true) return [];
  const variable = `TURNMILL_${flagOf(name).replaceAll('-', '_').toUpperCase()}`;
  const text = process.env[variable] ?? '';
  if (text === '') return [];
  if (type.placeholder === undefined) {
    if (text === 'true' || text === 'false') return [[name, text === 'true']];
    throw usage(`${variable}: '${text}' is not true or false`);
  }
  const read = type.fromTexts([text], (problem) => {
    throw usage(`${variable}: ${problem}`);
  });
  return [[name, read]];
}

/** Name and value of an option from the command line; empty if the flag is absent. */
function flagValue(
  { name, type, negative }: Option,
  flags: FlagValues,
): readonly (readonly [string, unknown])[] {
  const flag = flagOf(name);
  const negated = flags[`no-${flag}`] === true;
  const value = negative?.only === true ? undefined : flags[flag];
  if (negated && value !== undefined) throw usage(`--${flag} and --no-${flag} contradict each other`);
  if (negated) return [[name, negative?.value]];
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
