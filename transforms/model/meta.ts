/**
 * Metadata of a conversation, which records have only with `--meta`. The list of names is closed, so that nothing
 * personal gets into a dataset: no paths, branches, user names or keys.
 */

import { knownText } from '../json/utf8.ts';

/** docs/choosing-a-format.md explains each name. */
export const META_NAMES = [
  'source_id',
  'harness',
  'model',
  'usage',
  'cost',
  'reward',
  'finish',
  'parent',
  'copied',
  'started_at',
  'tags',
] as const;
export type MetaName = (typeof META_NAMES)[number];

const PATH = /^(?:[/~\\]|\.{1,2}[/\\]|[A-Za-z]:[/\\]|file:|(?:home|Users)[/\\])/;

/** A home folder; a path after a blank, or after a character such as the `=` in `cwd=/srv`; a URL. */
const PATH_INSIDE = /[/\\](?:home|Users|root)[/\\]|[\s=:,;(](?:~?[/\\]|[A-Za-z]:\\)[\w.]|\/\/[\w.]/;

/** A path to a home folder, as clients flatten it into a folder name: `-home-ada-work`. */
const FLAT_PATH = /(?:^|\/)(?:[A-Z]-)?-{1,2}(?:home|Users|root)-/;

/** `ada@example.org`, `git@host`; not the version in `model@20260101` or `model@latest`. */
const ADDRESS = /[\w.+-]@(?!(?:latest|default)\b)[A-Za-z]/;

/** An IPv4 address; the account number in the name of an AWS resource. */
const NUMBERS = /(?:^|[\s=:,;(/])\d{1,3}(?:\.\d{1,3}){3}(?![.\w])|\barn:(?:[\w-]{0,64}:){3}\d{12}:/;

/** Keys of providers and stores, by their prefixes; signed tokens. */
const KEY =
  /\b(?:(?:sk|pk|rk|xox[a-z]|glpat)-|(?:hf|gh[a-z]|github_pat|lsv2)_)[\w-]{12}|\bAKIA[0-9A-Z]{12}|\bAIza[\w-]{20}|\beyJ[\w-]{12}/;

const PERSON =
  '(?:end_?|git_?)?user(?:_?(?:id|name|email))?|login|author|owner|account|annotator|grader|e?-?_?mail';
const MACHINE = 'host(?:_?name)?|ip|(?:git_?)?branch|cwd|home|env|api_?key|secret|password';
const PERSONAL_NAME = new RegExp(`^(?:${PERSON}|${MACHINE})$`, 'i');
const NAMED_INSIDE = new RegExp(`(?:^|[\\s,;/])(?:${PERSON}|${MACHINE})[:=]`, 'i');

const FORMS: readonly RegExp[] = [PATH, PATH_INSIDE, FLAT_PATH, ADDRESS, NUMBERS, KEY, NAMED_INSIDE];

/**
 * Whether a text contains a path, an address, a URL or a key. Such a text is not used as metadata or as an id, because
 * it may identify a person or a machine. Does not recognise bare names, which look like any other word.
 */
export const isPersonal = (text: string): boolean => FORMS.some((form) => form.test(text));

/** Whether the name of a member shows that it is about a person or a machine, so that its value is left out. */
export const isPersonalName = (name: string): boolean => PERSONAL_NAME.test(name) || isPersonal(name);

/** JSON text on one line, by name. */
export type Meta = ReadonlyMap<MetaName, Uint8Array>;

/** Returns the name of the model, if the log has it. */
export function modelIn(meta: Meta | undefined): string | undefined {
  const name = meta?.get('model');
  return name === undefined ? undefined : knownText(name, 0, name.length);
}
