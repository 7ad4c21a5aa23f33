/** Parses the command line into a command with its arguments and options, or into a text to print (help, version). */
import type { FormatOptionValues } from '../../transforms/formats/format-options.ts';
import { TurnmillError } from '../errors.ts';
import { suggestion } from '../settings/nearest-word.ts';
import { flagNames, flagOf, type NamedOption } from '../settings/option.ts';
import { toolVersion } from '../version.ts';
import type { Command } from './commands/command.ts';
import { commands as builtIn } from './commands/index.ts';
import { mergeValues, readConfig } from './config.ts';
import { commandHelp, programHelp } from './help.ts';
import type { Values } from './options/values.ts';
import { type Flag, parseLine } from './parse-line.ts';

export type Invocation =
  | { readonly text: string }
  | { readonly command: Command; readonly words: readonly string[]; readonly values: Values };

type Flags = ReturnType<typeof parseLine>['flags'];

/**
 * Parses a command line, without the name of the program.
 * @param columns width of the help
 * @param commands including the options that plug-ins add (plug-in-options.ts)
 * @throws TurnmillError `usage`, or `config` for the configuration file
 */
export function readArguments(
  argv: readonly string[],
  columns: number = 80,
  commands: readonly Command[] = builtIn,
): Invocation {
  const { words, flags } = parseLine(argv, flagsOfAll(commands));
  if (flags.has('version')) return { text: toolVersion() };
  const wantsHelp = flags.has('help') || words[0] === 'help';
  const [name, ...rest] = words[0] === 'help' ? words.slice(1) : words;
  if (wantsHelp && name === undefined) return { text: programHelp(commands, columns) };
  if (!wantsHelp && flags.has('all')) throw usage('--all works only together with --help');
  const command = commandNamed(name, commands);
  if (wantsHelp) return { text: commandHelp(command, columns, flags.has('all')) };
  checkFlags(command, flags);
  return invocationOf(command, rest, flags);
}

function commandNamed(name: string | undefined, commands: readonly Command[]): Command {
  if (name === undefined) throw usage('name a command');
  const command = commands.find((known) => known.name === name);
  if (command !== undefined) return command;
  const names = commands.map((known) => known.name);
  throw usage(`unknown command ${name}${suggestion(name, names)}`);
}

/** Throws for flags of other commands. */
function checkFlags({ name, options }: Command, flags: Flags): void {
  const own = new Set(options.flatMap(flagNames));
  const others = [...flags.keys()].filter((flag) => !own.has(flag));
  if (others.length > 0) throw usage(`${name} does not take --${others.join(', --')}`);
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

function invocationOf(command: Command, words: readonly string[], given: Flags): Invocation {
  const { least, most, missing } = command.words;
  if (words.length < least) throw usage(`${command.name}: ${missing}`);
  if (words.length > most) throw usage(`${command.name}: unexpected argument '${words[most]}'`);
  const { options } = command;
  const flags: Values = Object.fromEntries(options.flatMap((option) => flagValue(option, given)));
  const merged = flags.config === undefined ? flags : mergeValues(readConfig(flags.config, options), flags);
  const values = { ...Object.fromEntries(options.flatMap(environmentValue)), ...merged };
  return { command, words, values: withFormatOptions(options, values) };
}

/** Moves the options of formats into `formatOptions`: formats choose their names, so `Values` cannot list them. */
function withFormatOptions(options: readonly NamedOption[], values: Values): Values {
  const names = new Set<string>(options.filter(({ ofFormat }) => ofFormat).map(({ name }) => name));
  const all = Object.entries(values);
  const ofFormats = all.filter(([name]) => names.has(name));
  if (ofFormats.length === 0) return values;
  const others = all.filter(([name]) => !names.has(name));
  const formatOptions = Object.fromEntries(ofFormats) as FormatOptionValues;
  return { ...Object.fromEntries(others), formatOptions };
}

/** Name and value of an option that is set in the environment; empty if the variable is not set. */
function environmentValue({
  name,
  type,
  fromEnvironment,
}: NamedOption): readonly (readonly [string, unknown])[] {
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
  { name, type, negative }: NamedOption,
  flags: Flags,
): readonly (readonly [string, unknown])[] {
  const flag = flagOf(name);
  const texts = flags.get(flag);
  const isNegated = flags.has(`no-${flag}`);
  if (isNegated && texts !== undefined) throw usage(`--${flag} and --no-${flag} contradict each other`);
  if (isNegated) return [[name, negative?.value]];
  if (texts === undefined) return [];
  const read = type.fromTexts(texts, (problem) => {
    throw usage(`--${flag}: ${problem}`);
  });
  return [[name, read]];
}

function usage(message: string): TurnmillError {
  return new TurnmillError('usage', message);
}
