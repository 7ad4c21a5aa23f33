/** Reads the file of `--redact-rules` (docs/publish.md). */
import { parse } from 'smol-toml';
import { MIN_ANCHOR_BYTES } from '../../transforms/redaction/anchors.ts';
import type { Redaction, Rule } from '../../transforms/redaction/rule.ts';
import { RULES } from '../../transforms/redaction/rules.ts';
import type { Refuse } from './option.ts';

const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 60;
const SHA256 = /^[0-9a-f]{64}$/;
/** Bytes before its anchor at which a match may begin. */
const BACK = 64;

type Table = Readonly<Record<string, unknown>>;

/** @throws by `refuse`, with a problem that names the key */
export function parseRules(text: string, refuse: Refuse): Pick<Redaction, 'rules' | 'allow'> {
  const file = tableIn(text, refuse);
  checkKeys(file, ['off', 'rule', 'allow'], '', refuse);
  const off = texts(file.off, 'off', refuse);
  const unknown = off.find((name) => !RULES.some((rule) => rule.name === name));
  if (unknown !== undefined)
    refuse(`off: '${unknown}' is not a rule; the rules are ${RULES.map(({ name }) => name).join(', ')}`);
  const own =
    Array.isArray(file.rule) || file.rule === undefined ? (file.rule ?? []) : refuse('rule: write [[rule]]');
  const rules = [...RULES.filter(({ name }) => !off.includes(name))];
  for (const [i, table] of (own as Table[]).entries()) {
    const rule = ruleOf(table, `rule ${i + 1}`, refuse);
    if (rules.some(({ name }) => name === rule.name))
      refuse(`rule ${i + 1}: there already is a rule '${rule.name}'`);
    rules.push(rule);
  }
  return { rules, allow: allowOf(file.allow, refuse) };
}

function tableIn(text: string, refuse: Refuse): Table {
  try {
    return parse(text);
  } catch (error) {
    return refuse(`not TOML: ${(error as Error).message.split('\n')[0]}`);
  }
}

function ruleOf(table: Table, where: string, refuse: Refuse): Rule {
  checkKeys(table, ['name', 'anchor', 'pattern', 'group'], `${where}: `, refuse);
  const { name, anchor, pattern, group = 0 } = table;
  if (typeof name !== 'string' || !NAME.test(name) || name.length > MAX_NAME_LENGTH)
    return refuse(
      `${where}: name must be of small letters, digits and hyphens, and have at most ${MAX_NAME_LENGTH} characters`,
    );
  if (typeof anchor !== 'string' || Buffer.byteLength(anchor) < MIN_ANCHOR_BYTES)
    return refuse(`rule '${name}': anchor must be a text of at least ${MIN_ANCHOR_BYTES} bytes`);
  if (typeof pattern !== 'string' || pattern === '') return refuse(`rule '${name}': pattern is missing`);
  const back = beginsWith(pattern, anchor) ? 0 : BACK;
  const groups = groupsOf(pattern, `rule '${name}': pattern`, refuse, anchor);
  if (!Number.isInteger(group) || (group as number) < 0 || (group as number) > groups)
    return refuse(`rule '${name}': group must be a number from 0 to ${groups}`);
  const form = { anchors: [bytesOf(anchor)], pattern: bytesOf(pattern), back };
  return { name, forms: [group === 0 ? form : { ...form, group: group as number }] };
}

function allowOf(table: unknown, refuse: Refuse): Redaction['allow'] {
  if (table === undefined) return { hashes: [], patterns: [] };
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    return refuse('allow: write [allow]');
  checkKeys(table as Table, ['values_sha256', 'patterns'], 'allow: ', refuse);
  const { values_sha256, patterns: written } = table as Table;
  const hashes = texts(values_sha256, 'allow.values_sha256', refuse);
  const patterns = texts(written, 'allow.patterns', refuse);
  const bad = hashes.findIndex((hash) => !SHA256.test(hash));
  if (bad >= 0) refuse(`allow.values_sha256: number ${bad + 1} is not a SHA-256 in small hexadecimal digits`);
  for (const pattern of patterns) groupsOf(pattern, 'allow.patterns', refuse, '');
  return { hashes, patterns: patterns.map(bytesOf) };
}

/** Patterns are matched against bytes, one character for each. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

function texts(value: unknown, key: string, refuse: Refuse): readonly string[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  return refuse(`${key} must be an array of strings`);
}

function checkKeys(table: Table, known: readonly string[], where: string, refuse: Refuse): void {
  const other = Object.keys(table).find((key) => !known.includes(key));
  if (other !== undefined) refuse(`${where}'${other}' is not one of ${known.join(', ')}`);
}

const MAX_PATTERN_LENGTH = 1000;
/** Longest match after its anchor. */
const MAX_MATCH_BYTES = 400;
const MAX_STEPS = 1000;

/** Whether every match begins with the anchor. */
function beginsWith(pattern: string, anchor: string): boolean {
  if (!/^[\w\-:/=@ ]+$/.test(anchor) || !pattern.startsWith(anchor)) return false;
  let rest = plainOf(pattern.slice(anchor.length));
  for (let length = -1; length !== rest.length; ) {
    length = rest.length;
    rest = rest.replace(/\([^()]*\)/g, 'x');
  }
  return !/^[*+?{]|\|/.test(rest);
}

/** Returns the number of capture groups. Refuses what may take more than linear time. */
function groupsOf(pattern: string, where: string, refuse: Refuse, anchor: string): number {
  if (pattern.length > MAX_PATTERN_LENGTH) refuse(`${where} is longer than ${MAX_PATTERN_LENGTH} characters`);
  let groups = 0;
  try {
    groups = (new RegExp(`${bytesOf(pattern)}|`).exec('')?.length ?? 1) - 1;
  } catch {
    refuse(`${where} is not a regular expression`);
  }
  const problem = repeats(pattern);
  if (problem !== undefined) refuse(`${where} ${problem}`);
  if (stepsOf(pattern, anchor) > MAX_STEPS)
    refuse(`${where} may take long: write fewer repetitions, or bounded ones, such as {1,20} for +`);
  return groups;
}

/** A character or a class, or the end of a group; how often; and the character after it, if that is always the same. */
const REPEATED =
  /(\\.|\[(?:\\.|[^\]\\])*\]|[^\\[])(?:[*+]|\{(\d+)(?:,(\d*))?\})\??(\\[^A-Za-z0-9]|[\w\-:=/@"'!#%&,;<>~ ])?/g;

/**
 * Returns about how many steps a text may cost: the ways in which earlier repetitions can end, times the length of one. A
 * repetition ends in one way if the next character is one that it does not match. Before its anchor, a pattern is tried at
 * `BACK` places.
 */
function stepsOf(pattern: string, anchor: string): number {
  const anchorAt = pattern.indexOf(anchor);
  const startsUntil = anchorAt < 0 ? pattern.length : anchorAt;
  let ways = 1;
  let steps = 1;
  for (const { 1: atom = '', 2: least, 3: most = least, 4: next, index } of pattern.matchAll(REPEATED)) {
    const length = Math.min(Number(most || MAX_MATCH_BYTES), MAX_MATCH_BYTES);
    steps = Math.max(steps, ways * length * (index < startsUntil ? BACK : 1));
    const endsInOneWay =
      atom !== ')' && next !== undefined && !new RegExp(`^${atom}$`).test(next.replace('\\', ''));
    if (!endsInOneWay) ways *= length - Number(least ?? 0) + 1;
  }
  return steps;
}

/** Returns a pattern where each escape and class is one letter, and each group only has its parentheses. */
function plainOf(pattern: string): string {
  return pattern
    .replace(/\\./g, 'x')
    .replace(/\[(?:[^\]])*\]/g, 'x')
    .replace(/\((?:\?(?:[:=!]|<[=!]|<\w+>))?/g, '(');
}

/** Returns why a pattern may take more than linear time. */
function repeats(pattern: string): string | undefined {
  if (/\\(?:[1-9]|k<)/.test(pattern.replace(/\\\\/g, ''))) return 'has a back-reference';
  const plain = plainOf(pattern);
  const open: boolean[] = [];
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at] as string;
    if (character === '(') open.push(false);
    else if (character === ')') {
      const varies = open.pop() === true;
      if (varies && /^(?:[*+]|\{)/.test(plain.slice(at + 1)))
        return 'repeats a group that repeats something itself or has alternatives';
      if (varies && open.length > 0) open[open.length - 1] = true;
    } else if (/^(?:[*+?|]|\{\d*,)/.test(plain.slice(at)) && open.length > 0) open[open.length - 1] = true;
  }
  return undefined;
}
