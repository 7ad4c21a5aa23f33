/**
 * A look at the command line before yargs gets it, which would lose an input `-`, show the help for an input `help`, eat
 * one that is named `true`, read `--replace=maybe` as no, and trip over `--constructor`.
 */
import { TurnmillError } from '../errors.ts';

/** `-`, and a line of it for `explain`. */
const STANDARD_INPUT = /^-(?::\d+)?$/;

/** What is known of a flag: its name without dashes. */
export interface Flag {
  readonly name: string;
  readonly alias?: string | undefined;
  readonly takesValue: boolean;
  /** Beside this flag it needs no value: it has that one's. */
  readonly beside?: string | undefined;
  readonly repeatable: boolean;
}

export interface Tokens {
  /** What is no flag and no flag's value. */
  readonly words: readonly string[];
  /** Flags as yargs reads them right: `--name=value`. */
  readonly flags: readonly string[];
}

/** Throws `usage`. */
export function readTokens(argv: readonly string[], flags: readonly Flag[]): Tokens {
  const byWord = new Map<string, Flag>(
    flags.flatMap((flag) => [
      [`--${flag.name}`, flag] as const,
      ...(flag.alias === undefined ? [] : [[`-${flag.alias}`, flag] as const]),
    ]),
  );
  const seen = new Set<Flag>();
  const words: string[] = [];
  const checked: string[] = [];
  const beside: Flag[] = [];
  const given = new Set(argv.map((word) => byWord.get(split(word)[0])?.name));
  const isBeside = (flag: Flag): boolean => flag.beside !== undefined && given.has(flag.beside);
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string;
    if (word === '--') {
      words.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || STANDARD_INPUT.test(word)) {
      words.push(word);
      continue;
    }
    const [name, value] = split(word);
    const flag = byWord.get(name) ?? fail(`unknown option ${name}`);
    if (seen.has(flag) && !flag.repeatable) fail(`--${flag.name} appears twice`);
    seen.add(flag);
    if (!flag.takesValue) {
      if (value !== undefined) fail(`${name} takes no value`);
      checked.push(`--${flag.name}=true`);
    } else if (value === undefined && isBeside(flag)) beside.push(flag);
    else checked.push(`--${flag.name}=${value ?? valueAfter(name, argv[++i])}`);
  }
  for (const { name, beside: other } of beside) {
    const start = `--${other}=`;
    const shared = checked.find((text) => text.startsWith(start)) ?? start;
    checked.push(`--${name}=${shared.slice(start.length)}`);
  }
  return { words, flags: checked };
}

function split(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

/** A value that begins with a dash is written `--out=-x`: else a forgotten value would eat the next option. */
function valueAfter(name: string, word: string | undefined): string {
  if (word === undefined || (word.startsWith('-') && word !== '-')) return fail(`${name} needs a value`);
  return word;
}

function fail(message: string): never {
  throw new TurnmillError('usage', message);
}
