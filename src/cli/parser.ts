/** The commands and their options as yargs sees them: help, and what is no option of a command. */
import yargs, { type Argv } from 'yargs';
import { flagOf } from '../settings/settings.ts';
import { toolVersion } from '../version.ts';
import type { Command } from './commands/command.ts';
import { commands } from './commands/index.ts';
import type { Option } from './options/option.ts';

/** The flags of a command line by their names, as yargs gives them. */
export type Given = Readonly<Record<string, unknown>>;

const PARSER = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'duplicate-arguments-array': true,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'short-option-groups': false,
} as const;
/** In the help of the whole program. */
const OVERVIEW = [
  ['build logs/ --out dataset/', 'A dataset from a folder of logs'],
  ['build - --out - < a.jsonl', 'From a pipe to a pipe'],
  ['explain logs/a.jsonl:7', 'What became of line 7'],
] as const;
const WIDEST = 110;
const NARROWEST = 60;

/** @param choose is told which command it was */
export function createParser(columns: number, choose: (command: Command, given: Given) => void): Argv {
  const parser = yargs([])
    .scriptName('turnmill')
    .detectLocale(false)
    .exitProcess(false)
    .parserConfiguration(PARSER)
    .strictCommands()
    .strictOptions()
    .recommendCommands()
    .usage('$0 COMMAND [options]\n\nSession logs in, training datasets out.')
    .demandCommand(1, 'name a command')
    .version(toolVersion())
    .help()
    .alias({ help: 'h' })
    .describe({ help: 'Show this help', version: 'Show the version' })
    .epilog('turnmill COMMAND --help tells the options of a command.')
    .wrap(Math.max(NARROWEST, Math.min(WIDEST, columns)));
  for (const command of commands) {
    const handler = (given: unknown): void => choose(command, given as Given);
    parser.command(command.name, command.summary, (made) => describe(made, command), handler);
  }
  for (const [line, what] of OVERVIEW) parser.example(`$0 ${line}`, what);
  return parser;
}

function describe(parser: Argv, { name, summary, usage: words, options, examples }: Command): Argv {
  parser.strictCommands(false).demandCommand(0).usage(`$0 ${name} ${words}\n\n${summary}`).epilog('');
  for (const option of options) addOption(parser, option);
  for (const [line, what] of examples) parser.example(`$0 ${line}`, what);
  return parser;
}

function addOption(
  parser: Argv,
  { name, alias, group, describe: what, default: shown, type, negative }: Option,
): void {
  const { placeholder } = type;
  const held = { ...(shown === undefined ? {} : { defaultDescription: shown }) };
  if (negative?.only !== true) {
    const kind =
      placeholder === undefined ? ({ type: 'boolean' } as const) : ({ type: 'string', nargs: 1 } as const);
    const described = placeholder === undefined ? what : `${what} (${placeholder})`;
    parser.option(flagOf(name), {
      ...kind,
      ...held,
      ...(alias && { alias }),
      group: `${group}:`,
      describe: described,
    });
  }
  if (negative === undefined) return;
  parser.option(`no-${flagOf(name)}`, { type: 'boolean', group: `${group}:`, describe: negative.describe });
}
