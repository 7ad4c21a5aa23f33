/** Types of option values. Each one parses words of the command line and JSON of a configuration file. */
import type { Decisions } from '../../transforms/stages/format.ts';
import { systemWords, TurnmillError } from '../errors.ts';
import { NotOwnFile, readOwnFile } from '../own-file.ts';
import { parseSize } from '../sizes.ts';
import { parseTolerance, type Tolerance } from './error-budget.ts';
import { suggestion } from './nearest-word.ts';
import type { Refuse, ValueType } from './option.ts';

const shown = (value: unknown): string => `'${String(value)}'`;

function unknownWord(value: unknown, known: readonly string[]): string {
  return `${shown(value)} is not one of ${known.join(', ')}${suggestion(String(value), known)}`;
}

/** A flag that takes no value. */
export const flag: ValueType<boolean> = {
  placeholder: undefined,
  fromTexts: () => true,
  fromJson: (value, refuse) => (typeof value === 'boolean' ? value : refuse('must be true or false')),
};

/** A type of values that are one word of the command line, and a string in JSON. */
function ofWord<T>(
  placeholder: string,
  read: (word: string, refuse: Refuse) => T,
  wanted: string = 'a string',
): ValueType<T> {
  return {
    placeholder,
    fromTexts: ([word = ''], refuse) => read(word, refuse),
    fromJson: (value, refuse) =>
      typeof value === 'string' ? read(value, refuse) : refuse(`must be ${wanted}`),
  };
}

const notEmpty = (word: string, refuse: Refuse): string => (word === '' ? refuse('needs a value') : word);

/** Any text except the empty one. */
export function text(placeholder: string): ValueType<string> {
  return ofWord(placeholder, notEmpty);
}

/** Texts: one for each occurrence of the flag. */
export function texts(placeholder: string): ValueType<readonly string[]> {
  const one = text(placeholder);
  return {
    placeholder,
    repeatable: true,
    fromTexts: (words, refuse) => words.map((value) => one.fromTexts([value], refuse)),
    fromJson: (value, refuse) =>
      Array.isArray(value)
        ? value.map((item) => one.fromJson(item, refuse))
        : refuse('must be an array of strings'),
  };
}

export function choice<T extends string>(
  choices: readonly T[],
  placeholder: string = choices.join('|'),
): ValueType<T> {
  const check = (value: unknown, refuse: Refuse): T =>
    choices.find((known) => known === value) ?? refuse(unknownWord(value, choices));
  return { ...ofWord(placeholder, check), ...(placeholder.includes('|') ? {} : { choices }), check };
}

function checkKnown(values: readonly unknown[], known: readonly unknown[], refuse: Refuse): void {
  const unlisted = values.find((value) => !known.includes(value));
  if (unlisted !== undefined) refuse(unknownWord(unlisted, known.map(String)));
}

/** One or more of a list of words: the flag is repeated for each; in JSON a word or an array. */
export function choices(known: readonly string[], placeholder: string): ValueType<readonly string[]> {
  const check = (values: readonly unknown[], refuse: Refuse): readonly string[] => {
    const joined = values.find((value) => String(value).split(',').length > 1);
    if (joined !== undefined)
      refuse(`${shown(joined)} has a comma: repeat the option for each of the values`);
    checkKnown(values, known, refuse);
    const repeated = values.find((value, i) => values.indexOf(value) < i);
    if (repeated !== undefined) refuse(`${shown(repeated)} appears twice`);
    return values.length === 0 ? refuse('needs a value') : (values as readonly string[]);
  };
  const fromJson = (value: unknown, refuse: Refuse): readonly string[] => {
    if (typeof value === 'string') return check([value], refuse);
    return Array.isArray(value) ? check(value, refuse) : refuse('must be a string or an array of strings');
  };
  return {
    placeholder,
    choices: known,
    repeatable: true,
    fromTexts: check,
    fromJson,
    check: fromJson,
  };
}

/** Words from a list, separated by commas; in JSON an array. */
export function list<T extends string>(choices: readonly T[], placeholder: string): ValueType<readonly T[]> {
  const check = (values: readonly unknown[], refuse: Refuse): readonly T[] => {
    checkKnown(values, choices, refuse);
    return values as readonly T[];
  };
  const fromJson = (value: unknown, refuse: Refuse): readonly T[] =>
    Array.isArray(value) ? check(value, refuse) : refuse('must be an array of strings');
  return {
    placeholder,
    choices,
    fromTexts: ([value = ''], refuse) => check(value.split(','), refuse),
    fromJson,
    check: fromJson,
  };
}

/** A whole number, written with digits only. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const check = (value: number, written: unknown, refuse: Refuse): number =>
    Number.isSafeInteger(value) && value >= least && value <= most
      ? value
      : refuse(
          `${shown(written)} is not a whole number ${most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`}`,
        );
  const fromJson = (value: unknown, refuse: Refuse): number =>
    typeof value === 'number' ? check(value, value, refuse) : refuse('must be a number');
  return {
    placeholder: 'N',
    fromTexts: ([value = ''], refuse) =>
      check(/^\d+$/.test(value) ? Number(value) : Number.NaN, value, refuse),
    fromJson,
    check: fromJson,
  };
}

/** A number of rejections, or a percentage. */
export const tolerance: ValueType<Tolerance> = {
  placeholder: 'N|P%',
  fromTexts: ([value = ''], refuse) => toleranceIn(value, refuse),
  fromJson: toleranceIn,
  check: toleranceIn,
};

function toleranceIn(value: unknown, refuse: Refuse): Tolerance {
  if (typeof value !== 'number' && typeof value !== 'string')
    return refuse('must be a number or a string such as "1%"');
  const read = parseTolerance(String(value));
  return read ?? refuse(`${shown(value)} is neither a whole number nor a percentage up to 100%`);
}

/** A size in bytes, from `least` to `most`. */
export function size(most: number = Number.MAX_SAFE_INTEGER, least: number = 1): ValueType<number> {
  const check = (value: number | undefined, written: unknown, refuse: Refuse): number => {
    if (value === undefined || !Number.isSafeInteger(value))
      return refuse(`${shown(written)} is not a size: write 1GiB, 100MB, 512k or a number of bytes`);
    return value >= least && value <= most
      ? value
      : refuse(`${shown(written)} is out of range: ${least} to ${most} bytes`);
  };
  return {
    placeholder: 'SIZE',
    check: (value, refuse) => check(typeof value === 'number' ? value : undefined, value, refuse),
    fromTexts: ([value = ''], refuse) => check(parseSize(value), value, refuse),
    fromJson: (value, refuse) =>
      typeof value === 'number'
        ? check(value, value, refuse)
        : typeof value === 'string'
          ? check(parseSize(value), value, refuse)
          : refuse('must be a number of bytes or a string such as "1GiB"'),
  };
}

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as 30m, 24h or 7d, in milliseconds. */
export const duration: ValueType<number> = ofWord('TIME', durationIn, 'a string such as "24h"');

function durationIn(value: string, refuse: Refuse): number {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(value) ?? [];
  if (digits === undefined) return refuse(`${shown(value)} is not a time: write 90s, 30m, 24h or 7d`);
  return Number(digits) * UNITS_MS[unit as keyof typeof UNITS_MS];
}

/** A date, a time or an age, in ms since 1970. A date begins in UTC, as the names of the shards do. */
export const pointInTime: ValueType<number> = {
  ...ofWord('WHEN', timeIn, 'a string such as "2026-11-20" or "7d"'),
  check: (value, refuse) =>
    Number.isFinite(value) || refuse(`${shown(value)} is not a number of milliseconds since 1970`),
};

function timeIn(value: string, refuse: Refuse): number {
  if (/^\d+[smhd]$/.test(value)) return Date.now() - durationIn(value, refuse);
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(value);
  const time = isTime ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  return refuse(`${shown(value)} is not a time: write 2026-11-20, 2026-11-20T18:00:00Z, 12h or 7d`);
}

/** Permissions in octal, as for chmod. In JSON a string, because a number would be decimal. */
export const fileMode: ValueType<number> = {
  ...ofWord('MODE', modeIn, 'a string such as "0640"'),
  check: (value, refuse) =>
    modeIn(Number.isInteger(value) ? (value as number).toString(8).padStart(4, '0') : String(value), refuse),
};

function modeIn(value: string, refuse: Refuse): number {
  if (!/^0?[0-7]{3}$/.test(value)) return refuse(`${shown(value)} is not an octal mode such as 0640`);
  const mode = Number.parseInt(value, 8);
  if ((mode & 0o111) === 0) return mode;
  return refuse(`${shown(value)} has x bits: leave them out, folders get theirs automatically`);
}

/** `RULE=reject|keep`, repeatable; in JSON an object. @param rules the names to accept */
export function decisions(rules: readonly string[]): ValueType<Decisions> {
  const build = (pairs: readonly (readonly [string, unknown])[], refuse: Refuse): Decisions => {
    const decisions = new Map<string, 'reject' | 'keep'>();
    for (const [rule, decision] of pairs) {
      if (!rules.includes(rule)) refuse(unknownWord(rule, [...new Set(rules)]));
      if (decision !== 'reject' && decision !== 'keep')
        return refuse(`${rule} takes reject or keep, not ${shown(decision)}`);
      if (decisions.has(rule) && decisions.get(rule) !== decision) refuse(`${rule} appears twice`);
      decisions.set(rule, decision);
    }
    return Object.fromEntries(decisions);
  };
  const fromJson = (value: unknown, refuse: Refuse): Decisions =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? build(Object.entries(value), refuse)
      : refuse('must be an object of rules');
  return {
    placeholder: 'RULE=reject|keep',
    repeatable: true,
    fromTexts: (texts, refuse) =>
      build(
        texts.map((word) => {
          const at = word.indexOf('=');
          return at < 0
            ? refuse(`${shown(word)} is not RULE=reject or RULE=keep`)
            : [word.slice(0, at), word.slice(at + 1)];
        }),
        refuse,
      ),
    fromJson,
    check: fromJson,
  };
}

const MAX_TEXT_BYTES = 16 * 1024 * 1024;

/** The text of a UTF-8 file, without its final newline. */
export const textFile: ValueType<string> = ofWord('FILE', textIn);

/** Markdown for a card, whose YAML turnmill writes. */
export const cardFile: ValueType<string> = ofWord('MARKDOWN', (path, refuse) => {
  const markdown = textIn(path, refuse).replace(/^\uFEFF/, '');
  return /^---\s*$/m.test(markdown.slice(0, 5))
    ? refuse(`'${path}' begins with YAML: leave it out, because the card has that of its files`)
    : markdown;
});

/** Longer ids are not on the Hub. */
const LICENSE_ID = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/** The id of a licence as the Hub writes it. */
export const licenseId: ValueType<string> = { ...ofWord('LICENSE', licenseIn), check: licenseIn };

function licenseIn(value: unknown, refuse: Refuse): string {
  return typeof value === 'string' && LICENSE_ID.test(value)
    ? value
    : refuse(`${shown(value)} is not the id of a licence: write it in lower case, such as cc-by-4.0`);
}

/** Ids from a file, one per line; an id that begins with a quotation mark is a JSON string. */
export const idFile: ValueType<readonly string[]> = ofWord('IDS', (path, refuse) =>
  idsIn(textIn(path, refuse), refuse),
);

function idsIn(text: string, refuse: Refuse): readonly string[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  return lines.map((line) => {
    if (!line.startsWith('"')) return line;
    try {
      return String(JSON.parse(line));
    } catch {
      return refuse(`${shown(line)} begins with a quotation mark, but is not a JSON string`);
    }
  });
}

function textIn(path: string, refuse: Refuse): string {
  notEmpty(path, refuse);
  let bytes: Uint8Array;
  try {
    bytes = readOwnFile(path, MAX_TEXT_BYTES);
  } catch (error) {
    if (error instanceof NotOwnFile)
      return refuse(`'${path}' is ${error.kind}, not a regular file: save the text to a file and name that`);
    if (error instanceof TurnmillError) return refuse(`'${path}' is longer than ${MAX_TEXT_BYTES} bytes`);
    return refuse(`cannot read '${path}': ${systemWords(error)}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    return refuse(`'${path}' is not UTF-8`);
  }
}
