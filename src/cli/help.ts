/**
 * Lays out the text of `--help`. Yargs is not used for it, because it loads tables of Unicode to measure text; all
 * texts here are ASCII, so a character is one column.
 */
import { flagOf, type NamedOption, OPTION_GROUPS, shownDefault } from '../settings/option.ts';
import type { Command } from './commands/command.ts';

const WIDEST = 110;
const NARROWEST = 40;
/** Column where descriptions of options begin; a longer flag gets a line to itself. */
const DESCRIPTION_AT = 28;
/** Upper limit of that column for lists, where the widest label decides. */
const TIGHT_AT = 42;

interface Row {
  readonly label: string;
  readonly text: string;
}

const SHOW_HELP = { label: '  -h, --help', text: 'Show this help' };
const SHOW_VERSION = { label: '      --version', text: 'Show the version' };

const EXAMPLES: Command['examples'] = [
  ['build logs/ --out dataset/', 'Make a dataset from a folder of logs'],
  ['build - --out - < a.jsonl', 'Convert standard input to standard output'],
  ['explain logs/a.jsonl:7', 'Show what became of line 7'],
];

export function programHelp(commands: readonly Command[], columns: number): string {
  const width = clampWidth(columns);
  const names = commands.map(({ name, summary }) => ({ label: `  turnmill ${name}`, text: summary }));
  return [
    'turnmill COMMAND [options]',
    'Turn logs of LLM agents into training datasets.',
    section('Commands:', names, width, 'tight'),
    section('Options:', [SHOW_HELP, SHOW_VERSION], width, 'tight'),
    section('Examples:', EXAMPLES.map(exampleRow), width, 'tight'),
    "Run 'turnmill COMMAND --help' for the options of a command.",
  ].join('\n\n');
}

/** Help of one command. @param all whether to include rarely needed options */
export function commandHelp(command: Command, columns: number, all: boolean): string {
  const width = clampWidth(columns);
  const { name, usage, summary, options, examples } = command;
  const [line = '', ...notes] = usage.split('\n\n');
  const shown = options.filter(({ advanced }) => all || advanced !== true);
  const groups = OPTION_GROUPS.map((group) => ({
    group,
    rows: shown.filter((option) => option.group === group).flatMap(optionRows),
  })).filter(({ rows }) => rows.length > 0);
  const hidden = options.length - shown.length;
  const more = {
    label: '      --all',
    text: `With --help: show ${hidden} more ${hidden === 1 ? 'option' : 'options'}`,
  };
  return [
    wrap(`turnmill ${name} ${line}`, width).join('\n'),
    ...[`${summary}.`, ...notes].map((text) => wrap(text, width).join('\n')),
    ...groups.map(({ group, rows }) => section(`${group}:`, rows, width)),
    section('Help:', [SHOW_HELP, ...(hidden > 0 ? [more] : []), SHOW_VERSION], width),
    section('Examples:', examples.map(exampleRow), width, 'tight'),
  ].join('\n\n');
}

function exampleRow([line, text]: Command['examples'][number]): Row {
  return { label: `  turnmill ${line}`, text };
}

function optionRows(option: NamedOption): readonly Row[] {
  const { name, alias, help, type, negative } = option;
  const rows: Row[] = [];
  if (negative?.only !== true) {
    const short = alias === undefined ? '    ' : `-${alias}, `;
    const value = type.placeholder === undefined ? '' : ` ${type.placeholder}`;
    const choices = type.choices === undefined ? '' : `: ${type.choices.join(', ')}`;
    const shown = shownDefault(option);
    const fallback = shown === undefined ? '' : ` [default:${GLUE}${shown}]`;
    rows.push({ label: `  ${short}--${flagOf(name)}${value}`, text: `${help}${choices}${fallback}` });
  }
  if (negative !== undefined) rows.push({ label: `      --no-${flagOf(name)}`, text: negative.help });
  return rows;
}

/** A heading and its rows: labels on the left, wrapped texts beside them, or below a long label. */
function section(
  heading: string,
  rows: readonly Row[],
  width: number,
  layout: 'option' | 'tight' = 'option',
): string {
  const longest = Math.max(...rows.map(({ label }) => label.length)) + 2;
  const wide = longest > TIGHT_AT || width < 2 * TIGHT_AT - 4;
  const indent = layout === 'option' ? DESCRIPTION_AT : wide ? Math.min(longest, 6) : longest;
  const lines = rows.flatMap(({ label, text }) => {
    const [first = '', ...rest] = wrap(text, width - indent);
    const beside = label.length + 2 <= indent;
    return beside
      ? [label.padEnd(indent) + first, ...rest.map((more) => ' '.repeat(indent) + more)]
      : [label, ...[first, ...rest].map((more) => ' '.repeat(indent) + more)];
  });
  return [heading, ...lines].join('\n');
}

/** A space that `wrap` does not break at. */
const GLUE = '\0';

/** Wraps at `width` columns; a single word that is longer than that is not broken. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((broken) => broken.replaceAll(GLUE, ' '));
}

function clampWidth(columns: number): number {
  return Math.max(NARROWEST, Math.min(WIDEST, columns));
}
