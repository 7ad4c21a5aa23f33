/**
 * Splits a command line into words and flags with the parser of yargs, which the options of all commands describe. The
 * rest of yargs would take longer than everything else before a run (docs/contributing/decisions/0019-the-command-is-bundled.md).
 */
import { Parser } from 'yargs/helpers';
import { failUsage } from '../errors.ts';
import { nearestWord } from '../settings/nearest-word.ts';

/** `-`, or `-:LINE` as an argument of `explain`. */
const STANDARD_INPUT = /^-(?::\d+)?$/;
const NEGATIVE = /^-\d/;

/** Flags of other programs, and what to type here. */
const MEANT: ReadonlyMap<string, string> = new Map([
  ...['dedup', 'dedupe', 'deduplicate', 'duplicates'].map((name) => [name, 'copies drop'] as const),
  ...['last', 'newer-than'].map((name) => [name, 'since'] as const),
]);

/** A flag of any command; its names have no dashes. */
export interface Flag {
  readonly name: string;
  readonly alias?: string | undefined;
  readonly takesValue: boolean;
  /** If this other flag is present too, the value may be left out and defaults to the other flag's. */
  readonly defaultsTo?: string | undefined;
  readonly repeatable: boolean;
}

export interface ParsedLine {
  /** Arguments: neither flags nor their values. */
  readonly words: readonly string[];
  /** The texts of each flag that is present: empty if it takes no value. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
}

const CONFIGURATION = {
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'populate--': true,
  'short-option-groups': false,
  'strip-aliased': true,
  'unknown-options-as-args': true, // for -:LINE
};

/** @throws TurnmillError `usage` */
export function parseLine(argv: readonly string[], known: readonly Flag[]): ParsedLine {
  checkWords(argv, known);
  const { argv: parsed, error } = Parser.detailed([...argv], optionsFor(known));
  if (error !== null) failUsage(error.message);
  const { _: words, '--': rest = [], ...values } = parsed;
  const flags = new Map(Object.entries(values).map(([name, value]) => [name, [value].flat() as string[]]));
  for (const { name, repeatable, defaultsTo } of known) {
    const texts = flags.get(name);
    if (texts !== undefined && texts.length > 1 && !repeatable) failUsage(`--${name} appears twice`);
    if (texts?.[0] === '' && defaultsTo !== undefined && !argv.includes(`--${name}=`))
      flags.set(name, flags.get(defaultsTo) ?? failUsage(`--${name} needs a value`));
  }
  return { words: [...words, ...(rest as string[])].map(String), flags };
}

/** A flag without a value is a text that takes no word, because yargs does not say how often a boolean was repeated. */
function optionsFor(known: readonly Flag[]): Parser.Options {
  const counted = known.filter(({ defaultsTo }) => defaultsTo === undefined);
  const options = {
    string: known.map(({ name }) => name),
    narg: Object.fromEntries(counted.map(({ name, takesValue }) => [name, takesValue ? 1 : 0])),
    alias: Object.fromEntries(known.flatMap(({ name, alias }) => (alias ? [[name, [alias]]] : []))),
    configuration: CONFIGURATION,
    __: (text: string, name: string): string =>
      `${name.length === 1 ? '-' : '--'}${name} ${text.startsWith('Not enough') ? 'needs a value' : 'takes no value'}`,
  };
  return options;
}

/** Refuses unknown options. Yargs would take them for values or inputs. */
function checkWords(argv: readonly string[], known: readonly Flag[]): void {
  const wordsOf = ({ name, alias }: Flag): readonly string[] => [
    `--${name}`,
    ...(alias ? [`-${alias}`] : []),
  ];
  const byWord = new Map(known.flatMap((flag) => wordsOf(flag).map((word) => [word, flag] as const)));
  const end = argv.indexOf('--');
  for (const [i, word] of (end < 0 ? argv : argv.slice(0, end)).entries()) {
    const [name = ''] = word.split('=');
    if (!word.startsWith('-') || STANDARD_INPUT.test(word) || byWord.has(name)) continue;
    if (NEGATIVE.test(word) && byWord.get(argv[i - 1] ?? '')?.takesValue === true) continue;
    const bare = name.replace(/^-+/, '');
    const near =
      MEANT.get(bare) ??
      nearestWord(
        bare,
        known.map((flag) => flag.name),
      );
    failUsage(
      `unknown option ${name}${near === undefined || !name.startsWith('--') ? '' : `; did you mean --${near}?`}`,
    );
  }
}
