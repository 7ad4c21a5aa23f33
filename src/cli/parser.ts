/** The commands and options as yargs knows them: it finds the command and refuses flags of another one. */
import yargs, { type Argv } from 'yargs';
import { flagOf } from '../settings/settings.ts';
import type { Command } from './commands/command.ts';
import { commands } from './commands/index.ts';
import type { Option } from './options/option.ts';

/** The flags of a command line by name, as yargs returns them. */
export type FlagValues = Readonly<Record<string, unknown>>;

const PARSER = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'duplicate-arguments-array': true,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'short-option-groups': false,
} as const;

/** @param choose called with the command that was found, and its flags */
export function createParser(choose: (command: Command, flags: FlagValues) => void): Argv {
  const parser = yargs([])
    .scriptName('turnmill')
    .detectLocale(false)
    .exitProcess(false)
    .parserConfiguration(PARSER)
    .strictCommands()
    .strictOptions()
    .recommendCommands()
    .demandCommand(1, 'name a command')
    .version(false)
    .help(false);
  for (const command of commands) {
    const handler = (flags: unknown): void => choose(command, flags as FlagValues);
    parser.command(command.name, command.summary, (own) => addOptions(own, command), handler);
  }
  return parser;
}

function addOptions(parser: Argv, { options }: Command): Argv {
  parser.strictCommands(false).demandCommand(0);
  for (const option of options) addOption(parser, option);
  return parser;
}

function addOption(parser: Argv, { name, alias, type, negative }: Option): void {
  if (negative?.only !== true) {
    const kind =
      type.placeholder === undefined
        ? ({ type: 'boolean' } as const)
        : ({ type: 'string', nargs: 1 } as const);
    parser.option(flagOf(name), { ...kind, ...(alias && { alias }) });
  }
  if (negative !== undefined) parser.option(`no-${flagOf(name)}`, { type: 'boolean' });
}
