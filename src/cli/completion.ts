/** Scripts that complete the command line in a shell, made from the table of commands. */
import { flagNames, flagOf, type NamedOption } from '../settings/option.ts';
import type { Command } from './commands/command.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const ALWAYS = ['help', 'version'];

/** Returns the script, which ends with a newline. */
export function completionScript(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'fish') return fishScript(commands);
  const start =
    shell === 'zsh'
      ? 'autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n'
      : '';
  return `${start}${bashScript(commands)}`;
}

const ALTERNATIVES = /^\[?([a-z-]+(?:\|[a-z-]+)+)(?:\]|\s|$)/;

/** The words that a text such as `last|leaves` lists; none if it begins otherwise. */
const alternativesIn = (text: string): readonly string[] => ALTERNATIVES.exec(text)?.[1]?.split('|') ?? [];

/** The words that a value may be; none if it is free text, or a file. */
function wordsOf({ type: { choices = [], placeholder = '' } }: NamedOption): readonly string[] {
  return placeholder.includes('|') ? alternativesIn(placeholder) : choices;
}

/** Commands whose first argument is one of a few words. */
const withActions = (commands: readonly Command[]): readonly (readonly [string, string])[] =>
  commands.flatMap(({ name, usage }) => {
    const words = alternativesIn(usage);
    return words.length === 0 ? [] : [[name, words.join(' ')] as const];
  });

const flagsOf = ({ options }: Command): readonly string[] =>
  [...options.flatMap(flagNames), ...ALWAYS].map((name) => `--${name}`);

/** The options of all commands, each once: those with the same name take the same values. */
const allOptions = (commands: readonly Command[]): readonly NamedOption[] => [
  ...new Map(commands.flatMap(({ options }) => options.map((option) => [option.name, option]))).values(),
];

function bashScript(commands: readonly Command[]): string {
  const values = allOptions(commands)
    .filter((option) => wordsOf(option).length > 0)
    .map((option) => `    --${flagOf(option.name)}) words='${wordsOf(option).join(' ')}' ;;`);
  const flags = commands.map((command) => `      ${command.name}) words='${flagsOf(command).join(' ')}' ;;`);
  const actions = withActions(commands).map(([name, words]) => `      ${name}) words='${words}' ;;`);
  return `_turnmill() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words=''
  case $prev in
${values.join('\n')}
  esac
  if [[ -z $words && $COMP_CWORD -eq 1 ]]; then
    words='${commands.map(({ name }) => name).join(' ')} ${ALWAYS.map((name) => `--${name}`).join(' ')}'
  elif [[ -z $words && $cur == -* ]]; then
    case \${COMP_WORDS[1]} in
${flags.join('\n')}
    esac
  elif [[ -z $words && $COMP_CWORD -eq 2 ]]; then
    case \${COMP_WORDS[1]} in
${actions.join('\n')}
    esac
  fi
  COMPREPLY=()
  if [[ -n $words ]]; then COMPREPLY=($(compgen -W "$words" -- "$cur")); fi
}
complete -o default -F _turnmill turnmill
`;
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap(({ name, summary, options }) => [
    `complete -c turnmill -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ...options.flatMap((option) => fishFlags(name, option)),
  ]);
  const actions = withActions(commands).map(
    ([name, words]) => `complete -c turnmill -n '__fish_seen_subcommand_from ${name}' -a '${words}'`,
  );
  return `${[...lines, ...actions].join('\n')}\n`;
}

function fishFlags(command: string, option: NamedOption): readonly string[] {
  const words = wordsOf(option);
  return flagNames(option).map((name) => {
    const takesValue = option.type.placeholder !== undefined && !name.startsWith('no-');
    const choices = words.length === 0 ? '' : ` -f -a ${quoted(words.join(' '))}`;
    const value = takesValue ? ` -r${choices}` : '';
    const alias = option.alias === undefined || name.startsWith('no-') ? '' : ` -s ${option.alias}`;
    const about = name.startsWith('no-') ? (option.negative?.help ?? option.help) : option.help;
    return `complete -c turnmill -n '__fish_seen_subcommand_from ${command}' -l ${name}${alias}${value} -d ${quoted(about)}`;
  });
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
