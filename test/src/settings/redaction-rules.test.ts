import { expect, test } from 'vitest';
import { parseRules } from '../../../src/settings/redaction-rules.ts';

const RULE = ['[[rule]]', 'name = "acme"', 'anchor = "acme_"', 'pattern = "acme_[a-z]{9}"'];

function read(...lines: readonly string[]): ReturnType<typeof parseRules> {
  return parseRules(lines.join('\n'), (problem) => {
    throw new Error(problem);
  });
}

const withPattern =
  (pattern: string): (() => unknown) =>
  () =>
    read(...RULE.slice(0, 3), `pattern = '${pattern}'`);

test('adds rules after the built-in ones, and leaves out those that are off', () => {
  const { rules } = read('off = ["email", "iban"]', ...RULE);
  expect(rules.at(-1)).toMatchObject({
    name: 'acme',
    forms: [{ anchors: ['acme_'], pattern: 'acme_[a-z]{9}' }],
  });
  expect(rules.map(({ name }) => name)).not.toContain('email');
  expect(rules.map(({ name }) => name)).toContain('card');
});

test.each([
  [['off = ["emails"]'], "off: 'emails' is not a rule"],
  [['offf = []'], "'offf' is not one of off, rule, allow"],
  [['off = '], 'not TOML'],
  [
    RULE.filter((line) => !line.startsWith('anchor')),
    "rule 'acme': anchor must be a text of at least 3 bytes",
  ],
  [
    RULE.map((line) => line.replace('"acme_"', '"ac"')),
    "rule 'acme': anchor must be a text of at least 3 bytes",
  ],
  [RULE.map((line) => line.replace('"acme"', '"Acme"')), 'rule 1: name must be'],
  [RULE.map((line) => line.replace('"acme"', '"email"')), "there already is a rule 'email'"],
  [[...RULE, 'group = 1'], "rule 'acme': group must be a number from 0 to 0"],
  [[...RULE, 'entropy = 3'], "rule 1: 'entropy' is not one of name, anchor, pattern, group"],
  [['[allow]', 'values_sha256 = ["abc"]'], 'allow.values_sha256: number 1 is not a SHA-256'],
  [['[allow]', 'patterns = ["("]'], 'allow.patterns is not a regular expression'],
])('refuses %j', (lines, problem) => {
  expect(() => read(...lines)).toThrow(problem);
});

test.each([
  'acme_(a+)+',
  'acme_(?:a*b)*',
  'acme_(a|a)*b',
  'acme_((a+)b)+',
  'acme_(?:a?){50}',
  'acme_(a{1,9}){2,}',
])('refuses %s, which may take exponential time', (pattern) => {
  expect(withPattern(pattern)).toThrow('repeats a group');
});

test.each([
  'acme_[a-z]*[a-z]*[a-z]*1',
  '[a-z_]*acme_[a-z_]*1',
  '[a-z_]{0,40}acme_[a-z_]{0,20}1',
  'acme_[a-z_]{0,390}[a-z_]{2}[a-z_]{5}1',
  'acme_.*:.*1',
  'acm._[a-z]{30}',
])('refuses %s, which may take polynomial time', (pattern) => {
  expect(withPattern(pattern)).toThrow("rule 'acme': pattern may take long");
});

test('refuses back-references, and accepts what is linear', () => {
  expect(withPattern('acme_(a)\\1')).toThrow('has a back-reference');
  for (const pattern of ['acme_[a-z(+]{20,40}', 'acme_(?:live|test)_\\w+', 'acme_(?:ab){3}\\.(x+)?'])
    expect(withPattern(pattern)).not.toThrow();
  const bounded = [
    'acme_\\w+\\.\\w+\\.\\w+',
    '(?:test_)?acme_[a-z0-9]{32}',
    '[a-z]{1,9}-acme_[a-z]{20,40}',
    'acme_.*1',
  ];
  for (const pattern of bounded) expect(withPattern(pattern)).not.toThrow();
});

test('a pattern that begins with its anchor is tried only there', () => {
  const backOf = (pattern: string): number | undefined =>
    read(...RULE.slice(0, 3), `pattern = '${pattern}'`).rules.at(-1)?.forms[0]?.back;
  expect(['acme_(?:live|test)_[a-z]+', 'acme_[|]x', 'acme_a\\|b'].map(backOf)).toEqual([0, 0, 0]);
  expect(['x?acme_a', 'acme_a|acme_b', 'acme_?a'].map(backOf)).toEqual([64, 64, 64]);
});
