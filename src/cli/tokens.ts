/**
 * Splits the command line into words and flags before yargs sees it. Yargs alone would lose an input `-`, swallow an
 * input named `true`, read `--replace=maybe` as false, and fail on `--constructor`.
 */
import { TurnmillError } from '../errors.ts';

/** `-`, or `-:LINE` as an argument of `explain`. */
const STANDARD_INPUT = /^-(?::\d+)?$/;

/** A flag of any command; its names have no dashes. */
export interface Flag {
  readonly name: string;
  readonly alias?: string | undefined;
  readonly takesValue: boolean;
  /** If this other flag is present too, the value may be left out and defaults to the other flag's. */
  readonly defaultsTo?: string | undefined;
  readonly repeatable: boolean;
}

export interface Tokens {
  /** Arguments: neither flags nor their values. */
  readonly words: readonly string[];
  /** Flags in the form `--name=value`, which yargs reads correctly. */
  readonly flags: readonly string[];
}

/** @throws TurnmillError `usage` */
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
  const valueless: Flag[] = [];
  const present = new Set(argv.map((word) => byWord.get(split(word)[0])?.name));
  const mayOmitValue = ({ defaultsTo }: Flag): boolean => defaultsTo !== undefined && present.has(defaultsTo);
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
    } else if (value === undefined && mayOmitValue(flag)) valueless.push(flag);
    else checked.push(`--${flag.name}=${value ?? valueAfter(name, argv[++i])}`);
  }
  for (const { name, defaultsTo } of valueless) {
    const start = `--${defaultsTo}=`;
    const shared = checked.find((text) => text.startsWith(start)) ?? start;
    checked.push(`--${name}=${shared.slice(start.length)}`);
  }
  return { words, flags: checked };
}

function split(word: string): readonly [string, string | undefined] {
  const at = word.indexOf('=');
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

/**
 * A value that begins with a dash must be written `--out=-x`: otherwise a missing value would swallow the next option.
 * A negative number is passed on, so that the option can say which numbers it takes.
 */
function valueAfter(name: string, word: string | undefined): string {
  const isOption = word?.startsWith('-') === true && word !== '-' && !/^-\d/.test(word);
  return word === undefined || isOption ? fail(`${name} needs a value`) : word;
}

function fail(message: string): never {
  throw new TurnmillError('usage', message);
}
