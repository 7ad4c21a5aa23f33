/**
 * Explains why no command accepts a command line. Yargs finds the reason and suggests a command with a similar name.
 * Loading it takes a tenth of the startup time, so it is loaded only for an invalid line.
 */
import yargs, { type Argv } from 'yargs';
import { TurnmillError } from '../errors.ts';
import { flagOf } from '../settings/settings.ts';
import type { Command } from './commands/command.ts';
import type { Option } from './options/option.ts';

/** The line in which yargs suggests a similar command. */
const HINT = /^Did you mean .*$/m;
/** How yargs reports options of other commands. */
const UNKNOWN = /^Unknown arguments?: (.+)$/;

/** @param words the command and the flags, in the form `--name=value` */
export function usageErrorOf(words: readonly string[], commands: readonly Command[]): TurnmillError {
  let failure: Error | undefined;
  let output = '';
  createParser(commands).parse(
    [...words],
    {},
    (error: Error | undefined | null, _argv: unknown, text: string) => {
      failure = error ?? undefined;
      output = text;
    },
  );
  const unknown = UNKNOWN.exec(failure?.message ?? '')?.[1]?.replaceAll(', ', ', --');
  if (unknown !== undefined) return new TurnmillError('usage', `${words[0]} does not take --${unknown}`);
  return new TurnmillError(
    'usage',
    [failure?.message ?? 'name a command', ...(HINT.exec(output) ?? [])].join('. '),
  );
}

const PARSER = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'duplicate-arguments-array': true,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'short-option-groups': false,
} as const;

/** Declares the commands and options to yargs, which refuses unknown commands and the flags of other commands. */
function createParser(commands: readonly Command[]): Argv {
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
  for (const command of commands)
    parser.command(
      command.name,
      command.summary,
      (own) => addOptions(own, command),
      () => undefined,
    );
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
