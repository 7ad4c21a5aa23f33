/**
 * Adds plug-ins to the command line: their names become choices, and the options of their formats become flags. They
 * are loaded before the line is parsed, so only lines with `--plugin` need this module.
 */
import type { PlugIns } from '../../transforms/plug-ins.ts';
import { failUsage } from '../errors.ts';
import { formatFlagsWith } from '../settings/conversion-settings.ts';
import { flagNames, flagOf, type NamedOption, optionWith } from '../settings/option.ts';
import { loadPlugIns } from '../settings/plug-ins.ts';
import type { Command } from './commands/command.ts';

/**
 * Returns the commands, extended by the plug-ins that a command line names.
 * @throws TurnmillError `usage` if a file is not a plug-in, or a format has an option that already exists
 */
export async function commandsWithPlugIns(
  commands: readonly Command[],
  argv: readonly string[],
): Promise<readonly Command[]> {
  const wanted = commands.find(({ name }) => argv.includes(name));
  if (wanted?.options.some(({ name }) => name === 'plugin') !== true) return commands; // parsing refuses the line later
  const plugIns = await loadPlugIns(filesIn(argv));
  return commands.map((command) => ({ ...command, options: optionsWith(command, plugIns) }));
}

/**
 * Returns the values of `--plugin`. A value of an option never begins with two dashes, so none can be mistaken for the flag.
 */
function filesIn(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  return words.flatMap((word, i) => {
    if (word.startsWith('--plugin=')) return word.slice('--plugin='.length) || [];
    const next = words[i + 1];
    return word === '--plugin' && next !== undefined && !next.startsWith('-') ? next : [];
  });
}

function optionsWith({ options }: Command, plugIns: PlugIns): readonly NamedOption[] {
  const at = options.findIndex(({ ofFormat }) => ofFormat);
  const others = options.filter(({ ofFormat }) => ofFormat !== true).map((one) => optionWith(one, plugIns));
  if (at < 0) return others;
  const ofFormats = formatFlagsWith(plugIns.formats);
  const taken = new Set(['help', 'all', 'version', ...others.flatMap(flagNames)]);
  const clash = ofFormats.find((option) => flagNames(option).some((name) => taken.has(name)));
  if (clash !== undefined) {
    const text = `a plug-in's format has the option '${clash.name}', but --${flagOf(clash.name)} is another option already: choose another name`;
    failUsage(text);
  }
  return [...others.slice(0, at), ...ofFormats, ...others.slice(at)];
}
